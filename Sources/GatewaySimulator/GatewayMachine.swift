public import Primitives

/// The gateway's side of one connection, whatever is spoken on it: what a driver calls once for a read, a write or a timer.
public protocol GatewayMachine: AnyObject {
    /// When the connection's first notification was accepted; nil before.
    var firstAcceptedAt: Instant? { get }
    /// When ``timerFired(now:)`` wants to be called.
    var deadline: Instant? { get }
    /// Takes what the session wants done; nil when nothing.
    func takeAction() -> GatewayAction?
    /// Bytes came from the provider.
    func receive(_ bytes: UnsafeRawBufferPointer, now: Instant)
    /// Time has come for what ``deadline`` announced.
    func timerFired(now: Instant)
    /// Writes what waits and returns its length; 0 if nothing does.
    func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int
    /// The provider closed the connection, or it broke.
    func connectionEnded()
}

extension GatewaySession: GatewayMachine {}
extension HTTP2GatewaySession: GatewayMachine {}
