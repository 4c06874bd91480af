import PushWire
import Testing

/// Header blocks out of HEADERS and CONTINUATION frames.
@Suite struct HeaderBlockTests {
    private struct Bench: ~Copyable {
        var assembler: HeaderBlockAssembler

        init(blockLimit: Int = 32_768, continuationLimit: Int = 8) {
            assembler = HeaderBlockAssembler(blockLimit: blockLimit, continuationLimit: continuationLimit)
        }

        /// The fields of the block that the frame completes.
        mutating func take(_ frame: KeptFrame) throws(HTTP2Violation) -> [UInt8]? {
            let result = frame.payload.withUnsafeBytes { payload -> Result<[UInt8]?, HTTP2Violation> in
                do throws(HTTP2Violation) {
                    let block = try assembler.take(HTTP2Frame(header: frame.header, payload: payload))
                    return .success(block.map { Array($0.fields) })
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }

    @Test func `a block in one frame is passed on without its padding`() throws {
        var bench = Bench()
        let frame = KeptFrame(.headers, [.endHeaders, .padded], stream: 1, payload: [1, 0x88, 0])
        #expect(try bench.take(frame) == [0x88])
        #expect(bench.assembler.unfinishedByteCount == 0)
    }

    @Test func `a block in parts is whole with the last one`() throws {
        var bench = Bench()
        #expect(try bench.take(KeptFrame(.headers, .padded, stream: 1, payload: [1, 1, 2, 0])) == nil)
        #expect(try bench.take(KeptFrame(.continuation, stream: 1, payload: [3])) == nil)
        #expect(try bench.take(KeptFrame(.continuation, stream: 1)) == nil)
        #expect(try bench.take(KeptFrame(.continuation, .endHeaders, stream: 1, payload: [4, 5])) == [1, 2, 3, 4, 5])
        #expect(try bench.take(KeptFrame(.headers, .endHeaders, stream: 3, payload: [6])) == [6])
        #expect(try bench.take(KeptFrame(.data, stream: 3, payload: [6])) == nil)
    }

    @Test(arguments: [
        KeptFrame(.data, stream: 1, payload: [1]), KeptFrame(.headers, .endHeaders, stream: 1, payload: [1]),
        KeptFrame(.continuation, .endHeaders, stream: 3, payload: [1]),
        KeptFrame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0]),
        KeptFrame(.windowUpdate, payload: [0, 0, 0, 1]),
    ])
    func `nothing may stand within a block`(frame: KeptFrame) throws {
        var bench = Bench()
        _ = try bench.take(KeptFrame(.headers, stream: 1, payload: [1]))
        #expect(throws: HTTP2Violation(.continuationOrder)) { try bench.take(frame) }
    }

    @Test func `a continuation of nothing is refused`() {
        var bench = Bench()
        #expect(throws: HTTP2Violation(.continuationOrder)) {
            try bench.take(KeptFrame(.continuation, .endHeaders, stream: 1, payload: [1]))
        }
    }

    @Test func `a flood of empty continuations ends the connection with the ninth`() throws {
        var bench = Bench()
        _ = try bench.take(KeptFrame(.headers, stream: 1, payload: [1]))
        for _ in 0..<8 { _ = try bench.take(KeptFrame(.continuation, stream: 1)) }
        #expect(throws: HTTP2Violation(.continuationCount)) { try bench.take(KeptFrame(.continuation, stream: 1)) }
        #expect(HTTP2Rule.continuationCount.code == .enhanceYourCalm)
    }

    @Test func `a block that grows beyond its limit ends the connection and is not kept`() throws {
        var bench = Bench(blockLimit: 20_000)
        let part = [UInt8](repeating: 0, count: 9_000)
        _ = try bench.take(KeptFrame(.headers, stream: 1, payload: part))
        _ = try bench.take(KeptFrame(.continuation, stream: 1, payload: part))
        #expect(throws: HTTP2Violation(.headerBlockSize)) {
            try bench.take(KeptFrame(.continuation, stream: 1, payload: part))
        }
        #expect(bench.assembler.unfinishedByteCount <= 20_000)
        var small = Bench(blockLimit: 10)
        #expect(throws: HTTP2Violation(.headerBlockSize)) {
            try small.take(KeptFrame(.headers, .endHeaders, stream: 1, payload: part))
        }
    }
}
