import Primitives
import SecureChannel

/// Gives each connection the value of `authorization` that its requests carry, and another one when it is time for that.
final class Authorization: Sendable {
    /// One for all connections, or one for each by slot.
    private let sources: [ProviderTokenSource]

    init(_ sources: [ProviderTokenSource]) { self.sources = sources }

    /// The value for connection `slot`, and from when on another one holds.
    ///
    /// - Throws: ``TLSFailure`` when a token cannot be signed.
    func value(slot: Int, at now: Instant) throws(TLSFailure) -> (bytes: [UInt8], renewAt: Instant) {
        let token = try sources[slot % sources.count].token(at: now)
        return (Array("bearer ".utf8) + token.text, token.renewAt)
    }
}
