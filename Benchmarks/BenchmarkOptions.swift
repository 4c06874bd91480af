import Harness

/// A benchmark that could not be carried out, or whose result was wrong.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What is measured; each part is a table.
enum Part: String, CaseIterable {
    case operations, pipe, allocations, memory, handshakes, writes, matrix, http2, measuring, accuracy, pacing,
        verdicts, sweeps, capacities, badtokens

    func measure(_ options: BenchmarkOptions) async throws -> ResultTable {
        switch self {
        case .operations: try OperationCosts(options).measure()
        case .pipe: try PipeComparison(options).measure()
        case .allocations: try AllocationCounts(options).measure()
        case .memory: try await MemoryUse(options).measure()
        case .handshakes: try await HandshakeRates(options).measure()
        case .writes: try await SmallWrites(options).measure()
        case .matrix: try BatchMatrixRuns(options).measure()
        case .http2: try HTTP2Comparison(options).measure()
        case .measuring: try MeasuringCost(options).measure()
        case .accuracy: try MeasurementAccuracy(options).measure()
        case .pacing: try PacingEvenness(options).measure()
        case .verdicts: try VerdictTrials(options).measure()
        case .sweeps: try PlanningTrials(options).sweeps()
        case .capacities: try PlanningTrials(options).capacities()
        case .badtokens: try BadTokenGrid(options).measure()
        }
    }
}

/// The command line: `Benchmarks [--quick] [--out FILE] [--program FILE] [--rounds N] [PART…]`.
struct BenchmarkOptions {
    /// Sizes that take seconds, to see that everything still works; their figures mean nothing.
    var isQuick = false
    /// Where the results are written as JSON.
    var output: String?
    /// The pushbench that is run; the one beside this program unless told otherwise.
    var program: String
    /// Rounds of what is compared; nil for each part's own number.
    var roundCount: Int?
    /// The parts, in the order in which they are measured.
    var parts: [Part] = []

    init(_ arguments: ArraySlice<String>) throws {
        program = Machine.programFolder + "/pushbench"
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--out": output = try Self.value(of: argument, &rest)
            case "--program": program = try Self.value(of: argument, &rest)
            case "--rounds":
                guard let count = Int(try Self.value(of: argument, &rest)), count > 0 else {
                    throw BenchmarkFailure("--rounds takes a number from 1 upwards")
                }
                roundCount = count
            default:
                guard let part = Part(rawValue: argument) else {
                    let names = Part.allCases.map(\.rawValue).joined(separator: ", ")
                    throw BenchmarkFailure("unknown argument \(argument); parts are \(names)")
                }
                parts.append(part)
            }
        }
        if parts.isEmpty { parts = Part.allCases }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value") }
        return value
    }

    /// A size for real measurements, or the one for a quick look.
    func size(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

    /// How often a part repeats what it compares.
    func rounds(_ full: Int) -> Int { roundCount ?? size(full, quick: 1) }
}
