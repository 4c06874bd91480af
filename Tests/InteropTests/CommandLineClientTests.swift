import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// `openssl s_client`, fed with what `pushbench generate frames` writes.
    @Suite struct CommandLineClientTests {
        /// A notification that every simulator refuses: command 1, a token of zeros, the payload `{}`.
        private static func bad(_ identifier: UInt32) -> [UInt8] {
            [1] + bytes(identifier) + [0, 0, 0, 0, 0, 32] + [UInt8](repeating: 0, count: 32) + [0, 2] + Array("{}".utf8)
        }

        private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

        /// Runs `pushbench generate` and returns what it wrote.
        private static func generate(_ kind: String, _ options: String) async throws -> [UInt8] {
            let (output, status) = try await Shell.run(
                "exec '\(Simulator.program())' generate \(kind) --seed 7 \(options)")
            try #require(status == 0)
            return output
        }

        private static func tokens(_ options: String) async throws -> [String] {
            String(decoding: try await generate("tokens", options), as: UTF8.self).split(separator: "\n").map(
                String.init)
        }

        /// Sends frames over one connection and returns what came back.
        private static func send(_ frames: [UInt8], to simulator: Simulator, options: String = "") async throws
            -> [UInt8]
        {
            let file = "\(simulator.folder.path)/frames"
            try Data(frames).write(to: URL(filePath: file))
            return try await Clients.sendRaw(file, to: simulator, options: options)
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func `all commands may be mixed on one connection`(version: String) async throws {
            let simulator = try await Simulator(["--seed", "7"])
            let frames = try await Self.generate("frames", "--protocol mixed -n 300") + Self.bad(0xFFFF_FFF0)
            let reply = try await Self.send(frames, to: simulator, options: version)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(reply == [8, 8, 0xFF, 0xFF, 0xFF, 0xF0])
            let commands = books.book.ledger.commands
            #expect([commands.simple, commands.enhanced, commands.framed] == [100, 100, 100])
            #expect(try await books.acceptedTokens == Self.tokens("-n 300"))
            #expect(books.failures == [Failure(identifier: 0xFFFF_FFF0, status: 8)])
            #expect(books.book.ledger.connectionsAccepted == 1)
        }

        @Test(arguments: ["enhanced", "framed"])
        func `a provider that sends again what followed an error loses nothing`(command: String) async throws {
            let simulator = try await Simulator(["--seed", "7"])
            let count = 400
            let workload = "--protocol \(command) --set workload.faults.badToken=0.01"
            var reported: [Failure] = []
            var next = 0
            while next < count {  // bounded: each round gets further
                let rest = try await Self.generate("frames", "\(workload) --first \(next) -n \(count - next)")
                let reply = try await Self.send(rest + Self.bad(UInt32(count + 1)), to: simulator)
                try #require(reply.count == 6 && reply[0] == 8, "it came: \(reply)")
                let identifier = reply[2...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                try #require(identifier > next, "it goes on")
                reported.append(Failure(identifier: identifier, status: Int(reply[1])))
                next = Int(identifier)
            }
            let books = try await simulator.finish()
            books.expectSound()
            #expect(books.failures == reported)
            #expect(reported.count > 1, "some of the tokens are bad")
            #expect(books.book.ledger.duplicates == 0)
            let accepted = (books.book.acceptedIdentifiers ?? []).flatMap { Array($0.first...$0.last) }
            let good = Set(1...UInt32(count)).subtracting(reported.map(\.identifier)).sorted()
            #expect(accepted == good)
        }

        @Test func `a bad notification of command 0 ends the connection without a word`() async throws {
            let simulator = try await Simulator(["--seed", "7"])
            let bad: [UInt8] = [0, 0, 32] + [UInt8](repeating: 0, count: 32) + [0, 2] + Array("{}".utf8)
            let frames =
                try await Self.generate("frames", "--protocol simple -n 10") + bad
                + Self.generate("frames", "--protocol simple --first 10 -n 5")
            let reply = try await Self.send(frames, to: simulator)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(reply.isEmpty)
            #expect(try await books.acceptedTokens == Self.tokens("-n 10"))
            #expect(books.book.ledger.rejectedWithoutIdentifier == 1)
            #expect(books.book.ledger.discarded == 5)
        }

        @Test(arguments: ["graceful", "fin", "halfClose"])
        func `a reply leaves before its connection is closed, however that is done`(mode: String) async throws {
            let plan = #"target.simulator.faults=[{ fault: "replyClose", mode: "\#(mode)" }]"#
            let simulator = try await Simulator(["--seed", "7", "--set", plan])
            let reply = try await Self.send(Self.bad(7), to: simulator)
            _ = try await simulator.finish()
            #expect(reply == [8, 8, 0, 0, 0, 7])
        }

        @Test func `bytes that are no command earn status 128 and no identifier`() async throws {
            let simulator = try await Simulator(["--seed", "7"])
            let frames =
                try await Self.generate("frames", "--protocol mixed -n 6") + Array("GET / HTTP/1.1\r\n\r\n".utf8)
            let reply = try await Self.send(frames, to: simulator)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(reply == [8, 128, 0, 0, 0, 0])
            #expect(books.acceptedTokens.count == 6)
            #expect(books.book.ledger.unknownCommands == 1)
            #expect(books.book.ledger.bytesReceived == Int64(frames.count))
            #expect(books.book.rejections == [ErrorCountRecord(status: 128, name: "protocol error", count: 1)])
            let line = LogLine(outcome: "rejected", status: 128, reason: "protocol error", command: 0x47)
            #expect(books.lines.last == line)
            #expect(simulator.closingSums.contains("unknown commands 1,"), "\(simulator.closingSums)")
            #expect(simulator.closingSums.contains("status 128: 1\n"), "\(simulator.closingSums)")
        }

        @Test func `a connection that ends inside a notification is told in book and sums`() async throws {
            let simulator = try await Simulator(["--seed", "7"])
            let cut = try await Array(Self.generate("frames", "-n 2").dropLast())
            let file = "\(simulator.folder.path)/cut"
            try Data(cut).write(to: URL(filePath: file))
            let (_, status) = try await Shell.run(
                """
                exec timeout 30 openssl s_client -connect 127.0.0.1:\(simulator.port) -CAfile '\(simulator.authority)' \
                -verify_return_error -quiet -no_ign_eof <'\(file)' 2>&1
                """)
            #expect(status == 0)
            // The next connection is served when the end of that one was seen.
            let last = Self.bad(3)
            #expect(try await Self.send(last, to: simulator) == [8, 8, 0, 0, 0, 3])
            let ledger = try await simulator.finish().book.ledger
            #expect(ledger.unfinished == 1)
            #expect([ledger.accepted, ledger.rejected] == [1, 1])
            #expect(ledger.bytesReceived == Int64(cut.count + last.count))
            #expect(simulator.closingSums.contains("ended inside a notification 1\n"), "\(simulator.closingSums)")
        }

        @Test(arguments: [([], false), (["--tickets", "2"], true)] as [([String], Bool)])
        func `no session tickets come unless they are asked for`(options: [String], areExpected: Bool) async throws {
            let simulator = try await Simulator(options)
            let file = "\(simulator.folder.path)/frames"
            try Data(Self.bad(1)).write(to: URL(filePath: file))
            let (output, status) = try await Shell.run(
                """
                exec timeout 30 openssl s_client -connect 127.0.0.1:\(simulator.port) -CAfile '\(simulator.authority)' \
                -verify_return_error -tls1_3 -nocommands -ign_eof <'\(file)' 2>&1
                """)
            _ = try await simulator.finish()
            let text = String(decoding: output, as: UTF8.self)
            #expect(status == 0, "\(text)")
            #expect(text.contains("Verify return code: 0 (ok)"), "\(text)")
            #expect(text.contains("New Session Ticket arrived") == areExpected, "\(text)")
        }
    }
}
