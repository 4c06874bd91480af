public import Primitives

/// What a simulated network does, and what it does wrong.
public struct LinkScript: Sendable {
    /// How an attempt to connect ends.
    public enum Admission: Hashable, Sendable {
        /// The connection stands.
        case accepted
        /// The target refuses it.
        case refused
        /// TCP stands, and the TLS handshake ends with an alert.
        case handshakeRefused
        /// The connection stands and is closed at once.
        case closedAfterHandshake
    }

    /// Something that befalls one connection.
    public enum Fault: Hashable, Sendable {
        /// The connection breaks when so many bytes have reached the gateway; replies on their way are destroyed.
        case resetAfter(bytes: Int)
        /// The gateway's replies never arrive; its close does, as a reset.
        case replyDestroyed
        /// Replies arrive in pieces of so many bytes.
        case replySplit(bytes: Int)
        /// The sender's next write fails before it reads the reply that already lies in its receive buffer.
        case writeFailsBeforeReply
        /// The gateway is gone when it should reply: the sender's next write fails, and nothing comes any more.
        case writeFailsWithoutReply
        /// The gateway sends these bytes as soon as anything arrives.
        case gatewayBabbles([UInt8])
    }

    /// The time that bytes take in each direction.
    public var latency = Interval.microseconds(50)
    /// How long the sender is busy with one batch.
    public var writeCost = Interval.microseconds(20)
    /// The most bytes between the two, socket buffers included.
    public var capacityBytes = 1 << 20
    /// For how long the driver reads on behind a failed write.
    public var drainLimit = Interval.seconds(1)
    /// How likely a reply survives the reset that an abrupt close with unread input becomes.
    public var replySurvival = 0.0
    /// The longest piece in which bytes arrive; nil for as they were written. Pieces of random length up to it are drawn.
    public var segmentBytes: Int?
    /// Decides about attempt number n of the whole world, from 0, at its time.
    public var admission: @Sendable (_ attempt: Int, _ now: Instant) -> Admission = { _, _ in .accepted }
    /// What befalls connection number n of the whole world, from 0.
    public var faults: [Int: Fault] = [:]

    /// Makes a network without faults.
    public init() {}
}
