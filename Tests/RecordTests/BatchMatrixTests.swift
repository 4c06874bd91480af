import Primitives
import RunRecords
import Testing

@testable import Analysis

/// C24: batch size against connections, out of records whose figures are known.
@Suite struct BatchMatrixTests {
    private static func cell(
        _ batch: Int, _ connections: Int, rate accepted: Int64, _ change: (inout RunRecord) -> Void = { _ in }
    ) -> BatchMatrix.Cell {
        var record = sampleRecord()
        record.throughput = ThroughputRecord(accepted: accepted, written: accepted, bytes: 0, over: .seconds(1))
        record.resources.simulator?.peakRSSBytes = 30 << 20
        change(&record)
        return BatchMatrix.Cell(batch: batch, connections: connections, record: record)
    }

    @Test func `a cell has its run's rate, residence and memory of both sides`() {
        let cell = Self.cell(100, 8, rate: 80_000)
        #expect(cell.acceptedPerSecond == 80_000)
        #expect(cell.residenceP99Ns == sampleRecord().latency["residence"]?.quantiles.p99)
        #expect(cell.residenceP99Ns != nil)
        #expect(cell.senderPeakRSSBytes == 48 << 20)
        #expect(cell.simulatorPeakRSSBytes == 30 << 20)
    }

    @Test func `the knee is the smallest cell within three percent of the best`() {
        let matrix = BatchMatrix([
            Self.cell(1, 1, rate: 10_000), Self.cell(1, 32, rate: 60_000), Self.cell(10, 4, rate: 96_900),
            Self.cell(10, 16, rate: 97_100), Self.cell(100, 4, rate: 99_000), Self.cell(1_000, 32, rate: 100_000),
        ])
        #expect(matrix.knee == 3)
    }

    @Test func `of equal sizes the one with fewer connections is the knee`() {
        #expect(BatchMatrix([Self.cell(10, 32, rate: 100), Self.cell(32, 10, rate: 100)]).knee == 1)
        #expect(BatchMatrix([Self.cell(32, 10, rate: 100), Self.cell(10, 32, rate: 100)]).knee == 0)
        #expect(BatchMatrix([Self.cell(.max, 2, rate: 100), Self.cell(1, 2, rate: 100)]).knee == 1)
    }

    @Test(
        arguments: [.running, .inconclusive, .unreachable, .interrupted, .internalError] as [VerdictRecord.Status])
    func `a run that did not finish has no rate and is no knee`(status: VerdictRecord.Status) {
        let unfinished = Self.cell(1, 1, rate: 1_000_000) { $0.verdict.status = status }
        #expect(!unfinished.isComplete)
        #expect(unfinished.acceptedPerSecond == nil && unfinished.residenceP99Ns == nil)
        #expect(BatchMatrix([unfinished]).knee == nil)
        #expect(BatchMatrix([unfinished, Self.cell(10, 1, rate: 10)]).knee == 1)
    }

    @Test func `a run that lost, left or does not know some is incomplete, however it was judged`() {
        for path in [\LedgerRecord.lost, \.unknown, \.unsent] as [WritableKeyPath<LedgerRecord, Int64>] {
            let cell = Self.cell(1, 1, rate: 1_000) {
                $0.ledger.accepted -= 1
                $0.ledger[keyPath: path] = 1
            }
            #expect(!cell.isComplete)
        }
        #expect(!Self.cell(1, 1, rate: 0) { $0.ledger = LedgerRecord() }.isComplete)
    }
}
