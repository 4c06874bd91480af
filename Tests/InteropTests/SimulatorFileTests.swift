import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// The files that `pushbench simulate` leaves for those who test a provider against it.
    @Suite struct SimulatorFileTests {
        private static func simulate(_ options: String) async throws -> (text: String, status: Int32) {
            let (output, status) = try await Shell.run(
                "exec timeout 30 '\(Simulator.program())' simulate --port 0 \(options) 2>&1 </dev/null")
            return (String(decoding: output, as: UTF8.self), status)
        }

        @Test(arguments: ["--ledger", "--log", "--write-ca"])
        func `a file that cannot be written is an error before the simulator listens`(option: String) async throws {
            let (text, status) = try await Self.simulate("\(option) /nonexistent/file")
            #expect(status == 2, "\(text)")
            #expect(text.contains("/nonexistent/file"), "\(text)")
            #expect(!text.contains("listening"), "\(text)")
        }

        @Test func `a simulator that nobody talked to leaves an empty book`() async throws {
            let books = try await Simulator().finish()
            books.expectSound()
            #expect(books.lines.isEmpty)
            #expect(books.book.ledger.received == 0)
            #expect(books.book.acceptedIdentifiers == [])
            #expect(books.book.schema == "pushbench.simulator/1")
        }
    }
}
