import RunRecords
import Testing

extension InteropTests {
    /// Provider libraries from Python's package index, each with every command that it speaks.
    @Suite struct LibraryTests {
        /// What the drivers of libraries that read errors print.
        private struct Report: Decodable {
            var failed: [Failure]
        }

        /// What the driver of a library that reads nothing prints.
        private struct WriteReport: Decodable {
            var written: Int
            var answer: String?
        }

        /// A driver and how it is used.
        struct Library: CustomTestStringConvertible, Sendable {
            var testDescription: String
            var driver: String
            var firstIdentifier: UInt32 = 1
            var perFrame = 0
            /// The commands in which its notifications arrive.
            var commands: Set<Int>
        }

        /// Each connection is shut down behind its twelfth notification.
        private static let shutdown =
            #"target.simulator.faults=[{ fault: "shutdown", after: 12, scope: "connection" }]"#

        private static let libraries = [
            Library(testDescription: "tapns3, command 1", driver: "tapns3_enhanced.py", commands: [1]),
            Library(
                testDescription: "tapns3, command 2", driver: "tapns3_enhanced.py", perFrame: 25, commands: [1, 2]),
            Library(
                testDescription: "apns-worker, command 2", driver: "apns_worker_client.py", firstIdentifier: 0,
                commands: [2]),
        ]

        /// `count` good notifications, among them bad ones, and at last a bad one that shows the end.
        private static func plan(_ library: Library, count: Int, bad: Set<Int>, long: Set<Int> = []) -> [Planned] {
            (0...count).map { index in
                Planned(
                    library.firstIdentifier + UInt32(index), isBad: bad.contains(index) || index == count,
                    text: long.contains(index) ? String(repeating: "long", count: 100) : "hello")
            }
        }

        /// The client's report, the simulator's refusals and what was planned are the same; every other one arrived once.
        private static func expectAgreement(
            _ report: Report, _ books: Books, _ notifications: [Planned], bad: [Failure],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            books.expectSound(sourceLocation: sourceLocation)
            #expect(report.failed == bad, "what the client reports", sourceLocation: sourceLocation)
            #expect(books.failures == bad, "what the simulator refused", sourceLocation: sourceLocation)
            let badIdentifiers = Set(bad.map(\.identifier))
            let good = notifications.filter { !badIdentifiers.contains($0.identifier) }.map(\.token)
            #expect(books.acceptedTokens == good, "each once and in order", sourceLocation: sourceLocation)
            #expect(books.book.ledger.duplicates == 0, sourceLocation: sourceLocation)
        }

        @Test(arguments: libraries, ["1.2", "1.3"])
        func `what a library reports is what the simulator refused`(library: Library, tls: String) async throws {
            let simulator = try await Simulator(["--tls-max", tls, "--payload-limit", "256"])
            let notifications = Self.plan(library, count: 80, bad: [20, 21, 60], long: [40])
            var job = Job(simulator, notifications)
            job.perFrame = library.perFrame
            let report = try await Clients.run(library.driver, job, as: Report.self)
            let books = try await simulator.finish()
            let bad = [20: 8, 21: 8, 40: 7, 60: 8, 80: 8].sorted { $0.key < $1.key }.map {
                Failure(identifier: library.firstIdentifier + UInt32($0.key), status: $0.value)
            }
            Self.expectAgreement(report, books, notifications, bad: bad)
            #expect(Set(books.lines.compactMap(\.command)) == library.commands)
            #expect(books.book.ledger.connectionsAccepted == 5, "one for each refusal")
        }

        @Test(arguments: [libraries[0], libraries[2]])
        func `an error reply that comes late changes nothing but what is sent again`(library: Library) async throws {
            let simulator = try await Simulator([
                "--set", #"target.simulator.faults=[{ fault: "replyDelay", delay: "300ms" }]"#,
            ])
            let notifications = Self.plan(library, count: 60, bad: [10, 30])
            let report = try await Clients.run(library.driver, Job(simulator, notifications), as: Report.self)
            let books = try await simulator.finish()
            let bad = [10, 30, 60].map { Failure(identifier: library.firstIdentifier + $0, status: 8) }
            Self.expectAgreement(report, books, notifications, bad: bad)
            #expect(books.book.ledger.discarded > 0, "something was sent behind the bad ones")
        }

        @Test func `the first notification may be the bad one, also where a library counts from 0`() async throws {
            for library in [Self.libraries[0], Self.libraries[2]] {
                let simulator = try await Simulator()
                let notifications = Self.plan(library, count: 10, bad: [0])
                let report = try await Clients.run(library.driver, Job(simulator, notifications), as: Report.self)
                let books = try await simulator.finish()
                let bad = [0, 10].map { Failure(identifier: library.firstIdentifier + $0, status: 8) }
                Self.expectAgreement(report, books, notifications, bad: bad)
                #expect(books.book.rejections.map(\.count) == [2])
            }
        }

        @Test func `a shutdown is no error for apns-worker, which goes on behind the last accepted one`() async throws {
            let library = Self.libraries[2]
            let simulator = try await Simulator(["--set", Self.shutdown])
            let notifications = Self.plan(library, count: 40, bad: [20])
            let report = try await Clients.run(library.driver, Job(simulator, notifications), as: Report.self)
            let books = try await simulator.finish()
            let bad = [20, 40].map { Failure(identifier: $0, status: 8) }
            Self.expectAgreement(report, books, notifications, bad: bad)
            // 12 and shutdown; 8 and a refusal; 12 and shutdown; 7 and the last refusal.
            #expect(books.book.ledger.connectionsAccepted == 4)
        }

        @Test func `tapns3 reports a shutdown as it came, and sends again what followed the last accepted one`()
            async throws
        {
            let library = Self.libraries[0]
            let simulator = try await Simulator(["--set", Self.shutdown])
            let notifications = Self.plan(library, count: 20, bad: [])
            let report = try await Clients.run(library.driver, Job(simulator, notifications), as: Report.self)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(report.failed == [Failure(identifier: 12, status: 10), Failure(identifier: 21, status: 8)])
            #expect(books.failures == [Failure(identifier: 21, status: 8)], "a shutdown refuses nothing")
            #expect(books.acceptedTokens == notifications.dropLast().map(\.token))
        }

        @Test(arguments: ["1.2", "1.3"])
        func `tapns3 with command 0 hears nothing, and the simulator knows what it took`(tls: String) async throws {
            let simulator = try await Simulator(["--tls-max", tls])
            let notifications = (1...60).map { Planned($0, isBad: $0 == 41) }
            var job = Job(simulator, notifications)
            job.readsAnswer = true
            let report = try await Clients.run("tapns3_simple.py", job, as: WriteReport.self)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(report.answer == "", "the connection ends without a word")
            #expect(books.acceptedTokens == notifications.prefix(40).map(\.token))
            #expect(books.lines.allSatisfy { $0.command == 0 && $0.identifier == nil })
            #expect(books.book.ledger.rejectedWithoutIdentifier == 1)
            #expect(books.book.ledger.discarded == Int64(report.written - 41), "what it wrote in vain")
        }

        @Test func `tapns3 with command 0 and good tokens only gets all of them through`() async throws {
            let simulator = try await Simulator()
            let notifications = (1...200).map { Planned($0) }
            let report = try await Clients.run("tapns3_simple.py", Job(simulator, notifications), as: WriteReport.self)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(report.written == 200)
            #expect(books.acceptedTokens == notifications.map(\.token))
            #expect(books.book.ledger.acceptedWithoutIdentifier == 200)
        }
    }
}
