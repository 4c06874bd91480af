import Harness
import RunRecords
import Testing
import Workload

extension EndToEndTests {
    /// Tokens and payloads of every source, judged by the simulator.
    @Suite struct WorkloadRunTests {
        @Test(
            arguments: [
                (256, "ascii", "utf8"), (2_048, "twoByte", "utf8"), (4_096, "threeByte", "utf8"),
                (5_120, "fourByte", "utf8"), (256, "fourByte", "escaped"), (4_096, "special", "utf8"),
                (5_120, "mixed", "escaped"),
            ])
        func `C38 payloads of exactly the limit are accepted and longer ones refused`(
            limit: Int, text: String, form: String
        ) async throws {
            let run = try Run(
                """
                { target: { simulator: { payloadLimit: \(limit), judge: { payloadJSON: true } } },
                  workload: { notifications: 1_000, devices: 1_000, payload: { bytes: \(limit), text: "\(text)", form: "\(form)" },
                              faults: { oversizedPayload: 0.02 } },
                  sender: { connections: 2, batch: { bytes: 65_536 }, reconnect: { base: "1ms" } } }
                """)
            let record = try await run.record()
            expectClean(record)
            let source = try run.profile.notificationSource()
            let oversized = Int64((0..<1_000 as Range<UInt64>).count { source.isOversized($0) })
            #expect(oversized > 5)
            #expect(record.errorCount(7) == oversized)
            #expect(record.ledger.rejected == oversized)
        }

        @Test func `C39 another process makes the same tokens, from wherever it begins`() async throws {
            let profile = try Profile.read(
                text: "{ workload: { seed: 77, devices: 10_000_000 } }", source: "test.json5")
            let source = try profile.notificationSource()
            for first in [0, 1, 4_999_999, 9_999_990, 123_456_789] as [UInt64] {
                let result = try await Program.shell(
                    "",
                    [
                        "generate", "tokens", "-n", "5", "--first", "\(first)", "--seed", "77", "--set",
                        "workload.devices=10000000",
                    ])
                let expected = (first..<first + 5).map { sequence in
                    let token = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                        count = source.writeToken(
                            sequence: sequence, into: UnsafeMutableRawPointer(buffer.baseAddress!))
                    }
                    return token.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
                }
                #expect(result.output == expected.joined(), "from \(first)")
            }
        }

        @Test func `tokens come from a file as people write them`() async throws {
            let folder = try ScratchFolder()
            let token = String(repeating: "0123456789abcdef", count: 4)
            let file = try folder.file(
                "tokens.txt",
                """
                \(token)
                <01234567 89ABCDEF 01234567 89abcdef 01234567 89abcdef 01234567 89abcdef>
                \(token.uppercased())

                """)
            let record = try await Run(
                #"{ workload: { notifications: 3_000, tokensFile: "\#(file)" }, sender: { connections: 2 } }"#
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 3_000)
        }

        @Test func `C37 tokens of 1 to 100 bytes go through where their length may vary`() async throws {
            let folder = try ScratchFolder()
            let lengths = [1, 31, 32, 33, 54, 80, 100]
            let lines = lengths.map { "00" + String(repeating: "5a", count: $0 - 1) + "\n" }.joined()
            let file = try folder.file("tokens.txt", lines.replacing("00\n", with: "5a\n"))
            for name in ["enhanced", "framed"] {
                let record = try await Run(
                    """
                    { protocol: "\(name)", target: { simulator: { tokenLength: "variable" } },
                      workload: { notifications: 700, tokensFile: "\(file)" }, sender: { connections: 2 } }
                    """
                ).record()
                expectClean(record)
                #expect(record.ledger.accepted == 700)
            }
        }

        @Test(arguments: [1, 31, 33, 100])
        func `C37 a token that the simulator would refuse for its length is named first`(
            length: Int
        ) async throws {
            let folder = try ScratchFolder()
            let lines = [32, length].map { String(repeating: "00", count: $0) + "\n" }.joined()
            let file = try folder.file("tokens.txt", lines)
            let error = await #expect(throws: HarnessError.self) {
                _ = try await Run(#"{ workload: { tokensFile: "\#(file)" } }"#).record()
            }
            #expect(try #require(error).description.contains("tokens.txt:2:1: a token of \(length) byte"))
        }

        @Test func `a bad line in a token file is named with its place`() async throws {
            let folder = try ScratchFolder()
            let file = try folder.file("tokens.txt", String(repeating: "00", count: 32) + "\n00zz\n")
            let error = await #expect(throws: HarnessError.self) {
                _ = try await Run(#"{ workload: { tokensFile: "\#(file)" } }"#).record()
            }
            #expect(try #require(error).description.contains("tokens.txt:2:3"), "\(String(describing: error))")
        }

        @Test func `payloads are filled into a template and are JSON for the simulator`() async throws {
            let folder = try ScratchFolder()
            let file = try folder.file(
                "payload.json",
                #"{"aps":{"alert":{"title":"{{title}}","body":"{{body}}"},"badge":"{{badge}}"},"link":"{{link}}"}"#)
            let record = try await Run(
                """
                { target: { simulator: { judge: { payloadJSON: true } } },
                  workload: { notifications: 2_000, payload: { templateFile: "\(file)" } },
                  sender: { connections: 2 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 2_000)
        }

        @Test func `one fixed payload is sent as it is`() async throws {
            let folder = try ScratchFolder()
            let file = try folder.file("payload.json", #"{"aps":{"alert":"hi"}}"#)
            let record = try await Run(
                """
                { workload: { notifications: 2_000, payload: { file: "\(file)" } }, sender: { connections: 1 } }
                """
            ).record()
            expectClean(record)
            // 45 bytes around a payload of 22, and a sentinel of 47.
            #expect(record.simulatorLedger?.bytesReceived == Int64(134_047))
        }

        @Test func `all fates of devices are judged as the seed implies`() async throws {
            let run = try Run(
                """
                { workload: { notifications: 20_000, devices: 5_000,
                              faults: { badToken: 0.002, otherTopic: 0.001, unregistered: 0.1 } },
                  sender: { connections: 4 } }
                """)
            let record = try await run.record()
            expectClean(record)
            let refused = try run.expectedCount(of: .badToken) + run.expectedCount(of: .otherTopic)
            #expect(record.ledger.rejected == refused)
        }
    }
}
