import GatewaySimulator
import Primitives
import PushWire
import RunRecords
import Workload

extension FaultPlan {
    /// The profile's plan as gateway sessions want it; `loops` share what is limited in total.
    init(_ faults: [FaultSettings], seed: UInt64, loops: Int) {
        self.init(faults.map { GatewayFault($0.effect(loops: loops), when: $0.trigger) }, seed: seed)
    }
}

extension FaultSettings {
    fileprivate func effect(loops: Int) -> GatewayFault.Effect {
        switch kind {
        case .status: .status(ErrorStatus(rawValue: UInt8(clamping: status)))
        case .shutdown: .shutdown
        case .close: .close(GatewaySimulator.CloseMode(mode))
        case .stall: .stall
        case .blackHole: idle == nil ? .blackHole : .external
        case .throttle: notificationRate.map { .throttle($0.shared(by: scope == .total ? loops : 1)) } ?? .external
        case .replyDelay: .replyDelay(replyDelay)
        case .replySplit: .replySplit(pieces, pause: pause)
        case .replyWithheld: .replyWithheld
        case .replyIdentifier: .replyIdentifier(replyName)
        case .replyClose: .replyClose(GatewaySimulator.CloseMode(mode))
        case .refuse, .slowAccept, .handshake, .idleClose, .kill, .outage, .freeze: .external
        }
    }

    fileprivate var trigger: FaultTrigger {
        var trigger = FaultTrigger()
        trigger.at = at
        trigger.after = after.map(UInt64.init)
        trigger.length = length
        // A length alone runs from the start, but for a stall, whose length is that of each one.
        if length != nil, at == nil, after == nil, !(kind == .stall && isSelective) { trigger.at = .zero }
        trigger.every = every.map(UInt64.init)
        trigger.share = share
        trigger.tokens = tokens.map(\.tokenClass)
        trigger.identifiers = Set(identifiers)
        trigger.payloadMarker = payloadContains.map { Array($0.utf8) } ?? []
        trigger.scope = scope == .connection ? .connection : .total
        return trigger
    }

    /// A throttle's rate of notifications; nil when it is one of bytes.
    private var notificationRate: Rate? { bytes == nil ? rate : nil }

    private var replyDelay: ReplyDelay {
        var delay =
            switch delay {
            case .constant(let length): ReplyDelay.constant(length)
            case .distribution(let delays): ReplyDelay.distribution(p50: delays.p50, p99: delays.p99, max: delays.max)
            case nil: ReplyDelay(lengths: [])
            }
        delay.notifications = UInt64(until ?? 0)
        delay.reads = reads
        return delay
    }

    private var replyName: ReplyName {
        if let shift { return .shifted(Int32(clamping: shift)) }
        return .identifier(identifier ?? 0)
    }
}

extension FaultSettings.TokenClass {
    fileprivate var tokenClass: FaultTrigger.TokenClass {
        switch self {
        case .valid: .fate(.valid)
        case .badToken: .fate(.badToken)
        case .unregistered: .fate(.unregistered)
        case .otherTopic: .fate(.otherTopic)
        case .foreign: .foreign
        }
    }
}

extension Rate {
    fileprivate func shared(by count: Int) -> Rate { Rate(perSecond: perSecond / Double(count)) }
}
