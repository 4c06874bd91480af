public import Primitives

/// What bad tokens cost over the binary interface, by a closed model: from the rate without errors to the rate with them.
///
/// A connection lives in cycles. In each it writes until it meets a bad token, which takes 1 / `badShare` notifications; it goes on writing, for
/// nothing, until the error reply is there (``reply``); then it is replaced (``reconnect``), and all that it wrote for nothing is written
/// again in the next cycles. Either the connections bound the rate without errors, each by its window and its round trip, and then each goes
/// through its cycles for itself; or the machine does, and then the connections that write share it, which is a closed network of queues.
/// `docs/model.md` derives it and says where it ends.
public struct BadTokenModel: Equatable, Sendable {
    /// What bounds the rate without errors.
    public enum Bound: String, Codable, Sendable, CaseIterable {
        /// Each connection by itself: its window, its round trip.
        case connections
        /// The machine that all of them share.
        case machine
    }

    /// The share of notifications that are refused, above 0, at most 1.
    public var badShare: Double
    /// How many connections there are, at least 1.
    public var connections: Int
    /// Notifications a second when none is bad, above 0.
    public var errorFreePerSecond: Double
    /// What bounds that.
    public var bound: Bound
    /// From the write of a bad notification to its reply, on average.
    public var reply: Interval
    /// The same at the median, which decides what is in flight at the median; nil if it is not known.
    public var replyMedian: Interval?
    /// From the reply to the first batch on the successor.
    public var reconnect: Interval
    /// The most notifications that a connection has on their way at a time; nil if nothing bounds them.
    public var onWayMax: Double?
    /// Whether that bound is a window of the sender's, which opens for as many as it holds at a time.
    public var writesInBursts = false
    /// How many of the last notifications a connection can write again.
    public var keptMax = Double.infinity
    /// For how long one reconnect keeps the machine from everything else.
    public var handshake = Interval.zero
    /// Parts of the machine that cannot help each other, such as event loops, each with its share of the connections.
    public var parts = 1
    /// The share of the time for which the machine is busy when no token is bad and connections are the bound.
    public var load = 0.0
    /// The most attempts to connect in a second, over all connections.
    public var attemptsPerSecond = Double.infinity

    /// Beyond that load the machine is taken for the bound.
    public static let loadMax = 0.85

    /// Makes a model of connections that nothing bounds but what is said here.
    public init(
        badShare: Double, connections: Int, errorFreePerSecond: Double, bound: Bound, reply: Interval,
        reconnect: Interval
    ) {
        self.badShare = badShare
        self.connections = connections
        self.errorFreePerSecond = errorFreePerSecond
        self.bound = bound
        self.reply = reply
        self.reconnect = reconnect
    }

    /// What the model says.
    ///
    /// - Throws: ``BadTokenObstacle`` where it does not apply.
    public func figures() throws(BadTokenObstacle) -> BadTokenFigures {
        guard badShare > 0, badShare <= 1, connections > 0, errorFreePerSecond > 0, errorFreePerSecond.isFinite else {
            throw .errorFreeRateUnknown
        }
        var cycle = bound == .connections ? byThemselves() : sharingTheMachine()
        cycle.perSecond = min(cycle.perSecond, attemptsPerSecond)
        let resent = following(at: cycle.ownPerSecond, for: reply)
        guard resent <= keptMax else { throw .windowTooSmall(needed: Int64(min(resent, 1e15).rounded(.up))) }
        if bound == .connections {
            let written = cycle.perSecond * (1 / badShare + resent)
            let needed = load * written / errorFreePerSecond + cycle.perSecond * handshake.seconds
            guard needed <= max(Self.loadMax, load) else { throw .machineBinds(load: needed) }
        }
        let judged = cycle.perSecond / badShare
        return BadTokenFigures(
            acceptedPerSecond: judged * (1 - badShare),
            inFlight: following(at: cycle.ownPerSecond, for: replyMedian ?? reply), resent: resent,
            lost: max(0, (errorFreePerSecond / judged - 1) / badShare))
    }

    /// Cycles of all connections together.
    private struct Cycles {
        var perSecond: Double
        /// What a connection writes in a second while it writes.
        var ownPerSecond: Double
    }

    // MARK: - Connections

    private func byThemselves() -> Cycles {
        let own = errorFreePerSecond / Double(connections)
        var untilBad = 1 / (badShare * own)
        if writesInBursts, let burst = onWayMax {
            // How many whole bursts come before the one with the bad token, each a round of the window before the next one.
            let spared = Self.power(1 - badShare, UInt64(min(burst, 1e15).rounded()))
            untilBad = spared < 1 ? burst / own * spared / (1 - spared) : untilBad
        }
        return Cycles(
            perSecond: Double(connections) / (untilBad + reply.seconds + reconnect.seconds),
            ownPerSecond: own)
    }

    /// A number from 0 to 1 to a whole power, by squaring.
    private static func power(_ base: Double, _ exponent: UInt64) -> Double {
        var (result, square, rest) = (1.0, base, exponent)
        while rest > 0 {  // bounded: 64 binary digits
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }

    /// What a connection writes at such a rate until the reply is there, but for the bad one itself.
    private func following(at perSecond: Double, for reply: Interval) -> Double {
        let written = perSecond * reply.seconds
        guard let onWayMax else { return written }
        let most = bound == .machine ? min(written, onWayMax) : written
        return most * max(0, onWayMax - 1) / onWayMax
    }

    // MARK: - Machine

    /// Connections take turns at the machine, and are away from it while they are replaced.
    ///
    /// How much a connection writes for nothing depends on how many others write meanwhile, and the other way round; halving
    /// the step finds where both agree.
    private func sharingTheMachine() -> Cycles {
        let rate = errorFreePerSecond / Double(parts)
        let population = Double(connections) / Double(parts)
        let away = max(0, reconnect.seconds - handshake.seconds)
        var own = rate / max(1, population)
        var perSecond = 0.0
        for _ in 0..<Self.stepsMax {
            let work = (1 / badShare + following(at: own, for: reply)) / rate + handshake.seconds
            // With a full window a connection waits for the rest of the reply's time, and leaves the machine to others.
            let full = onWayMax.map { max(0, reply.seconds - $0 / own) } ?? 0
            let service = ClosedQueue(work: work, away: away + full).service(of: population)
            perSecond = service.perSecond
            let next = rate / service.sharing
            guard abs(next - own) > 1e-9 * own else { break }
            own = (own + next) / 2
        }
        return Cycles(perSecond: perSecond * Double(parts), ownPerSecond: own)
    }

    private static let stepsMax = 100
}

/// Customers that go between one server, which they share, and a pause of their own (exact mean value analysis).
///
/// Of how work and pauses are distributed nothing but the means counts, as the server gives everybody an equal share.
struct ClosedQueue: Equatable {
    /// What a customer needs of the server each time, in seconds.
    var work: Double
    /// How long a customer stays away each time, in seconds.
    var away: Double

    /// How often a customer is served.
    struct Service: Equatable {
        /// So many customers a second.
        var perSecond: Double
        /// How many are with the server on average while one of them is, that one among them.
        var sharing: Double
    }

    /// The service of so many customers; between whole numbers of them along a straight line.
    func service(of population: Double) -> Service {
        var waiting = 0.0
        var last = Service(perSecond: 0, sharing: 1)
        let whole = Int(population.rounded(.down))
        for count in 0..<whole {
            last = step(&waiting, customers: count + 1)
        }
        let next = step(&waiting, customers: whole + 1)
        let part = population - Double(whole)
        return Service(
            perSecond: last.perSecond + part * (next.perSecond - last.perSecond),
            sharing: last.sharing + part * (next.sharing - last.sharing))
    }

    /// With one customer more: whoever comes finds what the others leave (the arrival theorem).
    private func step(_ waiting: inout Double, customers: Int) -> Service {
        let sharing = 1 + waiting
        let perSecond = Double(customers) / (away + work * sharing)
        waiting = perSecond * work * sharing
        return Service(perSecond: perSecond, sharing: sharing)
    }
}
