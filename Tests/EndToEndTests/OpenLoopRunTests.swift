import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// Open loops over TLS: latencies from the intended time, books of the schedule, ends and short runs. Ratios, not wall times:
    /// the machine may be busy with other things.
    @Suite struct OpenLoopRunTests {
        private func expectSchedule(_ record: RunRecord, planned: Int64? = nil) throws -> ScheduleRecord {
            let schedule = try #require(record.schedule)
            #expect(schedule.isBalanced, "\(schedule)")
            #expect(schedule.planned == record.ledger.generated)
            #expect(schedule.sent == record.ledger.generated - record.ledger.unsent)
            if let planned { #expect(schedule.planned == planned) }
            #expect(record.brokenInvariants == [], "\(record.brokenInvariants ?? [])")
            return schedule
        }

        @Test func `C59 a freeze of a second shows in response times as long as it was`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "freeze", at: "4s", for: "1s" }] } },
                  workload: { notifications: 10_000 }, load: { loop: "open", rate: "1k/s" }, sender: { connections: 4 } }
                """
            ).record()
            expectClean(record)
            _ = try expectSchedule(record, planned: 10_000)
            let response = try #require(record.latency["response"])
            #expect(response.count == 10_000 && response.censored == 0 && response.sampledOneOf == nil)
            let second: Int64 = 1_000_000_000
            // Those that were meant to begin in the frozen second waited evenly from none of it to all of it.
            let lag = try #require(record.latency["scheduleLag"]?.value(atQuantile: 0.99))
            let p95 = try #require(response.value(atQuantile: 0.95))
            let p99 = try #require(response.quantiles.p99)
            #expect((4 * second / 10...6 * second / 10 + lag).contains(p95), "\(p95)")
            #expect((85 * second / 100...second + lag).contains(p99), "\(p99)")
            #expect(try #require(response.maxNs) >= second * 95 / 100)
            let service = try #require(record.latency["service"])
            #expect(service.count == 10_000)
            #expect(try #require(record.latency["scheduleLag"]).count == 10_000)
        }

        @Test func `C59 a closed loop has service times and no response times`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "freeze", at: "200ms", for: "500ms" }] } },
                  workload: { notifications: 700 },
                  sender: { connections: 1, mode: "wait-each", wait: "1ms", batch: { notifications: 1, linger: 0 } } }
                """
            ).record()
            #expect(record.latency["response"] == nil && record.latency["scheduleLag"] == nil)
            #expect(record.schedule == nil)
            #expect(record.unmeasured?["response"]?.contains("closed loop") == true)
            let service = try #require(record.latency["service"])
            #expect(service.count == 700)
            #expect(try #require(service.maxNs) > 300_000_000)
        }

        @Test func `C58 what the generator cannot offer is missed, counted, and no capacity`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 100_000_000 }, load: { loop: "open", rate: "100M/s" },
                  sender: { connections: 2, loops: 1 }, phases: { measure: "800ms" } }
                """
            ).record()
            let schedule = try expectSchedule(record, planned: 80_000_000)
            #expect(schedule.skipped.endOfRun > 60_000_000)
            #expect(record.verdict.status == .generatorLimited && record.verdict.exitCode == 7)
            #expect(
                record.verdict.reasons.contains {
                    $0.contains("planned") && $0.contains("missed") && $0.contains("p99")
                })
            #expect(record.throughput.acceptedPerSecond == nil)
            #expect(record.unmeasured?["accepted/s"]?.contains("schedule was not met") == true)
            #expect(try #require(record.latency["scheduleLag"]?.quantiles.p99) > 100_000_000)
            #expect(try #require(record.latency["response"]?.censored) > 0)
        }

        @Test(arguments: ["constant", "poisson"])
        func `a timed run plans exactly what its schedule has until its end`(arrivals: String) async throws {
            let record = try await Run(
                """
                { workload: { notifications: 1_000_000 }, load: { loop: "open", rate: "4k/s", arrivals: "\(arrivals)" },
                  sender: { connections: 4 }, phases: { warmup: "500ms", measure: "1s" } }
                """
            ).record()
            let schedule = try expectSchedule(record, planned: arrivals == "constant" ? 6_000 : nil)
            let phases = try #require(record.phases)
            #expect(phases.map(\.name).starts(with: ["warmup", "measure"]))
            #expect(phases.reduce(0) { $0 + $1.sent } == schedule.sent)
            let warmup = try #require(phases.first?.latency["response"])
            let measured = try #require(record.latency["response"])
            #expect(warmup.count + measured.count == schedule.planned)
            if arrivals == "constant" { #expect(warmup.count == 2_000 && measured.count == 4_000) }
            #expect(record.measuredNs == 1_000_000_000)
        }

        @Test func `C62 a run of a tenth of a second has figures or reasons, and no invented ones`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 1_000_000 }, load: { loop: "open", rate: "1k/s" }, sender: { connections: 2 },
                  phases: { measure: "100ms" } }
                """
            ).record()
            let schedule = try expectSchedule(record, planned: 100)
            if let rate = record.throughput.acceptedPerSecond { #expect(rate <= Double(schedule.sent) / 0.1 + 1e-6) }
            #expect(record.latency["response"]?.quantiles.p99 == nil)
            #expect(record.unmeasured?["response.p99"] == "needs 1000 values, and there are 100")
            #expect(record.steadiness?.status == .unknown)
            #expect(record.limit == nil || record.limit?.kind == .rate)
        }

        @Test func `C62 one sample, and a measured part in which nothing was due`() async throws {
            let one = try await Run(
                #"{ workload: { notifications: 1 }, load: { loop: "open", rate: "10/s" }, sender: { connections: 1 } }"#
            ).record()
            _ = try expectSchedule(one, planned: 1)
            #expect(one.latency["response"]?.count == 1)
            #expect(one.schedule?.gapVariation == nil)
            // One a minute: the first one is in the warm-up, and the second one would come much later.
            let none = try await Run(
                """
                { workload: { notifications: 9 }, load: { loop: "open", rate: "1/m" }, sender: { connections: 1 },
                  phases: { warmup: "100ms", measure: "200ms" } }
                """
            ).record()
            _ = try expectSchedule(none, planned: 1)
            #expect(none.throughput.acceptedPerSecond == nil && none.throughput.writtenPerSecond == nil)
            #expect(none.unmeasured?["accepted/s"] == "nothing was written in the measured part of the run")
            #expect(none.unmeasured?["response"] == "nothing was written in the measured part of the run")
            #expect(none.latency["response"] == nil)
        }

        @Test func `a run that is longer than its schedule ends with it`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 1_000_000 }, sender: { connections: 2 }, phases: { measure: "60s" },
                  load: { loop: "open", stages: [{ rate: "1k/s", to: "3k/s", for: "300ms" }, { rate: "3k/s", for: "200ms" }] } }
                """
            ).record()
            let schedule = try expectSchedule(record, planned: 1_200)
            #expect(schedule.sent == 1_200)
            #expect(record.durationNs < 30_000_000_000)
            let rate = try #require(record.throughput.writtenPerSecond)
            #expect(rate < 2_600, "over the time in which something was due, not more than that")
        }

        @Test(arguments: ["enhanced", "http2"]) func `connections share an open loop evenly`(name: String) async throws
        {
            let record = try await Run(
                """
                { protocol: "\(name)", workload: { notifications: 6_000 }, load: { loop: "open", rate: "4k/s" },
                  sender: { connections: 8, batch: { notifications: 10 } } }
                """
            ).record()
            let shares = record.connections.map(\.written)
            #expect(shares.reduce(0, +) == 6_000)
            #expect(try #require(shares.min()) > 375, "at least half of an even share: \(shares)")
            #expect(try #require(record.throughput.acceptedPerSecond) > 2_000)
        }

        @Test(arguments: ["enhanced", "http2"]) func `a timed run has the rate of its schedule`(name: String)
            async throws
        {
            let record = try await Run(
                """
                { protocol: "\(name)", phases: { warmup: "300ms", measure: "1s" }, load: { loop: "open", rate: "2k/s" },
                  sender: { connections: 4 } }
                """
            ).record()
            #expect((1_800...2_200).contains(try #require(record.throughput.acceptedPerSecond)))
            #expect(try #require(record.latency["response"]?.count) > 1_500)
        }

        @Test func `what was due while no connection stood is late for that reason, or skipped`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "outage", at: "300ms", for: "400ms" }] } },
                  workload: { notifications: 3_000 }, load: { loop: "open", rate: "2k/s", skipAfter: "200ms" },
                  sender: { connections: 2, reconnect: { base: "20ms", cap: "50ms" }, unproven: { policy: "resend" } } }
                """
            ).record()
            let schedule = try expectSchedule(record, planned: 3_000)
            #expect(schedule.skipped.noConnection > 200, "\(schedule)")
            #expect(schedule.skipped.total == record.ledger.unsent)
            #expect(schedule.late.noConnection > 0)
            #expect(try #require(record.latency["response"]?.censored) >= schedule.skipped.total)
        }

        @Test func `C67 a simulator that reads nothing for ten seconds accepts nothing, whatever is written`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "stall", at: "1s", for: "10s" }] } },
                  workload: { notifications: 1_000_000 }, load: { loop: "open", rate: "500/s" }, sender: { connections: 4 },
                  phases: { measure: "12s" } }
                """
            ).record()
            _ = try expectSchedule(record, planned: 6_000)
            #expect(record.ledger.accepted == 6_000)
            // The stall begins with the first bytes after a second; intervals are a second and a bit long.
            let silent = record.intervals.filter { $0.accepted == 0 && $0.written > 300 }
            #expect(silent.count >= 7, "\(record.intervals.map { ($0.written, $0.accepted ?? -1) })")
            let response = try #require(record.latency["response"])
            #expect(try #require(response.value(atQuantile: 0.5)) > 2_000_000_000)
            #expect(response.count == 6_000)
        }

        @Test func `a timing file is replayed over TLS`() async throws {
            let folder = try ScratchFolder()
            let file = try folder.file("times.txt", (0..<200).map { "\($0 / 50 * 100)ms\n" }.joined())
            let record = try await Run(
                #"{ workload: { notifications: 1_000 }, load: { loop: "open", replayFile: "\#(file)" }, sender: { connections: 2 } }"#
            ).record()
            expectClean(record)
            _ = try expectSchedule(record, planned: 200)
            #expect(record.ledger.accepted == 200 && record.durationNs >= 300_000_000)
        }
    }
}
