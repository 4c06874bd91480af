import Primitives
import PushWire
import Testing

/// Frames out of a stream in any pieces, and streams that break the rules.
@Suite struct FrameReaderTests {
    private static let settings = KeptFrame(.settings, payload: [0, 4, 0, 0, 0xFF, 0xFF])
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    @Test func `a header has its fields where the RFC has them`() {
        let wire = bytes(hex: "001234 00 01 80000005")
        let header = wire.withUnsafeBytes { HTTP2FrameHeader(at: $0.baseAddress!) }
        #expect(header == HTTP2FrameHeader(type: .data, flags: .endStream, streamID: 5, length: 0x1234))
        var written = [UInt8](repeating: 0xAA, count: 9)
        written.withUnsafeMutableBytes { header.write(to: $0.baseAddress!) }
        #expect(written == bytes(hex: "001234 00 01 00000005"))
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func `any split of a stream gives the same frames`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var expected = [Self.settings]
        for _ in 0..<60 {
            let payload = (0..<Int(random.below(random.below(8) == 0 ? 16_385 : 300))).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            switch random.below(4) {
            case 0:
                expected.append(KeptFrame(.headers, .endHeaders, stream: 1 + UInt32(random.below(9)), payload: payload))
            case 1: expected.append(KeptFrame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]))
            case 2: expected.append(KeptFrame(.windowUpdate, stream: 3, payload: [0, 0, 1, 0]))
            default:
                expected.append(KeptFrame(.data, .endStream, stream: 1 + UInt32(random.below(9)), payload: payload))
            }
        }
        let stream = Self.preface + expected.flatMap(\.bytes)
        for pieceLimit in [1 as UInt64, 2, 10, 1_000, 100_000] {
            var bench = ReaderBench(role: .server)
            var offset = 0
            while offset < stream.count {
                let count = min(stream.count - offset, 1 + Int(random.below(pieceLimit)))
                bench.receive(stream[offset..<offset + count])
                offset += count
            }
            #expect(bench.frames == expected, "seed \(seed), pieces of up to \(pieceLimit)")
            #expect(bench.violations == [], "seed \(seed)")
            #expect(bench.mostKept <= 9 + 16_384)
            #expect(bench.reader.unfinishedByteCount == 0)
        }
    }

    @Test func `an empty frame and one of the full size pass`() {
        var bench = ReaderBench()
        let frames = [
            KeptFrame(.settings), KeptFrame(.data, stream: 1),
            KeptFrame(.data, stream: 1, payload: [UInt8](repeating: 7, count: 16_384)),
        ]
        bench.receive(frames.flatMap(\.bytes))
        #expect(bench.frames == frames)
    }

    @Test(arguments: [
        (KeptFrame(.data, payload: [1]), HTTP2Rule.streamNeeded(.data), HTTP2ErrorCode.protocolError),
        (KeptFrame(.headers, payload: [1]), .streamNeeded(.headers), .protocolError),
        (KeptFrame(.continuation, payload: [1]), .streamNeeded(.continuation), .protocolError),
        (KeptFrame(.resetStream, payload: [0, 0, 0, 8]), .streamNeeded(.resetStream), .protocolError),
        (KeptFrame(.resetStream, stream: 1, payload: [0, 0, 8]), .frameLength(.resetStream), .frameSizeError),
        (KeptFrame(.settings, stream: 1), .connectionNeeded(.settings), .protocolError),
        (KeptFrame(.settings, payload: [0, 1, 0, 0, 0]), .frameLength(.settings), .frameSizeError),
        (
            KeptFrame(.settings, .acknowledgement, payload: [0, 1, 0, 0, 0, 0]), .frameLength(.settings),
            .frameSizeError
        ),
        (KeptFrame(.ping, payload: [0]), .frameLength(.ping), .frameSizeError),
        (KeptFrame(.ping, stream: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]), .connectionNeeded(.ping), .protocolError),
        (KeptFrame(.goAway, payload: [0, 0, 0, 0, 0, 0, 0]), .frameLength(.goAway), .frameSizeError),
        (KeptFrame(.goAway, stream: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]), .connectionNeeded(.goAway), .protocolError),
        (KeptFrame(.windowUpdate, payload: [0, 0, 1]), .frameLength(.windowUpdate), .frameSizeError),
        (KeptFrame(.pushPromise, stream: 1, payload: [0, 0, 0, 2]), .pushPromise, .protocolError),
    ])
    func `a frame of the wrong kind ends the connection`(frame: KeptFrame, rule: HTTP2Rule, code: HTTP2ErrorCode) {
        var bench = ReaderBench()
        bench.receive(KeptFrame(.settings).bytes + frame.bytes)
        bench.receive(KeptFrame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0]).bytes)
        #expect(bench.violations == [HTTP2Violation(rule)])
        #expect(rule.code == code)
        #expect(bench.frames.count == 1, "nothing is read any more")
    }

    @Test func `a frame that is too long ends the connection before it is kept`() {
        var bench = ReaderBench()
        bench.receive(KeptFrame(.settings).bytes + bytes(hex: "004001 00 00 00000001"))
        #expect(bench.violations == [HTTP2Violation(.frameSizeLimit)])
        #expect(bench.mostKept <= 9)
    }

    @Test func `a priority of the wrong length costs its stream only`() {
        var bench = ReaderBench()
        bench.receive(KeptFrame(.settings).bytes + KeptFrame(.priority, stream: 3, payload: [0]).bytes)
        bench.receive(KeptFrame(.data, stream: 1, payload: [5]).bytes)
        #expect(bench.violations == [HTTP2Violation(.frameLength(.priority), scope: .stream(3))])
        #expect(bench.frames.last == KeptFrame(.data, stream: 1, payload: [5]))
    }

    @Test func `a frame of an unknown type passes`() {
        var bench = ReaderBench()
        let wire = KeptFrame(.settings).bytes + bytes(hex: "000001 ee ff 00000007 01")
        bench.receive(wire)
        #expect(bench.violations == [])
        #expect(bench.frames.last?.header.type == .unknown)
    }

    @Test(arguments: [0, 1, 13, 23]) func `a preface with one wrong byte is refused`(place: Int) {
        var wire = Self.preface
        wire[place] ^= 0x20
        var bench = ReaderBench(role: .server)
        bench.receive(wire)
        #expect(bench.violations == [HTTP2Violation(.preface)])
    }

    @Test(arguments: [KeptFrame(.ping, payload: [0, 0, 0, 0, 0, 0, 0, 0]), KeptFrame(.settings, .acknowledgement)])
    func `whatever comes before the first settings is refused`(frame: KeptFrame) {
        var bench = ReaderBench()
        bench.receive(frame.bytes)
        #expect(bench.violations == [HTTP2Violation(.settingsFirst)])
    }

    @Test(arguments: [1 as UInt64, 2, 3]) func `random bytes never crash and keep less than a frame`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for round in 0..<2_000 {
            var bench = ReaderBench(role: random.below(2) == 0 ? .client : .server)
            bench.receive(random.below(2) == 0 ? Self.preface + Self.settings.bytes : Self.settings.bytes)
            for _ in 0..<5 {
                bench.receive(
                    (0..<Int(random.below(60))).map { _ in UInt8(truncatingIfNeeded: random.next() & random.next()) })
            }
            #expect(bench.mostKept <= 9 + 16_384, "seed \(seed), round \(round)")
            #expect(bench.violations.filter { $0.scope == .connection }.count <= 1, "seed \(seed), round \(round)")
        }
    }

    @Test func `padding and priority are taken off`() throws {
        let padded = KeptFrame(.data, [.padded, .endStream], stream: 1, payload: [2, 0x61, 0x62, 0, 0])
        let both = KeptFrame(.headers, [.padded, .priority], stream: 1, payload: [1, 0, 0, 0, 0, 16, 0x82, 0])
        var contents: [[UInt8]] = []
        for frame in [padded, both] {
            try frame.payload.withUnsafeBytes {
                contents.append(Array(try HTTP2Frame(header: frame.header, payload: $0).content()))
            }
        }
        #expect(contents == [[0x61, 0x62], [0x82]])
    }

    @Test(arguments: [
        (KeptFrame(.data, .padded, stream: 1, payload: [1]), HTTP2Rule.padding),
        (KeptFrame(.data, .padded, stream: 1), .padding),
        (KeptFrame(.headers, .priority, stream: 1, payload: [0, 0, 0, 0]), .frameLength(.headers)),
        (KeptFrame(.headers, [.priority, .padded], stream: 1, payload: [2, 0, 0, 0, 0, 1, 0]), .padding),
    ])
    func `padding that does not fit is refused`(frame: KeptFrame, rule: HTTP2Rule) {
        frame.payload.withUnsafeBytes { payload in
            _ = #expect(throws: HTTP2Violation(rule)) {
                try HTTP2Frame(header: frame.header, payload: payload).content()
            }
        }
    }

    @Test func `a window update of nothing costs what it is about`() {
        [UInt8](repeating: 0, count: 4).withUnsafeBytes { payload in
            for (stream, scope) in [(0 as UInt32, HTTP2Violation.Scope.connection), (5, .stream(5))] {
                let header = HTTP2FrameHeader(type: .windowUpdate, streamID: stream, length: 4)
                _ = #expect(throws: HTTP2Violation(.windowIncrement, scope: scope)) {
                    try HTTP2Frame(header: header, payload: payload).windowIncrement()
                }
            }
        }
    }
}
