import Analysis
import Foundation
import Primitives
import RunRecords
import Testing

@testable import Reports

/// Sweeps and searches for a capacity in every form that they have.
@Suite struct PlanReportTests {
    private static let kinds: [ReportSubject.Kind] = [.sweep, .capacity]

    private static let emptySweep = SweepRecord(
        profileName: "p.json5", profileHash: "",
        grid: SweepGrid([SweepGrid.Axis(key: "sender.connections", values: ["1", "2"])]), plan: SweepRace.Plan())

    /// Records of all shapes that a plan can end with.
    private static var shapes: [ReportSubject] {
        var interrupted = emptySweep
        interrupted.judge(.interrupted(exitCode: 130))
        var single = SweepRecord(
            profileName: "p.json5", profileHash: "",
            grid: SweepGrid([SweepGrid.Axis(key: "sender.connections", values: ["1"])]), plan: SweepRace.Plan())
        single.runs = [sampleSweepRun(0, rate: 1_000)]
        single.judge(.complete)
        var failed = sampleSweep()
        failed.runs = (0..<6).map { cell in
            sampleSweepRun(cell, rate: 10) { $0.verdict = VerdictRecord(status: .internalError, exitCode: 1) }
        }
        failed.judge(.complete)
        var nothing = sampleSweep()
        nothing.runs = (0..<6).map { sampleSweepRun($0, rate: 0) }
        nothing.judge(.complete)
        var begun = CapacityRecord(profileName: "p.json5", serviceLevel: [], tolerance: 0.05)
        let search = begun
        begun.conclude(signalCode: 130)
        let one = sampleCapacity {
            $0.probes = [sampleProbe(.rise, rate: 1_000, share: 1, .unusable)]
            $0.probes[0].run = RunRecord()
            $0.probes[0].answeredPerSecond = nil
            $0.probes[0].offeredPerSecond = nil
            $0.finding = CapacityFinding(.stopped(tried: .init(perSecond: 1_000)))
            $0.conclude(signalCode: nil)
        }
        return [
            .sweep(emptySweep), .sweep(interrupted), .sweep(single), .sweep(failed), .sweep(nothing),
            .sweep(sampleSweep()), .capacity(search), .capacity(begun), .capacity(one), .capacity(sampleCapacity()),
        ]
    }

    @Test func `every form that a plan has takes all of its shapes, and makes no number of what was not measured`()
        throws
    {
        for subject in Self.shapes {
            for format in OutputFormat.forms(of: subject.kind) {
                let text = try format.text(subject)
                #expect(text.hasSuffix("\n") && text.count > 10, "\(format)")
                #expect(
                    text.lowercased().firstMatch(of: /\b(nan|inf|infinity|optional)\b/) == nil, "\(format): \(text)")
            }
        }
    }

    @Test func `the forms of plans are those of the table, and another one is refused in one line with them`() throws {
        #expect(OutputFormat.forms(of: .sweep) == [.terminal, .json, .csv, .markdown, .html])
        #expect(OutputFormat.forms(of: .capacity) == [.terminal, .json, .csv, .markdown, .junit, .html])
        for kind in Self.kinds {
            for format in OutputFormat.allCases where !OutputFormat.forms(of: kind).contains(format) {
                let error = #expect(throws: OutputRequestError.self) {
                    try OutputRequest.read(["\(format.rawValue)=-"], of: kind)
                }
                let text = error.map { "\($0)" } ?? ""
                #expect(
                    text.hasPrefix("\(format.rawValue) is no form of \(kind.title); accepted here: terminal, json, "))
                #expect(!text.contains("\n") && !(kind == .sweep && text.contains("--run")))
            }
        }
    }

    // MARK: - Reading

    @Test func `a record of each kind is read as what it is`() throws {
        let folder = try TemporaryFolder()
        for subject in Self.shapes {
            let text = try OutputFormat.json.text(subject)
            try folder.write("record.json", text)
            let read = try ReportSubject.read(folder.path("record.json"))
            #expect(read.kind == subject.kind)
            #expect(try OutputFormat.json.text(read) == text)
        }
    }

    @Test func `a schema that is none of a record's is refused with those that are`() throws {
        let folder = try TemporaryFolder()
        try folder.write("other.json", #"{"schema": "pushbench.sweep/2"}"#)
        let error = #expect(throws: RecordError.self) { try ReportSubject.read(folder.path("other.json")) }
        let text = error.map { "\($0)" } ?? ""
        for name in ["run", "runs", "compare", "sweep", "capacity"] {
            #expect(text.contains("\"pushbench.\(name)/1\""))
        }
        #expect(text.contains("has the schema \"pushbench.sweep/2\""))
    }

    private static func json(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    private static func edited(_ value: JSONValue, _ path: ArraySlice<String>, to new: JSONValue?) -> JSONValue {
        guard let name = path.first else { return new ?? .null }
        switch value {
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { return value }
            elements[index] = edited(elements[index], path.dropFirst(), to: new)
            return .array(elements)
        case .object(var members):
            if path.count == 1, new == nil {
                members[name] = nil
            } else {
                members[name] = edited(members[name] ?? .null, path.dropFirst(), to: new)
            }
            return .object(members)
        default: return value
        }
    }

    private static func places(in value: JSONValue, at path: [String] = []) -> [[String]] {
        switch value {
        case .array(let elements):
            [path] + elements.prefix(2).enumerated().flatMap { places(in: $1, at: path + ["\($0)"]) }
        case .object(let members):
            [path]
                + members.keys.sorted().filter { $0 != "run" && $0 != "machine" && $0 != "tool" }.flatMap { name in
                    places(in: members[name] ?? .null, at: path + [name])
                }
        default: [path]
        }
    }

    /// A sweep and a search with few runs.
    private static var small: [[UInt8]] {
        get throws {
            let sweep = sampleSweep {
                $0.runs = Array($0.runs.suffix(2))
                $0.judge(.complete)
            }
            let capacity = sampleCapacity {
                $0.probes = Array($0.probes.suffix(1))
                // What a run of its own does with such numbers is another test's.
                $0.probes[0].run = RunRecord()
            }
            return [try sweep.encoded(), try capacity.encoded()]
        }
    }

    /// Whatever stands at whatever place, the record is refused in one line or can be shown in every form.
    private static func expectRefusedOrShown(_ value: JSONValue, _ what: String) throws {
        let bytes = Array(try JSONEncoder().encode(value))
        do throws(RecordError) {
            let subject = try ReportSubject.decode(bytes, path: "r.json")
            for format in OutputFormat.forms(of: subject.kind) where ![.html, .json].contains(format) {
                let text = try format.render(subject, style: .plain)
                #expect(!text.isEmpty)
            }
            #expect(HTMLReport.page(subject, nil).hasSuffix("</html>\n"))
        } catch { #expect(!error.description.contains("\n"), "\(what)") }
    }

    @Test(arguments: [
        JSONValue.integer(0), .integer(-5), .integer(1 << 53), .number(1e300), .null, .string(hostileText), .array([]),
    ])
    func `a record that somebody has edited is refused or shown, whatever stands in it`(_ value: JSONValue) throws {
        for record in try Self.small {
            let json = try Self.json(record)
            for place in Self.places(in: json) where !place.isEmpty {
                try Self.expectRefusedOrShown(Self.edited(json, place[...], to: value), "\(place) \(value)")
            }
        }
    }

    @Test func `a record with a key missing is refused or shown`() throws {
        for record in try Self.small {
            let json = try Self.json(record)
            for place in Self.places(in: json) where !place.isEmpty {
                try Self.expectRefusedOrShown(Self.edited(json, place[...], to: nil), "\(place)")
            }
        }
    }

    @Test func `parts of a sweep that do not belong together are named`() throws {
        let changes: [(String, (inout SweepRecord) -> Void)] = [
            ("grid.axes: is empty", { $0.grid.axes = [] }),
            ("grid.axes[1].values: is empty", { $0.grid.axes[1].values = [] }),
            ("grid: has more than 10000 combinations", { $0.grid.axes[0].values = (0..<9_999).map { "\($0)" } }),
            ("runs[0].cell: is of a combination that the grid has not", { $0.runs[0].cell = 6 }),
            ("findings.cells: has 5 of the grid's 6", { $0.findings?.cells.removeLast() }),
            ("findings.cells[2].values: are not the grid's", { $0.findings?.cells[2].values = ["10"] }),
            ("findings.best: is a combination that the grid has not", { $0.findings?.best = 6 }),
            ("findings.recommended: is", { $0.findings?.recommended = 9 }),
            ("findings.sensitivity[0].cell: is", { $0.findings?.sensitivity[0].cell = 7 }),
        ]
        for (message, change) in changes {
            let bytes = try sampleSweep(change).encoded()
            let error = #expect(throws: RecordError.self, "\(message)") {
                try SweepRecord.decode(bytes, path: "s.json")
            }
            #expect(error.map { "\($0)" }?.hasPrefix("s.json: \(message)") == true, "\(String(describing: error))")
        }
        #expect(try SweepRecord.decode(sampleSweep().encoded(), path: "s.json") == sampleSweep())
    }

    @Test func `a try whose run is of another schema is refused`() throws {
        let record = sampleCapacity { $0.probes[1].run.schema = "pushbench.run/2" }
        let error = #expect(throws: RecordError.self) {
            try CapacityRecord.decode(record.encoded(), path: "c.json")
        }
        #expect(error == .otherSchema(path: "c.json", found: "pushbench.run/2", accepted: ["pushbench.run/1"]))
    }

    // MARK: - Texts

    @Test func `a sweep has a line for each run, and none has a rate that did not finish`() throws {
        let lines = try OutputFormat.csv.text(.sweep(sampleSweep())).split(separator: "\n")
        #expect(
            lines[0]
                == "run,sender.batch.notifications,sender.connections,cell,status,isComplete,acceptedPerSecond,limit,"
                + "residenceP99Ns,responseP99Ns,senderCPUPerNotificationNs,senderPeakRSSBytes,simulatorPeakRSSBytes,"
                + "reconnects,inFlightAtErrorP50,resentPerReconnect,lostPerReconnect,busiestConnection,reasons")
        #expect(lines.count == 18)
        #expect(lines[1].hasPrefix("1,1,1,0,passed,true,10000,simulator,1980415,,"), "\(lines[1])")
        #expect(lines[2].hasPrefix("2,10,1,2,failed,true,90000,"), "\(lines[2])")
        #expect(lines[17].hasPrefix("17,100,4,5,internalError,false,,simulator,,,,"), "\(lines[17])")
    }

    @Test func `a search for a capacity has a line for each try`() throws {
        let lines = try OutputFormat.csv.text(.capacity(sampleCapacity())).split(separator: "\n")
        #expect(
            lines[0]
                == "try,stage,outcome,ratePerSecond,offeredPerSecond,answeredPerSecond,latency,p50Ns,p99Ns,p99.9Ns,errors,"
                + "lost,unknown,inFlightMean,limit,senderBusy,simulatorBusy,reasons")
        #expect(lines.count == 7)
        #expect(lines[2].hasPrefix("2,rise,fails,4000,4000,2000,response,"), "\(lines[2])")
        #expect(
            lines[2].hasSuffix(",12,0,0,11000,rate,,,response.p99 < 20ms: 4 % of 2000 are within it"), "\(lines[2])")
    }

    @Test func `the map of a terminal tells what is recommended, uneven, failed and incomplete`() throws {
        let lines = try OutputFormat.terminal.text(.sweep(sampleSweep())).split(separator: "\n").map(String.init)
        #expect(lines[0] == "recommended: sender.batch.notifications=10 sender.connections=4")
        let map = try #require(lines.firstIndex { $0.hasPrefix("accepted/s as a share of the best;") })
        let rows = lines[(map + 2)...(map + 4)].map { $0.split(separator: " ").map(String.init) }
        #expect(rows == [["1", "10", "-"], ["10", "91!", "[99]"], ["100", "100~", "-"]], "\(rows)")
        #expect(lines.contains { $0.hasSuffix("; 1 combination was given up as clearly slower") })
    }

    @Test func `of further axes a map shows those that the recommended combination has`() throws {
        var record = SweepRecord(
            profileName: "p", profileHash: "",
            grid: SweepGrid(["a", "b", "c"].map { SweepGrid.Axis(key: $0, values: ["1", "2"]) }),
            plan: SweepRace.Plan())
        record.runs = (0..<8).map { sampleSweepRun($0, rate: $0 == 3 ? 1_000 : Int64(100 + $0)) }
        record.conclude()
        let findings = try #require(record.findings)
        let map = try #require(SweepMap(record, findings))
        #expect(findings.recommended == 3 && map.condition == "c=2")
        #expect((0..<2).flatMap { row in (0..<2).map { map.cell(row: row, column: $0) } } == [1, 3, 5, 7])
    }

    @Test func `conditions are no part of a recommended setting, and only what was tried under the same ones competes`()
        throws
    {
        var record = SweepRecord(
            profileName: "p", profileHash: "",
            grid: SweepGrid([
                SweepGrid.Axis(key: "workload.faults.badToken", values: ["0", "0.001"]),
                SweepGrid.Axis(key: "sender.window", values: ["10", "20"]),
            ]), plan: SweepRace.Plan())
        record.runs = zip(0..<4, [50_000, 90_000, 1_000, 2_000]).map { sampleSweepRun($0, rate: $1) }
        record.judge(.complete)
        let findings = try #require(record.findings)
        #expect(findings.recommended == 3)
        #expect(record.setting(ofCell: 3) == "sender.window=20 under workload.faults.badToken=0.001")
        #expect(sampleSweep().setting(ofCell: 3) == "sender.batch.notifications=10 sender.connections=4")
        let map = try #require(SweepMap(record, findings))
        #expect(
            (0..<4).map { map.share(ofCell: $0) } == [50.0 / 90, 1, 0.5, 1] && map.yardstick.hasSuffix("conditions"))
        let chart = try #require(SweepCharts(record: record, findings: findings).leaders)
        #expect(chart.description.contains("badToken=0.001") && !chart.description.contains("badToken=0 "))
        let effect = try #require(SweepCharts(record: record, findings: findings).effect(ofAxis: 0))
        #expect(effect.note.contains("numbered in their order") && effect.script.text().contains("'1' 1, '2' 2"))
    }

    @Test func `what was cut short is not taken for given up`() throws {
        func givenUp(_ change: (inout SweepRecord) -> Void) throws -> [Int] {
            let record = sampleSweep(change)
            let findings = try #require(record.findings)
            return findings.cells.indices.filter { record.isGivenUp($0, findings) }
        }
        #expect(try givenUp { _ in } == [0])
        #expect(try givenUp { $0.isRace = false } == [])
        // Its last round may not have come to the combinations that are one run behind.
        let cut = try givenUp {
            $0.runs.removeLast()
            $0.runs.remove(at: 1)
            $0.judge(.interrupted(exitCode: 130))
        }
        #expect(cut == [0])
    }

    @Test func `Markdown of plans keeps its shape whatever the texts are`() throws {
        let sweep = try OutputFormat.markdown.text(.sweep(sampleSweep()))
        #expect(
            sweep.hasPrefix(
                "### Recommended: sender.batch.notifications=10 sender.connections=4\n\n- the cheapest of 2"))
        #expect(sweep.contains("| 10 | 91 k/s (thresholds fail) | 99 k/s (recommended) |"), "\(sweep)")
        #expect(sweep.contains("| 1 | 10 k/s | not run |") && sweep.contains("| 100 | 100 k/s (uneven) | incomplete |"))
        let capacity = try OutputFormat.markdown.text(.capacity(sampleCapacity()))
        #expect(capacity.hasPrefix("### PASSED: sustainable: 2 k/s (2.1 k/s fails), confirmed\n"), "\(capacity)")
        #expect(capacity.contains("| rise | 4,000 | 2,000 | 250 ms |"), "\(capacity)")
        for subject in Self.hostile {
            let text = try OutputFormat.markdown.text(subject)
            #expect(!text.contains("<e>") && !text.contains("\u{1B}") && !text.contains("@all"))
            #expect(text.utf8.count < 65_536)
        }
    }

    private static var hostile: [ReportSubject] {
        var sweep = sampleSweep()
        sweep.profileName = hostileText
        sweep.grid.axes[0].key = hostileText
        sweep.grid.axes[1].values[1] = hostileText
        sweep.runs[3].reasons = [hostileText]
        sweep.machine.cpuModel = hostileText
        sweep.judge(.complete)
        sweep.verdict.reasons = [hostileText]
        return [
            .sweep(sweep),
            .capacity(
                sampleCapacity {
                    $0.profileName = hostileText
                    $0.serviceLevel.append(hostileText)
                    $0.probes[1].reasons = [hostileText]
                    $0.verdict.reasons = [hostileText]
                    $0.probes[2].run.limit?.evidence = hostileText
                }),
        ]
    }

    // MARK: - Pages

    @Test func `hostile texts open no tag of a page and close none`() {
        for subject in Self.hostile {
            for gnuplot in [nil, Gnuplot.find(in: "/usr/bin:/bin")] {
                let page = HTMLReport.page(subject, gnuplot)
                #expect(!page.contains("<e>") && page.contains("&lt;e&gt;&amp;]]&gt;"))
                #expect(!page.contains("\u{1B}") && !page.contains("\u{0}"))
                #expect(page.contains("role=\"img\"") == (gnuplot != nil))
            }
        }
    }

    @Test func `every cell of the map says in words what its colour and border say`() {
        let page = HTMLReport.page(.sweep(sampleSweep()), nil)
        let cells = page.matches(of: /<td class="([^"]*)">(.*?)<\/td>/).map { (String($0.1), String($0.2)) }
        let recommended = cells.filter { $0.0.contains("picked") }
        #expect(recommended.count == 1 && recommended.allSatisfy { $0.1.contains("★ recommended") })
        #expect(recommended.allSatisfy { $0.0.contains("heat9") && $0.1.contains("98,950") == false })
        let broken = cells.filter { $0.0.contains("broken") }
        #expect(broken.count == 2)
        #expect(broken.allSatisfy { $0.1.contains("✕ thresholds fail") || $0.1.contains("✕ incomplete") })
        let none = cells.filter { $0.0.hasPrefix("none") }
        #expect(none.map(\.1).contains { $0.contains("no rate") && !$0.contains("<data") })
        #expect(none.map(\.1).contains { $0.contains("○ not run") && !$0.contains("<data") })
        #expect(cells.contains { $0.1.contains("≠ uneven") } && cells.contains { $0.1.contains("▾ given up") })
    }

    @Test func `colours of the map grow with the share, and the text on each can be read`() throws {
        #expect([0, 0.05, 0.1, 0.5, 0.96, 0.97, 1].map(HeatMap.step) == [0, 0, 1, 5, 8, 9, 9])
        #expect(HeatMap.steps == HeatMap.steps.sorted())
        let sheet = "\(PageStyle.sheet)"
        let alphas = sheet.matches(of: /\.heat\d\{background:rgba\(var\(--heat\),([.\d]+)\)\}/).map {
            Double("0\($0.1)") ?? 2
        }
        try #require(alphas.count == HeatMap.steps.count)
        #expect(alphas == alphas.sorted() && Set(alphas).count == alphas.count)
        let halves = sheet.components(separatedBy: "@media screen and (prefers-color-scheme:dark)")
        for half in halves {
            let heat = try #require(half.firstMatch(of: /--heat:(\d+),(\d+),(\d+)/)?.output)
            let (paper, ink) = (try Self.color("paper", in: half), try Self.color("ink", in: half))
            for alpha in alphas {
                let ground = zip([heat.1, heat.2, heat.3], paper).map { alpha * (Double($0) ?? 0) + (1 - alpha) * $1 }
                #expect(Self.contrast(ink, ground) >= 4.5, "\(alpha) of \(heat.0) on \(paper)")
            }
        }
        #expect(Self.contrast([0, 0, 0], [255, 255, 255]) == 21)
    }

    /// Red, green and blue of a colour of the style sheet, 0 to 255.
    private static func color(_ name: String, in sheet: String) throws -> [Double] {
        let start = try #require(sheet.range(of: "--\(name):#")).upperBound
        var digits = String(sheet[start...].prefix { $0.isHexDigit })
        if digits.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
        let number = try #require(Int(digits, radix: 16))
        return [16, 8, 0].map { Double(number >> $0 & 0xFF) }
    }

    /// By how much two colours differ (WCAG 2.1).
    private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
        let luminances = [one, other].map { color in
            zip([0.2126, 0.7152, 0.0722], color).reduce(0) { sum, part in
                let share = part.1 / 255
                return sum + part.0 * (share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4))
            }
        }
        return ((luminances.max() ?? 0) + 0.05) / ((luminances.min() ?? 0) + 0.05)
    }

    @Test func `a page of plans has the record's figures`() throws {
        let sweep = HTMLReport.page(.sweep(sampleSweep()), nil)
        #expect(sweep.contains("<h1>profiles/sample.json5</h1>"))
        #expect(sweep.contains(" Recommended: sender.batch.notifications=10 sender.connections=4</p>"))
        #expect(sweep.contains("<data value=\"99000\" data-figure=\"cells.3.acceptedPerSecond\">99 k/s</data>"))
        #expect(!sweep.contains("cells.5.acceptedPerSecond") && !sweep.contains("1000000"))
        let capacity = HTMLReport.page(.capacity(sampleCapacity()), nil)
        #expect(capacity.contains(" Sustainable: 2 k/s (2.1 k/s fails), confirmed</p>"))
        #expect(capacity.contains("<data value=\"4000\" data-figure=\"probes.1.offeredPerSecond\">4,000</data>"))
        #expect(capacity.contains("✕ fails") && capacity.contains("✓ holds") && capacity.contains("? undecided"))
    }

    @Test func `the price of a bad token stands with the model and its error beside it, and why there is none`() throws
    {
        let record = sampleSweep { $0.findings?.badTokens = sampleBadTokens() }
        let gnuplot = Gnuplot.find(in: "/usr/bin:/bin")
        let page = HTMLReport.page(.sweep(record), gnuplot)
        #expect(page.contains("<h2 id=\"badTokens-heading\">The price of a bad token</h2>"))
        for (name, value, text) in [
            ("measured.lost", "900", "900"), ("lostStandardError", "35", "35"), ("model.lost", "800", "800"),
            ("replyNs", "1500000", "1.5 ms"), ("measured.inFlight", "410", "410"), ("errors", "120", "120"),
        ] {
            #expect(
                page.contains("<data value=\"\(value)\" data-figure=\"badTokens.prices.0.\(name)\">\(text)</data>"),
                "\(name)")
        }
        #expect(page.contains(">-11 %</data>)") && page.contains("no error reply or no reconnect was timed"))
        #expect(page.contains("<data value=\"40000\" data-figure=\"badTokens.curves.0.points.2.modelPerSecond\">"))
        #expect(!page.contains("points.2.acceptedPerSecond") && !page.contains("prices.1.model"))
        if gnuplot != nil {
            #expect(page.contains("<b>Rate over workload.faults.badToken, sender.connections=4</b>"))
            #expect(page.contains(">0.1 %<") && page.contains(">1 %<") && !page.contains("Charts were left out"))
        }
        let markdown = try OutputFormat.markdown.text(.sweep(record))
        #expect(
            markdown.contains("what a bad token costs</summary>") && markdown.contains("| 900 ± 35 | 800 (-11 %) |"))
        #expect(try SweepRecord.decode(record.encoded(), path: "s.json") == record)
        let stray = sampleSweep {
            $0.findings?.badTokens = sampleBadTokens()
            $0.findings?.badTokens?.prices[1].cell = 6
        }
        #expect(throws: RecordError.self) { try SweepRecord.decode(stray.encoded(), path: "s.json") }
    }

    @Test func `a large sweep has a page of bounded size`() {
        var record = SweepRecord(
            profileName: "p", profileHash: "",
            grid: SweepGrid(["a", "b"].map { SweepGrid.Axis(key: $0, values: (1...50).map { "\($0)" }) }),
            plan: SweepRace.Plan())
        let run = sampleSweepRun(0, rate: 1_000)
        record.runs = (0..<2_500).map { cell in
            var run = run
            run.cell = cell
            run.acceptedPerSecond = Double(1_000 + cell)
            return run
        }
        record.judge(.complete)
        let page = HTMLReport.page(.sweep(record), Gnuplot.find(in: "/usr/bin:/bin"))
        #expect(page.utf8.count < 2_000_000, "\(page.utf8.count)")
        #expect(page.contains("2,200 slower ones are in the record.") && page.contains("the first 40 are shown"))
    }

    @Test func `charts of plans are drawn with points that differ by their shapes`() throws {
        guard let gnuplot = Gnuplot.find(in: "/usr/bin:/bin") else { return }
        let capacity = HTMLReport.page(.capacity(sampleCapacity()), gnuplot)
        for title in ["Answered against offered", "response.p99 against the offered rate", "Not yet answered"] {
            #expect(capacity.contains("<b>\(title)"), "\(title)")
        }
        #expect(capacity.contains("asked for: 20 ms") && !capacity.contains("Charts were left out"))
        let shapes = Set(CapacitySearch.Outcome.allCases.map { CapacityCharts.look($0).point })
        #expect(shapes.count == CapacitySearch.Outcome.allCases.count)
        let sweep = HTMLReport.page(.sweep(sampleSweep()), gnuplot)
        #expect(sweep.contains("<b>Rate by sender.connections") && sweep.contains("<b>The fastest combinations"))
        #expect(!sweep.contains("Charts were left out") && sweep.contains("10 × 4"))
    }

    @Test func `JUnit has a case for the end of a search and for each condition at the rate that held`() throws {
        let text = try OutputFormat.junit.text(.capacity(sampleCapacity()))
        #expect(
            text.contains("name=\"capacity\"") && text.contains("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"0\"")
        )
        #expect(text.contains("response.p99 &lt; 20ms") && text.contains("sustainable: 2 k/s"))
        let failed = sampleCapacity {
            $0.finding = CapacityFinding(.nothingHolds(tried: .init(perSecond: 1)))
            $0.conclude(signalCode: nil)
        }
        let other = try OutputFormat.junit.text(.capacity(failed))
        #expect(other.contains("failures=\"1\"") && other.contains("skipped=\"2\""), "\(other)")
    }
}
