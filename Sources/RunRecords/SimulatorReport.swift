import Foundation
public import Primitives
public import Workload

/// One line that a simulator process writes to its standard output while a run controls it.
public enum SimulatorReport: Codable, Equatable, Sendable {
    /// It listens, its feedback service and the HTTP/2 provider API on ports of their own; the text is the PEM certificate of the
    /// authority that vouches for it, where it asks for certificates it gives the run's sender one, and it gives it a key for provider tokens.
    case ready(
        port: Int, feedbackPort: Int, http2Port: Int, authorityPEM: String, provider: ProviderIdentity?,
        signingKey: ProviderSigningKey?)
    /// What it accepted and used so far, ten times a second; instants are those of the machine's monotonic clock.
    case progress(SimulatorProgress)
    /// The end: its book and what it used.
    case ended(SimulatorResult)
    /// It could not start.
    case failed(message: String)

    /// Reads one line.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(line: String) throws { self = try JSONDecoder().decode(SimulatorReport.self, from: Data(line.utf8)) }

    /// The line without its end.
    public var line: String {
        guard let data = try? JSONEncoder().encode(self) else {
            preconditionFailure("a report holds only plain values")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A certificate and its key that a simulator made for the run's sender; they stay between the two processes.
public struct ProviderIdentity: Codable, Equatable, Sendable {
    /// The certificate.
    public var certificatePEM: String
    /// Its key, not encrypted.
    public var keyPEM: String

    /// Makes an identity.
    public init(certificatePEM: String, keyPEM: String) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }
}

/// A key for provider tokens that a simulator made for the run's sender; it stays between the two processes.
public struct ProviderSigningKey: Codable, Equatable, Sendable {
    /// The key, not encrypted.
    public var keyPEM: String
    /// The key's identifier.
    public var keyID: String
    /// The team whose key it is.
    public var teamID: String

    /// Makes a key.
    public init(keyPEM: String, keyID: String, teamID: String) {
        self.keyPEM = keyPEM
        self.keyID = keyID
        self.teamID = teamID
    }
}

/// A simulator's sums at one instant.
public struct SimulatorProgress: Codable, Equatable, Sendable {
    /// The instant, in nanoseconds of the monotonic clock.
    public var atNs: Int64
    /// Accepted notifications, each once.
    public var accepted: Int64
    /// Those of them that were accepted again.
    public var duplicates: Int64
    /// Processor time of the whole process in nanoseconds.
    public var cpuNs: Int64
    /// For how long its event loops were ready to run while others had the processors, in nanoseconds; nil where the kernel does not
    /// tell.
    public var runQueueNs: Int64?
    /// Memory and descriptors that it held.
    public var holdings: ProcessHoldings

    /// Makes the sums of one instant.
    public init(
        atNs: Int64, accepted: Int64, duplicates: Int64 = 0, cpuNs: Int64, runQueueNs: Int64? = nil,
        holdings: ProcessHoldings = ProcessHoldings()
    ) {
        self.runQueueNs = runQueueNs
        self.atNs = atNs
        self.accepted = accepted
        self.duplicates = duplicates
        self.cpuNs = cpuNs
        self.holdings = holdings
    }
}

/// What a process held at one instant; nil is what its kernel does not tell.
public struct ProcessHoldings: Codable, Equatable, Sendable {
    /// Resident memory in bytes.
    public var residentBytes: Int64?
    /// Open file descriptors.
    public var descriptors: Int64?

    /// Makes an account of what is known.
    public init(residentBytes: Int64? = nil, descriptors: Int64? = nil) {
        self.residentBytes = residentBytes
        self.descriptors = descriptors
    }
}

/// What a simulator knows at the end of a run.
public struct SimulatorResult: Codable, Equatable, Sendable {
    /// Its book.
    public var ledger = SimulatorLedgerRecord()
    /// Accepted identifiers, as alternating starts and ends (exclusive) by distance from the first identifier; nil when there were
    /// too many stretches to list.
    public var acceptedStretches: [UInt64]?
    /// Refused identifiers, as alternating starts and ends (exclusive) by distance from the first identifier.
    public var refusedStretches: [UInt64] = []
    /// Refusals of identifiers beyond those that ``refusedStretches`` had room for.
    public var unlistedRefusals: Int64 = 0
    /// The order-free digest of accepted (identifier, token) pairs.
    public var digest: UInt64 = 0
    /// The order-free digest of the tuples that the feedback service delivered.
    public var feedbackDigest: UInt64 = 0
    /// Refusals by status; bytes that are no command count under 128.
    public var rejections: [Int: Int64] = [:]
    /// When the first notification was accepted, in nanoseconds of the monotonic clock.
    public var firstAcceptedNs: Int64?
    /// When the last notification was accepted.
    public var lastAcceptedNs: Int64?
    /// What the process used.
    public var resources = ProcessResourcesRecord()
    /// Its TLS handshakes.
    public var handshakes = HandshakesRecord()
    /// When connections stood, accepted and ended; the first ones of each loop only, if there were very many.
    public var connectionTraces: [ConnectionTrace] = []
    /// When a sample of notifications was accepted; nil if nobody asked for it.
    public var acceptanceTimes: AcceptanceTimes?
    /// When all notifications were accepted for the first time, added up; nil if nobody looked.
    public var acceptedAt: AcceptanceInstants?
    /// Times that the window of the simulated long way (`roundTripWindow`) was full.
    public var pathStops: Int64 = 0
    /// For how long such windows were full in nanoseconds, added over all connections.
    public var pathStopNs: Int64 = 0

    /// Makes an empty result.
    public init() {}
}

/// When notifications were accepted, added up over all of them, as a simulator tells it.
public struct AcceptanceInstants: Codable, Equatable, Sendable {
    /// How many.
    public var count: Int64
    /// The mean of the instants in nanoseconds of the monotonic clock, rounded down.
    public var meanNs: Int64
    /// What is left of their sum.
    public var remainderNs: Int64

    /// Tells a sum.
    public init(_ sum: InstantSum) {
        count = sum.count
        (meanNs, remainderNs) = sum.meanAndRemainder
    }

    /// The sum.
    public var sum: InstantSum { InstantSum(count: count, mean: meanNs, remainder: remainderNs) }
}

/// When a sample of notifications was accepted, as a simulator tells it.
public struct AcceptanceTimes: Codable, Equatable, Sendable {
    /// One of two to this power was sampled.
    public var shift: Int
    /// For each notification its distance from the first identifier in four bytes and the instant in nanoseconds of the monotonic
    /// clock in eight, the least significant first; base64, since a list of numbers costs an allocation for each.
    public var packed: String

    /// Lists a sample.
    public init(_ sample: SequenceSample) {
        shift = sample.shift
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sample.entries.count * Self.entryBytes)
        for entry in sample.entries {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: entry.sequence).littleEndian) {
                bytes.append(contentsOf: $0)
            }
            withUnsafeBytes(of: entry.at.nanoseconds.littleEndian) { bytes.append(contentsOf: $0) }
        }
        packed = Data(bytes).base64EncodedString()
    }

    private static let entryBytes = 12

    /// The sample; empty if the text is none.
    public var sample: SequenceSample {
        var sample = SequenceSample(shift: min(max(0, shift), 63))
        let bytes = Data(base64Encoded: packed) ?? Data()
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, through: bytes.count - Self.entryBytes, by: Self.entryBytes) {
                let sequence = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                let at = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: Int64.self))
                sample.add(UInt64(sequence), at: Instant(nanoseconds: at))
            }
        }
        return sample
    }
}

/// What the simulator saw of one connection; instants in nanoseconds of the monotonic clock.
public struct ConnectionTrace: Equatable, Sendable {
    /// The TCP port of the provider's end.
    public var port: UInt16
    /// When the TLS handshake was done.
    public var openedNs: Int64
    /// When the first notification was accepted; nil if none was.
    public var firstAcceptedNs: Int64?
    /// When the last byte of a reply, or without one the end of the connection, was handed to the system; nil if the provider ended it.
    public var endSentNs: Int64?

    /// Makes the trace of a connection that stands.
    public init(port: UInt16, openedNs: Int64) {
        self.port = port
        self.openedNs = openedNs
    }
}

extension ConnectionTrace: Codable {
    /// Reads four numbers.
    ///
    /// - Throws: what the decoder throws.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        port = try list.decode(UInt16.self)
        openedNs = try list.decode(Int64.self)
        firstAcceptedNs = try list.decode(Int64?.self)
        endSentNs = try list.decode(Int64?.self)
    }

    /// Writes four numbers without their names, since there may be a hundred thousand connections.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(port)
        try list.encode(openedNs)
        try list.encode(firstAcceptedNs)
        try list.encode(endSentNs)
    }
}
