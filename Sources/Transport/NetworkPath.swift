public import Primitives

/// A long way to the peer, simulated at our end of a connection: everything takes half a round trip in each direction.
///
/// It lies below TLS, so that it delays the handshake's flights, the data, alerts and the end of the stream alike.
/// Like a real path it holds a bounded number of bytes: what has come in occupies the window until its acknowledgement
/// would have reached the peer, one round trip after it came; while the window is full nothing more is read, and the
/// peer's writes come to a halt. So no connection carries more than window / round trip.
public struct NetworkPath: Equatable, Sendable {
    /// Time from a byte's departure to the arrival of what answers it; more than zero.
    public var roundTrip: Interval
    /// The most bytes on their way in on one connection, as they are on the wire.
    public var window = NetworkPath.defaultWindow
    /// The most bytes on their way in on all connections of a listener together.
    public var totalWindow = NetworkPath.defaultTotalWindow

    /// 16 MiB: enough for 1 Gbit/s at 130 ms.
    public static let defaultWindow = 16 << 20
    /// 1 GiB: 64 connections with full windows.
    public static let defaultTotalWindow = 1 << 30

    /// Makes a path of so long a round trip with the default windows.
    public init(roundTrip: Interval) { self.roundTrip = roundTrip }

    /// The kernel's receive buffer: a small window must not be outdone by it, a large one leaves it to the kernel.
    var receiveBufferBytes: Int? { window < 1 << 20 ? max(window / 2, 2_048) : nil }

    /// The time in one direction.
    var oneWay: Interval { Interval(nanoseconds: roundTrip.nanoseconds / 2) }
}
