import Primitives
import RunRecords
import Transport

extension SimulatorSettings {
    /// What the fault plan lets befall connections whatever is sent on them; `seed` is the run's.
    func connectionFaults(seed: UInt64) -> ConnectionFaults {
        var connections = ConnectionFaults()
        connections.accept.seed = seed
        for fault in faults { fault.add(to: &connections, seed: seed) }
        return connections
    }
}

extension FaultSettings {
    fileprivate func add(to connections: inout ConnectionFaults, seed: UInt64) {
        switch kind {
        case .refuse: connections.accept.refusedShare += share ?? 0
        case .slowAccept: connections.accept.delay = acceptDelay
        case .handshake:
            connections.accept.handshakes.append(HandshakeFault(handshakeKind, share: share ?? 1, window: window))
        case .throttle:
            guard let bytes else { return }
            connections.readLimit = .init(
                bytes: Rate(perSecond: Double(bytes)), scope: scope == .total ? .total : .connection)
        case .blackHole:
            guard let idle else { return }
            connections.blackHole = .init(.idle(idle), share: share ?? 1, seed: seed)
        case .idleClose: connections.idleClose = idle.map { .init(after: $0, closing: closing) }
        case .kill: connections.kill = rate.map { .init(rate: $0, closing: closing, seed: seed) }
        case .outage: connections.outages.append(.init(at: at ?? .zero, length: length ?? .zero))
        default: break
        }
    }

    private var handshakeKind: HandshakeFault.Kind {
        switch handshake {
        case .alert: .alert(UInt8(clamping: alert))
        case .close: .closeAtOnce
        case .closeAfterHello: .closeAfterHello
        case .silence: .silence
        }
    }

    private var window: Range<Interval>? {
        guard at != nil || length != nil else { return nil }
        let start = at ?? .zero
        return start..<(length.map { start + $0 } ?? Interval(nanoseconds: .max))
    }

    private var closing: LinkClosing {
        switch mode {
        case .graceful, .halfClose, .never: .graceful(drain: GatewayLink.lingerTime)
        case .fin: .fin
        case .abrupt: .abrupt
        case .reset: .reset
        }
    }
}
