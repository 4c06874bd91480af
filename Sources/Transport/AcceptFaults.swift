public import Primitives

/// What befalls connections before they are open, decided by a seed and by the order in which they come.
public struct AcceptFaults: Equatable, Sendable {
    /// Decides which connections are hit: the same seed hits the same ones, counted in the order of accepting.
    public var seed: UInt64 = 0
    /// The share of connections that are reset as soon as they are accepted, 0 ... 1.
    public var refusedShare = 0.0
    /// How long each connection stands before anything is read from it, as with a server too busy to accept.
    public var delay = Interval.zero
    /// What goes wrong in handshakes; of several that hit one connection the first counts.
    public var handshakes: [HandshakeFault] = []

    /// Makes no faults.
    public init() {}

    /// What befalls connection `index` (from 0), accepted so long after the listener's first one.
    func fate(ofConnection index: Int, age: Interval) -> AcceptFate {
        guard refusedShare > 0 || !handshakes.isEmpty else { return .served(nil) }
        var random = SeededRandom(seed: mix64(seed) ^ UInt64(truncatingIfNeeded: index))
        if random.unit() < refusedShare { return .refused }
        // Every fault draws, also outside its window, so that one fault's window does not change what another one hits.
        var hit: HandshakeFault?
        for fault in handshakes {
            let isDrawn = random.unit() < fault.share
            if isDrawn, hit == nil, fault.window?.contains(age) ?? true { hit = fault }
        }
        return .served(hit?.kind)
    }
}

/// A handshake that goes wrong by the server's doing.
public struct HandshakeFault: Equatable, Sendable {
    /// What happens instead of a handshake.
    public enum Kind: Equatable, Sendable {
        /// The stream ends before anything of the client was read.
        case closeAtOnce
        /// The client's first flight is read, and the stream ends without an answer.
        case closeAfterHello
        /// The client's first flight is answered with a fatal alert (its number in RFC 8446 section 6), then the end.
        case alert(UInt8)
        /// What comes is read and never answered; the connection stays until the client ends it.
        case silence

        /// The alert handshake_failure.
        public static let handshakeFailure = Kind.alert(40)
        /// The alert internal_error.
        public static let internalError = Kind.alert(80)
    }

    /// What happens.
    public var kind: Kind
    /// The share of connections that it hits, 0 ... 1.
    public var share: Double
    /// When, counted from the listener's first connection; nil means always.
    public var window: Range<Interval>?

    /// Makes a fault, by default of every handshake.
    public init(_ kind: Kind, share: Double = 1, window: Range<Interval>? = nil) {
        self.kind = kind
        self.share = share
        self.window = window
    }
}

/// What becomes of one accepted connection.
enum AcceptFate: Equatable {
    /// It is reset at once.
    case refused
    /// It is served, with this in place of its handshake, if anything.
    case served(HandshakeFault.Kind?)
}
