import Foundation

/// What a comparison of a profile with itself showed on one machine: which changes are noise there.
public struct NoiseRecord: Codable, Equatable, Sendable {
    /// The machine.
    public var machine: MachineRecord
    /// The profile's hash.
    public var profileHash: String
    /// The profile's name, for people.
    public var profileName: String
    /// How the program was built.
    public var build: String
    /// When it was measured, ISO 8601 in UTC.
    public var measuredAt: String
    /// The order in which the runs were made, such as `ABBABAAB`.
    public var order: String
    /// The ratios of the pairs' values, by the figures' names.
    public var pairRatios: [String: [Double]]

    /// Makes a record.
    public init(
        machine: MachineRecord, profileHash: String, profileName: String, build: String, measuredAt: String,
        order: String, pairRatios: [String: [Double]]
    ) {
        self.machine = machine
        self.profileHash = profileHash
        self.profileName = profileName
        self.build = build
        self.measuredAt = measuredAt
        self.order = order
        self.pairRatios = pairRatios
    }

    /// Whether it holds for the same runs on the same machine as another.
    fileprivate func concerns(_ other: NoiseRecord) -> Bool {
        machine == other.machine && profileHash == other.profileHash && build == other.build
    }
}

/// The file in which noise is kept, beside the machine's calibration: one record for each machine, profile and kind of build.
public struct NoiseCache: Sendable {
    private struct Content: Codable { var records: [NoiseRecord] }

    /// The file.
    public let path: String
    private static let bytesMax = 16 << 20
    private static let recordsMax = 64

    /// Names the file in a folder, which need not exist; ``CalibrationCache/folder(environment:)`` is where it lies.
    public init(folder: String) { path = folder + "/noise.json" }

    /// What is kept for exactly this machine, profile and build; nil if there is nothing, or nothing that can be read.
    public func read(machine: MachineRecord, profileHash: String, build: String) -> NoiseRecord? {
        records.last { $0.machine == machine && $0.profileHash == profileHash && $0.build == build }
    }

    /// Keeps a record in place of an earlier one of the same kind; the oldest go when there are too many.
    ///
    /// - Throws: ``RecordError``.
    public func write(_ record: NoiseRecord) throws(RecordError) {
        let kept = (records.filter { !$0.concerns(record) } + [record]).suffix(Self.recordsMax)
        let bytes = try RecordCoding.encoded(Content(records: Array(kept)))
        let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        // What is wrong with the folder shows when the file is written.
        try? FileAccess.makeFolder(String(folder))
        do throws(FileFailure) { try FileAccess.replace(path, with: bytes, durability: .process) } catch {
            throw .file(error)
        }
    }

    private var records: [NoiseRecord] {
        guard let bytes = try? FileAccess.read(path, limit: Self.bytesMax),
            let content = try? JSONDecoder().decode(Content.self, from: Data(bytes))
        else { return [] }
        return content.records
    }
}
