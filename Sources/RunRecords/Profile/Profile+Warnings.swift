import Primitives
import PushWire

extension Profile {
    /// What is allowed and makes figures doubtful, one sentence each.
    public var warnings: [String] { crowdedDevices + refusedRequests + idleFaults }

    /// Gateways throttle devices that are pushed to again and again, so that a run with few devices measures that and not the gateway.
    private var crowdedDevices: [String] {
        guard protocolName == .http2, load.loop == .open, let rate = load.rate else { return [] }
        let wanted = rate.perSecond * 10
        guard Double(workload.devices) < wanted else { return [] }
        return [
            "workload.devices: \(workload.devices) devices get \(rate) together, so each is pushed to more than once in ten seconds; "
                + "gateways throttle that (429 TooManyRequests), and \(UInt64(wanted.rounded(.up))) devices or more avoid it"
        ]
    }

    /// What every request has and gateways refuse, which is of use only to see just that.
    private var refusedRequests: [String] {
        guard protocolName == .http2 else { return [] }
        if case .simulator(let simulator) = target, simulator.http2.acceptAll { return [] }
        let http2 = sender.http2
        var found: [String] = []
        if let type = Array(http2.pushType.utf8).withUnsafeBytes({ PushType($0) }) {
            if !type.allows(priority: sender.priority) {
                let allowed = [10, 5, 1].filter { type.allows(priority: $0) }.map { "\($0)" }
                found.append(
                    "sender.priority: \(sender.priority) is none for pushType \(http2.pushType), so every request is refused "
                        + "(400 BadPriority); accepted: \(allowed.joined(separator: ", "))")
            }
            if type.needsProviderToken && http2.authentication == .certificate {
                found.append(
                    "sender.http2.pushType: \(http2.pushType) needs provider tokens, so every request with a certificate is refused "
                        + "(403 Forbidden)")
            }
        } else {
            let names = PushType.allCases.map(\.rawValue)
            let nearest = nearestName(to: http2.pushType, among: names).map { ", did you mean \"\($0)\"?" } ?? ""
            found.append(
                "sender.http2.pushType: \"\(http2.pushType)\" is no push type\(nearest), so every request is refused "
                    + "(400 InvalidPushType); accepted: \(names.joined(separator: ", "))")
        }
        if let identifier = http2.collapseID, identifier.utf8.count > 64 {
            found.append(
                "sender.http2.collapseID: it has \(identifier.utf8.count) bytes, so every request is refused (400 BadCollapseId); "
                    + "up to 64 are accepted")
        }
        return found
    }

    /// Faults that never strike, as they are for the other interface of the simulator.
    private var idleFaults: [String] {
        guard case .simulator(let simulator) = target else { return [] }
        return simulator.faults.enumerated().compactMap { index, fault in
            let isIdle = protocolName == .http2 ? fault.kind.isBinaryOnly : fault.kind.isHTTP2Only
            guard isIdle else { return nil }
            let interface = fault.kind.isBinaryOnly ? "the binary interface" : "HTTP/2"
            return
                "target.simulator.faults[\(index)]: \(fault.kind.rawValue) is a fault of \(interface), and never strikes a run of "
                + "protocol \(protocolName.rawValue)"
        }
    }
}

extension FaultKind {
    /// Whether it strikes connections of the binary interface only.
    var isBinaryOnly: Bool {
        switch self {
        case .status, .acceptanceDelay, .replyDelay, .replySplit, .replyWithheld, .replyIdentifier, .replyClose: true
        default: false
        }
    }

    /// Whether it strikes connections of HTTP/2 only.
    var isHTTP2Only: Bool {
        switch self {
        case .response, .responseDelay, .unanswered, .resetStream, .goAway, .streamLimit, .streamWindow, .windowHeld,
            .tokenLimit:
            true
        default: false
        }
    }
}
