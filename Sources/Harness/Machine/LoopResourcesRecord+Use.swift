import Primitives
import RunRecords
import Transport

extension LoopResourcesRecord {
    /// Tells what an event loop used.
    init(_ use: LoopUse) {
        self.init()
        cpuNs = use.processorTime.nanoseconds
        runQueueNs = use.runQueueTime?.nanoseconds
        reads = Int64(use.reads)
        writes = Int64(use.writes)
        waits = Int64(use.waits)
        bytesIn = Int64(use.bytesIn)
        bytesOut = Int64(use.bytesOut)
    }
}
