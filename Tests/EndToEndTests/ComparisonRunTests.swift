import Foundation
import Glibc
import Histograms
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    @Suite struct ComparisonRunTests {
        /// What a machine sends in some tens of milliseconds: a run of less than one has no rate.
        private func profile(_ folder: ScratchFolder, thresholds: String = "[]") throws -> String {
            try folder.file(
                "short.json5",
                """
                {
                  target: { simulator: { loops: 1 } }, workload: { notifications: 700, devices: 100, seed: 1 },
                  sender: { connections: 1, loops: 1, extraWork: "20us" }, thresholds: \(thresholds),
                }
                """)
        }

        /// A setting that makes it take 0.7 seconds.
        private let slow = "sender.extraWork=1ms"

        private func sample(_ folder: ScratchFolder, _ name: String, _ change: (inout RunRecord) -> Void = { _ in })
            throws
            -> String
        {
            var run = RunRecord()
            run.verdict = VerdictRecord(status: .passed, exitCode: 0)
            run.throughput = ThroughputRecord(accepted: 1_000, written: 1_000, bytes: 1_000, over: .seconds(1))
            change(&run)
            return try folder.file(name, run.encoded())
        }

        @Test func `a repeated run has fresh runs in one record, and the worst one's exit code`() async throws {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/runs.json"
            let passing = try await Program.shell(
                "",
                [
                    "run", try profile(folder), "--repeat", "3", "--calibration", "off", "-o",
                    "json=\(record)",
                ])
            #expect(passing.status == 0, "\(passing.output)")
            #expect(passing.output.contains("run 3 of 3") && passing.output.contains("3 runs, 3 passed"))
            let series = try RunSeriesRecord.read(record)
            #expect(series.runs.map(\.ledger.accepted) == [700, 700, 700])
            #expect(series.runs.allSatisfy { $0.simulatorLedger?.accepted == 700 }, "a simulator for each run")
            let report = try await Program.shell("", ["report", record, "--run", "2", "-o", "csv=-"])
            #expect(report.status == 0 && report.output.hasPrefix("startNs,"), "\(report.output)")
            #expect(try await Program.shell("", ["report", record]).output.contains("3 runs, 3 passed"))
            #expect(try await Program.shell("", ["report", record, "--run", "4"]).status == 2)

            let failing = try await Program.shell(
                "",
                [
                    "run", try profile(folder, thresholds: "[\"lost > 0\"]"), "--repeat", "2", "-q",
                    "--calibration", "off",
                ])
            #expect(failing.status == 3 && failing.output.contains("lost > 0 failed"), "\(failing.output)")
        }

        @Test func `runs in turns find a planted slowdown, and keep their pairs`() async throws {
            let folder = try ScratchFolder()
            let kept = "\(folder.path)/kept"
            let result = try await Program.shell(
                "",
                [
                    "compare", "--run", try profile(folder), "--set-b", slow, "--pairs",
                    "4", "--keep", kept, "-o", "json=\(folder.path)/comparison.json",
                ])
            #expect(result.status == 5, "\(result.output)")
            #expect(result.output.contains("REGRESSED\n  - accepted/s regressed: -"), "\(result.output)")
            #expect(result.output.contains("pair 4 of 4") && result.output.contains("interleaved "))
            #expect(result.output.contains("compared on purpose: sender.extraWork"))
            let base = try RunSeriesRecord.read("\(kept)/a.json")
            let candidate = try RunSeriesRecord.read("\(kept)/b.json")
            #expect(base.runs.count == 4 && candidate.runs.count == 4)
            #expect(base.interleaving?.comparison == candidate.interleaving?.comparison)
            let order = try #require(base.interleaving?.order)
            #expect(order.count == 8 && order.contains("ABBA") || order.contains("BAAB"), "\(order)")
            let again = try await Program.shell("", ["compare", "\(kept)/a.json", "\(kept)/b.json"])
            #expect(again.status == 5 && again.output.contains("interleaved \(order)"), "\(again.output)")
        }

        @Test func `a regression that shows again is confirmed`() async throws {
            let folder = try ScratchFolder()
            let confirmed = try await Program.shell(
                "",
                [
                    "compare", "--run", try profile(folder), "--set-b", slow, "--pairs",
                    "4", "--confirm",
                ])
            #expect(confirmed.status == 5 && confirmed.output.contains("to confirm it"), "\(confirmed.output)")
        }

        @Test func `noise that was measured decides afterwards`() async throws {
            let folder = try ScratchFolder()
            let cache = "export XDG_CACHE_HOME='\(folder.path)/cache';"
            let file = try profile(folder)
            let measured = try await Program.shell(cache, ["compare", "--calibrate-noise", file, "--pairs", "2"])
            #expect(measured.status == 0 && measured.output.contains("  accepted/s: "), "\(measured.output)")
            #expect(measured.output.contains("2 pairs say little about noise"), "\(measured.output)")
            #expect(FileManager.default.fileExists(atPath: "\(folder.path)/cache/pushbench/noise.json"))
            let compared = try await Program.shell(
                cache, ["compare", "--run", file, "--pairs", "4"])
            #expect(compared.output.contains(" % (measured)"), "\(compared.output)")
            let other = try await Program.shell(
                cache, ["compare", "--run", file, "--pairs", "1", "--set", "sender.window=1000"])
            #expect(other.output.contains(" % (assumed)"), "another profile has another noise: \(other.output)")
        }

        @Test func `what cannot be compared never passes`() async throws {
            let folder = try ScratchFolder()
            let sound = try sample(folder, "sound.json")
            let text = try String(contentsOfFile: sound, encoding: .utf8)
            let rate = "\"acceptedPerSecond\" : 1000"
            try #require(text.contains(rate) && text.contains("\"durationNs\" : 0"))
            let comparison = "\(folder.path)/comparison.json"
            _ = try await Program.shell("", ["compare", sound, sound, "-q", "-o", "json=\(comparison)"])
            var broken = [
                try folder.file("empty.json", ""), try folder.file("blank.json", " \n"),
                try folder.file("schema.json", text.replacing("pushbench.run/1", with: "pushbench.run/9")),
                try folder.file("none.json", "{}"), try folder.file("list.json", "[1]"), comparison,
                try folder.file("nan.json", text.replacing("\"durationNs\" : 0", with: "\"durationNs\" : NaN")),
                try folder.file("rate.json", text.replacing(rate, with: "\"acceptedPerSecond\" : NaN")),
                try folder.file("infinite.json", text.replacing(rate, with: "\"acceptedPerSecond\" : Infinity")),
                try folder.file("huge.json", text.replacing(rate, with: "\"acceptedPerSecond\" : 1e999")),
                try folder.file("words.json", text.replacing(rate, with: "\"acceptedPerSecond\" : \"NaN\"")),
                try folder.file("bytes.json", [UInt8](repeating: 0xFF, count: 100)),
                "\(folder.path)/missing.json", folder.path,
            ]
            for part in 1...6 {
                broken.append(try folder.file("cut\(part).json", String(text.prefix(text.count * part / 7))))
            }
            for path in broken {
                for sides in [[path, sound], [sound, path]] {
                    let result = try await Program.shell("", ["compare"] + sides)
                    #expect(result.status == 2, "\(path): \(result.output)")
                    #expect(result.output.split(separator: "\n").count == 1, "\(path): \(result.output)")
                }
            }
            let single = try await Program.shell("", ["compare", sound, sound, "-q"])
            #expect(single.status == 4 && single.output.contains("too few runs"), "\(single.output)")
            #expect(try await Program.shell("", ["compare", sound, sound, "--advisory"]).status == 0)
            let moved = try sample(folder, "moved.json") { $0.machine.cores = 64 }
            let other = try await Program.shell("", ["compare", sound, moved, "-q"])
            #expect(other.status == 4 && other.output.contains("other machine: cores 0 against 64"), "\(other.output)")
        }

        @Test func `a figure that is missing or has no runs decides nothing, and that does not pass`() async throws {
            let folder = try ScratchFolder()
            let sound = try sample(folder, "sound.json")
            let rateless = try sample(folder, "rateless.json") { $0.throughput = ThroughputRecord() }
            let series = "\(folder.path)/series.json"
            var runs = [RunRecord](repeating: try RunRecord.read(sound), count: 5)
            try RecordFile(path: series).write(RunSeriesRecord(runs))
            runs[3].throughput = ThroughputRecord()
            let holed = "\(folder.path)/holed.json"
            try RecordFile(path: holed).write(RunSeriesRecord(runs))
            let none = "\(folder.path)/none.json"
            try RecordFile(path: none).write(RunSeriesRecord())
            for (words, says) in [
                ([sound, rateless], "no data: 1 of 1 runs of the candidate lack it"),
                ([rateless, sound], "no data: 1 of 1 runs of the baseline lack it"),
                ([series, holed], "no data: 1 of 5 runs of the candidate lack it"),
                ([series, series, "--gate", "response.p99"], "response.p99: no data"),
                ([none, series], "the baseline has no run"), ([series, none], "the candidate has no run"),
            ] {
                let result = try await Program.shell("", ["compare"] + words + ["-q"])
                #expect(result.status == 4 && result.output.contains(says), "\(words): \(result.output)")
                #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
            }
            let threshold = try await Program.shell(
                "", ["compare", series, holed, "--threshold", "compare(response.p99) < 5%", "-q"])
            #expect(
                threshold.status == 4 && threshold.output.contains("there is no data for it"), "\(threshold.output)")
            #expect(try await Program.shell("", ["compare", series, series]).status == 0)
        }

        @Test func `more is better for a rate and worse for a latency, whatever the figure is called`() async throws {
            let folder = try ScratchFolder()
            func series(_ name: String, rate: Int64, latency: Int64) throws -> String {
                let runs = try (0..<6).map { number in
                    let histogram = Histogram()
                    for value in Int64(1)...2_000 { histogram.record(value * latency + Int64(number)) }
                    var run = try RunRecord.read(try sample(folder, "one.json"))
                    run.throughput = ThroughputRecord(
                        accepted: rate + Int64(number), written: rate, bytes: rate, over: .seconds(1))
                    run.latency["response"] = LatencyRecord(histogram)
                    return run
                }
                try RecordFile(path: "\(folder.path)/\(name)").write(RunSeriesRecord(runs))
                return "\(folder.path)/\(name)"
            }
            let base = try series("base.json", rate: 1_000, latency: 1_000)
            let faster = try series("faster.json", rate: 2_000, latency: 1_000)
            let later = try series("later.json", rate: 1_000, latency: 2_000)
            for (sides, gate, status) in [
                ([base, faster], "accepted/s", 0), ([faster, base], "accepted/s", 5),
                ([base, later], "response.p99", 5),
                ([later, base], "response.p99", 0),
            ] {
                let result = try await Program.shell("", ["compare"] + sides + ["--gate", gate])
                #expect(result.status == status, "\(gate): \(result.output)")
                #expect(result.output.hasPrefix(status == 0 ? "IMPROVED" : "REGRESSED"), "\(result.output)")
            }
        }

        @Test func `a comparison changes no record, and keeps no baseline of its own`() async throws {
            let folder = try ScratchFolder()
            let cache = "\(folder.path)/cache"
            let sides = [try sample(folder, "a.json"), try sample(folder, "b.json")]
            let before = try sides.map { try Data(contentsOf: URL(filePath: $0)) }
            _ = try await Program.shell("export XDG_CACHE_HOME='\(cache)';", ["compare"] + sides)
            #expect(try sides.map { try Data(contentsOf: URL(filePath: $0)) } == before)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.sorted() == ["a.json", "b.json"])
        }

        @Test func `records cannot be confirmed, and the message says what can`() async throws {
            let folder = try ScratchFolder()
            let sound = try sample(folder, "sound.json")
            let result = try await Program.shell("", ["compare", sound, sound, "--confirm"])
            #expect(result.status == 2 && result.output.contains("compare --run PROFILE [PROFILE] --confirm"))
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }

        @Test func `two gateways are compared by the same program, and the slow one is found`() async throws {
            let folder = try ScratchFolder()
            let program = try NamedProgram()
            let gateways = [
                try await ForeignGateway(program, folder, faults: "[]"),
                try await ForeignGateway(program, folder, faults: #"[{ fault: "throttle", rate: "5k/s" }]"#),
            ]
            defer { for gateway in gateways { gateway.stop() } }
            let sides = try zip(["a", "b"], gateways).map { name, gateway in
                try folder.file(
                    "\(name).json5",
                    """
                    {
                      target: { host: "localhost", port: \(gateway.port), tls: { caFile: "\(gateway.authority)" } },
                      workload: { notifications: 5_000, devices: 100, seed: 1 }, sender: { connections: 1, loops: 1 },
                    }
                    """)
            }
            let result = try await Program.shell(
                "", ["compare", "--run"] + sides + ["--pairs", "4", "-o", "json=\(folder.path)/c.json"])
            #expect(result.status == 5, "\(result.output)")
            #expect(result.output.hasPrefix("pair 1 of 4") || result.output.contains("REGRESSED"), "\(result.output)")
            #expect(result.output.contains("compared on purpose: target.port"), "\(result.output)")

            // The same profile with the target set for each side.
            let set = try await Program.shell(
                "",
                [
                    "compare", "--run", sides[0], "--pairs", "1", "--set-a", "target.port=\(gateways[1].port)",
                    "--set-b",
                    "target.port=\(gateways[1].port)", "--set", "target.tls.caFile=\(gateways[1].authority)", "-q",
                ])
            #expect(set.status == 4 && set.output.contains("too few runs: 1 against 1"), "\(set.output)")
            let refused = try await Program.shell(
                "", ["compare", "--run", sides[0], "--set-b", "target.host=gateway.test"])
            #expect(refused.status == 2 && refused.output.contains("--allow-host gateway.test"), "\(refused.output)")
        }

        @Test(arguments: [
            ["compare"], ["compare", "a.json"], ["compare", "a", "b", "c"], ["compare", "--against", "a", "b"],
            ["compare", "a", "--against"], ["compare", "a", "b", "--gate", "acepted/s"],
            ["compare", "a", "b", "--gate", "written/s"], ["compare", "a", "b", "--noise", "5"],
            ["compare", "a", "b", "--alpha", "2"], ["compare", "a", "b", "--pairs", "4"],
            ["compare", "a", "b", "--gate", "response.p101"], ["compare", "a", "b", "--gate", "reconnects.p50x"],
            ["compare", "a", "b", "--threshold", "compare(accepted/s) > NaN%"],
            ["compare", "a", "b", "--threshold", "compare(written/s) >"],
            ["compare", "a", "b", "-o", "csv=x"], ["compare", "--run"], ["compare", "--run", "a", "b", "c"],
            ["compare", "--run", "--self-test"], ["compare", "--run", "no-such.json5"],
            ["compare", "a", "b", "--threshold", "lost == 0"],
            ["compare", "a", "b", "--threshold", "compare(lost) < 5"],
            ["compare", "--calibrate-noise"], ["run", "x.json5", "--repeat", "0"],
            ["compare", "--self-test", "-o", "json=x.json"], ["compare", "--self-test", "--gate", "lost"],
            ["compare", "--calibrate-noise", "x.json5", "--noise", "5%"],
        ])
        func `a wrong command line is refused in one line`(_ words: [String]) async throws {
            let result = try await Program.shell("", words)
            #expect(result.status == 2, "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }

        @Test func `the gate can fail`() async throws {
            let result = try await Program.shell("", ["compare", "--self-test"])
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("ok     planted a slowdown of 20 %, found regressed, exit code 5"))
            #expect(result.output.contains("ok     planted nothing, found noEvidence, exit code 0"))
        }

        @Test func `environment variables change the runs of a comparison, as they change a run`() async throws {
            let folder = try ScratchFolder()
            let kept = "\(folder.path)/kept"
            let result = try await Program.shell(
                "export PUSHBENCH_NOTIFICATIONS=50 PUSHBENCH_CONNECTIONS=1;",
                ["compare", "--run", try profile(folder), "--pairs", "1", "--keep", kept, "-q"])
            #expect(result.status == 4, "\(result.output)")
            #expect(try RunSeriesRecord.read("\(kept)/a.json").runs.map(\.ledger.generated) == [50])
            let wrong = try await Program.shell(
                "export PUSHBENCH_NOTIFICATIONS=abc;", ["compare", "--run", try profile(folder), "-q"])
            #expect(wrong.status == 2 && wrong.output.contains("PUSHBENCH_NOTIFICATIONS"), "\(wrong.output)")
        }

        @Test func `a threshold that can never have data is refused before anything runs`() async throws {
            let folder = try ScratchFolder()
            let file = try profile(folder, thresholds: "['response.p99 < 1s']")
            for words in [["run", file], ["compare", "--run", file, "--pairs", "1"]] {
                let result = try await Program.shell("", words + ["-q"])
                #expect(result.status == 2 && result.output.contains("can have no data"), "\(result.output)")
                #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
            }
        }

        @Test func `the noise of this machine stands for the self-test of records, too`() async throws {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/runs.json"
            let cache = "export XDG_CACHE_HOME='\(folder.path)/cache';"
            let made = try await Program.shell(
                cache, ["run", try profile(folder), "--repeat", "5", "-q", "-o", "json=\(record)"])
            try #require(made.status == 0, "\(made.output)")
            let run = try #require(RunSeriesRecord.read(record).runs.first)
            try NoiseCache(folder: "\(folder.path)/cache/pushbench").write(
                NoiseRecord(
                    machine: run.machine, profileHash: run.profileHash, profileName: "short", build: run.tool.build,
                    measuredAt: "", order: "", pairRatios: ["accepted/s": [0.2, 0.5, 1, 2, 5]]))
            let result = try await Program.shell(cache, ["compare", "--self-test", record, "--explain-exit"])
            #expect(
                result.status == 4 && result.output.contains("FAILED planted a slowdown of 20 %"), "\(result.output)")
        }

        @Test func `a target that is not there ends a comparison with its own code, advisory or not`() async throws {
            let folder = try ScratchFolder()
            let gone = try folder.file(
                "gone.json5",
                """
                { target: { host: "127.0.0.1", port: 1 }, workload: { notifications: 10 }, sender: { connections: 1 } }
                """)
            let result = try await Program.shell(
                "",
                [
                    "compare", "--run", try profile(folder), gone, "--pairs", "4", "-q", "--advisory", "--exit-zero",
                    "--set", "sender.reconnect.base=1ms", "--set", "sender.stallLimit=200ms",
                ])
            #expect(result.status == 8, "\(result.output)")
        }

        @Test func `another binary is run as a candidate`() async throws {
            let folder = try ScratchFolder()
            let program = try Program.path()
            let wrapper = "\(folder.path)/other.sh"
            // Written by the shell: a file that this process writes may still be open in another child of it, and so cannot be started.
            let writing =
                "printf '#!/bin/sh\\nexec %s \"$@\" --set %s\\n' '\(program)' '\(slow)' > '\(wrapper)'; chmod 755 '\(wrapper)';"
            let result = try await Program.shell(
                writing,
                [
                    "compare", "--run", try profile(folder), "--binary-b", wrapper, "--pairs", "4", "-q",
                ])
            #expect(result.status == 5 && result.output.contains("regressed"), "\(result.output)")
            let missing = try await Program.shell(
                "", ["compare", "--run", try profile(folder), "--binary-b", "/nowhere/x", "-q"])
            #expect(missing.status == 2 && missing.output.contains("/nowhere/x"), "\(missing.output)")
        }

        @Test(arguments: ["enhanced", "http2"])
        func `a sender with other work is no faster than that allows`(_ interface: String) async throws {
            let record = try await Run(
                """
                {
                  target: { simulator: { loops: 1 } }, protocol: "\(interface)",
                  workload: { notifications: 2_000, devices: 100, seed: 1 },
                  sender: { connections: 2, loops: 1, extraWork: "100us", batch: { notifications: 50 } },
                }
                """
            ).record()
            expectClean(record)
            let length = try #require(record.throughput.acceptedPerSecond.map { 2_000 / $0 })
            // The last batch is accepted before its work is done.
            #expect(length > 0.19 && length < 5, "\(length) s")
        }

        @Test func `a threshold can end a run, which has then failed`() async throws {
            let folder = try ScratchFolder()
            let file = try folder.file(
                "abort.json5",
                """
                {
                  target: { simulator: { loops: 1 } },
                  load: { loop: "open", rate: "1000/s" },
                  sender: { connections: 1, loops: 1 },
                  phases: { measure: "60s" },
                  thresholds: ["accepted/s >= 1M abort after 1s", "compare(accepted/s) > -5%"],
                }
                """)
            let record = "\(folder.path)/r.json"
            let result = try await Program.shell(
                "", ["run", file, "--calibration", "off", "-q", "-o", "json=\(record)"])
            #expect(result.status == 3, "\(result.output)")
            #expect(result.output.hasPrefix("pushbench: failed: stopped after "), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
            let run = try RunRecord.read(record)
            #expect(run.verdict.status == .failed && run.durationNs < 20_000_000_000 && run.ledger.isBalanced)
            #expect(run.thresholds.map(\.passed) == [false], "a change is not the run's")
        }
    }
}
