internal import CShims
internal import Glibc
internal import Primitives

/// The loop's side of a listener: accepts what waits and spreads it over the loops in turn.
final class Acceptor {
    /// The most connections that one event accepts, so that links get their turn.
    private static let acceptsPerTurn = 64
    /// How long accepting pauses when descriptors or memory are short, instead of spinning (C64).
    private static let backOffTime = Interval.milliseconds(50)

    let plan: ListenerPlan
    private let core: LoopCore
    private var slot: Int
    private var socket: Int32 = -1
    private var nextLoop = 0
    private var acceptedCount = 0
    /// Accepted connections that wait, in the order of accepting.
    private var waiting: ContiguousArray<Waiting> = []
    private var waitingHead = 0
    private var backOffUntil: Instant?

    private struct Waiting {
        var socket: Int32
        var peer: SocketAddress
        var fault: HandshakeFault.Kind?
        var until: Instant
    }

    init(core: LoopCore, plan: ListenerPlan) {
        self.core = core
        self.plan = plan
        slot = -1
        slot = core.insert(.acceptor(self))
    }

    /// Takes the listening descriptor over and starts to accept.
    func listen(on descriptor: Int32) {
        socket = descriptor
        if !core.watch(socket, slot: slot, for: .readable) { backOff() }
    }

    func acceptSome() {
        for _ in 0..<Self.acceptsPerTurn where socket >= 0 {
            var storage = sockaddr_storage()
            let accepted = shim_accept(socket, &storage)
            guard accepted >= 0 else {
                if acceptFailed(errno) { continue } else { return }
            }
            let peer = SocketAddress {
                $0.pointee = storage
                return true
            }
            admit(accepted, peer: peer ?? plan.address)
        }
    }

    /// The time has come to accept again after a shortage, or to serve connections that waited.
    func deadlineCame() {
        if let until = backOffUntil, until <= core.now {
            backOffUntil = nil
            if socket >= 0 { core.rewatch(socket, slot: slot, for: .readable) }
        }
        while waitingHead < waiting.count, waiting[waitingHead].until <= core.now {
            let next = waiting[waitingHead]
            waitingHead += 1
            serve(next.socket, peer: next.peer, fault: next.fault)
        }
        if waitingHead == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            waitingHead = 0
        }
        armDeadline()
    }

    func pause() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
        backOffUntil = nil
        armDeadline()
    }

    func resume() -> TransportError? {
        guard socket < 0 else { return nil }
        do throws(TransportError) {
            listen(on: try ListenSocket(on: plan.address, backlog: plan.options.backlog).giveAway())
            return nil
        } catch {
            return error
        }
    }

    func close() {
        guard slot >= 0 else { return }
        pause()
        for next in waiting[waitingHead...] {
            Glibc.close(next.socket)
            plan.tally.linkWasReleased()
        }
        waiting = []
        waitingHead = 0
        core.remove(slot: slot)
        slot = -1
    }

    /// True when the next connection may be tried at once.
    private func acceptFailed(_ code: Int32) -> Bool {
        if code == EINTR || code == ECONNABORTED { return true }
        if SystemFailure(operation: "accepting", code: code).isLocalLimit {
            plan.tally.limitWasHit()
            core.rewatch(socket, slot: slot, for: [])
            backOff()
        }
        return false
    }

    private func backOff() {
        backOffUntil = core.now + Self.backOffTime
        armDeadline()
    }

    private func armDeadline() {
        let served = waitingHead < waiting.count ? waiting[waitingHead].until : nil
        let deadline = if let served, let backOffUntil { min(served, backOffUntil) } else { served ?? backOffUntil }
        core.setDeadline(slot: slot, to: deadline)
    }

    /// Decides what becomes of an accepted connection.
    private func admit(_ accepted: Int32, peer: SocketAddress) {
        let first = plan.tally.connectionCame(at: core.now)
        let fate = plan.options.faults.fate(ofConnection: acceptedCount, age: core.now - first)
        acceptedCount += 1
        guard case .served(let fault) = fate else {
            plan.tally.linkWasRefused()
            return Self.reset(accepted)
        }
        guard plan.tally.liveCount < plan.options.connectionLimit else {
            plan.tally.linkWasTurnedAway()
            Glibc.close(accepted)
            return
        }
        plan.tally.linkWasAccepted()
        if fault != nil { plan.tally.handshakeWasSpoilt() }
        guard plan.options.faults.delay > .zero else { return serve(accepted, peer: peer, fault: fault) }
        plan.tally.linkWasDelayed()
        waiting.append(
            Waiting(socket: accepted, peer: peer, fault: fault, until: core.now + plan.options.faults.delay))
        armDeadline()
    }

    private static func reset(_ socket: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        Glibc.close(socket)
    }

    /// Gives a connection to the next loop.
    private func serve(_ accepted: Int32, peer: SocketAddress, fault: HandshakeFault.Kind?) {
        let loop = plan.loops[nextLoop % plan.loops.count]
        nextLoop = (nextLoop + 1) % plan.loops.count
        if loop.inbox === core.inbox { return Self.adopt(accepted, peer: peer, fault: fault, plan: plan, core: core) }
        let plan = plan
        if !loop.enqueue({ core in Self.adopt(accepted, peer: peer, fault: fault, plan: plan, core: core) }) {
            Glibc.close(accepted)
            plan.tally.linkWasReleased()
        }
    }

    private static func adopt(
        _ socket: Int32, peer: SocketAddress, fault: HandshakeFault.Kind?, plan: ListenerPlan, core: LoopCore
    ) {
        core.adopt(
            socket, peer: peer, context: plan.context, options: plan.options.link, tally: plan.tally, fault: fault,
            handler: plan.handlerFactory(core))
    }
}

extension LoopCore {
    /// The acceptor of a listener, unless it is closed.
    func acceptor(of plan: ListenerPlan) -> Acceptor? {
        for case .acceptor(let acceptor) in allMembers where acceptor.plan === plan { return acceptor }
        return nil
    }
}
