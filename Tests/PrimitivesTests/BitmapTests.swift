import Primitives
import Testing

/// A bitmap behind a reference, because expectations cannot hold what cannot be copied.
private final class Bits {
    var bitmap: Bitmap
    init(_ bitCount: Int) { bitmap = Bitmap(bitCount: bitCount) }
    func set(_ index: Int) -> Bool { bitmap.set(index) }
    func clear(_ index: Int) -> Bool { bitmap.clear(index) }
    func contains(_ index: Int) -> Bool { bitmap.contains(index) }
    var setCount: Int { bitmap.setCount }
    var bytes: [UInt8] { bitmap.withBytes { Array($0) } }
}

@Suite struct BitmapTests {
    @Test(arguments: [1, 63, 64, 65, 1_000])
    func `each bit is set and cleared alone`(bitCount: Int) {
        let bitmap = Bits(bitCount)
        for index in 0..<bitCount {
            #expect(!bitmap.contains(index))
            #expect(!bitmap.set(index))
            #expect(bitmap.set(index))
            #expect(bitmap.setCount == 1)
            #expect(bitmap.contains(index))
            #expect(bitmap.clear(index))
            #expect(!bitmap.clear(index))
            #expect(bitmap.setCount == 0)
        }
    }

    @Test func `a bitmap holds the same numbers as a set`() {
        let seed: UInt64 = 54
        var random = SeededRandom(seed: seed)
        let bitmap = Bits(300)
        var model: Set<Int> = []
        for _ in 0..<5_000 {
            let index = Int(random.below(300))
            if random.below(2) == 0 {
                #expect(bitmap.set(index) == !model.insert(index).inserted, "seed \(seed)")
            } else {
                #expect(bitmap.clear(index) == (model.remove(index) != nil), "seed \(seed)")
            }
        }
        #expect(bitmap.setCount == model.count)
        #expect((0..<300).allSatisfy { bitmap.contains($0) == model.contains($0) })
    }

    @Test func `an index outside is not contained`() {
        let bitmap = Bits(10)
        #expect(!bitmap.contains(-1) && !bitmap.contains(10) && !bitmap.contains(.max))
    }

    @Test func `a union has the bits of both`() {
        let left = Bits(130)
        let right = Bits(130)
        _ = left.set(0)
        _ = left.set(64)
        _ = right.set(64)
        _ = right.set(129)
        left.bitmap.formUnion(right.bitmap)
        #expect(left.setCount == 3 && left.contains(0) && left.contains(64) && left.contains(129))
        #expect(right.setCount == 2)
    }

    @Test func `bit 0 is the lowest bit of byte 0`() {
        let bitmap = Bits(70)
        _ = bitmap.set(0)
        _ = bitmap.set(9)
        _ = bitmap.set(64)
        #expect(bitmap.bytes == [1, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `no bits take no bytes`() {
        let bitmap = Bits(0)
        #expect(bitmap.bytes.isEmpty)
        #expect(bitmap.setCount == 0)
    }

    @Test func `setting a bit outside traps`() async {
        await #expect(processExitsWith: .failure) {
            var bitmap = Bitmap(bitCount: 64)
            _ = bitmap.set(64)
        }
    }
}
