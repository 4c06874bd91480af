import Primitives

extension Profile {
    /// What is allowed and makes figures doubtful, one sentence each.
    ///
    /// Gateways throttle devices that are pushed to again and again, so that a run with few devices measures that and not the gateway.
    public var warnings: [String] {
        guard protocolName == .http2, load.loop == .open, let rate = load.rate else { return [] }
        let wanted = rate.perSecond * 10
        guard Double(workload.devices) < wanted else { return [] }
        return [
            "workload.devices: \(workload.devices) devices get \(rate) together, so each is pushed to more than once in ten seconds; "
                + "gateways throttle that (429 TooManyRequests), and \(UInt64(wanted.rounded(.up))) devices or more avoid it"
        ]
    }
}
