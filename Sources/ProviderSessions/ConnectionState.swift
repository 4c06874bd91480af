import Primitives

/// The life of one connection slot: which connection it has, and when it may have the next.
///
/// Stepped by `switch consume self`, so that the compiler refuses a branch that forgets the state after it.
enum ConnectionState: ~Copyable {
    /// The run has not begun.
    case idle
    /// An attempt is under way, after so many failures in a row.
    case connecting(failures: Int)
    /// The connection stands since then.
    case open(failures: Int, since: Instant)
    /// The sentinel is written; its reply is due by then. Without a sentinel the connection is only watched for its end.
    case proving(sentinel: UInt32?, deadline: Instant)
    /// The next attempt may begin then.
    case pausing(failures: Int, until: Instant)
    /// Nothing happens any more.
    case finished

    /// What an ended connection asks for.
    enum OnEnd: Equatable {
        /// Connect again at once.
        case connect
        /// Connect again after a pause.
        case pause
        /// The slot was not connected; nothing changes.
        case ignore
    }

    /// Begins an attempt, from `idle` or at the end of a pause; returns whether there is one to make.
    mutating func beginAttempt(at now: Instant) -> Bool {
        switch consume self {
        case .idle:
            self = .connecting(failures: 0)
            return true
        case .pausing(let failures, let until):
            let isDue = now >= until
            self = isDue ? .connecting(failures: failures) : .pausing(failures: failures, until: until)
            return isDue
        case let other:
            self = other
            return false
        }
    }

    /// The attempt succeeded; returns whether one was under way.
    mutating func opened(at now: Instant) -> Bool {
        switch consume self {
        case .connecting(let failures):
            self = .open(failures: failures, since: now)
            return true
        case let other:
            self = other
            return false
        }
    }

    /// The sentinel was written on the open connection, or there is none to write.
    mutating func beginProving(sentinel: UInt32?, until deadline: Instant) {
        switch consume self {
        case .open: self = .proving(sentinel: sentinel, deadline: deadline)
        case let other: self = other
        }
    }

    /// The gateway is at work on what was written before the sentinel, so the reply may come that much later.
    mutating func extendProving(until deadline: Instant) {
        switch consume self {
        case .proving(let sentinel, let before): self = .proving(sentinel: sentinel, deadline: max(before, deadline))
        case let other: self = other
        }
    }

    /// The gateway explained the end of the connection, so the next attempt begins at once.
    mutating func replaced() {
        switch consume self {
        case .open: self = .connecting(failures: 0)
        case .proving: self = .connecting(failures: 0)
        case let other: self = other
        }
    }

    /// The attempt or the connection ended without an explanation.
    ///
    /// A connection that stood for less than the base pause counts as a failure: a gateway that closes right after the
    /// handshake must not be stormed (it treats churn as an attack). In command 0 such an end may be all that a refused
    /// notification earns (`mayBeRefusal`), and then pauses do not grow. One on which all requests came to nothing was of no use,
    /// however long it stood.
    mutating func ended(
        at now: Instant, plan: ReconnectPlan, random: inout SeededRandom, mayBeRefusal: Bool = false,
        wasOfUse: Bool = true
    ) -> OnEnd {
        let failures: Int
        switch consume self {
        case .connecting(let before): failures = before + 1
        case .open(let before, let since):
            failures = wasOfUse && now - since >= plan.base ? 0 : mayBeRefusal ? 1 : before + 1
        case .proving: failures = 1
        case let other:
            self = other
            return .ignore
        }
        if failures == 0 {
            self = .connecting(failures: 0)
            return .connect
        }
        self = .pausing(failures: failures, until: now + plan.pause(afterFailures: failures, random: &random))
        return .pause
    }

    /// Ends the slot for good.
    mutating func finish() { self = .finished }

    /// Whether batches may be written.
    var isOpen: Bool {
        switch self {
        case .open: true
        default: false
        }
    }

    /// Whether a connection stands that followed no failure, or has outlived the base pause.
    func isLasting(at now: Instant, base: Interval) -> Bool {
        switch self {
        case .open(let failures, let since): failures == 0 || now - since >= base
        case .proving: true
        default: false
        }
    }

    /// Whether a connection stands.
    var isConnected: Bool {
        switch self {
        case .open: true
        case .proving: true
        default: false
        }
    }

    /// Whether nothing happens any more.
    var isFinished: Bool {
        switch self {
        case .finished: true
        default: false
        }
    }

    /// Whether everything is written and the connection stands only for what the gateway may still say.
    var isProving: Bool {
        switch self {
        case .proving: true
        default: false
        }
    }

    /// The identifier of the sentinel whose reply is awaited.
    var sentinel: UInt32? {
        switch self {
        case .proving(let sentinel, _): sentinel
        default: nil
        }
    }

    /// When the state changes by itself: the end of a pause, or of the wait for the sentinel's reply.
    var deadline: Instant? {
        switch self {
        case .proving(_, let deadline): deadline
        case .pausing(_, let until): until
        default: nil
        }
    }
}
