import Statistics
import Testing

@Suite struct InterleavedOrderTests {
    @Test(arguments: 0..<20)
    func `each two pairs are A B B A or B A A B`(_ seed: UInt64) {
        let order = InterleavedOrder(pairs: 9, seed: seed)
        let letters = Array(order.text)
        #expect(letters.count == 18 && order.sides.count == 18)
        for start in stride(from: 0, to: 16, by: 4) {
            #expect(["ABBA", "BAAB"].contains(String(letters[start..<start + 4])), "seed \(seed): \(order.text)")
        }
        #expect(["AB", "BA"].contains(String(letters[16...])), "seed \(seed): \(order.text)")
        #expect(order == InterleavedOrder(pairs: 9, seed: seed))
    }

    @Test func `seeds give different orders, and either side begins`() {
        let orders = (0..<20).map { InterleavedOrder(pairs: 10, seed: $0).text }
        #expect(Set(orders).count > 5)
        #expect(Set(orders.map { $0.prefix(1) }) == ["A", "B"])
        #expect(InterleavedOrder(pairs: 0, seed: 1).text == "")
    }
}
