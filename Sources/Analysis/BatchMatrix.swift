public import RunRecords

/// Runs of one workload over batch sizes and connection counts: what each setting gives, and which is enough.
///
/// A run that did not finish, or lost sight of a notification, has no rate: what it reached before says nothing about the setting.
public struct BatchMatrix: Equatable, Sendable {
    /// What one setting gave.
    public struct Cell: Equatable, Sendable {
        /// Notifications in a batch, at most.
        public var batch: Int
        /// Connections.
        public var connections: Int
        /// Accepted notifications per second; nil if the run is incomplete.
        public var acceptedPerSecond: Double?
        /// The residence that 99 of 100 notifications did not exceed, in nanoseconds; nil without enough of them or if incomplete.
        public var residenceP99Ns: Int64?
        /// The most memory that the sender's process held, in bytes.
        public var senderPeakRSSBytes: Int64
        /// The most memory that the simulator's process held, in bytes; nil without its account.
        public var simulatorPeakRSSBytes: Int64?

        /// Whether the run did all that was asked of it.
        public var isComplete: Bool { acceptedPerSecond != nil }

        /// Takes a run's figures.
        public init(batch: Int, connections: Int, record: RunRecord) {
            self.batch = batch
            self.connections = connections
            senderPeakRSSBytes = record.resources.sender.peakRSSBytes
            simulatorPeakRSSBytes = record.resources.simulator?.peakRSSBytes
            guard Self.isComplete(record) else { return }
            acceptedPerSecond = record.throughput.acceptedPerSecond
            residenceP99Ns = record.latency["residence"]?.quantiles.p99
        }

        private static func isComplete(_ record: RunRecord) -> Bool {
            let ledger = record.ledger
            let hasEnded =
                switch record.verdict.status {
                case .passed, .failed, .generatorLimited, .scheduleMissed: true
                case .running, .inconclusive, .unreachable, .interrupted, .internalError: false
                }
            return hasEnded && ledger.generated > 0 && ledger.accepted + ledger.rejected == ledger.generated
        }
    }

    /// The cells in the order in which they were given.
    public var cells: [Cell]

    /// A setting counts as good as the best from this share of its rate on.
    public static let kneeShare = 0.97

    /// Makes a matrix of its cells.
    public init(_ cells: [Cell]) { self.cells = cells }

    /// The index of the knee: the smallest cell whose rate is within 3 % of the best; nil if none is complete.
    ///
    /// Smaller is what has fewer notifications in flight, connections × batch; of equal ones that with fewer connections.
    public var knee: Int? {
        guard let best = cells.compactMap(\.acceptedPerSecond).max() else { return nil }
        let good = cells.indices.filter { (cells[$0].acceptedPerSecond ?? -1) >= Self.kneeShare * best }
        return good.min { Self.size(of: cells[$0]) < Self.size(of: cells[$1]) }
    }

    private static func size(of cell: Cell) -> (Int, Int) {
        let (product, isTooLarge) = cell.batch.multipliedReportingOverflow(by: cell.connections)
        return (isTooLarge ? .max : product, cell.connections)
    }
}
