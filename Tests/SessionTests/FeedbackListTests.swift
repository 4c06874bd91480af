import GatewaySimulator
import Primitives
import PushWire
import Testing

/// What the simulator keeps for the feedback service.
@Suite struct FeedbackListTests {
    @Test func `each token is there once, with its latest time, in the order in which it came`() {
        var list = FeedbackList()
        list.note(1, at: 100)
        list.note(2, at: 101)
        list.note(1, at: 103)
        list.note(2, at: 99)
        #expect(list.entries == [FeedbackEntry(1, at: 103), FeedbackEntry(2, at: 101)])
        #expect(list.count == 2)
        #expect(list.bytes.count == 2 * 38)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `thousands of tokens agree with a dictionary`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = FeedbackList()
        var model: [UInt64: UInt32] = [:]
        for _ in 0..<5_000 {
            let token = random.below(3_000)
            let time = UInt32(random.below(1_000))
            list.note(token, at: time)
            model[token] = max(model[token] ?? 0, time)
        }
        #expect(list.count == model.count, "seed \(seed)")
        let entries = Set(list.entries)
        #expect(entries == Set(model.map { FeedbackEntry($0.key, at: $0.value) }), "seed \(seed)")
        for token in 0..<3_000 as Range<UInt64> {
            let isThere = FeedbackEntry.token(token).withUnsafeBytes { list.contains($0) }
            #expect(isThere == (model[token] != nil), "token \(token), seed \(seed)")
        }
    }

    @Test func `parts of several loops join to one list, whatever the order`() {
        var parts = [FeedbackList](repeating: FeedbackList(), count: 3)
        var whole = FeedbackList()
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let token = random.below(500)
            let time = UInt32(random.below(1_000))
            parts[Int(random.below(3))].note(token, at: time)
            whole.note(token, at: time)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            var joined = FeedbackList()
            for index in order { joined.note(parts[index]) }
            #expect(joined.count == whole.count)
            #expect(joined.digest == whole.digest)
        }
    }

    @Test func `a full list counts what it turns away and goes on to note later times`() {
        var list = FeedbackList(limit: 10)
        for token in 0..<15 as Range<UInt64> { list.note(token, at: 1) }
        #expect(list.count == 10)
        #expect(list.droppedCount == 5)
        list.note(9, at: 2)
        list.note(12, at: 2)
        #expect(list.entries[9] == FeedbackEntry(9, at: 2))
        #expect(list.droppedCount == 6)
        var other = FeedbackList(limit: 10)
        other.note(list)
        other.note(20, at: 1)
        #expect(other.droppedCount == 7, "counts travel with the list")
    }

    @Test func `taking leaves nothing behind`() {
        var list = FeedbackList(limit: 3)
        for token in 0..<5 as Range<UInt64> { list.note(token, at: 1) }
        let taken = list.take()
        #expect([taken.count, list.count] == [3, 0])
        #expect([taken.droppedCount, list.droppedCount] == [2, 0])
        #expect(list.entries.isEmpty)
        list.note(1, at: 5)
        #expect(list.entries == [FeedbackEntry(1, at: 5)])
    }

    @Test func `scopes have lists of their own, and there are not more of them than the bound`() {
        let book = FeedbackBook(limit: 10)
        FeedbackEntry(1, at: 1).withTuple { book.note($0, scope: .apps(1)) }
        FeedbackEntry(2, at: 2).withTuple { book.note($0, scope: .apps(2)) }
        #expect(book.take(scope: .apps(1)).entries == [FeedbackEntry(1, at: 1)])
        #expect(book.take(scope: .apps(1)).isEmpty)
        #expect(book.take(scope: .missing).isEmpty)
        for number in 0..<FeedbackBook.scopeLimit {
            FeedbackEntry(3, at: 3).withTuple { book.note($0, scope: .apps(UInt64(number) << 8)) }
        }
        #expect(book.lists.count == FeedbackBook.scopeLimit)
        #expect(book.homelessCount == 2)
        #expect(book.take(scope: .apps(2)).entries == [FeedbackEntry(2, at: 2)])
    }
}

/// A tuple as a value; its token is a number.
struct FeedbackEntry: Hashable {
    var timestamp: UInt32
    var token: [UInt8]

    init(_ number: UInt64, at timestamp: UInt32) {
        self.timestamp = timestamp
        token = Self.token(number)
    }

    init(_ tuple: FeedbackTuple) {
        timestamp = tuple.timestamp
        token = Array(tuple.token)
    }

    static func token(_ number: UInt64) -> [UInt8] {
        [UInt8](repeating: 0, count: 24) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    func withTuple(_ body: (FeedbackTuple) -> Void) {
        token.withUnsafeBytes { body(FeedbackTuple(timestamp: timestamp, token: $0)) }
    }
}

extension FeedbackList {
    mutating func note(_ number: UInt64, at timestamp: UInt32) {
        FeedbackEntry(number, at: timestamp).token.withUnsafeBytes {
            note(FeedbackTuple(timestamp: timestamp, token: $0))
        }
    }

    var entries: [FeedbackEntry] {
        var entries: [FeedbackEntry] = []
        forEach { entries.append(FeedbackEntry($0)) }
        return entries
    }
}
