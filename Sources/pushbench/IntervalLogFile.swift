import Glibc
import Reports
import RunRecords
import Synchronization

/// An interval log that grows with the run, so that a killed run leaves the intervals that it had.
///
/// What is only known at the end, the times of acceptance, comes into it when the run's outputs are written.
final class IntervalLogFile: Sendable {
    private let record: RunRecord
    private let descriptor: Int32
    private let writtenCount = Mutex(0)

    /// Begins the file anew.
    ///
    /// - Throws: ``FileFailure``.
    init(path: String, record: RunRecord) throws(FileFailure) {
        self.record = record
        descriptor = try FileAccess.begin(path)
        Terminal.write(IntervalLogText.header(record), to: descriptor)
    }

    deinit { close(descriptor) }

    /// Adds the intervals that have ended since the last time.
    func add(_ intervals: [IntervalRecord]) {
        writtenCount.withLock { count in
            for interval in intervals.dropFirst(count) {
                // What is wrong with the file or the histograms is reported at the end.
                if let lines = try? IntervalLogText.lines(interval, record) { Terminal.write(lines, to: descriptor) }
            }
            count = max(count, intervals.count)
        }
    }
}
