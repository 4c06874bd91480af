internal import Primitives

/// Gives the record buffers of links that fell idle back: 34 KiB each, made again when next needed.
///
/// OpenSSL's own way (release after each record) would allocate twice a batch on busy connections.
struct BufferSweep {
    /// How often links are looked at, and so the least time that a link must be idle.
    static let interval = Interval.milliseconds(250)

    private var active: ContiguousArray<Link> = []

    /// Adds a link; true when it is the first and the sweep must be scheduled.
    mutating func note(_ link: Link) -> Bool {
        active.append(link)
        return active.count == 1
    }

    /// Releases and drops the links without activity since the last sweep; true when some are left.
    mutating func sweep() -> Bool {
        active.removeAll { $0.releaseBuffersIfIdle() }
        return !active.isEmpty
    }
}
