internal import CShims
internal import Glibc
internal import Primitives

/// The loop's side of a listener: accepts what waits and spreads it over the loops in turn.
final class Acceptor {
    /// The most connections that one event accepts, so that links get their turn.
    private static let acceptsPerTurn = 64
    /// How long accepting pauses when descriptors or memory are short, instead of spinning (C64).
    private static let backOff = Interval.milliseconds(50)

    let plan: ListenerPlan
    private let core: LoopCore
    private var slot: Int
    private var socket: Int32 = -1
    private var nextLoop = 0

    init(core: LoopCore, plan: ListenerPlan) {
        self.core = core
        self.plan = plan
        slot = -1
        slot = core.insert(.acceptor(self))
    }

    /// Takes the listening descriptor over and starts to accept.
    func listen(on descriptor: Int32) {
        socket = descriptor
        if !core.watch(socket, slot: slot, for: .readable) { core.setDeadline(slot: slot, to: core.now + Self.backOff) }
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
            spread(accepted, peer: peer ?? plan.address)
        }
    }

    func backOffIsOver() {
        guard socket >= 0 else { return }
        core.rewatch(socket, slot: slot, for: .readable)
    }

    func pause() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
        core.setDeadline(slot: slot, to: nil)
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
        core.remove(slot: slot)
        slot = -1
    }

    /// True when the next connection may be tried at once.
    private func acceptFailed(_ code: Int32) -> Bool {
        if code == EINTR || code == ECONNABORTED { return true }
        if SystemFailure(operation: "accepting", code: code).isLocalLimit {
            plan.tally.limitWasHit()
            core.rewatch(socket, slot: slot, for: [])
            core.setDeadline(slot: slot, to: core.now + Self.backOff)
        }
        return false
    }

    private func spread(_ accepted: Int32, peer: SocketAddress) {
        guard plan.tally.liveCount < plan.options.connectionLimit else {
            plan.tally.linkWasTurnedAway()
            Glibc.close(accepted)
            return
        }
        plan.tally.linkWasAccepted()
        let loop = plan.loops[nextLoop % plan.loops.count]
        nextLoop = (nextLoop + 1) % plan.loops.count
        if loop.inbox === core.inbox { return Self.adopt(accepted, peer: peer, plan: plan, core: core) }
        let plan = plan
        if !loop.enqueue({ core in Self.adopt(accepted, peer: peer, plan: plan, core: core) }) {
            Glibc.close(accepted)
            plan.tally.linkWasReleased()
        }
    }

    private static func adopt(_ socket: Int32, peer: SocketAddress, plan: ListenerPlan, core: LoopCore) {
        core.adopt(
            socket, peer: peer, context: plan.context, options: plan.options.link, tally: plan.tally,
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
