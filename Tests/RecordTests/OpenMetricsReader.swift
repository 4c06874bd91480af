/// A strict reader of OpenMetrics 1.0 text, written by the specification for these tests: whatever it does not expect is an error.
struct OpenMetricsReader {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Failure: Error, CustomStringConvertible {
        var line: Int
        var description: String
    }

    private(set) var samples: [Sample] = []
    private var families: Set<String> = []
    private var family = ""
    private var kind = ""
    private var metadata: Set<String> = []
    private var seen: Set<String> = []
    private var metrics: [String] = []
    /// The bounds and counts of the histogram whose buckets are being read.
    private var buckets: [(bound: Double, count: Double)] = []

    init(_ text: String) throws {
        guard text.hasSuffix("# EOF\n") else { throw Failure(line: 0, description: "no end") }
        var lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "# EOF" else { throw Failure(line: 0, description: "no end on a line of its own") }
        for (index, line) in lines.enumerated() {
            do {
                if line.hasPrefix("#") { try readMetadata(line) } else { try readSample(line) }
            } catch let failure as Failure {
                throw Failure(line: index + 1, description: "line \(index + 1): \(failure.description): \(line)")
            }
        }
        try closeBuckets()
    }

    func value(_ name: String, _ labels: [String: String]) -> Double? {
        samples.first { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }?.value
    }

    private func closeBuckets() throws {
        guard buckets.isEmpty else { throw fail("buckets without a count") }
    }

    private func fail(_ text: String) -> Failure { Failure(line: 0, description: text) }

    private mutating func readMetadata(_ line: Substring) throws {
        guard let match = line.wholeMatch(of: /# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/) else {
            throw fail("no metadata")
        }
        let (key, name, text) = (String(match.1), String(match.2), String(match.3))
        if key == "TYPE" {
            guard families.insert(name).inserted else { throw fail("a family twice") }
            guard ["gauge", "counter", "histogram", "info", "stateset"].contains(text) else {
                throw fail("unknown type")
            }
            try closeBuckets()
            (family, kind, metadata, metrics) = (name, text, [], [])
        }
        guard name == family else { throw fail("metadata of another family") }
        guard metadata.insert(key).inserted else { throw fail("metadata twice") }
        if key == "UNIT", !name.hasSuffix("_" + text) { throw fail("a unit that is not the end of the name") }
        if key == "HELP", text.replacing(/\\[\\n"]/, with: "").contains("\\") { throw fail("a wrong escape") }
    }

    private mutating func readSample(_ line: Substring) throws {
        guard
            let match = line.wholeMatch(
                of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/),
            let value = Double(match.3)
        else { throw fail("no sample") }
        let name = String(match.1)
        var labels = try readLabels(match.2 ?? "")
        guard seen.insert("\(name)\(labels.sorted { $0.key < $1.key })").inserted else { throw fail("a sample twice") }
        samples.append(Sample(name: name, labels: labels, value: value))
        guard name.hasPrefix(family) else { throw fail("a sample of another family") }
        let suffix = name.dropFirst(family.count)
        switch (kind, suffix) {
        case ("gauge", ""): break
        case ("info", "_info"): guard value == 1 else { throw fail("an info that is not 1") }
        case ("stateset", ""):
            guard labels.removeValue(forKey: family) != nil, [0, 1].contains(value) else { throw fail("no state") }
        case ("counter", "_total"): guard value >= 0 else { throw fail("a negative counter") }
        case ("histogram", "_bucket"):
            guard let text = labels.removeValue(forKey: "le"), let bound = text == "+Inf" ? .infinity : Double(text),
                buckets.last.map({ $0.bound < bound && $0.count <= value }) ?? true, value == value.rounded()
            else { throw fail("no bucket") }
            buckets.append((bound, value))
        case ("histogram", "_sum"): guard value >= 0, !buckets.isEmpty else { throw fail("no sum") }
        case ("histogram", "_count"):
            guard buckets.last.map({ $0.bound == .infinity && $0.count == value }) == true else {
                throw fail("no count")
            }
            buckets = []
        default: throw fail("a suffix that the type does not have")
        }
        let metric = "\(labels.sorted { $0.key < $1.key })"
        guard metrics.last != metric else { return }
        guard !metrics.contains(metric) else { throw fail("samples of a metric apart from each other") }
        metrics.append(metric)
    }

    private func readLabels(_ text: Substring) throws -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/) else {
                throw fail("no label")
            }
            guard labels.updateValue(String(match.2), forKey: String(match.1)) == nil else {
                throw fail("a label twice")
            }
            rest = rest[match.range.upperBound...]
            if match.3 == ",", rest.isEmpty { throw fail("a comma at the end") }
        }
        return labels
    }
}
