/// Everything that has events in one loop, by slot; tokens carry a generation, so that a late event of a closed socket
/// cannot reach its slot's next user.
struct MemberTable {
    enum Member {
        case none
        case link(Link)
        case acceptor(Acceptor)
        case timer(LoopTimer)
    }

    static let inboxToken = UInt64.max
    static let timerToken = UInt64.max - 1

    private var members: ContiguousArray<Member> = []
    private var generations: ContiguousArray<UInt32> = []
    private var freeSlots: ContiguousArray<Int> = []

    /// How many slots there are, used or not.
    var capacity: Int { members.count }

    mutating func insert(_ member: Member) -> Int {
        if let slot = freeSlots.popLast() {
            members[slot] = member
            return slot
        }
        members.append(member)
        generations.append(0)
        return members.count - 1
    }

    mutating func remove(slot: Int) {
        members[slot] = .none
        // Wraps after four thousand million uses of one slot, when no old event can be left.
        generations[slot] &+= 1
        freeSlots.append(slot)
    }

    func token(slot: Int) -> UInt64 { UInt64(generations[slot]) << 32 | UInt64(slot) }

    func member(slot: Int) -> Member { members[slot] }

    func member(_ token: UInt64) -> Member {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < members.count, generations[slot] == UInt32(token >> 32) else { return .none }
        return members[slot]
    }

    /// A copy of all members, for the end of a loop.
    func all() -> ContiguousArray<Member> { members }
}
