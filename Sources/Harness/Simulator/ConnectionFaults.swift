public import Primitives
import RunRecords
public import Transport

/// What befalls the simulator's connections whatever is sent on them; nil means that one never happens.
///
/// Times run from the simulator's first connection, unless they say otherwise; seeds decide who is hit.
public struct ConnectionFaults: Equatable, Sendable {
    /// What befalls connections before they are open.
    public var accept = AcceptFaults()
    /// Connections that nothing comes on are closed.
    public var idleClose: IdleClose?
    /// Connections are killed at a rate.
    public var kill: Kill?
    /// All connections are reset and new ones refused, each time.
    public var outages: [Outage] = []
    /// Reading is slow.
    public var readLimit: ReadLimit?
    /// Connections are swallowed: never read again, never closed.
    public var blackHole: BlackHole?

    /// Makes no faults.
    public init() {}

    /// The end of a connection on which nothing comes.
    public struct IdleClose: Equatable, Sendable {
        /// How long nothing must have come.
        public var after: Interval
        /// How the connection ends.
        public var closing: LinkClosing

        /// Makes an end, by default in order.
        public init(after: Interval, closing: LinkClosing = .graceful(drain: .seconds(1))) {
            self.after = after
            self.closing = closing
        }
    }

    /// The end of one open connection after the other, picked by the seed, at even distances.
    public struct Kill: Equatable, Sendable {
        /// How many a second, over all connections.
        public var rate: Rate
        /// How they end; `.reset` or `.fin` for the most part.
        public var closing: LinkClosing
        /// Decides who is picked.
        public var seed: UInt64

        /// Makes a series, by default of resets.
        public init(rate: Rate, closing: LinkClosing = .reset, seed: UInt64 = 0) {
            self.rate = rate
            self.closing = closing
            self.seed = seed
        }
    }

    /// A time in which the simulator is not there.
    public struct Outage: Equatable, Sendable {
        /// When it begins.
        public var at: Interval
        /// How long it lasts.
        public var length: Interval

        /// Makes an outage.
        public init(at: Interval, length: Interval) {
            self.at = at
            self.length = length
        }
    }

    /// A bound on the bytes that are read a second, counted as they are on the wire.
    public struct ReadLimit: Equatable, Sendable {
        /// Whose bytes are counted together.
        public enum Scope: Equatable, Sendable {
            /// Each connection has the rate to itself.
            case connection
            /// All connections share it: each event loop gets an even part.
            case total
        }

        /// The most bytes a second.
        public var bytes: Rate
        /// Whose bytes are counted together.
        public var scope: Scope

        /// Makes a bound.
        public init(bytes: Rate, scope: Scope = .connection) {
            self.bytes = bytes
            self.scope = scope
        }
    }

    /// Connections that a firewall has forgotten: what is sent on them arrives nowhere, and nobody is told.
    public struct BlackHole: Equatable, Sendable {
        /// What a connection must have lived through to be swallowed.
        public enum Trigger: Equatable, Sendable {
            /// Nothing came for so long.
            case idle(Interval)
            /// It has been open for so long.
            case age(Interval)
        }

        /// What sets it off.
        public var trigger: Trigger
        /// The share of connections that it can hit, 0 ... 1.
        public var share: Double
        /// Decides which ones, by the order in which they open on their event loop.
        public var seed: UInt64

        /// Makes a black hole, by default for every connection.
        public init(_ trigger: Trigger, share: Double = 1, seed: UInt64 = 0) {
            self.trigger = trigger
            self.share = share
            self.seed = seed
        }
    }
}

extension SimulatorSettings {
    /// What the profile lets befall connections; `seed` is the run's.
    func connectionFaults(seed: UInt64) -> ConnectionFaults {
        ConnectionFaults()
    }

    /// The long way to the simulator; nil when it is near.
    var path: NetworkPath? {
        guard roundTrip > .zero else { return nil }
        var path = NetworkPath(roundTrip: roundTrip)
        path.window = roundTripWindow
        path.totalWindow = roundTripTotal
        return path
    }
}
