import Foundation
import Primitives
public import RunRecords

/// The state of a run as one line of JSON, schema `pushbench.progress/1`, for programs that watch it.
public struct ProgressJSON {
    /// The schema that this version writes.
    public static let currentSchema = "pushbench.progress/1"

    private struct Line: Encodable {
        var schema = ProgressJSON.currentSchema
        var phase: RunProgress.Phase
        var elapsedNs: Int64
        @ExplicitNull var timeLeftNs: Int64?
        @ExplicitNull var planned: UInt64?
        var written: UInt64
        var resent: UInt64
        var bytes: UInt64
        @ExplicitNull var accepted: Int64?
        var rejected: UInt64
        var reconnects: UInt64
        var inFlight: UInt64
        var openConnections: Int
        var connections: Int
        var connectionFailures: UInt64
        @ExplicitNull var offeredPerSecond: Double?
        var errors: [ErrorCountRecord]
        var latencies: [RunProgress.LatencyGlance]
        @ExplicitNull var interval: IntervalRecord?
    }

    private let line: Line

    /// Takes the state of a run.
    public init(_ progress: RunProgress) {
        var interval = progress.intervals.last
        // Histograms belong into an interval log.
        interval?.histograms = nil
        line = Line(
            phase: progress.phase, elapsedNs: progress.elapsed.nanoseconds, timeLeftNs: progress.timeLeft?.nanoseconds,
            planned: progress.planned, written: progress.written, resent: progress.resent, bytes: progress.bytes,
            accepted: progress.accepted, rejected: progress.rejected, reconnects: progress.reconnects,
            inFlight: progress.inFlight, openConnections: progress.openConnections, connections: progress.connections,
            connectionFailures: progress.connectionFailures, offeredPerSecond: progress.offeredPerSecond,
            errors: progress.errors, latencies: progress.latest, interval: interval)
    }

    /// The line without its end, with sorted keys; nil if a number is not finite, which none is.
    public var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) }
    }
}
