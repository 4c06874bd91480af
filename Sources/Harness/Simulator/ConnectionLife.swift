import Primitives
import Transport

/// What the life of one connection of the simulator comes to, whatever is sent on it: a machine without clock or socket.
struct ConnectionLife {
    /// What is to be done with the connection.
    enum Fate: Equatable {
        case close(LinkClosing)
        /// It is never read again and never closed.
        case swallow
    }

    private let idleClose: ConnectionFaults.IdleClose?
    private let blackHole: ConnectionFaults.BlackHole?
    private let openedAt: Instant
    private var lastInput: Instant

    /// Begins the life of connection `index`, counted from 0 on its event loop `loop`.
    init(_ faults: ConnectionFaults, connection index: UInt64, loop: Int, openedAt: Instant) {
        idleClose = faults.idleClose
        self.openedAt = openedAt
        lastInput = openedAt
        if let hole = faults.blackHole {
            var random = SeededRandom(seed: mix64(hole.seed ^ mix64(UInt64(loop))) ^ index)
            blackHole = random.unit() < hole.share ? hole : nil
        } else {
            blackHole = nil
        }
    }

    /// When ``fate(at:)`` is to be asked; nil for never. Input moves it, so it may come to nothing.
    var deadline: Instant? {
        let swallowed = swallowTime
        guard let idleClose else { return swallowed }
        let closed = lastInput + idleClose.after
        return swallowed.map { min($0, closed) } ?? closed
    }

    /// Something came.
    mutating func received(at now: Instant) { lastInput = now }

    /// What is due; nil when nothing is.
    func fate(at now: Instant) -> Fate? {
        if let time = swallowTime, time <= now { return .swallow }
        if let idleClose, lastInput + idleClose.after <= now { return .close(idleClose.closing) }
        return nil
    }

    private var swallowTime: Instant? {
        switch blackHole?.trigger {
        case .idle(let length)?: lastInput + length
        case .age(let length)?: openedAt + length
        case nil: nil
        }
    }
}
