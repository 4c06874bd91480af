import Primitives
import PushWire
import Workload

/// What a fault's trigger looks at: a notification, or as much of it as could be told.
struct FaultSubject {
    var identifier: UInt32
    var token = UnsafeRawBufferPointer(start: nil, count: 0)
    var payload = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Its place on the connection, which stands in for an identifier where there is none.
    var position: UInt64
    /// Whether chance goes by its place nevertheless, so that it is not struck again when it is sent again.
    var isDrawnByPosition = false

    /// What chance is decided by: the same for the same notification, wherever it comes.
    var drawingKey: UInt64 { identifier != 0 && !isDrawnByPosition ? UInt64(identifier) : position << 32 }
}

/// One fault as one connection sees it: whether it strikes now.
struct FaultWatch {
    let index: Int
    let fault: GatewayFault
    /// When the time begins that ``FaultTrigger/at`` names.
    let start: Instant?
    private let seed: UInt64
    private let key: TokenKey?
    private var count: UInt64 = 0
    private var countReachedAt: Instant?
    private var isSpent = false

    init(index: Int, fault: GatewayFault, origin: Instant, seed: UInt64, key: TokenKey?) {
        self.index = index
        self.fault = fault
        start = fault.trigger.at.map { origin + $0 }
        self.seed = mix64(seed ^ mix64(UInt64(index) ^ 0x6661_756C_7473))
        self.key = key
    }

    /// Counts a notification; returns until when the fault lasts if it strikes, `now` for one without a length, and nil if not.
    mutating func strike(_ subject: FaultSubject, now: Instant, totals: FaultTotals) -> Instant? {
        let trigger = fault.trigger
        guard isNamed(subject) else { return nil }
        if let start, now < start || trigger.length.map({ now >= start + $0 }) ?? false { return nil }
        if start != nil, trigger.isOnce {
            guard !isSpent else { return nil }
            isSpent = true
            return trigger.scope == .connection || totals.isFirst(index) ? now : nil
        }
        var begin = start
        if trigger.after != nil || trigger.every != nil {
            let first = trigger.after ?? 0
            let number = countOne(totals)
            guard number >= first else { return nil }
            if trigger.after != nil {
                let reached = reach(now, totals)
                if let length = trigger.length, now >= reached + length { return nil }
                if trigger.isOnce && number > first { return nil }
                begin = reached
            }
            if let every = trigger.every, !(number - first).isMultiple(of: every) { return nil }
        }
        guard let length = trigger.length else { return now }
        return (trigger.isSelective ? now : begin ?? now) + length
    }

    /// A number that the seed draws for a notification.
    func draw(_ subject: FaultSubject) -> UInt64 { mix64(seed ^ mix64(subject.drawingKey)) }

    private mutating func countOne(_ totals: FaultTotals) -> UInt64 {
        guard fault.trigger.scope == .connection else { return totals.count(index) }
        count += 1
        return count
    }

    /// When the count was reached.
    private mutating func reach(_ now: Instant, _ totals: FaultTotals) -> Instant {
        let reached =
            countReachedAt ?? (fault.trigger.scope == .connection ? now : totals.begin(index, at: now))
        countReachedAt = reached
        return reached
    }

    private func isNamed(_ subject: FaultSubject) -> Bool {
        let trigger = fault.trigger
        if !trigger.identifiers.isEmpty && !trigger.identifiers.contains(subject.identifier) { return false }
        if let tokens = trigger.tokens, tokens != tokenClass(subject.token) { return false }
        if !trigger.payloadMarker.isEmpty && !subject.payload.contains(trigger.payloadMarker) { return false }
        guard let share = trigger.share else { return true }
        return draw(subject) >> 1 < UInt64(min(max(share, 0), 1) * 0x1p63)
    }

    private func tokenClass(_ token: UnsafeRawBufferPointer) -> FaultTrigger.TokenClass? {
        guard let bytes = token.baseAddress else { return nil }
        guard token.count == TokenKey.tokenBytes, let device = key?.device(ofToken: bytes) else { return .foreign }
        return .fate(device.fate)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a run of bytes stands somewhere in these.
    fileprivate func contains(_ marker: [UInt8]) -> Bool {
        guard count >= marker.count else { return false }
        return (0...count - marker.count).contains { start in
            marker.indices.allSatisfy { self[start + $0] == marker[$0] }
        }
    }
}
