import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// Feedback readers that we did not write.
    @Suite struct FeedbackClientTests {
        private struct Entry: Decodable {
            var token: String
            var time: Int
        }

        private struct Reading: Decodable {
            var tuples: [Entry]
        }

        @Test(arguments: ["tapns3_feedback.py", "apns_worker_feedback.py"], ["1.2", "1.3"])
        func `a library reads each token that is gone once, and then an empty list`(driver: String, tls: String)
            async throws
        {
            let folder = try ScratchFolder()
            let notifications = (1...120).map { Planned($0) }
            let gone = notifications.filter { $0.identifier % 3 == 0 }.map(\.token)
            let file = try folder.file("gone.txt", gone.joined(separator: "\n") + "\n")
            let simulator = try await Simulator([
                "--tls-max", tls, "--set", "target.simulator.feedback.unregisteredFile=\(file)",
            ])
            let before = Int(Date().timeIntervalSince1970)
            // Two rounds: a token is told once however often it was pushed to.
            let job = Job(simulator, notifications + notifications)
            _ = try await Clients.run("tapns3_simple.py", job, as: Written.self)
            // The list is complete when the pushes are judged, which this reader's connection alone does not show.
            try await simulator.waitForLog(lines: 240)
            var reading = Job(simulator, [])
            reading.port = simulator.feedbackPort
            let first = try await Clients.run(driver, reading, as: Reading.self)
            let after = Int(Date().timeIntervalSince1970)
            let second = try await Clients.run(driver, reading, as: Reading.self)
            let books = try await simulator.finish()
            books.expectSound()
            #expect(first.tuples.map(\.token).sorted() == gone.sorted())
            #expect(first.tuples.allSatisfy { (before...after).contains($0.time) })
            #expect(second.tuples.isEmpty)
            let ledger = try #require(books.book.ledger.feedback)
            #expect([ledger.notifications, ledger.delivered, ledger.waiting, ledger.dropped] == [80, 40, 0, 0])
        }

        private struct Written: Decodable {
            var written: Int
        }
    }
}
