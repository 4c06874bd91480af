import Analysis
import Foundation
import Primitives
import Reports
import RunRecords
import Testing

/// Records that somebody has edited: whatever number stands in them, they are refused or read, and nothing ends the program.
@Suite struct HostileRecordTests {
    /// A record in which next to nothing is null.
    private func full() -> RunRecord {
        var record = sampleRecord()
        record.resources.sender.loops = [LoopResourcesRecord(), LoopResourcesRecord()]
        record.resources.simulator?.loops = [LoopResourcesRecord(), LoopResourcesRecord()]
        record.littlesLaw = LittlesLawRecord(
            held: 1_000_000_000, count: 1_000, latencySum: 1e9, lengthNs: 1_000_000_000, tolerance: 0.01)
        record.streams = StreamsRecord()
        record.schedule = ScheduleRecord()
        record.calibration = CalibrationRecord()
        record.feedback = FeedbackRecord()
        record.connections = [ConnectionRecord()]
        return record
    }

    /// The places of all numbers but those of the profile and those within `longest` intervals and the like.
    private func numbers(in value: JSONValue, at path: [String] = []) -> [[String]] {
        switch value {
        case .integer, .number: [path]
        case .array(let elements):
            elements.prefix(2).enumerated().flatMap { numbers(in: $1, at: path + ["\($0)"]) }
        case .object(let members):
            members.keys.sorted().filter { $0 != "profile" && $0 != "seed" }.flatMap { name in
                numbers(in: members[name] ?? .null, at: path + [name])
            }
        case .null, .bool, .string: []
        }
    }

    private func replaced(_ value: JSONValue, _ path: ArraySlice<String>, by number: JSONValue) -> JSONValue {
        guard let name = path.first else { return number }
        switch value {
        case .array(var elements):
            guard let index = Int(name) else { return value }
            elements[index] = replaced(elements[index], path.dropFirst(), by: number)
            return .array(elements)
        case .object(var members):
            members[name] = replaced(members[name] ?? .null, path.dropFirst(), by: number)
            return .object(members)
        default: return value
        }
    }

    private func render(_ subject: ReportSubject, in formats: [OutputFormat]) throws {
        for format in formats {
            do throws(RecordError) { _ = try format.render(subject, style: .plain) } catch {
                switch error {
                case .noSuchForm, .noIntervalHistograms: break
                default: throw error
                }
            }
        }
    }

    /// The forms that add something up.
    private static let quick: [OutputFormat] = [.terminal, .markdown, .csv, .openmetrics, .gobench]

    private func use(_ bytes: [UInt8], in formats: [OutputFormat] = Self.quick) throws {
        let record = try RunRecord.decode(bytes, path: "r.json")
        try render(.run(record), in: formats)
        let comparison = compare([full(), record], [record, full()]) { $0.resamples = 10 }
        guard formats.count > Self.quick.count else { return try render(.comparison(comparison), in: [.terminal]) }
        try render(.runs(RunSeriesRecord([record, record])), in: formats)
        try render(.comparison(comparison), in: formats)
    }

    private func json(_ record: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(record))
    }

    private func bytes(_ value: JSONValue) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

    private static let tooMuch: [JSONValue] = [
        .integer(.max), .integer(.min), .integer((1 << 53) + 2), .number(1e300), .number(-1e300),
    ]

    @Test func `a number that no run can have is refused by its key, wherever it stands`() throws {
        let sample = try json(full())
        let places = numbers(in: sample)
        #expect(places.count > 150)
        for place in places {
            for extreme in Self.tooMuch {
                let text = try bytes(replaced(sample, place[...], by: extreme))
                let error = #expect(throws: RecordError.self, "\(place) \(extreme)") {
                    try RunRecord.decode(text, path: "r.json")
                }
                guard case .malformed(_, let keyPath, let reason) = error else {
                    Issue.record("\(place) \(extreme): \(String(describing: error))")
                    continue
                }
                #expect(reason.contains("out of range"))
                #expect(keyPath.hasSuffix(place.last.map { Int($0) == nil ? $0 : "]" } ?? ""), "\(keyPath)")
            }
        }
    }

    @Test func `counts and times cannot be negative, differences can`() throws {
        let sample = try json(full())
        for place in numbers(in: sample) {
            let text = try bytes(replaced(sample, place[...], by: .integer(-5)))
            do {
                _ = try RunRecord.decode(text, path: "r.json")
                let signed: Set = ["ledgerDifference", "atNs", "detectNs", "startNs", "notifications", "value"]
                #expect(signed.contains(place.last ?? ""), "\(place)")
                try use(text)
            } catch { #expect("\(error)".contains("cannot be negative"), "\(place): \(error)") }
        }
    }

    @Test(arguments: [JSONValue.integer(1 << 53), .integer(0)])
    func `the largest numbers that are accepted can be shown and compared`(_ number: JSONValue) throws {
        let sample = try json(full())
        var all = sample
        for place in numbers(in: sample) {
            try use(bytes(replaced(sample, place[...], by: number)))
            all = replaced(all, place[...], by: number)
        }
        try use(bytes(all), in: OutputFormat.allCases)
    }

    @Test func `figures of a comparison may be negative, as throughput lost is by chance`() throws {
        var run = full()
        run.reconnects.count = 10
        run.reconnects.throughputLost?.notifications = -910
        run.reconnects.throughputLost?.reconnects = 10
        let runs = [run, run, run, run]
        let comparison = compare(runs, runs) { $0.resamples = 10 }
        #expect(comparison.metrics.contains { $0.base.values.contains { ($0 ?? 0) < 0 } }, "or this shows nothing")
        #expect(try Comparison.decode(bytes(json(comparison)), path: "c.json") == comparison)
    }

    @Test func `a comparison with such numbers is refused, too, or shown`() throws {
        let runs = [full(), full(), full(), full()]
        let sample = try json(compare(runs, runs) { $0.resamples = 10 })
        for place in numbers(in: sample) {
            for extreme in Self.tooMuch {
                let text = try bytes(replaced(sample, place[...], by: extreme))
                #expect(throws: RecordError.self, "\(place)") { try Comparison.decode(text, path: "c.json") }
            }
            for number in [JSONValue.integer(0), .integer(1 << 53)] {
                let text = try bytes(replaced(sample, place[...], by: number))
                guard place.last != "runs" else {
                    #expect(throws: RecordError.self, "\(place)") { try Comparison.decode(text, path: "c.json") }
                    continue
                }
                try render(.comparison(Comparison.decode(text, path: "c.json")), in: [.terminal, .markdown, .gobench])
            }
        }
    }

    @Test func `control characters of a name reach no text for machines`() throws {
        var record = full()
        record.profile = .object(["name": .string("a\u{0}b\u{1B}[2Jc"), "protocol": .string("\u{1B}]0;x\u{7}")])
        record.tool.version = "1\u{1B}[31m"
        record.machine.cpuModel = "\u{1B}[31m\u{9B}x"
        for format in [OutputFormat.gobench, .openmetrics, .prometheus] {
            let text = String(decoding: try format.render(.run(record), style: .plain), as: UTF8.self)
            let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
            #expect(controls.isEmpty, "\(format): \(text.debugDescription)")
        }
    }

    @Test func `seeds and what a profile asks for may have all bits`() throws {
        var record = full()
        record.profile = .object(["workload": .object(["seed": .number(1.8e19)])])
        #expect(try RunRecord.decode(record.encoded(), path: "r.json").profile == record.profile)
        let comparison = compare([record], [record]) { $0.seed = .max }
        let text = try OutputFormat.json.render(.comparison(comparison), style: .plain)
        #expect(try Comparison.decode(text, path: "c.json").method.seed == .max)
    }
}
