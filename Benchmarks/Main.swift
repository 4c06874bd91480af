import Glibc
import Primitives

/// Measures this project's own speed, allocations and memory, prints tables, and writes a record for `results/`.
///
/// Figures of one part were made side by side in the same minutes; compare ratios, never absolute figures of two days.
@main enum Main {
    static func main() async {
        do {
            let options = try BenchmarkOptions(CommandLine.arguments.dropFirst())
            var results = Results(options)
            var excesses: [String] = []
            for part in options.parts {
                let table = try await part.measure(options)
                print(table.text)
                results.add(part, table)
                excesses += table.excesses
            }
            if let path = options.output { try results.write(to: path) }
            for excess in excesses { complain(excess) }
            if !excesses.isEmpty { exit(3) }
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        let bytes = Array("benchmarks: \(text)\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
