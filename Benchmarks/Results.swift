import Glibc
import Harness
import RunRecords

/// All tables of one go, with the machine's class but not its name.
struct Results {
    private var parts: [String: JSONValue] = [:]
    private let isQuick: Bool
    private let loadAtStart = Results.load()

    init(_ options: BenchmarkOptions) { isQuick = options.isQuick }

    mutating func add(_ part: Part, _ table: ResultTable) { parts[part.rawValue] = table.json }

    /// Writes everything as JSON.
    func write(to path: String) throws {
        let machine = Machine.fingerprint()
        let document = JSONValue.object([
            "schema": .string("pushbench.benchmarks/1"),
            "measuredAt": .string(Machine.utcText()),
            "quick": .bool(isQuick),
            "loadAverageAtStart": .number(loadAtStart),
            "machine": .object([
                "cpuModel": .string(machine.cpuModel), "cores": .integer(Int64(machine.cores)),
                "memoryBytes": .integer(machine.memoryBytes), "kernel": .string(machine.kernel),
                "os": .string(machine.os), "openssl": .string(machine.openssl),
            ]),
            "parts": .object(parts),
        ])
        let bytes = Array((document.indentedText() + "\n").utf8)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw BenchmarkFailure("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw BenchmarkFailure("\(path): \(String(cString: strerror(errno)))") }
    }

    /// Processes that wanted to run, on average over the last minute: what else the machine was doing.
    static func load() -> Double {
        var averages = [0.0, 0.0, 0.0]
        return getloadavg(&averages, 3) > 0 ? averages[0] : .nan
    }
}

extension JSONValue {
    /// The value over several lines, with an object's members by name and the innermost ones on one line.
    fileprivate func indentedText(_ margin: String = "") -> String {
        let inner = margin + "  "
        switch self {
        case .array(let values) where !values.isEmpty:
            return "[\n" + values.map { inner + $0.indentedText(inner) }.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where members.values.contains(where: \.hasParts):
            let lines = members.sorted { $0.key < $1.key }.map {
                inner + JSONValue.string($0.key).canonicalText + ": " + $0.value.indentedText(inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        default: return canonicalText
        }
    }

    private var hasParts: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
