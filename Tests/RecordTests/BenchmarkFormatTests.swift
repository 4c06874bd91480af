import Foundation
import Primitives
import RunRecords
import Testing

@testable import Analysis
@testable import Reports

@Suite struct GoBenchmarkTextTests {
    @Test func `a line for each run, with figures that benchstat knows`() throws {
        var record = RunRecord()
        record.profile = try Profile.read(text: "{ name: \"wan-80\" }", source: "a").effectiveJSON
        record.profileHash = "abc"
        record.tool.version = "0.1.0"
        record.tool.build = "release"
        record.machine.cpuModel = "Example CPU"
        record.ledger.accepted = 50_000
        var other = record
        record.throughput = ThroughputRecord(accepted: 50_000, written: 50_000, bytes: 5_000_000, over: .seconds(1))
        other.throughput = ThroughputRecord(accepted: nil, written: 50_000, bytes: 4_000_000, over: .seconds(1))
        let name = "BenchmarkWan_80/protocol=enhanced/connections=8/batch=100"
        #expect(
            try OutputFormat.gobench.text(.runs(RunSeriesRecord([record, other]))) == """
                # pushbench 0.1.0, release
                cpu: Example CPU
                profile-hash: abc
                Unit accepted/s better=higher
                Unit B/s better=higher
                \(name) 50000 20000 ns/op 50000 accepted/s 5000000 B/s
                \(name) 50000 4000000 B/s

                """)
    }

    @Test func `latencies are named for their series and end with their unit`() throws {
        let text = try OutputFormat.gobench.text(.run(namedRecord()))
        #expect(text.contains("\nUnit residence-p99-ns better=lower\n"))
        #expect(text.contains(" residence-p99-ns ") && !text.contains("reconnect-p99-ns"), "\(text)")
        try Self.expectForm(text, runs: 1)
    }

    @Test func `a comparison has the runs of both sides`() throws {
        let comparison = compare(
            scatteredRuns(4, around: 100_000, seed: 1), scatteredRuns(5, around: 80_000, seed: 2))
        let text = try OutputFormat.gobench.text(.comparison(comparison))
        try Self.expectForm(text, runs: 9)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("BenchmarkComparison/side=base 1 ") } == 4)
        let values = text.matches(of: /side=candidate 1 ([0-9]+) accepted\/s/).compactMap { Double($0.1) }
        #expect(values == comparison.figure("accepted/s")?.candidate.present)
    }

    @Test func `a run without figures is no line of zeros`() throws {
        let text = try OutputFormat.gobench.text(.run(RunRecord()))
        #expect(text.contains("\n# BenchmarkUnnamed: no figures\n"), "\(text)")
        try Self.expectForm(text, runs: 0)
    }

    @Test func `hostile texts break no line`() throws {
        try Self.expectForm(OutputFormat.gobench.text(.run(hostileRecord())), runs: 1)
    }

    /// Every line is one of the format's, and there are as many results as runs.
    private static func expectForm(_ text: String, runs: Int) throws {
        var results = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix("# ") { continue }
            if line.hasPrefix("Benchmark") {
                let fields = line.split(whereSeparator: \.isWhitespace)
                #expect(fields.count >= 4 && fields.count % 2 == 0, "\(line)")
                #expect(Int(fields[1]).map { $0 > 0 } == true, "\(line)")
                for place in stride(from: 2, to: fields.count, by: 2) {
                    #expect(Double(fields[place])?.isFinite == true, "\(line)")
                    #expect(Double(fields[place + 1]) == nil, "\(line)")
                }
                results += 1
            } else if line.hasPrefix("Unit ") {
                #expect(line.wholeMatch(of: /Unit \S+ better=(higher|lower)/) != nil, "\(line)")
            } else {
                #expect(line.prefixMatch(of: /(cpu|profile-hash): ?/) != nil, "\(line)")
            }
        }
        #expect(results == runs, "\(text)")
    }
}

@Suite struct GitHubBenchmarkTests {
    private struct Entry: Decodable, Equatable {
        var name: String
        var unit: String
        var value: Double
        var range: String?
        var extra: String?
    }

    private func entries(_ format: OutputFormat, _ subject: ReportSubject) throws -> [Entry] {
        try JSONDecoder().decode([Entry].self, from: Data(try format.render(subject, style: .plain)))
    }

    @Test func `the rates of a record, exactly`() throws {
        #expect(
            try OutputFormat.githubBigger.text(.run(namedRecord())) == """
                [
                  {
                    "extra" : "1 of 1 runs",
                    "name" : "sample: accepted/s",
                    "unit" : "1/s",
                    "value" : 79992
                  },
                  {
                    "extra" : "1 of 1 runs",
                    "name" : "sample: bytes/s",
                    "unit" : "B/s",
                    "value" : 12000000
                  }
                ]

                """)
    }

    @Test func `less is better in a form of its own, and what there is too little of is left out`() throws {
        let names = try entries(.githubSmaller, .run(namedRecord())).map(\.name)
        #expect(
            names == [
                "sample: residence.p50", "sample: residence.p99", "sample: reconnect.p50",
                "sample: sender.cpuPerNotification", "sample: simulator.cpuPerNotification",
            ])
        #expect(try entries(.githubSmaller, .run(RunRecord())) == [])
        #expect(try entries(.githubBigger, .run(RunRecord())) == [])
    }

    @Test func `several runs give their median and their range`() throws {
        let series = RunSeriesRecord([90_000, 100_000, 110_000].map { sampleRun(acceptedPerSecond: $0) })
        let first = try #require(try entries(.githubBigger, .runs(series)).first)
        #expect(first.value == 100_000 && first.range == "90 k/s to 110 k/s" && first.extra == "3 of 3 runs")
    }

    @Test func `a comparison gives the candidate and tells of the baseline`() throws {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        let figure = try #require(comparison.figure("accepted/s"))
        let first = try #require(try entries(.githubBigger, .comparison(comparison)).first)
        #expect(first.name == "accepted/s" && first.value == figure.candidate.median)
        #expect(first.extra?.hasPrefix("baseline ") == true && first.extra?.hasSuffix(figure.changeText ?? "?") == true)
    }

    @Test func `hostile texts are texts`() throws {
        #expect(try entries(.githubBigger, .run(hostileRecord())).first?.name == hostileText + ": accepted/s")
    }
}

@Suite struct OutputFormatTests {
    @Test(arguments: OutputFormat.allCases)
    func `no form makes a number of what was not measured`(_ format: OutputFormat) throws {
        guard format != .hlog else { return }
        let text = try format.text(.run(RunRecord())).lowercased()
        #expect(text.firstMatch(of: /\b(nan|inf|infinity)\b/) == nil, "\(text)")
    }

    @Test(arguments: OutputFormat.forms(of: .runs))
    func `forms of several runs have comparisons and empty series`(_ format: OutputFormat) throws {
        let comparison = compare([], scatteredRuns(2, around: 100, seed: 1))
        for subject in [ReportSubject.comparison(comparison), .runs(RunSeriesRecord())] {
            let text = try format.text(subject).lowercased()
            #expect(text.firstMatch(of: /\b(nan|inf|infinity)\b/) == nil, "\(text)")
            #expect(text.hasSuffix("\n"))
        }
    }

    @Test func `forms of single runs refuse several by their names`() throws {
        let single = OutputFormat.allCases.filter { !OutputFormat.forms(of: .runs).contains($0) }
        #expect(single == [.csv, .reconnects, .hgrm, .hlog])
        for format in single {
            let error = #expect(throws: RecordError.self) {
                try format.render(.runs(RunSeriesRecord()), style: .plain)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.hasPrefix("\(format.rawValue) is no form of several runs; accepted here: terminal, json, "))
            #expect(text.hasSuffix("; `pushbench report RECORD --run N` picks one run"))
        }
    }
}
