import Testing

@testable import Harness

/// What the intervals say about how many requests a connection could have open.
@Suite struct StreamLimitIntervalTests {
    @Test func `an interval without news has the limits of the one before, also while no connection is open`() {
        let recorder = LoopRecorder(nil)
        #expect(recorder.takeSnapshot(.figures).streamLimits == nil, "nothing is known yet")
        recorder.noteStreamLimit(1)
        recorder.noteStreamLimit(1_000)
        #expect(recorder.takeSnapshot(.none).streamLimits == 1...1_000)
        #expect(recorder.takeSnapshot(.figures).streamLimits == 1...1_000)
        recorder.noteStreamLimit(1_000)
        #expect(recorder.takeSnapshot(.figures).streamLimits == 1_000...1_000)
        for _ in 0..<3 { #expect(recorder.takeSnapshot(.figures).streamLimits == 1_000...1_000) }
        recorder.noteStreamLimit(10)
        #expect(recorder.takeSnapshot(.figures).streamLimits == 10...10)
    }
}
