/// A condition on a run's figures, such as `accepted/s >= 500k`.
public struct Threshold: Equatable, Sendable {
    /// The condition as written.
    public var text: String
}
