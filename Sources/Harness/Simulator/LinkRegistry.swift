import Primitives
import Transport

/// The open connections of one event loop of the simulator, and what befalls them there.
final class LinkRegistry {
    private let faults: ConnectionFaults
    private let loop: Int
    /// The reading pace that the loop's connections share.
    private let sharedPace: ReadPace?
    private var links: ContiguousArray<GatewayLink> = []
    private var openedCount: UInt64 = 0
    /// What was done to connections of this loop.
    private(set) var counts = ConnectionFaultCounts()

    /// Makes the registry of loop number `loop` of `loopCount`.
    init(_ faults: ConnectionFaults, loop: Int, of loopCount: Int) {
        self.faults = faults
        self.loop = loop
        if let limit = faults.readLimit, limit.scope == .total {
            sharedPace = ReadPace(bytes: Rate(perSecond: limit.bytes.perSecond / Double(loopCount)))
        } else {
            sharedPace = nil
        }
    }

    /// A connection is open; returns the life that awaits it.
    func add(_ handler: GatewayLink, on link: Link, now: Instant) -> ConnectionLife {
        handler.registryIndex = links.count
        links.append(handler)
        if let limit = faults.readLimit { link.limitReading(to: sharedPace ?? ReadPace(bytes: limit.bytes)) }
        defer { openedCount += 1 }
        return ConnectionLife(faults, connection: openedCount, loop: loop, openedAt: now)
    }

    /// A connection has ended.
    func remove(_ handler: GatewayLink) {
        guard let index = handler.registryIndex else { return }
        handler.registryIndex = nil
        let last = links.removeLast()
        guard last !== handler else { return }
        links[index] = last
        last.registryIndex = index
    }

    /// Ends one open connection, which `random` picks; false when there is none.
    func kill(_ closing: LinkClosing, random: UInt64) -> Bool {
        guard !links.isEmpty else { return false }
        let index = Int(random.multipliedFullWidth(by: UInt64(links.count)).high)
        counts.killed += 1
        let victim = links[index]
        remove(victim)
        victim.close(closing)
        return true
    }

    /// Something of ``ConnectionLife`` befell a connection.
    func note(_ fate: ConnectionLife.Fate) {
        switch fate {
        case .close: counts.closedIdle += 1
        case .swallow: counts.swallowed += 1
        }
    }
}

/// How many connections the faults of ``ConnectionFaults`` hit.
public struct ConnectionFaultCounts: Equatable, Sendable {
    /// Reset as soon as they were accepted, by chance.
    public var refused = 0
    /// Left to wait before anything was read from them.
    public var delayed = 0
    /// Spoilt in the handshake.
    public var spoiltHandshakes = 0
    /// Closed because nothing came.
    public var closedIdle = 0
    /// Swallowed by a black hole.
    public var swallowed = 0
    /// Killed at the rate.
    public var killed = 0
    /// Outages that began.
    public var outages = 0

    /// Adds the counts of another loop.
    mutating func add(_ other: ConnectionFaultCounts) {
        refused += other.refused
        delayed += other.delayed
        spoiltHandshakes += other.spoiltHandshakes
        closedIdle += other.closedIdle
        swallowed += other.swallowed
        killed += other.killed
        outages += other.outages
    }
}
