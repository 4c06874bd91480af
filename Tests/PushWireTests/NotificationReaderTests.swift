import Primitives
import PushWire
import Testing

/// Streams in any pieces give the same notifications (C55), and no stream makes the reader keep more than a frame.
@Suite struct NotificationReaderTests {
    private static func parts(_ count: Int, seed: UInt64, payloadLimit: UInt64 = 256) -> [Parts] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Parts.drawn(from: &random, payloadLimit: payloadLimit) }
    }

    @Test func `three notifications in one read are three`() {
        let parts = Self.parts(3, seed: 1)
        let result = read([parts.flatMap(\.frame)[...]])
        #expect(result.seen == parts.map { .notification($0) })
        #expect(result.reader.unfinishedByteCount == 0)
    }

    @Test func `a cut at any byte changes nothing`() {
        let parts = Self.parts(3, seed: 2)
        let stream = parts.flatMap(\.frame)
        for cut in 0...stream.count {
            #expect(read([stream[..<cut], stream[cut...]]).seen == parts.map { .notification($0) }, "cut at \(cut)")
        }
    }

    @Test func `a stream that ends at any byte gives the whole frames before it`() {
        let parts = Self.parts(3, seed: 3)
        let stream = parts.flatMap(\.frame)
        let ends = parts.indices.map { parts[...$0].reduce(0) { $0 + $1.frame.count } }
        for cut in 0...stream.count {
            let result = read([stream[..<cut]])
            let whole = ends.prefix { $0 <= cut }
            #expect(result.seen.count == whole.count, "cut at \(cut)")
            #expect(result.reader.unfinishedByteCount == cut - (whole.last ?? 0), "cut at \(cut)")
            #expect(result.reader.hasUnfinished == (cut > whole.last ?? 0), "cut at \(cut)")
        }
    }

    @Test func `one byte at a time changes nothing`() {
        let parts = Self.parts(20, seed: 4)
        let stream = parts.flatMap(\.frame)
        #expect(read(stream.indices.map { stream[$0...$0] }).seen == parts.map { .notification($0) })
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `random pieces change nothing`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = Self.parts(40, seed: seed)
        let pieces = randomPieces(of: parts.flatMap(\.frame), longest: 1 + random.below(700), random: &random)
        #expect(read(pieces).seen == parts.map { .notification($0) }, "seed \(seed)")
    }

    @Test(arguments: [AfterRefusal.nothing, .acceptAnyLength])
    func `a mutation of any byte is judged as a plain reading judges it`(after: AfterRefusal) {
        let stream = Self.parts(3, seed: 5, payloadLimit: 20).flatMap(\.frame)
        for index in stream.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var mutant = stream
                mutant[index] ^= change
                let expected = plainReading(of: mutant, after, payloadLimit: 256)
                #expect(read([mutant[...]], after).seen == expected, "byte \(index) ^ \(change)")
                let drip = mutant.indices.map { mutant[$0...$0] }
                #expect(read(drip, after).seen == expected, "byte \(index) ^ \(change), one byte at a time")
            }
        }
    }

    @Test(arguments: [AfterRefusal.nothing, .acceptAnyLength])
    func `a byte more or less anywhere is judged as a plain reading judges it`(after: AfterRefusal) {
        let stream = Self.parts(3, seed: 6, payloadLimit: 40).flatMap(\.frame)
        for index in stream.indices {
            var shorter = stream
            shorter.remove(at: index)
            var longer = stream
            longer.insert(0xA5, at: index)
            for mutant in [shorter, longer] {
                let expected = plainReading(of: mutant, after, payloadLimit: 256)
                #expect(read([mutant[...]], after).seen == expected, "at byte \(index)")
            }
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `garbage among frames is judged as a plain reading judges it, in any pieces`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var stream: [UInt8] = []
        for _ in 0..<30 {
            switch random.below(8) {
            case 0: stream += Parts.drawn(from: &random, tokenBytes: Int(random.below(80))).frame
            case 1: stream += Parts.drawn(from: &random, payloadLimit: 4_000).frame
            case 2: stream += [1] + Parts.bytes(Int(random.below(30)), from: &random)
            default: stream += Parts.drawn(from: &random, payloadLimit: 256).frame
            }
        }
        for after in [AfterRefusal.nothing, .acceptAnyLength] {
            let expected = plainReading(of: stream, after, payloadLimit: 256)
            let pieces = randomPieces(of: stream, longest: 1 + random.below(2_000), random: &random)
            let result = read(pieces, after)
            #expect(result.seen == expected, "seed \(seed), \(after)")
            #expect(result.reader.unfinishedByteCount <= 131_099, "seed \(seed)")
        }
    }

    /// What is behind a refused frame is counted only if the refused one's own end is found.
    @Test(arguments: ["oversized payload", "no token", "short token", "long token", "no payload"])
    func `in any-length mode every frame behind a refused one is counted`(fault: String) {
        var parts = Self.parts(6, seed: 7)
        switch fault {
        case "oversized payload": parts[1].payload = Array(repeating: 5, count: 257)
        case "no token": parts[1].token = []
        case "short token": parts[1].token.removeLast()
        case "long token": parts[1].token += Array(repeating: 5, count: 68)
        default: parts[1].payload = []
        }
        // Behind it, lengths that would be refused too are only counted.
        parts[3].payload = Array(repeating: 6, count: 60_000)
        parts[4].token = []
        let stream = parts.flatMap(\.frame)
        let whole = read([stream[...]], .acceptAnyLength)
        guard case .refused(_, parts[1].identifier)? = whole.seen.dropFirst().first else {
            Issue.record("\(fault) was not refused")
            return
        }
        #expect(whole.seen[0] == .notification(parts[0]))
        #expect(whole.seen.dropFirst(2) == ArraySlice(parts[1...].map { .notification($0) }))
        for cut in stream.indices.prefix(600) {
            #expect(read([stream[..<cut], stream[cut...]], .acceptAnyLength).seen == whole.seen, "cut at \(cut)")
        }
    }

    @Test func `without any-length mode a refused frame ends the reading`() {
        var parts = Self.parts(3, seed: 8)
        parts[1].token = []
        #expect(
            read(parts.map { $0.frame[...] }).seen
                == [.notification(parts[0]), .refused(.missingDeviceToken, parts[1].identifier)])
    }

    @Test(arguments: [AfterRefusal.nothing, .acceptAnyLength])
    func `an unknown command ends the reading for good`(after: AfterRefusal) {
        let parts = Self.parts(3, seed: 9)
        let pieces = [parts[0].frame[...], [3, 0, 0], parts[1].frame[...], parts[2].frame[...]]
        let result = read(pieces, after)
        #expect(result.seen == [.notification(parts[0]), .unknownCommand(3)])
        #expect(result.reader.unfinishedByteCount == 0)
        #expect(read([pieces.flatMap { $0 }[...]], after).seen == result.seen)
    }

    @Test func `a frame that never ends is kept up to the limit of a frame and no further`() {
        let parser = NotificationParser(payloadLimit: 256)
        var reader = NotificationReader(parser: parser)
        // The longest that is waited for is a command 2, even one that will be refused for its payload.
        let endless = framed([(1, Array(repeating: 1, count: 32)), (2, Array(repeating: 2, count: 20_000))])
        let limit = parser.frameLimit
        let header = [2] + bigEndian(limit - 5, 4) + endless[5...]
        var most = 0
        for byte in header.prefix(limit - 1) {
            withUnsafeBytes(of: byte) { reader.read($0) { _, _ in Issue.record("no frame is whole") } }
            most = max(most, reader.unfinishedByteCount)
        }
        #expect(most == limit - 1)
    }

    @Test func `nothing is kept of a lost stream, however much comes`() {
        var result = read([[9]])
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<8 {
            megabyte.withUnsafeBytes { result.reader.read($0) { _, _ in Issue.record("the stream is lost") } }
        }
        #expect(result.reader.unfinishedByteCount == 0)
    }
}
