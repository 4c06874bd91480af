import Analysis
import RunRecords
import Statistics

/// How the command line wants things compared.
struct ComparisonOptions {
    var plan = ComparisonPlan()

    init(_ parsed: ParsedCommand) throws {
        for name in parsed.values["gate"] ?? [] {
            let metric: Metric
            do throws(ThresholdError) { metric = try Metric(name) } catch {
                throw UsageError(description: "--gate: \(error)")
            }
            guard metric.direction != .neither else {
                throw UsageError(description: "--gate \(name): has no better and worse, so that it cannot decide")
            }
            if !plan.gates.contains(metric) { plan.gates.append(metric) }
        }
        if let text = parsed.last("noise") { plan.declaredNoise = try Self.share(text, option: "--noise") }
        if let text = parsed.last("alpha") {
            guard let alpha = Double(text), alpha > 0, alpha < 0.5 else {
                throw UsageError(description: "--alpha \(text): a number above 0 and below 0.5 is accepted")
            }
            plan.alpha = alpha
        }
        if let text = parsed.last("resampling-seed") {
            guard let seed = UInt64(text) else {
                throw UsageError(description: "--resampling-seed \(text): a number from 0 is accepted")
            }
            plan.seed = seed
        }
        for text in parsed.values["threshold"] ?? [] {
            let threshold: Threshold
            do throws(ThresholdError) { threshold = try Threshold(text) } catch {
                throw UsageError(description: "--threshold: \(error)")
            }
            guard threshold.isChange else {
                throw UsageError(
                    description: "--threshold \(text): only changes are accepted, as compare(accepted/s) > -5%")
            }
            plan.thresholds.append(threshold)
        }
        plan.mayDiffer = parsed.has("different-profiles")
        plan.isAdvisory = parsed.has("advisory")
    }

    /// A share as `5%`.
    static func share(_ text: String, option: String) throws -> Double {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent < 100 else {
            throw UsageError(description: "\(option) \(text): a share above 0% and below 100% is accepted")
        }
        return percent / 100
    }
}

/// What is known of a machine's noise.
enum MachineNoise {
    static var cache: NoiseCache? {
        CalibrationCache.folder(environment: ProcessEnvironment.variables).map { NoiseCache(folder: $0) }
    }

    /// The noise of runs like this one, by the figures' names; empty if it was never measured.
    static func floors(for run: RunRecord?) -> [String: NoiseFloor] {
        guard let run,
            let record = cache?.read(machine: run.machine, profileHash: run.profileHash, build: run.tool.build)
        else { return [:] }
        return record.pairRatios.mapValues { NoiseFloor(pairRatios: $0) }
    }
}
