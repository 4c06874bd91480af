public import Primitives
import PushWire

/// A slot whose connection is given up in order goes on with the next one at once: another session takes over what is to be sent, while
/// this one waits for its last answers.
extension RequestSession {
    /// How many connections of a slot may wait for their last answers, beside the one that carries requests.
    static let drainingLimit = 2

    /// Makes a successor, if waiting for the last answers would keep requests from being written.
    func handOver() {
        guard !isRetired, ring.openCount > 0, hasOwnWork, common.drainingCount < Self.drainingLimit else { return }
        switch leaving {
        case .rollover?: break
        // As in ``concludeIfIdle(now:)``, only an orderly end is followed by no pause.
        case .goAway(.noError, _)? where isProven: break
        default: return
        }
        isRetired = true
        common.drainingCount += 1
        successor = RequestSession(
            slot: slot, plan: plan, requests: requests, supply: supply, source: source, common: common,
            authorization: authorization)
    }

    /// Takes the session that goes on with the slot's work on a connection of its own, once; the driver starts it, and drives this one
    /// on until it is finished.
    public func takeSuccessor() -> (any SenderSession)? { successor.take() }

    /// Something happened to a session before this one: it may have left something to be sent, or nothing is awaited of it any more.
    public func lookAgain(now: Instant) {
        if state.isOpen {
            if batch == nil { action = action ?? .fill }
        } else if !hasWork, !state.isFinished {
            finish(.drop)
        }
    }
}
