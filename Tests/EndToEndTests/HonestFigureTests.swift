import Analysis
import Foundation
import Harness
import Primitives
import Reports
import RunRecords
import Synchronization
import Testing

extension EndToEndTests {
    /// What runs say of targets that are not ours, that are gone for a while, or of too little to say anything.
    @Suite struct HonestFigureTests {
        /// A simulator that a run knows nothing of, for a run that is told where it is.
        private func run(
            _ name: String, _ more: String, _ body: (RunRecord) throws -> Void
        ) async throws {
            let profile = try Profile.read(
                text: #"{ target: { simulator: { http2: { authentication: "none" } } } }"#, source: "server.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            let server = try await SimulatorServer(profile: profile, settings: settings)
            let port = name == "http2" ? server.http2Port : server.port
            let record: RunRecord
            do {
                record = try await Run(
                    """
                    { target: { host: "127.0.0.1", port: \(port), tls: { verify: false } }, protocol: "\(name)", \(more) }
                    """
                ).record()
            } catch {
                await server.shutDown()
                throw error
            }
            await server.shutDown()
            try body(record)
        }

        @Test func `a timed run over HTTP/2 to another target has rates, latencies and Little's law`() async throws {
            try await run(
                "http2",
                """
                load: { loop: "open", rate: "1k/s" }, phases: { warmup: "200ms", measure: "1300ms" },
                sender: { connections: 2, http2: { authentication: "certificate" } }
                """
            ) { record in
                #expect(record.simulatorLedger == nil && record.brokenInvariants == [])
                let rate = try #require(record.throughput.acceptedPerSecond)
                #expect((800...1_050).contains(rate) && record.throughput.acceptedBound == nil, "\(rate)")
                #expect(record.latency["response"]?.count ?? 0 > 1_000)
                #expect(record.streams?.serviceMeanNs ?? 0 > 0)
                #expect(record.littlesLaw?.holds == true)
                #expect(record.intervals.reduce(0) { $0 + ($1.accepted ?? 0) } == record.ledger.accepted)
                let outcome = try Threshold("accepted/s >= 100").outcome(in: record)
                #expect(outcome.passed && outcome.value == rate)
            }
        }

        @Test func `a timed run of a silent protocol to another target has a lower bound that says so`() async throws {
            try await run("enhanced", #"sender: { connections: 2 }, phases: { measure: "700ms" }"#) { record in
                let rate = try #require(record.throughput.acceptedPerSecond)
                #expect(record.throughput.acceptedBound == "lower")
                #expect(rate > 0 && rate <= Double(record.ledger.accepted) / 0.7)
                #expect(record.unmeasured?["littlesLaw"]?.contains("success is silent") == true)
                #expect(record.latency["serviceBound"]?.count ?? 0 > 0)
            }
        }

        @Test func `an outage is the target's, and not the generator's`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "outage", at: "500ms", for: "1s" }] } },
                  workload: { notifications: 100_000 }, load: { loop: "open", rate: "500/s", skipAfter: "100ms" },
                  sender: { connections: 2, reconnect: { base: "20ms", cap: "50ms" }, unproven: { policy: "resend" } },
                  phases: { measure: "2s" } }
                """
            ).record()
            #expect(record.verdict.status == .scheduleMissed && record.verdict.exitCode == 7)
            #expect(record.limit?.kind == .target, "\(String(describing: record.limit))")
            #expect(record.verdict.reasons.contains { $0.contains("the target was unreachable") })
            // What was skipped had waited a tenth of a second and the outage at most, and not until the end.
            let response = try #require(record.latency["response"])
            #expect(response.censored ?? 0 > 300)
            let over = try #require(record.schedule).skipped.total
            #expect(over > 300 && response.count == record.ledger.generated)
        }

        @Test func `what is skipped counts until then, whatever the length of the run`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "outage", at: "300ms", for: "400ms" }] } },
                  workload: { notifications: 100_000 }, load: { loop: "open", rate: "500/s", skipAfter: "50ms" },
                  sender: { connections: 1, reconnect: { base: "20ms", cap: "50ms" }, unproven: { policy: "resend" } },
                  phases: { measure: "4s" } }
                """
            ).record()
            #expect(try #require(record.schedule).skipped.total > 50)
            let lag = try #require(record.latency["scheduleLag"]?.maxNs)
            #expect(
                try #require(record.latency["response"]?.maxNs) < 2_500_000_000 + lag, "the run went on for over 3 s")
        }

        @Test(arguments: ["enhanced", "http2"])
        func `whoever follows a run is told of every count, and the lines of its intervals add up to the totals`(
            name: String
        ) async throws {
            var run = try Run(
                #"{ protocol: "\#(name)", workload: { notifications: 20_000, faults: { badToken: 0.001 } }, sender: { connections: 2 } }"#
            )
            let last = Mutex<RunProgress?>(nil)
            run.onInterval = { progress in last.withLock { $0 = progress } }
            let record = try await run.record()
            let told = try #require(last.withLock { $0 })
            #expect(told.phase == .ended && told.intervals.map(\.accepted) == record.intervals.map(\.accepted))
            #expect(told.errors == record.errors && !told.errors.isEmpty, "\(told.errors)")
            let lines = IntervalCSV.text(record).split(separator: "\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            func sum(_ column: String) throws -> Int64 {
                let place = try #require(lines[0].firstIndex { $0 == column })
                return try lines.dropFirst().reduce(0) { try $0 + #require(Int64($1[place])) }
            }
            #expect(try sum("accepted") == record.ledger.accepted && record.ledger.accepted > 19_900)
            #expect(try sum("rejected") == record.ledger.rejected && record.ledger.rejected > 0)
            #expect(try sum("written") == record.phases?.reduce(0) { $0 + $1.written })
            #expect(try sum("resent") == record.ledger.resent)
        }

        @Test func `one notification has a latency and no rate`() async throws {
            for name in ["enhanced", "http2"] {
                let record = try await Run(
                    #"{ protocol: "\#(name)", workload: { notifications: 1 }, sender: { connections: 1 } }"#
                ).record()
                #expect(record.ledger.accepted == 1)
                #expect(record.throughput == ThroughputRecord())
                #expect(record.unmeasured?["accepted/s"] == "1 notification is too few for a rate: 10 are needed")
                #expect(record.latency["service"]?.count == 1)
                #expect(record.littlesLaw?.holds ?? true)
            }
        }

        @Test func `a rate for each connection is due exactly as often`() async throws {
            let record = try await Run(
                """
                { load: { loop: "open", ratePerConnection: "100/s" }, sender: { connections: 3 }, phases: { measure: "1s" } }
                """
            ).record()
            #expect(record.ledger.generated == 300 && record.schedule?.planned == 300)
        }

        @Test func `a timing file with too few times is warned of, and one alone is not`() async throws {
            let folder = try ScratchFolder()
            let times = try folder.file("times.txt", (0..<7).map { "\($0)ms\n" }.joined())
            let profile = try folder.file(
                "run.json5", "{ load: { loop: \"open\", replayFile: \"\(times)\" }, sender: { connections: 1 } }")
            let run = try await Program.shell("", ["run", profile, "-n", "100", "--calibration", "off"])
            #expect(run.status == 0, "\(run.output)")
            #expect(
                run.output.contains("\(times) has 7 times for this run, so that 7 notifications are sent and not 100"))
            let alone = try await Program.shell("", ["run", profile, "--calibration", "off"])
            #expect(alone.status == 0 && !alone.output.contains("warning"), "\(alone.output)")
        }

        @Test func `a verdict does not stand before what could not be written`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", "{ workload: { notifications: 200 } }")
            let run = try await Program.shell("", ["run", profile, "--calibration", "off", "-o", "json=/dev/full"])
            #expect(run.status == 2)
            #expect(!run.output.contains("PASSED") && run.output.contains("FAILED: run (exit 2)"), "\(run.output)")
            #expect(run.output.contains("not kept: /dev/full: cannot write: No space left on device"), "\(run.output)")
            #expect(run.output.contains("200 accepted"), "the figures are shown all the same")
        }
    }
}
