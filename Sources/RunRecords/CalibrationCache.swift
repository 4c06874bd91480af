import Foundation

/// The file in which a machine's calibration is kept until the machine, its boot or the program changes.
public struct CalibrationCache: Sendable {
    /// What a calibration holds for.
    public struct Scope: Codable, Equatable, Sendable {
        /// The machine.
        public var machine: MachineRecord
        /// The kernel's number of this boot, since firmware, microcode and neighbours change between boots.
        public var boot: String
        /// The version of the program that measured.
        public var version: String

        /// Makes a scope.
        public init(machine: MachineRecord, boot: String, version: String) {
            self.machine = machine
            self.boot = boot
            self.version = version
        }
    }

    private struct Content: Codable {
        var scope: Scope
        var calibration: CalibrationRecord
    }

    /// The file.
    public let path: String
    private static let bytesMax = 1 << 20

    /// Names the file in a folder, which need not exist.
    public init(folder: String) { path = folder + "/calibration.json" }

    /// The folder for it by the XDG Base Directory Specification: `$XDG_CACHE_HOME/pushbench`, else `~/.cache/pushbench`; nil
    /// without either.
    public static func folder(environment: [String: String]) -> String? {
        // The specification has relative paths ignored.
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/pushbench" }
        return environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.cache/pushbench" }
    }

    /// What is kept for exactly this scope; nil if there is nothing, or nothing that can be read.
    public func read(for scope: Scope) -> CalibrationRecord? {
        guard let bytes = try? FileAccess.read(path, limit: Self.bytesMax),
            let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.scope == scope
        else { return nil }
        return content.calibration
    }

    /// Keeps a calibration in place of the one before.
    ///
    /// - Throws: ``RecordError/file(_:)``.
    public func write(_ calibration: CalibrationRecord, for scope: Scope) throws(RecordError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(Content(scope: scope, calibration: calibration)) else {
            throw .notEncodable(keyPath: "calibration")
        }
        let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        // What is wrong with the folder shows when the file is written.
        try? FileAccess.makeFolder(String(folder))
        do throws(FileFailure) {
            try FileAccess.replace(path, with: Array(data), durability: .process)
        } catch {
            throw .file(error)
        }
    }
}
