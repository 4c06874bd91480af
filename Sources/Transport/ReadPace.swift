public import Primitives

/// A bound on the bytes that links read a second; links of one loop that share a pace share its rate.
public final class ReadPace {
    /// The shortest time that one read's bytes should last, so that a slow reader reads little at a time.
    private static let readLength = Interval.milliseconds(10)
    /// The least that one read takes, so that a slow pace does not read byte for byte.
    private static let leastBytes = 512

    private let rate: Rate
    private var nextFree = Instant.zero

    /// Makes a pace of so many bytes a second, as they are on the wire.
    public init(bytes rate: Rate) { self.rate = rate }

    /// The most that one read may take.
    var readBytes: Int { max(Self.leastBytes, Int(min(rate.perSecond * Self.readLength.seconds, 1e9))) }

    /// Until when nothing may be read; nil when reading is allowed now.
    func hold(at now: Instant) -> Instant? { nextFree > now ? nextFree : nil }

    /// So many bytes were read.
    func take(_ count: Int, at now: Instant) {
        nextFree = max(nextFree, now) + Interval(nanoseconds: Int64(min(Double(count) / rate.perSecond, 3_600) * 1e9))
    }
}
