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
        case .acceptanceDelay: .acceptanceDelay(replyDelay)
        case .replyDelay: .replyDelay(replyDelay)
        case .replySplit: .replySplit(pieces, pause: pause)
        case .replyWithheld: .replyWithheld
        case .replyIdentifier: .replyIdentifier(replyName)
        case .replyClose: .replyClose(GatewaySimulator.CloseMode(mode))
        case .response: .response(reason ?? .internalServerError)
        case .responseDelay: .responseDelay(replyDelay)
        case .unanswered: .unanswered
        case .resetStream: .resetStream(code.number)
        case .goAway: .goAway(goAwayOrder)
        case .streamLimit: .streamLimit(UInt32(streams))
        case .streamWindow: .streamWindow(UInt32(window))
        case .windowHeld: .windowHeld
        case .tokenLimit: .tokenLimit((rate ?? Rate(perSecond: 1)).shared(by: scope == .total ? loops : 1))
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
            case .logNormal(let delays): ReplyDelay.logNormal(median: delays.median, sigma: delays.sigma)
            case nil: ReplyDelay(lengths: [])
            }
        delay.notifications = UInt64(until ?? 0)
        delay.reads = reads
        return delay
    }

    private var goAwayOrder: GoAwayOrder {
        var order = GoAwayOrder()
        order.code = code.number
        order.reason = reason
        order.announcement = announcement
        order.closes = closes
        order.lastStream =
            switch last {
            case .latest: behind.map { .behind(UInt32($0)) } ?? .latest
            case .none: .none
            case .highest: .highest
            }
        return order
    }

    private var replyName: ReplyName {
        if let shift { return .shifted(Int32(clamping: shift)) }
        return .identifier(identifier ?? 0)
    }
}

extension FaultSettings.StreamCode {
    fileprivate var number: UInt32 {
        let code: HTTP2ErrorCode =
            switch self {
            case .noError: .noError
            case .protocolError: .protocolError
            case .internalError: .internalError
            case .flowControlError: .flowControlError
            case .refusedStream: .refusedStream
            case .cancel: .cancel
            case .enhanceYourCalm: .enhanceYourCalm
            case .inadequateSecurity: .inadequateSecurity
            }
        return code.rawValue
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
