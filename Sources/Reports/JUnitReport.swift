import Analysis
import Primitives
import RunRecords
import Statistics

/// JUnit's XML: a suite for each run, with a case for its verdict, for each invariant and for each threshold; of a comparison a case for each
/// deciding figure and each threshold.
enum JUnitReport: ReportText {
    static let summary = "JUnit XML, a case for each threshold, invariant and deciding figure"
    static let kinds: Set<ReportSubject.Kind> = [.run, .runs, .comparison, .capacity]

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) -> [UInt8]? {
        switch subject {
        case .run(let record): Array(text(RunSeriesRecord([record])).utf8)
        case .runs(let series): Array(text(series).utf8)
        case .comparison(let comparison): Array(text(comparison).utf8)
        case .capacity(let capacity): Array(document([suite(capacity)]).utf8)
        case .sweep: nil
        }
    }

    static func text(_ series: RunSeriesRecord) -> String {
        document(
            series.runs.enumerated().map { index, run in
                suite(run, number: series.runs.count > 1 ? index + 1 : nil)
            })
    }

    static func text(_ comparison: Comparison) -> String { document([suite(comparison)]) }

    private static func document(_ suites: [JUnitSuite]) -> String {
        let root = XMLElement(
            "testsuites", [("name", "pushbench")] + JUnitSuite.totals(suites.flatMap(\.cases)),
            suites.map(\.element))
        return #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n" + root.text()
    }

    // MARK: - Runs

    private static func suite(_ run: RunRecord, number: Int?) -> JUnitSuite {
        let name = run.name + (number.map { " run \($0)" } ?? "")
        var suite = JUnitSuite(name: name, startedAt: run.startedAt, seconds: Double(run.durationNs) / 1e9)
        let properties: [(String, String?)] = [
            ("tool", "pushbench \(run.tool.version) \(run.tool.build)"), ("profileHash", run.profileHash),
            ("cpu", run.machine.cpuModel), ("cores", "\(run.machine.cores)"), ("kernel", run.machine.kernel),
            ("openssl", run.machine.openssl), ("verdict", run.verdict.status.rawValue),
            ("exitCode", run.verdict.exitCode.map { "\($0)" }), ("limit", run.limit?.kind.rawValue),
        ]
        suite.properties = properties.filter { $0.1?.isEmpty == false }
        suite.properties += FigureSelection.metrics(in: [run]).map { metric in
            (metric.name, metric.comparableValue(in: run).flatMap(numberText))
        }
        suite.cases = [JUnitCase("verdict", verdict(run.verdict))] + invariants(run) + run.thresholds.map(threshold)
        return suite
    }

    private static func verdict(_ verdict: VerdictRecord) -> JUnitCase.Outcome {
        let message = verdict.reasons.isEmpty ? verdict.status.title : verdict.reasons.joined(separator: "\n")
        return switch verdict.status {
        case .passed: .passed
        case .failed, .generatorLimited, .scheduleMissed: .failure(type: verdict.status.rawValue, message)
        case .inconclusive: .skipped(message)
        case .running, .unreachable, .interrupted, .internalError: .error(type: verdict.status.rawValue, message)
        }
    }

    /// What must hold in every run.
    private static func invariants(_ run: RunRecord) -> [JUnitCase] {
        [
            JUnitCase("the ledger balances", balance(run.ledger)),
            JUnitCase("both ledgers agree", agreement(run.ledgerDifference)),
            JUnitCase("the figures agree with each other", soundness(run.brokenInvariants)),
        ]
    }

    private static func balance(_ ledger: LedgerRecord) -> JUnitCase.Outcome {
        if ledger.isBalanced { return .passed }
        return .failure(type: "ledger", "\(ledger.imbalance) notifications have no fate, or more than one")
    }

    private static func agreement(_ difference: Int64?) -> JUnitCase.Outcome {
        guard let difference else { return .skipped("there is no second ledger") }
        if difference == 0 { return .passed }
        return .failure(type: "ledger", "sender and simulator disagree about \(difference) notifications")
    }

    private static func soundness(_ broken: [String]?) -> JUnitCase.Outcome {
        guard let broken else { return .skipped("the record does not tell") }
        return broken.isEmpty ? .passed : .failure(type: "invariant", broken.joined(separator: "\n"))
    }

    private static func threshold(_ outcome: ThresholdRecord) -> JUnitCase {
        let unit = (try? Threshold(outcome.text))?.metric.unit
        let found = outcome.value.map { value in unit?.text(value) ?? "\(value)" }
        guard !outcome.passed else { return JUnitCase(outcome.text, .passed, output: found) }
        let message = "\(outcome.text): " + (found.map { "it is \($0)" } ?? "there is no data for it")
        return JUnitCase(outcome.text, .failure(type: "threshold", message))
    }

    // MARK: - Comparisons

    private static func suite(_ comparison: Comparison) -> JUnitSuite {
        var suite = JUnitSuite(name: "compare", startedAt: comparison.candidate.startedAt, seconds: nil)
        let method = comparison.method
        suite.properties = [
            ("baseline", comparison.base.label), ("baselineRuns", "\(comparison.base.runs)"),
            ("candidate", comparison.candidate.label), ("candidateRuns", "\(comparison.candidate.runs)"),
            ("design", method.design.rawValue), ("order", method.order), ("alpha", numberText(method.alpha)),
            ("seed", "\(method.seed)"), ("verdict", comparison.verdict.status.rawValue),
            ("exitCode", "\(comparison.verdict.exitCode)"),
        ]
        let obstacles = comparison.obstacles.joined(separator: "\n")
        suite.cases = [
            JUnitCase("comparable", obstacles.isEmpty ? .passed : .error(type: "notComparable", obstacles))
        ]
        suite.cases += comparison.gating.map { figure in
            obstacles.isEmpty ? gate(figure) : JUnitCase(figure.name, .skipped("the sides cannot be compared"))
        }
        let failures = comparison.candidateFailures
        suite.cases.append(
            JUnitCase("the candidate's own conditions", failures.map { .failure(type: "runs", $0) } ?? .passed))
        suite.cases += comparison.thresholds.map { outcome in
            let found = outcome.value.map(percentText)
            guard !outcome.passed else { return JUnitCase(outcome.text, .passed, output: found) }
            let message = "\(outcome.text): " + (found.map { "it is \($0)" } ?? "there is no data for it")
            return JUnitCase(outcome.text, .failure(type: "threshold", message))
        }
        return suite
    }

    private static func gate(_ figure: MetricComparison) -> JUnitCase {
        let message = [figure.reason, figure.changeText].compactMap { $0 }.joined(separator: ": ")
        return switch figure.verdict {
        case .regressed: JUnitCase(figure.name, .failure(type: "regressed", message))
        case .inconclusive, nil: JUnitCase(figure.name, .skipped(message))
        case .improved, .equivalent, .noEvidence: JUnitCase(figure.name, .passed, output: message)
        }
    }
}

extension JUnitReport {
    // MARK: - Capacities

    /// The end of the search, and what was asked for at the highest rate that held.
    private static func suite(_ capacity: CapacityRecord) -> JUnitSuite {
        let held = capacity.probes.last {
            $0.outcome == .holds && $0.ratePerSecond == capacity.finding?.sustainablePerSecond
        }
        let first = capacity.probes.first?.run
        var suite = JUnitSuite(
            name: "capacity \(capacity.profileName)", startedAt: first?.startedAt ?? "", seconds: nil)
        suite.properties = [
            ("tool", first.map { "pushbench \($0.tool.version) \($0.tool.build)" }),
            ("sustainable/s", capacity.finding?.sustainablePerSecond.flatMap(numberText)),
            ("failing/s", capacity.finding?.failingPerSecond.flatMap(numberText)),
            ("verdict", capacity.verdict.status.rawValue), ("exitCode", capacity.verdict.exitCode.map { "\($0)" }),
        ]
        suite.cases = [JUnitCase("capacity", verdict(capacity.verdict), output: capacity.result)]
        suite.cases += capacity.serviceLevel.map { text in
            JUnitCase(text, held.map { level(text, of: $0.run) } ?? .skipped("no rate held"))
        }
        return suite
    }

    private static func level(_ text: String, of run: RunRecord) -> JUnitCase.Outcome {
        guard let condition = try? Threshold(text), let answer = ServiceLevel([condition]).answers(of: run).first else {
            return .error(type: "condition", "\(text): is no condition")
        }
        return switch answer {
        case .holds: .passed
        case .fails(let reason): .failure(type: "condition", reason)
        case .undecided(let reason), .missing(let reason): .skipped(reason)
        }
    }
}

/// A case of a suite.
private struct JUnitCase {
    enum Outcome {
        case passed
        case failure(type: String, String)
        case error(type: String, String)
        case skipped(String)
    }

    var name: String
    var outcome: Outcome
    /// What was found, where it is as it should be.
    var output: String?

    init(_ name: String, _ outcome: Outcome, output: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.output = output
    }

    func element(suite: String) -> XMLElement {
        let attributes = [("classname", "pushbench.\(suite)"), ("name", name)]
        return XMLElement("testcase", attributes, [child].compactMap { $0 })
    }

    private var child: XMLElement? {
        switch outcome {
        case .passed: output.flatMap { $0.isEmpty ? nil : XMLElement("system-out", [], text: $0) }
        case .failure(let type, let message): XMLElement("failure", [("message", message), ("type", type)])
        case .error(let type, let message): XMLElement("error", [("message", message), ("type", type)])
        case .skipped(let message): XMLElement("skipped", [("message", message)])
        }
    }
}

/// A suite of cases.
private struct JUnitSuite {
    var name: String
    /// ISO 8601 in UTC.
    var startedAt: String
    /// How long it took; nil if that means nothing.
    var seconds: Double?
    var properties: [(String, String?)] = []
    var cases: [JUnitCase] = []

    init(name: String, startedAt: String, seconds: Double?) {
        self.name = name
        self.startedAt = startedAt
        self.seconds = seconds
    }

    /// The numbers of cases, as attributes.
    static func totals(_ cases: [JUnitCase]) -> [(String, String)] {
        var (failures, errors, skipped) = (0, 0, 0)
        for each in cases {
            switch each.outcome {
            case .passed: break
            case .failure: failures += 1
            case .error: errors += 1
            case .skipped: skipped += 1
            }
        }
        return [
            ("tests", "\(cases.count)"), ("failures", "\(failures)"), ("errors", "\(errors)"),
            ("skipped", "\(skipped)"),
        ]
    }

    var element: XMLElement {
        var attributes = [("name", "pushbench.\(name)")] + Self.totals(cases)
        if let seconds { attributes.append(("time", decimalText(seconds, places: 3))) }
        // The schema's times have no zone.
        if !startedAt.isEmpty { attributes.append(("timestamp", String(startedAt.prefix { $0 != "Z" }))) }
        let known = properties.compactMap { name, value in value.map { [("name", name), ("value", $0)] } }
        let list = XMLElement("properties", [], known.map { XMLElement("property", $0) })
        return XMLElement("testsuite", attributes, [list] + cases.map { $0.element(suite: name) })
    }
}
