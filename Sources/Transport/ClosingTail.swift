internal import CShims
internal import Glibc
internal import Primitives

/// A socket whose link has ended, kept until what is on its way out has arrived and then the close itself.
final class ClosingTail {
    /// How long a socket that takes nothing is kept beyond the instant of its close.
    private static let patience = Interval.seconds(1)
    /// How soon a socket that takes nothing is tried again.
    private static let retryPause = Interval.milliseconds(1)

    private var socket: Int32
    private let transit: PathTransit
    private let closesAt: Instant
    private var tally: ListenerTally?
    private var timer: LoopTimer?

    private init(_ socket: Int32, transit: PathTransit, closesAt: Instant, tally: ListenerTally?) {
        self.socket = socket
        self.transit = transit
        self.closesAt = closesAt
        self.tally = tally
    }

    deinit { giveBack() }

    /// Takes over a socket that no selector watches any more.
    static func begin(_ socket: Int32, transit: PathTransit, core: LoopCore, tally: ListenerTally?) {
        let closesAt = core.now + transit.path.oneWay
        let tail = ClosingTail(socket, transit: transit, closesAt: closesAt, tally: tally)
        // The timer holds the tail until it is cancelled, at the latest by the end of the loop.
        tail.timer = core.makeTimer { tail.step($0) }
        tail.timer?.set(to: transit.outbound.nextDue ?? transit.outputEndDue ?? closesAt)
    }

    private func step(_ core: LoopCore) {
        let now = core.now
        if now >= closesAt + Self.patience { return finish() }
        while let bytes = transit.outbound.arrived(by: now) {
            let count = shim_send(socket, bytes.baseAddress, UInt(bytes.count))
            let code = errno
            core.traffic.noteWrite(count)
            if count > 0 {
                transit.outbound.consume(count)
            } else if code == EAGAIN {
                timer?.set(to: now + Self.retryPause)
                return
            } else if code != EINTR {
                return finish()
            }
        }
        if let next = transit.outbound.nextDue {
            timer?.set(to: next)
        } else if let end = transit.outputEndDue, end < closesAt {
            if end <= now {
                transit.outputEndDue = nil
                shutdown(socket, Int32(SHUT_WR))
            }
            timer?.set(to: end <= now ? closesAt : end)
        } else if now >= closesAt {
            finish()
        } else {
            timer?.set(to: closesAt)
        }
    }

    private func finish() {
        giveBack()
        let last = timer
        timer = nil
        last?.cancel()
    }

    private func giveBack() {
        guard socket >= 0 else { return }
        close(socket)
        socket = -1
        tally?.linkWasReleased()
        tally = nil
    }
}
