import Primitives
public import RunRecords

/// What bad tokens leave and what one of them costs, as measured or as a model has it.
public struct BadTokenFigures: Codable, Equatable, Sendable {
    /// Accepted notifications per second, whatever errors came; null if not known.
    @ExplicitNull public var acceptedPerSecond: Double?
    /// Notifications that had followed a bad one when its reply came; null if not known.
    @ExplicitNull public var inFlight: Double?
    /// Notifications written again for each error; null if not known.
    @ExplicitNull public var resent: Double?
    /// What would have been accepted or refused more for each error, had there been none; null if not known.
    @ExplicitNull public var lost: Double?

    /// Makes figures; null for those that are not known.
    public init(
        acceptedPerSecond: Double? = nil, inFlight: Double? = nil, resent: Double? = nil, lost: Double? = nil
    ) {
        self.acceptedPerSecond = acceptedPerSecond
        self.inFlight = inFlight
        self.resent = resent
        self.lost = lost
    }

    /// How far these are from measured ones, each as a share of the measured one; null where there is nothing to divide by.
    public func errors(against measured: BadTokenFigures) -> BadTokenFigures {
        func error(_ figure: KeyPath<BadTokenFigures, Double?>) -> Double? {
            guard let own = self[keyPath: figure], let other = measured[keyPath: figure], other > 0 else { return nil }
            return own / other - 1
        }
        return BadTokenFigures(
            acceptedPerSecond: error(\.acceptedPerSecond), inFlight: error(\.inFlight), resent: error(\.resent),
            lost: error(\.lost))
    }
}

/// Why the model of bad tokens says nothing about a setting.
public enum BadTokenObstacle: Error, Equatable, Sendable, CustomStringConvertible {
    /// A bad token costs a request and no connection.
    case requests
    /// Notifications of command 0 have no identifiers: nothing is named, and nothing written again.
    case noIdentifiers
    /// An open loop.
    case offeredRate
    /// There is no run without errors, and not enough time without them in a run.
    case errorFreeRateUnknown
    /// There is no measured time of a reply or of a reconnect.
    case timesUnknown
    /// Connections ended for other reasons, too.
    case otherEnds(reconnects: Int64, errors: Int64)
    /// Faults of the gateway that do more than delay.
    case otherFaults(String)
    /// The target was the limit, or the rate that was asked for.
    case otherLimit(LimitRecord.Kind)
    /// More is in flight than can be written again.
    case windowTooSmall(needed: Int64)
    /// Reconnects and what is written again need more of the machine than there is.
    case machineBinds(load: Double)

    /// The reason, for people.
    public var description: String {
        switch self {
        case .requests: "over HTTP/2 a bad token costs one request and no connection"
        case .noIdentifiers: "command 0 has no identifiers, so that nothing is written again"
        case .offeredRate: "the load is offered at a rate, so that what an error delays is late and not lost"
        case .errorFreeRateUnknown:
            "the rate without errors is not known: no run without bad tokens, and too little time without errors"
        case .timesUnknown: "no error reply or no reconnect was timed"
        case .otherEnds(let reconnects, let errors):
            "connections ended for other reasons, too: \(reconnects) were replaced after \(errors) errors"
        case .otherFaults(let name): "the gateway has a fault of its own: \(name)"
        case .otherLimit(let kind): "without errors the limit was another one: \(kind.rawValue)"
        case .windowTooSmall(let needed):
            "more is in flight at an error than the window can write again: \(needed) are needed"
        case .machineBinds(let load):
            "reconnects and resends would take \(decimalText(100 * load, places: 0)) % of the machine, which is then the limit"
        }
    }
}
