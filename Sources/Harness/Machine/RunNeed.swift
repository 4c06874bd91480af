import RunRecords

/// What the runs of a profile need of a machine.
struct RunNeed: Equatable {
    /// Connections to the target.
    var connections: Int
    /// File descriptors of the process that needs most.
    var descriptors: Int
    /// The most memory that both processes can come to need, in bytes.
    var memoryBytes: Int64
    /// Whether the simulator runs here, too.
    var hasSimulator: Bool
    /// Where the simulator listens.
    var simulatorAddress = "127.0.0.1"
    /// The simulator's port; 0 takes a free one.
    var simulatorPort = 0
    /// Its port of the HTTP/2 provider API; 0 takes a free one.
    var http2Port = 0

    /// Descriptors beside those of connections: loops, pipes, files.
    static let otherDescriptors = 64
    /// How many connections may wait to be accepted at once.
    static let backlog = 4_096
    /// TLS and record buffers of one end of a busy connection, without the kernel's.
    private static let bytesPerConnectionEnd = 128 * 1_024.0
    /// A window's book in the worst case, in which no two notifications follow each other.
    private static let bytesPerWindowPlace = 24.0
    /// What one end knows of an open request, at most.
    private static let bytesPerStreamEnd = 128.0
    /// Programs, histograms, books.
    private static let fixedBytes = 64.0 * 1_048_576

    init(_ profile: Profile) {
        connections = profile.sender.connections
        descriptors = connections + Self.otherDescriptors
        hasSimulator = false
        if case .simulator(let settings) = profile.target {
            hasSimulator = true
            simulatorAddress = settings.address
            simulatorPort = settings.port
            http2Port = settings.http2.port
        }
        let ends = Double(hasSimulator ? 2 : 1)
        let underWay =
            profile.protocolName == .http2
            ? ends * Double(profile.sender.streams) * Self.bytesPerStreamEnd
            : Double(profile.sender.window) * Self.bytesPerWindowPlace
        let perConnection = ends * Self.bytesPerConnectionEnd + underWay
        // Any profile has an estimate, also one that is far beyond every machine.
        memoryBytes = Int64(min(Self.fixedBytes + Double(connections) * perConnection, 0x1p62))
    }
}
