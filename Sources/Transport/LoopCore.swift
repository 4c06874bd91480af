internal import CShims
internal import Glibc
public import Primitives
internal import SecureChannel

/// The inside of an event loop: what bodies and handlers that run on it may use. Never leaves the loop.
public final class LoopCore {
    /// How long nothing must happen until the loop is left early: to be called again by Dispatch costs some 40 us, so that a slow peer's
    /// pauses of a millisecond are better waited for.
    static let waitLimit = Interval.milliseconds(10)
    /// The longest that the loop stays before it gives its Dispatch thread back once.
    static let stayLimit = Interval.milliseconds(50)

    /// What the loop's user keeps on it: state of its own that every block run on the loop can reach.
    public var tenant: AnyObject?
    /// The clock as last read: at each wake-up, and before and after each read, batch and write of a link.
    public private(set) var now = MonotonicClock.now()
    /// The processor time that the loop has used so far; costs about 250 ns.
    public var processorTime: Interval { earlierProcessorTime + (ThreadClock.now() - runStart) }

    /// What the loop has used so far; costs a few microseconds.
    public var use: LoopUse {
        var use = traffic
        use.processorTime = processorTime
        use.runQueueTime = runQueueTime
        return use
    }

    private var earlierProcessorTime = Interval.zero
    /// The thread's processor time when the run in progress began.
    private var runStart = Interval.zero
    private var earlierRunQueueTime: Interval? = .zero
    /// For how long the thread had waited for a processor when the run in progress began.
    private var runQueueStart: Interval?
    /// The system calls so far; the times in it are not kept up.
    var traffic = LoopUse()
    let inbox: LoopInbox
    var scratch = LoopScratch()
    /// Ends the Dispatch source; set once by who made it.
    var stop: (() -> Void)?
    private let selector: Selector
    private let timerDescriptor: Int32
    private var armedFor: Instant?
    private var members = MemberTable()
    private var deadlines = DeadlineHeap()
    /// Links with something to do in the next turn, and the list that is being worked on.
    private var turnList: ContiguousArray<Link> = []
    private var workList: ContiguousArray<Link> = []
    private var bufferSweep = BufferSweep()
    private var isEnding = false
    private(set) var hasEnded = false

    /// The epoll descriptor, which is readable when there is work.
    var descriptor: Int32 { selector.descriptor }

    init(descriptors: LoopDescriptors, inbox: LoopInbox) {
        selector = Selector(owning: descriptors.epoll)
        timerDescriptor = descriptors.timer
        self.inbox = inbox
        _ = selector.add(inbox.descriptor, .readable, token: MemberTable.inboxToken)
        _ = selector.add(timerDescriptor, .readable, token: MemberTable.timerToken)
    }

    deinit { close(timerDescriptor) }

    /// Reads the clock again and returns it.
    @discardableResult
    public func refreshNow() -> Instant {
        now = MonotonicClock.now()
        return now
    }

    /// Makes a timer that runs `body` on this loop each time it is set and comes due.
    public func makeTimer(_ body: @escaping (LoopCore) -> Void) -> LoopTimer {
        LoopTimer(core: self, body: body)
    }

    /// Closes every accepted link of the loop, open or not yet.
    public func closeAcceptedLinks(_ closing: LinkClosing) {
        for case .link(let link) in members.all() where link.role == .server { link.close(closing) }
    }

    // MARK: - Running

    /// Works until there is nothing to do for a while; called when the epoll descriptor is readable.
    func run() {
        // The queue may run on another thread each time.
        shim_timer_be_exact()
        runStart = ThreadClock.now()
        runQueueStart = RunQueueClock.now()
        refreshNow()
        let leaveAt = now + Self.stayLimit
        // Ends at the first idle wait, and at the stay limit at the latest.
        while !hasEnded, takeTurn(), now < leaveAt {}
        if hasEnded {
            stop?()
            stop = nil
        } else {
            armTimer()
            if !turnList.isEmpty { inbox.wake() }
        }
        earlierProcessorTime = processorTime
        earlierRunQueueTime = runQueueTime
    }

    /// While the loop stays, all of its waits for a processor are waits of one thread; what passes until Dispatch has it run again is not
    /// among them.
    private var runQueueTime: Interval? {
        guard let earlierRunQueueTime, let runQueueStart, let now = RunQueueClock.now() else { return nil }
        return earlierRunQueueTime + (now - runQueueStart)
    }

    /// Serves what is ready once, then every link that wants a turn once; false when nothing happened.
    private func takeTurn() -> Bool {
        let eventCount = selector.wait(atMost: nextWait())
        traffic.waits &+= 1
        refreshNow()
        for index in 0..<eventCount {
            let (token, readiness) = selector.event(index)
            serve(token, readiness)
        }
        if isEnding {
            endAll()
            return false
        }
        let hasFired = fireTimers()
        let hasWork = !turnList.isEmpty
        workThroughTurns()
        return eventCount > 0 || hasFired || hasWork
    }

    private func nextWait() -> Interval {
        guard turnList.isEmpty else { return .zero }
        guard let earliest = deadlines.earliest else { return Self.waitLimit }
        return min(Self.waitLimit, earliest - MonotonicClock.now())
    }

    private func serve(_ token: UInt64, _ readiness: Selector.Readiness) {
        switch token {
        case MemberTable.inboxToken: for body in inbox.takeAll() { body(self) }
        case MemberTable.timerToken: disarmTimer()
        default:
            switch members.member(token) {
            case .link(let link): link.serve(readiness)
            case .acceptor(let acceptor): acceptor.acceptSome()
            case .timer, .none: break
            }
        }
    }

    /// Fires what is due by the clock at the start; bounded because a timer set meanwhile to a past instant is later.
    private func fireTimers() -> Bool {
        var hasFired = false
        let due = now
        var budget = members.capacity
        while budget > 0, let slot = deadlines.popDue(at: due) {
            budget -= 1
            hasFired = true
            switch members.member(slot: slot) {
            case .link(let link): link.deadlineCame()
            case .acceptor(let acceptor): acceptor.deadlineCame()
            case .timer(let timer): timer.fire()
            case .none: break
            }
        }
        return hasFired
    }

    private func workThroughTurns() {
        swap(&turnList, &workList)
        for link in workList { link.takeTurn() }
        workList.removeAll(keepingCapacity: true)
    }

    private func armTimer() {
        let earliest = deadlines.earliest
        guard earliest != armedFor else { return }
        // Zero would disarm: an instant at or before the clock's start is due at once.
        _ = shim_timer_arm(timerDescriptor, earliest.map { max(1, $0.nanoseconds) } ?? 0)
        armedFor = earliest
    }

    private func disarmTimer() {
        _ = shim_timer_arm(timerDescriptor, 0)
        armedFor = nil
    }

    // MARK: - Members

    var allMembers: ContiguousArray<MemberTable.Member> { members.all() }

    func insert(_ member: MemberTable.Member) -> Int { members.insert(member) }

    func remove(slot: Int) {
        deadlines.set(slot: slot, to: nil)
        members.remove(slot: slot)
    }

    func setDeadline(slot: Int, to deadline: Instant?) { deadlines.set(slot: slot, to: deadline) }

    func watch(_ socket: Int32, slot: Int, for readiness: Selector.Readiness) -> Bool {
        selector.add(socket, readiness, token: members.token(slot: slot))
    }

    func rewatch(_ socket: Int32, slot: Int, for readiness: Selector.Readiness) {
        selector.change(socket, readiness, token: members.token(slot: slot))
    }

    func unwatch(_ socket: Int32) { selector.remove(socket) }

    func joinTurn(_ link: Link) { turnList.append(link) }

    /// Notes that a link's channel uses record buffers, so that they are given back when it falls idle.
    func noteActivity(of link: Link) {
        if bufferSweep.note(link) { sweepTimer.set(to: now + BufferSweep.interval) }
    }

    private lazy var sweepTimer: LoopTimer = makeTimer { $0.sweepBuffers() }

    private func sweepBuffers() {
        if bufferSweep.sweep() { sweepTimer.set(to: now + BufferSweep.interval) }
    }

    /// Ends the loop at the end of the turn.
    func end() { isEnding = true }

    /// Takes no more bodies, runs those that wait, and ends every link and listener.
    private func endAll() {
        for body in inbox.takeAll(closing: true) { body(self) }
        hasEnded = true
        for member in allMembers {
            switch member {
            case .link(let link): link.close(.abrupt)
            case .acceptor(let acceptor): acceptor.close()
            case .timer(let timer): timer.cancel()
            case .none: break
            }
        }
        // A handler may connect anew when its link ends; that link ends at once, and this is done a few times only.
        for _ in 0..<8 where !turnList.isEmpty { workThroughTurns() }
        // What is left would keep the loop alive for ever.
        turnList = []
        bufferSweep = BufferSweep()
    }
}
