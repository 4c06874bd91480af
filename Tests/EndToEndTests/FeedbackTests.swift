import Foundation
import Harness
import Primitives
import PushWire
import RunRecords
import SecureChannel
import Synchronization
import Testing
import Transport
import Workload

extension PatientEndToEndTests {
    /// The feedback service over real TLS, read by our client and by one that we did not write.
    @Suite struct FeedbackTests {
        /// A feedback tuple as a value.
        private struct Entry: Hashable, Sendable {
            var timestamp: UInt32
            var token: [UInt8]
        }

        private final class Collected: Sendable {
            private let entries = Mutex<[Entry]>([])

            var all: [Entry] { entries.withLock { $0 } }
            var tokens: Set<[UInt8]> { Set(all.map(\.token)) }
            func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
        }

        private final class Sink: FeedbackSink {
            private let collected: Collected
            init(_ collected: Collected) { self.collected = collected }
            func take(_ tuple: FeedbackTuple) {
                collected.add(Entry(timestamp: tuple.timestamp, token: Array(tuple.token)))
            }
            func pieceEnded() -> Int32? { nil }
        }

        /// A simulator that 40 of these 400 tokens are unregistered for, and that all were pushed to once.
        private struct Scene {
            static let gone = 40
            let server: SimulatorServer
            let folder: ScratchFolder
            let authorityPath: String

            init(_ feedback: String = "", loops: Int = 1) async throws {
                folder = try ScratchFolder()
                let all = try String(contentsOfFile: folder.tokens(400), encoding: .utf8)
                let gone = try folder.file(
                    "gone.txt", all.split(separator: "\n").prefix(Self.gone).joined(separator: "\n"))
                let profile = try Profile.read(
                    text: """
                        { target: { simulator: { loops: \(loops), feedback: { unregisteredFile: "\(gone)", \(feedback) } } } }
                        """,
                    source: "test.json5")
                guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
                server = try await SimulatorServer(profile: profile, settings: settings)
                authorityPath = try folder.file("ca.pem", server.authorityPEM)
            }

            /// Sends to all tokens, `rounds` times each.
            func push(rounds: Int = 1, connections: Int = 2) async throws {
                let record = try await Run(
                    """
                    { target: { host: "127.0.0.1", port: \(server.port), tls: { caFile: "\(authorityPath)" } },
                      workload: { notifications: \(400 * rounds), tokensFile: "\(folder.path)/tokens.txt" },
                      sender: { connections: \(connections), batch: { notifications: 20 } } }
                    """
                ).record()
                #expect(record.ledger.accepted == Int64(400 * rounds))
            }

            func client(patience: Interval = .seconds(20)) throws -> FeedbackClient {
                var tls = TLSSettings()
                tls.caFile = authorityPath
                return try FeedbackClient(
                    host: "127.0.0.1", port: UInt16(server.feedbackPort), tls: tls, timeout: .seconds(5),
                    patience: patience)
            }

            func read() async throws -> (reading: FeedbackReading, collected: Collected) {
                let collected = Collected()
                return (try await client().read { Sink(collected) }, collected)
            }

            var ledger: FeedbackLedgerRecord {
                get async throws { try #require(await server.result().ledger.feedback) }
            }

            /// The tokens that are gone, by the file's rule.
            var expected: Set<[UInt8]> {
                Set(
                    (1...Self.gone).map { number in
                        [UInt8](repeating: 0, count: 31) + [UInt8(number)]
                    })
            }
        }

        @Test func `each token that is gone is told once with the time of its last push, and then forgotten`()
            async throws
        {
            let scene = try await Scene()
            let before = UInt32(Date().timeIntervalSince1970)
            try await scene.push(rounds: 3)
            let after = UInt32(Date().timeIntervalSince1970)
            #expect(try await scene.ledger.waiting == 40)
            let (reading, collected) = try await scene.read()
            #expect(reading.end == .complete(cleanly: true))
            #expect(reading.tupleCount == 40)
            #expect(reading.byteCount == 40 * 38)
            #expect(collected.tokens == scene.expected)
            #expect(collected.all.allSatisfy { (before...after).contains($0.timestamp) })
            let ledger = try await scene.ledger
            #expect([ledger.notifications, ledger.delivered, ledger.waiting, ledger.dropped] == [120, 40, 0, 0])
            #expect(await scene.server.result().feedbackDigest == reading.digest)
            #expect(try await scene.read().reading.tupleCount == 0, "the list is cleared")
            try await scene.push()
            #expect(try await scene.read().collected.tokens == scene.expected, "what happened since the last time")
            await scene.server.shutDown()
        }

        @Test func `tokens that two loops have noted are told once`() async throws {
            let scene = try await Scene(loops: 2)
            try await scene.push(rounds: 8, connections: 4)
            let (reading, collected) = try await scene.read()
            #expect(reading.tupleCount == 40)
            #expect(collected.tokens == scene.expected)
            await scene.server.shutDown()
        }

        @Test(arguments: ["split: [1]", "split: [5, 6, 31]", #"split: [400], pause: "3ms""#, "split: [38]"])
        func `C34 pieces of any size and pace are the same list`(feedback: String) async throws {
            let scene = try await Scene(feedback)
            try await scene.push()
            let (reading, collected) = try await scene.read()
            #expect(reading.end == .complete(cleanly: true))
            #expect(collected.tokens == scene.expected)
            #expect(collected.all.count == 40)
            await scene.server.shutDown()
        }

        @Test func `a cut list keeps what was read, and the next client gets all of it again`() async throws {
            let scene = try await Scene("truncateAfter: 100")
            try await scene.push()
            for _ in 0..<2 {
                let (reading, collected) = try await scene.read()
                #expect(reading.end == .cut)
                #expect([reading.tupleCount, reading.byteCount] == [2, 76])
                #expect(reading.unfinishedByteCount == 24)
                #expect(reading.problem?.contains("after byte 100, inside the tuple that begins at byte 76") == true)
                #expect(collected.tokens.count == 2 && collected.tokens.isSubset(of: scene.expected))
            }
            let ledger = try await scene.ledger
            #expect([ledger.waiting, ledger.delivered, ledger.clearedUndelivered] == [40, 0, 0])
            await scene.server.shutDown()
        }

        @Test func `a service that clears at the connection counts what its client did not get`() async throws {
            let scene = try await Scene(#"truncateAfter: 100, clear: "connected""#)
            try await scene.push()
            #expect(try await scene.read().reading.end == .cut)
            #expect(try await scene.read().reading.end == .complete(cleanly: true))
            let ledger = try await scene.ledger
            #expect([ledger.waiting, ledger.delivered, ledger.clearedUndelivered] == [0, 0, 40])
            await scene.server.shutDown()
        }

        @Test(arguments: [LinkClosing.abrupt, .reset])
        func `a client that goes away early has the list put back`(closing: LinkClosing) async throws {
            let scene = try await Scene(#"split: [38], pause: "20ms""#)
            try await scene.push()
            let client = try HostileProvider(port: scene.server.feedbackPort, authorityPEM: scene.server.authorityPEM)
            _ = await client.send([], closing: closing)
            await client.close()
            let (reading, collected) = try await scene.read()
            #expect(reading.tupleCount == 40, "sent again")
            #expect(collected.tokens == scene.expected)
            await scene.server.shutDown()
        }

        /// A client that reads to the end and then leaves its own direction open.
        private final class StayingClient: LinkHandler {
            private let finished: @Sendable () -> Void

            init(finished: @escaping @Sendable () -> Void) { self.finished = finished }
            func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {}
            func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {}
            func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int { 0 }
            func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {}
            func linkPeerFinished(_ link: Link, cleanly: Bool, now: Instant) -> PeerFinish {
                finished()
                return .keepSending
            }
        }

        @Test(arguments: [true, false])
        func `a list is settled while its connection still lingers`(isCut: Bool) async throws {
            let scene = try await Scene(isCut ? "truncateAfter: 100" : "")
            try await scene.push()
            let context = try TLSContext(
                client: TLSClientOptions(trust: .authorities(pem: scene.server.authorityPEM)))
            let loop = try EventLoop(label: "test.staying")
            let port = UInt16(scene.server.feedbackPort)
            await withCheckedContinuation { continuation in
                loop.enqueue { core in
                    let client = StayingClient { continuation.resume() }
                    _ = core.connect(
                        to: .loopback(port: port), context: context, serverName: "localhost", handler: client)
                }
            }
            let ledger = try await scene.ledger
            #expect([ledger.waiting, ledger.delivered] == (isCut ? [40, 0] : [0, 40]))
            #expect(try await scene.read().reading.tupleCount == (isCut ? 2 : 0), "the next client gets what is left")
            await loop.shutDownAndWait()
            await scene.server.shutDown()
        }

        @Test func `a client that talks is not listened to and gets its list`() async throws {
            let scene = try await Scene()
            try await scene.push()
            let client = try HostileProvider(port: scene.server.feedbackPort, authorityPEM: scene.server.authorityPEM)
            let seen = await client.send([UInt8](repeating: 0x55, count: 300_000))
            #expect(seen.received.count == 40 * 38)
            await client.close()
            await scene.server.shutDown()
        }

        @Test func `openssl reads the same bytes as our own client`() async throws {
            let scene = try await Scene(#"clear: "connected", split: [7, 300]"#)
            try await scene.push()
            let output = "\(scene.folder.path)/bytes"
            let command = """
                exec timeout 20 openssl s_client -quiet -connect 127.0.0.1:\(scene.server.feedbackPort) \
                -CAfile '\(scene.authorityPath)' -verify_return_error </dev/null >'\(output)' 2>/dev/null
                """
            let status = try await aside {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                process.arguments = ["-c", command]
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            #expect(status == 0)
            let bytes = try Data(contentsOf: URL(filePath: output))
            var reader = FeedbackReader()
            var tokens: Set<[UInt8]> = []
            bytes.withUnsafeBytes { reader.read($0) { tokens.insert(Array($0.token)) } }
            #expect(bytes.count == 40 * 38)
            #expect(reader.unfinishedByteCount == 0)
            #expect(tokens == scene.expected)
            await scene.server.shutDown()
        }

        // MARK: - Our client against other services

        private static func read(
            _ service: HostileGateway, patience: Interval = .seconds(10)
        ) async throws -> (reading: FeedbackReading, collected: Collected) {
            var tls = TLSSettings()
            tls.verify = false
            let client = try FeedbackClient(
                host: "127.0.0.1", port: UInt16(service.port), tls: tls, timeout: .seconds(5), patience: patience)
            let collected = Collected()
            return (await client.read { Sink(collected) }, collected)
        }

        private static func tuple(_ number: UInt8, tokenBytes: Int = 32) -> [UInt8] {
            [0x66, 0, 0, number, UInt8(tokenBytes >> 8), UInt8(tokenBytes & 255)]
                + [UInt8](repeating: number, count: tokenBytes)
        }

        @Test func `garbage is named with its place, and what came before is kept`() async throws {
            let service = try HostileGateway { peer, _ in
                peer.answer = { _ in (Self.tuple(1) + Self.tuple(2) + [UInt8](repeating: 0xFF, count: 50), nil) }
            }
            let (reading, collected) = try await Self.read(service)
            guard case .violation(let violation) = reading.end else {
                Issue.record("\(reading)")
                return
            }
            #expect(violation.offset == 76)
            #expect(violation.tokenBytes == 65_535)
            #expect(collected.all.count == 2)
            await service.close()
        }

        @Test func `silence is given up, and what came before is kept`() async throws {
            let service = try HostileGateway { peer, _ in peer.answer = { _ in (Self.tuple(1), nil) } }
            let (reading, collected) = try await Self.read(service, patience: .milliseconds(200))
            #expect(reading.end == .silence)
            #expect(collected.all.count == 1)
            await service.close()
        }

        @Test func `a reset is no end of a list`() async throws {
            let service = try HostileGateway { peer, _ in peer.answer = { _ in (Self.tuple(1), .reset) } }
            let reading = try await Self.read(service).reading
            guard case .broken = reading.end else {
                Issue.record("\(reading)")
                return
            }
            #expect(reading.problem != nil)
            await service.close()
        }

        @Test func `tokens of other lengths are read as they come`() async throws {
            let lengths = [1, 31, 33, 64, 100]
            let service = try HostileGateway { peer, _ in
                peer.answer = { _ in
                    (lengths.flatMap { Self.tuple(9, tokenBytes: $0) }, .graceful(drain: .milliseconds(100)))
                }
            }
            let (reading, collected) = try await Self.read(service)
            #expect(reading.end == .complete(cleanly: true))
            #expect(collected.all.map(\.token.count) == lengths)
            await service.close()
        }

        /// Writes the same tuples over and over, made where they are written, and then closes.
        private final class LongList: LinkHandler {
            private var remaining: Int
            private let block = (1...100).flatMap { FeedbackTests.tuple($0) }

            init(blocks: Int) { remaining = blocks }

            func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {}
            func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {}
            func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {}

            func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
                var count = 0
                while remaining > 0, count + block.count <= buffer.count {
                    block.withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: $0)
                    }
                    count += block.count
                    remaining -= 1
                }
                if remaining == 0 { link.close(.graceful(drain: .seconds(5))) }
                return count
            }
        }

        /// Throws tuples away, and notes the most memory that this process had meanwhile.
        private final class MeasuringSink: FeedbackSink {
            private let peak: Peak

            final class Peak: Sendable {
                let first = Atomic<Int>(0)
                let most = Atomic<Int>(0)
            }

            init(_ peak: Peak) { self.peak = peak }
            func take(_ tuple: FeedbackTuple) {}
            func pieceEnded() -> Int32? {
                let bytes = HostileProviderTests.residentBytes()
                if peak.first.load(ordering: .relaxed) == 0 { peak.first.store(bytes, ordering: .relaxed) }
                peak.most.store(max(bytes, peak.most.load(ordering: .relaxed)), ordering: .relaxed)
                return nil
            }
        }

        /// A service whose list has so many times a hundred tuples.
        private static func withLongList(
            blocks: Int, _ body: (_ port: UInt16, _ authorityPath: String, ScratchFolder) async throws -> Void
        ) async throws {
            let authority = try CertificateAuthority()
            let context = try TLSContext(
                server: TLSServerOptions(identity: try authority.issue(.server, names: ["localhost"])))
            let loop = try EventLoop(label: "test.feedback")
            let listener = try Listener(context: context, loops: [loop]) { _ in LongList(blocks: blocks) }
            let folder = try ScratchFolder()
            try await body(listener.address.port, try folder.file("ca.pem", authority.certificatePEM), folder)
            await listener.close()
            await loop.shutDownAndWait()
        }

        @Test func `more than a million tuples are read in constant memory`() async throws {
            try await Self.withLongList(blocks: 15_000) { port, authorityPath, _ in
                var tls = TLSSettings()
                tls.caFile = authorityPath
                let client = try FeedbackClient(host: "127.0.0.1", port: port, tls: tls, timeout: .seconds(5))
                let peak = MeasuringSink.Peak()
                let reading = await client.read { MeasuringSink(peak) }
                #expect(reading.end == .complete(cleanly: true))
                #expect(reading.tupleCount == 1_500_000, "57 MB")
                #expect(peak.most.load(ordering: .relaxed) - peak.first.load(ordering: .relaxed) < 24 << 20)
            }
        }

        @Test func `the program writes each of many tuples down`() async throws {
            try await Self.withLongList(blocks: 500) { port, authorityPath, folder in
                let file = "\(folder.path)/list.csv"
                let result = try await Program.shell(
                    "", ["feedback", "127.0.0.1:\(port)", "--cacert", authorityPath, "-o", file])
                #expect(result.status == 0, "\(result.output)")
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                #expect(lines.count == 50_001)
                #expect(Set(lines.dropFirst()).count == 100)
            }
        }

        // MARK: - A run with its own simulator

        @Test func `a run reads the list of its simulator at the end, and the two agree`() async throws {
            let run = try Run(
                """
                { target: { simulator: { feedback: { readAtEnd: true, split: [100, 1_000] } } },
                  workload: { notifications: 5_000, devices: 5_000, faults: { unregistered: 0.05, badToken: 0.001 } },
                  sender: { connections: 4 } }
                """)
            let record = try await run.record()
            expectClean(record)
            let expected = try run.expectedCount(of: .unregistered)
            #expect(expected > 200)
            let feedback = try #require(record.feedback)
            #expect(feedback.tuples == expected)
            #expect(feedback.agrees == true)
            let ledger = try #require(record.simulatorLedger?.feedback)
            #expect([ledger.notifications, ledger.delivered, ledger.waiting] == [expected, expected, 0])
        }

        @Test func `without a reader the record says how many wait, each device once`() async throws {
            let run = try Run(
                """
                { workload: { notifications: 6_000, devices: 2_000, faults: { unregistered: 0.1 } },
                  sender: { connections: 3 } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.feedback == nil)
            let ledger = try #require(record.simulatorLedger?.feedback)
            #expect(ledger.notifications == (try run.expectedCount(of: .unregistered)))
            #expect(ledger.waiting * 3 == ledger.notifications)
        }

        @Test func `a list that its simulator cuts fails the run with the place`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { feedback: { readAtEnd: true, truncateAfter: 50 } } },
                  workload: { notifications: 1_000, devices: 1_000, faults: { unregistered: 0.1 } },
                  sender: { connections: 1 } }
                """
            ).record()
            #expect(record.verdict.status == .failed)
            #expect(record.verdict.exitCode == 3)
            #expect(record.verdict.reasons.contains { $0.contains("after byte 50") })
            #expect(record.feedback?.tuples == 1)
            #expect(record.feedback?.agrees == nil)
            let ledger = try #require(record.simulatorLedger?.feedback)
            #expect(ledger.waiting == ledger.notifications, "all of it waits again")
        }

        @Test func `offline devices keep their last notification`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { loops: 2, storage: { offline: 0.5 } } },
                  workload: { notifications: 4_000, devices: 1_000, expiry: "1h" }, sender: { connections: 4 } }
                """
            ).record()
            expectClean(record)
            let storage = try #require(record.simulatorLedger?.storage)
            #expect((400...600).contains(storage.stored), "half of the devices, seed 1")
            #expect(storage.replaced == storage.stored * 3)
            #expect([storage.notStored, storage.expired] == [0, 0])
        }

        // MARK: - The program

        @Test func `the program writes lines of both forms, and its exit code tells a cut list`() async throws {
            let scene = try await Scene()
            try await scene.push()
            let place = "localhost:\(scene.server.feedbackPort)"
            let options = ["feedback", place, "--cacert", scene.authorityPath]
            let csv = try await Program.shell("", options)
            #expect(csv.status == 0, "\(csv.output)")
            let lines = csv.output.split(separator: "\n")
            #expect(lines.first == "timestamp,time,token")
            #expect(lines.count == 41)
            for line in lines.dropFirst() {
                let fields = line.split(separator: ",")
                let date = try Date(String(fields[1]), strategy: .iso8601)
                #expect(String(Int(date.timeIntervalSince1970)) == fields[0])
                #expect(fields[2].hasPrefix(String(repeating: "0", count: 62)) && fields[2].count == 64)
            }
            try await scene.push()
            let file = "\(scene.folder.path)/list.jsonl"
            let json = try await Program.shell("", options + ["--format", "jsonl", "-o", file])
            #expect(json.status == 0 && json.output.isEmpty, "\(json.output)")
            let objects = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(objects.count == 40)
            #expect(objects.allSatisfy { ($0["token"] as? String)?.count == 64 && $0["timestamp"] is Int })
            await scene.server.shutDown()

            let cut = try await Scene("truncateAfter: 90")
            try await cut.push()
            let result = try await Program.shell(
                "", ["feedback", "127.0.0.1:\(cut.server.feedbackPort)", "--cacert", cut.authorityPath])
            #expect(result.status == 4, "\(result.output)")
            #expect(result.output.contains("after byte 90"), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 4, "the head, two tuples and the message")
            await cut.server.shutDown()
        }

        @Test(
            arguments: [
                (["127.0.0.1:1"], 8, "refused"), (["feedback.push.apple.com"], 2, "production"),
                (["feedback.example:2196"], 2, "--allow-host"), (["localhost:0"], 2, "port"),
                (["localhost", "--format", "cvs"], 2, "did you mean csv"),
                (["localhost", "--key", "k.pem"], 2, "--cert"),
                (["localhost", "--passphrase-file", "p.txt"], 2, "--pkcs12"),
                (["localhost", "--pkcs12", "a.p12", "--cert", "c.pem"], 2, "one of them"),
                (["localhost", "--pkcs12", "nowhere.p12"], 2, "nowhere.p12"),
                (["localhost", "--cacert", "nowhere.pem"], 2, "nowhere.pem"),
            ] as [([String], Int32, String)])
        func `a wrong call says what is wrong`(arguments: [String], status: Int32, text: String) async throws {
            let result = try await Program.shell("", ["feedback"] + arguments)
            #expect(result.status == status, "\(result.output)")
            #expect(result.output.contains(text), "\(result.output)")
            #expect(!result.output.contains("timestamp"), "no list, no head of one")
        }
    }
}
