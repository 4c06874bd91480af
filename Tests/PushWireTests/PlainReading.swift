import PushWire

/// The same judgement as the reader's in the plainest way: whole stream in one array, fields by index arithmetic.
struct PlainReading {
    private var rest: ArraySlice<UInt8>
    private let after: AfterRefusal
    private let payloadLimit: Int
    private var isStrict = true
    private var seen: [Seen] = []
    private var isOver = false

    /// What becomes of one frame.
    private enum Outcome {
        case notification(Parts, byteCount: Int)
        case refused(ErrorStatus, UInt32)
        case incomplete
        case unknown(UInt8)
    }

    static func seen(in stream: [UInt8], _ after: AfterRefusal, payloadLimit: Int) -> [Seen] {
        var reading = PlainReading(rest: stream[...], after: after, payloadLimit: payloadLimit)
        while !reading.isOver { reading.step() }
        return reading.seen
    }

    private init(rest: ArraySlice<UInt8>, after: AfterRefusal, payloadLimit: Int) {
        self.rest = rest
        self.after = after
        self.payloadLimit = payloadLimit
    }

    private mutating func step() {
        switch frame() {
        case .incomplete: isOver = true
        case .unknown(let command):
            seen.append(.unknownCommand(command))
            isOver = true
        case .notification(let parts, let byteCount):
            seen.append(.notification(parts))
            rest = rest.dropFirst(byteCount)
        case .refused(let status, let identifier):
            seen.append(.refused(status, identifier))
            let wasStrict = isStrict
            isStrict = false
            // A frame that cannot even be skipped ends the reading.
            if case .refused = frame() { isOver = true }
            if after == .nothing || !wasStrict { isOver = true }
        }
    }

    private func number(_ offset: Int, _ count: Int) -> Int {
        rest.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    private func bytes(_ offset: Int, _ count: Int) -> [UInt8] { Array(rest.dropFirst(offset).prefix(count)) }

    private func frame() -> Outcome {
        guard let command = rest.first else { return .incomplete }
        switch command {
        case 0: return plain(tokenAt: 3, identifier: 0, hasIdentifier: false, expiry: 0)
        case 1:
            return plain(
                tokenAt: 11, identifier: UInt32(number(1, 4)), hasIdentifier: true, expiry: UInt32(number(5, 4)))
        case 2: return items()
        default: return .unknown(command)
        }
    }

    private func plain(tokenAt start: Int, identifier: UInt32, hasIdentifier: Bool, expiry: UInt32) -> Outcome {
        guard rest.count >= start else { return .incomplete }
        let tokenBytes = number(start - 2, 2)
        if isStrict && tokenBytes == 0 { return .refused(.missingDeviceToken, identifier) }
        if isStrict && tokenBytes != 32 { return .refused(.invalidTokenSize, identifier) }
        guard rest.count >= start + tokenBytes + 2 else { return .incomplete }
        let payloadBytes = number(start + tokenBytes, 2)
        if isStrict && payloadBytes == 0 { return .refused(.missingPayload, identifier) }
        if isStrict && payloadBytes > payloadLimit { return .refused(.invalidPayloadSize, identifier) }
        let byteCount = start + tokenBytes + 2 + payloadBytes
        guard rest.count >= byteCount else { return .incomplete }
        return .notification(
            Parts(
                command: rest.first!, identifier: identifier, hasIdentifier: hasIdentifier, expiry: expiry,
                token: bytes(start, tokenBytes), payload: bytes(start + tokenBytes + 2, payloadBytes)),
            byteCount: byteCount)
    }

    /// Command 2: all items that are there are listed first, then judged in their order.
    private func items() -> Outcome {
        guard rest.count >= 5 else { return .incomplete }
        let byteCount = 5 + number(1, 4)
        if !isStrict && byteCount > 131_099 { return .refused(.protocolError, 0) }
        let isWhole = !isStrict || byteCount <= max(16_384, 29 + 32 + payloadLimit)
        if isWhole && rest.count < byteCount { return .incomplete }
        var parts = Parts(command: 2, identifier: 0, hasIdentifier: false, expiry: 0, token: [], payload: [])
        var kinds: Set<Int> = []
        var status: ErrorStatus?
        var offset = 5
        func outcome(_ last: ErrorStatus?) -> Outcome {
            if isStrict, let status = status ?? last { return .refused(status, parts.identifier) }
            return .notification(parts, byteCount: byteCount)
        }
        while offset < byteCount {
            if offset + 3 > byteCount { return outcome(.protocolError) }
            if offset + 3 > rest.count { return .incomplete }
            let kind = number(offset, 1)
            let length = number(offset + 1, 2)
            if offset + 3 + length > byteCount { return outcome(.protocolError) }
            let isEmptyToken = kind == 1 && length == 0 && !kinds.contains(1)
            if isStrict { status = status ?? fault(kind, length, isRepeated: kinds.contains(kind)) }
            if isStrict && isEmptyToken { return outcome(nil) }
            if status != nil && (!isWhole || parts.hasIdentifier) { return outcome(nil) }
            if offset + 3 + length > rest.count { return .incomplete }
            let data = bytes(offset + 3, length)
            if kinds.contains(kind) {
                offset += 3 + length
                continue
            }
            switch (kind, length) {
            case (1, _): parts.token = data
            case (2, _): parts.payload = data
            case (3, 4): (parts.identifier, parts.hasIdentifier) = (UInt32(number(offset + 3, 4)), true)
            case (4, 4): parts.expiry = UInt32(number(offset + 3, 4))
            case (5, 1): parts.priority = data[0]
            default: break
            }
            if (1...2).contains(kind) || [3, 4].contains(kind) && length == 4 || kind == 5 && length == 1 {
                kinds.insert(kind)
            }
            if isStrict && ![5, 10].contains(parts.priority) { status = status ?? .protocolError }
            if status != nil && (!isWhole || parts.hasIdentifier) { return outcome(nil) }
            offset += 3 + length
        }
        if !kinds.contains(1) { return outcome(.missingDeviceToken) }
        if !kinds.contains(2) { return outcome(.missingPayload) }
        return outcome(nil)
    }

    private func fault(_ kind: Int, _ length: Int, isRepeated: Bool) -> ErrorStatus? {
        if isRepeated { return .protocolError }
        switch kind {
        case 1: return length == 0 ? .missingDeviceToken : length == 32 ? nil : .invalidTokenSize
        case 2: return length == 0 ? .missingPayload : length <= payloadLimit ? nil : .invalidPayloadSize
        case 3, 4: return length == 4 ? nil : .protocolError
        case 5: return length == 1 ? nil : .protocolError
        default: return .protocolError
        }
    }
}

/// Reads a whole stream in the plainest way.
func plainReading(of stream: [UInt8], _ after: AfterRefusal, payloadLimit: Int) -> [Seen] {
    PlainReading.seen(in: stream, after, payloadLimit: payloadLimit)
}
