import Foundation
import Glibc
import Harness
import Histograms
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// Runs whose own machinery is watched: loops, timers, what bound them, and what other tools can read of them.
    @Suite struct MeasurerRunTests {
        /// The histograms of an interval log, added up by tags.
        private func sums(ofLog text: String) throws -> [String: Histogram] {
            var sums: [String: Histogram] = [:]
            for line in text.split(separator: "\n") where line.hasPrefix("Tag=") {
                let fields = line.split(separator: ",")
                let tag = String(fields[0].dropFirst(4))
                let sum = sums[tag] ?? Histogram()
                try sum.add(Histogram(base64: String(fields[4])))
                sums[tag] = sum
            }
            return sums
        }

        @Test func `the lines of an interval log add up to the record, bit for bit, in every series and phase`()
            async throws
        {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { workload: { notifications: 10_000, faults: { badToken: 0.002 } },
                  load: { loop: "open", rate: "4k/s" }, sender: { connections: 4 },
                  phases: { warmup: "700ms" } }
                """)
            let (log, json) = ("\(folder.path)/run.hlog", "\(folder.path)/run.json")
            let run = try await Program.shell(
                "", ["run", profile, "-q", "--calibration", "off", "-o", "hlog=\(log)", "-o", "json=\(json)"])
            #expect(run.status == 0, "\(run.output)")
            let record = try RunRecord.read(json)
            #expect(record.intervals.count >= 3)
            let sums = try sums(ofLog: String(contentsOfFile: log, encoding: .utf8))
            var expected: [String: String] = record.latency.filter { $0.value.count > 0 }.mapValues(\.histogram)
            for phase in record.phases ?? [] {
                for (name, series) in phase.latency where series.count > 0 {
                    expected["\(phase.name)/\(name)"] = series.histogram
                }
            }
            // Both come from the simulator's traces of whole connections.
            for name in ["reconnectDetect", "firstAcceptance"] { expected[name] = nil }
            #expect(Set(sums.keys) == Set(expected.keys))
            #expect(expected.keys.contains("response") && expected.keys.contains("warmup/response"))
            #expect(expected.keys.contains("timerLag") && expected.keys.contains("errorReply"))
            for (tag, histogram) in expected { #expect(sums[tag]?.base64() == histogram, "\(tag)") }
            // What a record keeps, `report` can write again.
            let again = try await Program.shell("", ["report", json, "-o", "hlog=-"])
            #expect(again.status == 0)
            #expect(try self.sums(ofLog: again.output).mapValues { $0.base64() } == sums.mapValues { $0.base64() })
        }

        @Test func `an interval log grows with the run`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { workload: { notifications: 100_000 }, load: { loop: "open", rate: "1k/s" },
                  sender: { connections: 1 } }
                """)
            let log = "\(folder.path)/run.hlog"
            // Killed in its third second, it leaves the seconds before.
            let run = try await Program.shell(
                "(sleep 4; kill -9 $$) >/dev/null 2>&1 &",
                ["run", profile, "-q", "--calibration", "off", "-o", "hlog=\(log)"])
            #expect(run.status != 0)
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.hasPrefix("#[pushbench"))
            let sum = try #require(try sums(ofLog: text)["residence"])
            #expect(sum.count >= 500, "\(sum.count)")
        }

        @Test func `report refuses an interval log of a record that has no histograms of its intervals`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", "{ workload: { notifications: 2_000 } }")
            let json = "\(folder.path)/run.json"
            let run = try await Program.shell("", ["run", profile, "-q", "--calibration", "off", "-o", "json=\(json)"])
            #expect(run.status == 0, "\(run.output)")
            let refused = try await Program.shell("", ["report", json, "-o", "hlog=-"])
            #expect(refused.status == 2)
            #expect(refused.output.contains("`pushbench run -o hlog=PATH` keeps them"), "\(refused.output)")
            let distributions = try await Program.shell("", ["report", json, "-o", "hgrm=-"])
            #expect(distributions.status == 0)
            #expect(distributions.output.contains("#[Series: residence, milliseconds]"))
        }

        @Test func `every run tells what its loops used and how late they were`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 4_000 }, load: { loop: "open", rate: "2k/s" }, sender: { connections: 2 } }
                """
            ).record()
            expectClean(record)
            let lag = try #require(record.latency["timerLag"])
            // A tick in each millisecond of two seconds, those of pauses among them.
            #expect(lag.count > 1_500 && lag.invalidCount == 0, "\(lag.count)")
            for use in [record.resources.sender, try #require(record.resources.simulator)] {
                let loop = try #require(use.loops?.first)
                #expect(loop.cpuNs > 0 && loop.reads > 0 && loop.writes > 0 && loop.waits > 0)
                #expect(loop.bytesIn > 0 && loop.bytesOut > 0)
                #expect(use.contextSwitches > 0)
            }
            let sent = try #require(record.resources.sender.loops).reduce(0) { $0 + $1.bytesOut }
            #expect(sent > 4_000 * 50, "more than the notifications themselves")
            #expect(
                record.resources.sender.runQueueNs == nil
                    || record.intervals.allSatisfy { ($0.senderRunQueueNs ?? -1) >= 0 })
            let limit = try #require(record.limit)
            #expect(limit.headroom == limit.senderBusy.map { max(0, 1 - $0) })
            #expect(limit.simulatorBound != nil && limit.simulatorBusy != nil)
        }

        @Test func `other programs that take the cores are told, and not taken for connections that wait`() async throws
        {
            guard access("/proc/thread-self/schedstat", R_OK) == 0 else { return }
            let others = try (0..<3 * Machine.processorCount).map { _ in
                let other = Process()
                // Bounded, whatever becomes of the test.
                other.executableURL = URL(filePath: "/usr/bin/timeout")
                other.arguments = ["-s", "KILL", "30", "sh", "-c", "while :; do :; done"]
                try other.run()
                return other
            }
            defer {
                for other in others {
                    // With its children: `timeout` makes a group of its own.
                    kill(-other.processIdentifier, SIGKILL)
                    kill(other.processIdentifier, SIGKILL)
                    other.waitUntilExit()
                }
            }
            let record = try await Run(
                """
                { workload: { notifications: 100_000_000 }, sender: { connections: 4 }, phases: { measure: "2s", drain: "60s" } }
                """
            ).record()
            let limit = try #require(record.limit)
            #expect(limit.kind == .processor, "\(limit)")
            #expect(limit.evidence.contains("others had the processors"), "\(limit)")
            #expect(max(limit.senderQueued ?? 0, limit.simulatorQueued ?? 0) >= 0.2)
            #expect(try #require(record.resources.sender.runQueueNs) > 0)
        }

        @Test func `C54 a simulator that looks at nothing accepts all, and proves it`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { judge: { acceptAll: true } } },
                  workload: { notifications: 20_000, faults: { badToken: 0.01 } }, sender: { connections: 2 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 20_000 && record.ledger.rejected == 0)
            #expect(record.ledger.proof.sentinel > 0)
        }

        @Test func `C54 the accept-all ceiling is measured once, kept, and stands beside a run`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5", "{ workload: { notifications: 400_000 }, sender: { connections: 4 } }")
            let json = "\(folder.path)/run.json"
            let cache = "export XDG_CACHE_HOME=\(folder.path);"
            let calibration = try await Program.shell(cache, ["calibrate", "-d", "900ms", "--json"])
            #expect(calibration.status == 0, "\(calibration.output)")
            #expect(calibration.output.contains("\"acceptAllNs\" : "))
            #expect(calibration.output.contains("\"acceptAllHTTP2Ns\" : "))
            let run = try await Program.shell(cache, ["run", profile, "--calibration", "cached", "-o", "json=\(json)"])
            #expect(run.status == 0, "\(run.output)")
            let record = try RunRecord.read(json)
            let limit = try #require(record.limit)
            let ceiling = try #require(limit.ceilingPerSecond)
            #expect(ceiling > 0 && limit.ceilingShare == record.throughput.acceptedPerSecond.map { $0 / ceiling })
            #expect(run.output.contains("that it can accept unseen"), "\(run.output)")
            #expect(run.output.contains("of a core to spare"))
            let requests = try await Program.shell(
                cache,
                [
                    "run", profile, "--protocol", "http2", "--calibration", "cached", "-n", "100k", "-q", "-o",
                    "json=\(json)",
                ])
            #expect(requests.status == 0, "\(requests.output)")
            let other = try #require(try RunRecord.read(json).limit?.ceilingPerSecond)
            #expect(other < ceiling, "a request costs the simulator more than a notification")
        }
    }
}
