internal import CShims
internal import Glibc
internal import Primitives
internal import SecureChannel
internal import Synchronization

/// This machine's raw TLS pipe: what plain blocking threads reach, to set a result beside.
///
/// Each connection has a thread that writes one record of 16 KiB a call, and one that reads and discards; both ends are
/// in this process. Blocks the caller: run it off every loop.
public enum RawTLSPipe {
    /// The plaintext of one record, in bytes.
    public static let recordBytes = 16 * 1024

    /// Measures the pipe over `connectionCount` loopback connections.
    ///
    /// - Throws: ``TransportError`` when the connections cannot be made.
    public static func measure(connectionCount: Int, bound: PipeBound) throws(TransportError) -> PipeRate {
        precondition(connectionCount > 0, "a pipe needs a connection")
        let run = PipeRun(contexts: try ProbeContexts(), bound: bound, threadCount: 2 * connectionCount)
        let listener = try ListenSocket(on: .loopback(port: 0), backlog: connectionCount)
        var threads: [BlockingThread] = []
        defer { for thread in threads { thread.join() } }
        for _ in 0..<connectionCount {
            do throws(TransportError) {
                let (sender, receiver) = try listener.connectedPair()
                threads.append(try BlockingThread { run.send(on: sender) })
                threads.append(try BlockingThread { run.receive(on: receiver) })
            } catch {
                run.abandon(missingThreads: 2 * connectionCount - threads.count)
                throw error
            }
        }
        for thread in threads { thread.join() }
        threads = []
        return try run.result()
    }
}

/// What the threads of one measurement share.
private final class PipeRun: Sendable {
    private struct Totals {
        var byteCount = 0
        /// When the first sender began: with more threads than processors the last one begins much later.
        var start: Instant?
        var end = Instant.zero
        var sender = Interval.zero
        var receiver = Interval.zero
        var failure: TLSFailure?
    }

    private let clientContext: TLSContext
    private let serverContext: TLSContext
    private let bound: PipeBound
    private let totals = Mutex(Totals())
    private let gate: StartGate

    init(contexts: ProbeContexts, bound: PipeBound, threadCount: Int) {
        clientContext = contexts.client
        serverContext = contexts.server
        self.bound = bound
        gate = StartGate(threadCount: threadCount)
    }

    /// Lets the threads that exist pass the gate when the others could not be made.
    func abandon(missingThreads: Int) { gate.pass(count: missingThreads) }

    func send(on socket: Int32) {
        defer { close(socket) }
        guard let tls = shakeHands(clientContext, socket) else { return }
        let began = MonotonicClock.now()
        let cpu = ThreadClock.now()
        totals.withLock { $0.start = min($0.start ?? began, began) }
        let record = UnsafeMutableRawBufferPointer.allocate(byteCount: RawTLSPipe.recordBytes, alignment: 64)
        defer { record.deallocate() }
        record.initializeMemory(as: UInt8.self, repeating: 0x2A)
        var left = bound.bytesPerConnection
        while left > 0, MonotonicClock.now() - began < bound.duration {
            let count = min(left, record.count)
            guard tls.write(UnsafeRawBufferPointer(rebasing: record[..<count])) else { break }
            left -= count
        }
        tls.close()
        let used = ThreadClock.now() - cpu
        totals.withLock { $0.sender = $0.sender + used }
    }

    func receive(on socket: Int32) {
        defer { close(socket) }
        guard let tls = shakeHands(serverContext, socket) else { return }
        let cpu = ThreadClock.now()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: RawTLSPipe.recordBytes, alignment: 64)
        defer { buffer.deallocate() }
        var byteCount = 0
        while let count = tls.read(into: buffer) { byteCount += count }
        let used = ThreadClock.now() - cpu
        let end = MonotonicClock.now()
        totals.withLock { totals in
            totals.byteCount += byteCount
            totals.receiver = totals.receiver + used
            totals.end = max(totals.end, end)
        }
    }

    func result() throws(TransportError) -> PipeRate {
        let totals = totals.withLock { $0 }
        if let failure = totals.failure { throw .tls(failure) }
        return PipeRate(
            byteCount: totals.byteCount, duration: totals.end - (totals.start ?? totals.end),
            senderProcessorTime: totals.sender,
            receiverProcessorTime: totals.receiver)
    }

    /// Does one side's handshake and waits until all others have done theirs.
    private func shakeHands(_ context: TLSContext, _ socket: Int32) -> BlockingTLS? {
        defer { gate.passAndWait() }
        do throws(TLSFailure) {
            return try BlockingTLS(context: context, descriptor: socket)
        } catch {
            totals.withLock { $0.failure = error }
            shutdown(socket, Int32(SHUT_RDWR))
            return nil
        }
    }
}
