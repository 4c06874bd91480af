import Harness
import Primitives
import RunRecords

/// Where a run's calibration comes from: measured once for each machine and boot, and kept.
enum MachineLimits: String, CaseIterable {
    /// Measured if nothing is kept.
    case auto
    /// What is kept, or none.
    case cached
    /// None.
    case off

    /// Reads the option's text; nil stands for ``auto``.
    init(option: String?) throws {
        guard let option else {
            self = .auto
            return
        }
        guard let limits = MachineLimits(rawValue: option) else {
            let names = Self.allCases.map(\.rawValue)
            let hint = nearestName(to: option, among: names).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(
                description: "unknown calibration \(option)\(hint); accepted: \(names.joined(separator: ", "))")
        }
        self = limits
    }

    /// The calibration for a run that is about to start; a machine on which none can be measured has none.
    func calibration(isQuiet: Bool) async -> CalibrationRecord? {
        guard self != .off else { return nil }
        if let kept = Self.cache?.read(for: Self.scope) { return kept }
        guard self == .auto else { return nil }
        if !isQuiet { Terminal.note("measuring what this machine's TLS can do, once until it boots again") }
        // Shorter than the command's own: it is there to set a result beside, and the user waits for it.
        let measured = await SignalWatch.paused {
            try? await Calibration.run(seconds: 1.5, handshakes: 300, program: "/proc/self/exe")
        }
        guard let record = measured else { return nil }
        Self.keep(record)
        return record
    }

    /// Keeps a calibration for the runs to come; where that is not possible, they measure for themselves.
    static func keep(_ record: CalibrationRecord) { try? cache?.write(record, for: scope) }

    private static var cache: CalibrationCache? {
        CalibrationCache.folder(environment: ProcessEnvironment.variables).map { CalibrationCache(folder: $0) }
    }

    private static var scope: CalibrationCache.Scope {
        CalibrationCache.Scope(
            machine: Machine.fingerprint(), boot: Machine.bootIdentifier, version: "\(Main.version) \(Main.build)")
    }
}
