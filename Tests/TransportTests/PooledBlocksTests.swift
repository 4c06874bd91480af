import CShims
import Testing

@Suite struct PooledBlocksTests {
    private func allocate(_ size: Int) -> UnsafeMutableRawPointer? { shim_pooled_malloc(size, nil, 0) }
    private func free(_ block: UnsafeMutableRawPointer?) { shim_pooled_free(block, nil, 0) }

    @Test func `blocks that live at the same time are different, and keep what is written`() throws {
        // More than are kept, twice, so that the second time some are kept ones and some are new.
        for round in 0..<2 as Range<UInt8> {
            var blocks: [UnsafeMutableRawPointer] = []
            for size in 1...64 {
                let block = try #require(allocate(size))
                block.initializeMemory(as: UInt8.self, repeating: UInt8(size) + round, count: size)
                blocks.append(block)
            }
            #expect(Set(blocks).count == 64)
            for (index, block) in blocks.enumerated() {
                let bytes = UnsafeRawBufferPointer(start: block, count: index + 1)
                #expect(bytes.allSatisfy { $0 == UInt8(index + 1) + round })
            }
            for block in blocks { free(block) }
        }
    }

    @Test func `a block given back may be made larger when it comes again`() throws {
        free(allocate(40))
        let small = try #require(allocate(40))
        small.initializeMemory(as: UInt8.self, repeating: 0x5A, count: 40)
        let large = try #require(shim_pooled_realloc(small, 10_000, nil, 0))
        #expect(UnsafeRawBufferPointer(start: large, count: 40).allSatisfy { $0 == 0x5A })
        large.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 10_000)
        let smaller = try #require(shim_pooled_realloc(large, 8, nil, 0))
        #expect(UnsafeRawBufferPointer(start: smaller, count: 8).allSatisfy { $0 == 0xA5 })
        free(smaller)
    }

    @Test func `nothing asked for is nothing, and nothing may be given back`() throws {
        #expect(allocate(0) == nil)
        free(nil)
        #expect(shim_pooled_realloc(nil, 0, nil, 0) == nil)
        let block = try #require(shim_pooled_realloc(nil, 16, nil, 0))
        #expect(shim_pooled_realloc(block, 0, nil, 0) == nil)
    }
}
