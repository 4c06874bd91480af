import Analysis
import Foundation
import Harness
import Primitives
import RunRecords
import Testing
import Workload

/// Whole runs over real TLS. Serialized: two processes a run are all that two cores carry.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EndToEndTests {}

/// Runs that mostly wait, for faults and for peers that do harm: one after the other, but beside the others.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PatientEndToEndTests {}

/// One run: a profile as its text.
struct Run {
    var profile: Profile
    var interrupts = Interrupts()
    var outageLimit = Interval.seconds(30)
    var onInterval: @Sendable (RunProgress) -> Void = { _ in }
    var keepsIntervalHistograms = false
    /// Whether the simulator lies on purpose, so that the two books cannot agree.
    var isLiedTo = false
    /// What its simulator is started as.
    let program: NamedProgram

    init(_ text: String, outageLimit: Interval = .seconds(30)) throws {
        profile = try Profile.read(text: text, source: "test.json5")
        program = try NamedProgram()
        self.outageLimit = outageLimit
    }

    /// Carries it out, and checks what holds for every run, however it ends.
    func record(sourceLocation: SourceLocation = #_sourceLocation) async throws -> RunRecord {
        var options = RunOptions(
            program: program.path, profileJSON: profile.effectiveJSON.canonicalText, interrupts: interrupts,
            onProgress: { [onInterval] progress in if progress.endsInterval { onInterval(progress) } })
        options.outageLimit = outageLimit
        options.keepsIntervalHistograms = keepsIntervalHistograms
        var record = try await RunEngine(profile: profile, options: options).run()
        record.conclude(thresholds: profile.thresholdOutcomes(in: record))
        expectSound(record, sourceLocation)
        return record
    }

    /// How many of the run's notifications go to devices of a fate.
    func expectedCount(of fate: FateClass) throws -> Int64 {
        let count = UInt64(profile.workload.notifications)
        return Int64(try profile.notificationSource().expectedCount(of: fate, notifications: count))
    }

    private func expectSound(_ record: RunRecord, _ sourceLocation: SourceLocation) {
        #expect(
            record.ledger.isBalanced, "the ledger balances: \(record.ledger)", sourceLocation: sourceLocation)
        #expect(
            isLiedTo || [nil, 0].contains(record.ledgerDifference), "the two books agree",
            sourceLocation: sourceLocation)
        #expect(
            isLiedTo || record.brokenInvariants ?? [] == [], "the figures agree with each other",
            sourceLocation: sourceLocation)
        if let book = record.simulatorLedger, !record.intervals.isEmpty {
            let sum = record.intervals.reduce(0) { $0 + ($1.accepted ?? 0) }
            #expect(
                sum == book.accepted + book.acceptedWithoutIdentifier, "intervals add up",
                sourceLocation: sourceLocation)
        }
        for (name, series) in record.latency {
            #expect(series.invalidCount == 0, "\(name) has no negative value", sourceLocation: sourceLocation)
            let quantiles = series.quantiles
            let rising = [series.minNs, quantiles.p50, quantiles.p90, quantiles.p99, quantiles.p999, series.maxNs]
                .compactMap { $0 }
            #expect(
                rising == rising.sorted(), "\(name): no percentile falls or exceeds the maximum",
                sourceLocation: sourceLocation)
        }
        if let book = record.simulatorLedger, !isLiedTo {
            #expect(record.ledger.accepted == book.accepted, sourceLocation: sourceLocation)
            #expect(record.ledger.rejected <= book.rejected, sourceLocation: sourceLocation)
            #expect(record.ledger.duplicates == book.duplicates, sourceLocation: sourceLocation)
        }
        let proof = record.ledger.proof
        let proved = proof.errorReply + proof.shutdown + proof.sentinel + proof.simulator + proof.response
        #expect(proved == record.ledger.accepted, "each acceptance has a proof", sourceLocation: sourceLocation)
        #expect(program.simulators().isEmpty, "no simulator outlives its run", sourceLocation: sourceLocation)
    }
}

/// What a run without losses shows.
func expectClean(_ record: RunRecord, sourceLocation: SourceLocation = #_sourceLocation) {
    let ledger = record.ledger
    #expect(record.verdict.status == .passed, "\(record.verdict.reasons)", sourceLocation: sourceLocation)
    #expect(record.ledgerDifference == 0, sourceLocation: sourceLocation)
    #expect(
        [ledger.lost, ledger.unknown, ledger.unsent, ledger.duplicates] == [0, 0, 0, 0], "\(ledger)",
        sourceLocation: sourceLocation)
    #expect(ledger.rejected == record.simulatorLedger?.rejected, sourceLocation: sourceLocation)
    #expect(
        record.intervals.reduce(0) { $0 + $1.rejected } == ledger.rejected, "intervals add up",
        sourceLocation: sourceLocation)
}

extension RunRecord {
    /// How many error replies with a status came.
    func errorCount(_ status: Int) -> Int64 { errors.first { $0.status == status }?.count ?? 0 }

    /// Notifications written, each time counted.
    var written: Int64 { intervals.reduce(0) { $0 + $1.written } }
}
