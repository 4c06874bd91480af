import CShims
import Glibc
import GatewaySimulator
import Harness
import Histograms
import Primitives
import PushWire
import Workload

/// Nanoseconds for each operation of a notification's way, one thread, everything in the core's own caches.
struct OperationCosts {
    private let options: BenchmarkOptions
    private let count: Int
    private let source: NotificationSource
    private let key = TokenKey(seed: 1)
    private let frames: FrameBuffer<EnhancedNotification>

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        count = options.size(2_000_000, quick: 20_000)
        let population = try DevicePopulation(seed: 1, deviceCount: 250_000)
        let sizes = try PayloadSizes(p50: 100, p99: 130, max: 150)
        source = NotificationSource(
            tokens: .synthetic(population, TokenKey(seed: 1)),
            payloads: .generated(try PayloadGenerator(PayloadPlan(seed: 1, sizes: sizes))))
        frames = FrameBuffer(EnhancedNotification(), source: source)
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "operations on notifications of \(decimalText(frames.bytesPerFrame, 1)) bytes",
            columns: ["operation", "ns", "least ns", "M/s"])
        var times: [String: Double] = [:]
        for operation in try operations() {
            let costs = try (0..<options.rounds(7)).map { _ in try operation.cost(count) }
            let middle = median(costs)
            times[operation.name] = middle
            table.add([
                .text(operation.name), .number(middle, decimals: 1), .number(costs.min() ?? .nan, decimals: 1),
                .number(1_000 / middle, decimals: 1),
            ])
        }
        if let encode = times["encode"], let copy = times["memcpy of the same bytes"] {
            table.notes = ["generator ÷ memcpy of the same bytes: \(decimalText(copy / encode, 2))"]
        }
        return table
    }

    /// An operation, and the check after the clock was stopped that the work was really done.
    private struct Operation {
        let name: String
        /// Does the operation at least so often, and returns how often it did and what its result came to.
        let run: (Int) -> (count: Int, result: UInt64)
        /// What the result must be after so many.
        let expected: (Int) -> UInt64

        func cost(_ count: Int) throws -> Double {
            // The thread's processor time: what others do with the machine then counts only as far as it slows us down.
            let start = shim_thread_cpu_time()
            let done = run(count)
            let time = shim_thread_cpu_time() - start
            guard done.result == expected(done.count) else {
                throw BenchmarkFailure("\(name): the result is \(done.result) and not \(expected(done.count))")
            }
            return Double(time) / Double(done.count)
        }
    }

    private func operations() throws -> [Operation] {
        [
            encode, copy, token, payload, decode("decode", frames),
            decode("decode, command 0", FrameBuffer(SimpleNotification(), source: source)),
            decode("decode, command 2", FrameBuffer(FramedNotification(), source: source)), inverse, json,
            session(judgesJSON: false), session(judgesJSON: true),
            record, requestEncode, requestDecode, responseDecode,
        ]
    }

    // MARK: - Making

    private var encode: Operation {
        let frames = frames
        return Operation(name: "encode") { count in
            var bytes: UInt64 = 0
            for round in 0..<count / frames.count { bytes += UInt64(frames.encode(from: UInt64(round * frames.count))) }
            return (count / frames.count * frames.count, bytes)
        } expected: { [source] count in
            (0..<UInt64(count)).reduce(0) { sum, sequence in
                sum + UInt64(EnhancedNotification.overheadBytes + 32 + source.payloadByteCount(sequence))
            }
        }
    }

    private var copy: Operation {
        let frames = frames
        return Operation(name: "memcpy of the same bytes") { count in
            for _ in 0..<count / frames.count { frames.copy() }
            return (count / frames.count * frames.count, frames.copyHash)
        } expected: { _ in
            frames.hash
        }
    }

    private var token: Operation {
        let source = source
        let key = key
        return Operation(name: "token") { count in
            withUnsafeTemporaryAllocation(byteCount: 64 * 32, alignment: 64) { buffer in
                guard let base = buffer.baseAddress else { return (1, 0) }
                var cursor = source.cursor(at: 0)
                for sequence in 0..<UInt64(count) {
                    _ = source.writeToken(at: &cursor, into: base + Int(sequence % 64) * 32)
                }
                let last = (UInt64(count) - 1) % 64
                return (count, key.device(ofToken: base + Int(last) * 32)?.index ?? .max)
            }
        } expected: {
            source.deviceIndex(UInt64($0) - 1)
        }
    }

    private var payload: Operation {
        let source = source
        return Operation(name: "payload") { count in
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 64) { buffer in
                guard let base = buffer.baseAddress else { return (1, 0) }
                var bytes: UInt64 = 0
                for sequence in 0..<UInt64(count) {
                    bytes += UInt64(
                        source.writePayload(
                            sequence: sequence, into: base + Int(sequence % 256) * 256, capacity: 256))
                }
                return (count, bytes)
            }
        } expected: { count in
            (0..<UInt64(count)).reduce(0) { $0 + UInt64(source.payloadByteCount($1)) }
        }
    }

    // MARK: - Taking apart

    private func decode<Format>(_ name: String, _ frames: FrameBuffer<Format>) -> Operation {
        Operation(name: name) { count in
            var reader = NotificationReader(parser: NotificationParser())
            var sum: UInt64 = 0
            for _ in 0..<count / frames.count {
                reader.read(frames.bytes) { frame, _ in
                    guard case .notification(let notification) = frame else { return }
                    sum += UInt64(notification.identifier) + UInt64(notification.payload.count)
                }
            }
            return (count / frames.count * frames.count, sum)
        } expected: {
            UInt64($0 / frames.count) * frames.partSum
        }
    }

    private var inverse: Operation {
        let frames = frames
        let key = key
        return Operation(name: "token inverse") { count in
            var sum: UInt64 = 0
            for _ in 0..<count / frames.count {
                for token in frames.tokens { sum &+= key.device(ofToken: token)?.index ?? .max }
            }
            return (count / frames.count * frames.count, sum)
        } expected: {
            UInt64($0 / frames.count) &* frames.deviceSum
        }
    }

    private var json: Operation {
        let frames = frames
        return Operation(name: "JSON check") { count in
            var valid: UInt64 = 0
            for _ in 0..<count / frames.count {
                for payload in frames.payloads where JSONSyntax.check(payload) == nil { valid += 1 }
            }
            return (count / frames.count * frames.count, valid)
        } expected: {
            UInt64($0)
        }
    }

    /// The simulator's whole work on a notification: cut, judged, entered in the book.
    private func session(judgesJSON: Bool) -> Operation {
        let frames = frames
        let name = judgesJSON ? "gateway session, JSON judged" : "gateway session"
        return Operation(name: name) { count in
            var settings = GatewaySettings()
            settings.tokenSeed = 1
            settings.judgesJSON = judgesJSON
            var accepted: UInt64 = 0
            // A new book every time: a second acceptance of an identifier would be a duplicate.
            for _ in 0..<count / (frames.count * frames.bookRounds) {
                let ledger = GatewayLedger(trackedCount: UInt64(frames.count * frames.bookRounds))
                let session = GatewaySession(
                    settings: settings, judge: NotificationJudge(settings: settings), ledger: ledger,
                    pace: GatewayPace(settings: settings), openedAt: .zero)
                for _ in 0..<frames.bookRounds { session.receive(frames.bytes, now: .zero) }
                accepted += ledger.counts.accepted
            }
            let all = count / (frames.count * frames.bookRounds) * frames.count * frames.bookRounds
            return (all, accepted)
        } expected: {
            UInt64($0)
        }
    }

    // MARK: - HTTP/2

    private func makeTemplate() -> RequestTemplate {
        var fields = RequestFields(authority: "localhost")
        fields.authorization = Array("bearer \(String(repeating: "a", count: 200))".utf8)
        fields.topic = "com.example.app"
        fields.pushType = "alert"
        fields.priority = 10
        fields.expiration = 0
        return RequestTemplate(fields: fields, ids: NotificationIDSpace(seed: 1))
    }

    /// The headers of a request and the frame around its body, with token and `apns-id` of its own.
    private var requestEncode: Operation {
        let frames = frames
        return Operation(name: "request headers, encode") { [self] count in
            var template = makeTemplate()
            return withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 64) { buffer in
                guard let base = buffer.baseAddress else { return (1, 0) }
                var written = 0
                for index in 0..<count {
                    let token = UnsafeRawBufferPointer(start: frames.tokens[index % frames.count], count: 32)
                    written = template.write(
                        to: base, streamID: 1, token: token, sequence: UInt64(index), payloadBytes: 100)
                }
                return (count, UInt64(written))
            }
        } expected: { [self] _ in
            var template = makeTemplate()
            _ = encodedBlock(&template)
            return UInt64(template.payloadOffset(tokenBytes: 32) + 100)
        }
    }

    /// The header block of the next request.
    private func encodedBlock(_ template: inout RequestTemplate) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 8_192) { buffer, count in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            let all = template.writeHeaders(
                to: base, streamID: 1, token: UnsafeRawBufferPointer(start: frames.tokens[0], count: 32), sequence: 1,
                endsStream: true)
            count = all - HTTP2FrameHeader.byteCount
            memmove(base, base + HTTP2FrameHeader.byteCount, count)
        }
    }

    /// All fields of a request of which all but the path and `apns-id` are in the table.
    private var requestDecode: Operation {
        Operation(name: "request headers, decode") { [self] count in
            var template = makeTemplate()
            let (first, later) = (encodedBlock(&template), encodedBlock(&template))
            var decoder = HPACKDecoder()
            var fields: UInt64 = 0
            _ = first.withUnsafeBytes { block in try? decoder.decode(block, streamID: 1) { _ in } }
            later.withUnsafeBytes { block in
                for _ in 0..<count { try? decoder.decode(block, streamID: 1) { _ in fields += 1 } }
            }
            return (count, fields)
        } expected: {
            UInt64($0) * 10
        }
    }

    /// A response without a body, cut off the stream and recognised.
    private var responseDecode: Operation {
        Operation(name: "response, decode") { count in
            var reader = HTTP2FrameReader(role: .client)
            var assembler = HeaderBlockAssembler()
            var settings = [UInt8](repeating: 0, count: HTTP2FrameHeader.byteCount)
            settings[3] = 4
            let block: [UInt8] = [0x88, 0, 7] + Array("apns-id".utf8) + [36] + [UInt8](repeating: 0x61, count: 36)
            let response: [UInt8] = [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block
            let stream = [[UInt8]](repeating: response, count: 100).flatMap { $0 }
            var good: UInt64 = 0
            func read(_ bytes: [UInt8]) {
                bytes.withUnsafeBytes { bytes in
                    var rest = bytes
                    while let frame = try? reader.next(in: &rest), let found = try? assembler.take(frame) {
                        if ResponseDecoder.isSuccess(found.fields) { good += 1 }
                    }
                }
            }
            _ = settings.withUnsafeBytes { bytes in
                var rest = bytes
                return (try? reader.next(in: &rest)) != nil
            }
            for _ in 0..<count / 100 { read(stream) }
            return (count / 100 * 100, good)
        } expected: {
            UInt64($0)
        }
    }

    private var record: Operation {
        Operation(name: "histogram record") { count in
            let histogram = Histogram(.runTotals)
            var value: Int64 = 1
            for _ in 0..<count {
                histogram.record(value)
                value = (value &* 6_364_136_223_846_793_005 &+ 1) & 0xFFF_FFFF
            }
            return (count, UInt64(histogram.count))
        } expected: {
            UInt64($0)
        }
    }
}

extension NotificationSource {
    /// The size of a generated payload, asked in another way than by writing it.
    fileprivate func payloadByteCount(_ sequence: UInt64) -> Int {
        withUnsafeTemporaryAllocation(byteCount: maxPayloadBytes, alignment: 1) { buffer in
            buffer.baseAddress.map { writePayload(sequence: sequence, into: $0, capacity: buffer.count) } ?? 0
        }
    }
}
