public import RunRecords

/// What a bad token costs at one combination of a sweep, or in one run: measured, and beside it what the model says.
public struct BadTokenPrice: Codable, Equatable, Sendable {
    /// What the rate without errors rests on.
    public enum Basis: String, Codable, Sendable, CaseIterable {
        /// The sweep's own combination without bad tokens.
        case errorFreeCell
        /// What the window lets through in a round trip.
        case window
        /// The time of the same runs in which no connection was being replaced.
        case quietTime

        /// The basis, for people.
        public var text: String {
            switch self {
            case .errorFreeCell: "the combination without bad tokens"
            case .window: "a window in each round trip"
            case .quietTime: "the time without errors"
            }
        }
    }

    /// The combination, by its number in the grid.
    public var cell: Int
    /// The share of notifications that were refused.
    public var badShare: Double
    /// The round trip that the simulator added.
    public var roundTripNs: Int64
    /// How many notifications were refused, in all runs.
    public var errors: Int64
    /// From the write of a bad notification to its reply, on average; null if not known.
    @ExplicitNull public var replyNs: Double?
    /// From the reply to the first batch on the successor, on average; null if not known.
    @ExplicitNull public var reconnectNs: Double?
    /// The rate without errors, accepted or refused; null if not known.
    @ExplicitNull public var errorFreePerSecond: Double?
    /// What that rests on; null if it is not known.
    @ExplicitNull public var errorFreeBy: Basis?
    /// What bounds the rate without errors, as the model takes it; null without a model.
    @ExplicitNull public var bound: BadTokenModel.Bound?
    /// What was measured.
    public var measured: BadTokenFigures
    /// The standard error of the throughput lost, by what repeated runs scatter, or by the noise of quiet time if it was measured within the
    /// runs; null if it is not known.
    @ExplicitNull public var lostStandardError: Double?
    /// What the model says; null where it does not apply.
    @ExplicitNull public var model: BadTokenFigures?
    /// The model's errors as shares of what was measured; null where there is no model, or where fewer than ``errorsMin`` errors say too
    /// little. Throughput lost has one only if it is more than twice its standard error.
    @ExplicitNull public var modelError: BadTokenFigures?
    /// Why there is no model; null if there is one.
    @ExplicitNull public var obstacle: String?

    /// The fewest errors that a model is held against.
    public static let errorsMin: Int64 = 10

    /// Whether the measured loss is more than chance.
    public var isLossClear: Bool {
        guard let lost = measured.lost else { return false }
        return lostStandardError.map { lost > 2 * $0 } ?? true
    }
}

/// How the rate follows the share of bad tokens, or the round trip, at one setting.
public struct BadTokenCurve: Codable, Equatable, Sendable {
    /// The key along which it goes.
    public var key: String
    /// The values of the other keys, for people; empty if no other key was varied.
    public var setting: String
    /// The combination whose times and rate the model of the whole curve rests on, by its number in the grid.
    public var anchor: Int
    /// The points, in the order of the axis; those that nobody measured stand behind.
    public var points: [BadTokenCurvePoint]
}

/// One point of a curve.
public struct BadTokenCurvePoint: Codable, Equatable, Sendable {
    /// The value of the curve's key.
    public var value: String
    /// The combination, by its number in the grid; null where nothing was measured.
    @ExplicitNull public var cell: Int?
    /// The share of notifications that are refused.
    public var badShare: Double
    /// Accepted per second, measured; null where nothing was.
    @ExplicitNull public var acceptedPerSecond: Double?
    /// Accepted per second by the model, from the anchor's times and rate; null where it does not apply.
    @ExplicitNull public var modelPerSecond: Double?
}

/// What a sweep says about bad tokens.
public struct BadTokenFindings: Codable, Equatable, Sendable {
    /// The price at each combination whose runs had any, in the order of the grid.
    public var prices: [BadTokenPrice]
    /// The curves along the share of bad tokens and along the round trip, if those were varied.
    public var curves: [BadTokenCurve]
    /// Why there is no price, for people; null if there is one.
    @ExplicitNull public var note: String?
}
