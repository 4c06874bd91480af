import GatewaySimulator
import Glibc
import Primitives
import PushWire
import RunRecords
import SecureChannel
import Transport
import Workload

/// The feedback service beside a simulated gateway: a listener and an event loop of its own, so that a long list delays no notification.
final class FeedbackService: Sendable {
    /// How many clients may be connected at a time.
    private static let connectionLimit = 256

    let loop: EventLoop
    private let listener: Listener
    private let gatewayLoops: [EventLoop]

    /// Starts to listen.
    ///
    /// - Throws: ``HarnessError/localLimit(_:)`` when the port is taken or descriptors are short.
    init(
        _ settings: SimulatorSettings, on address: SocketAddress, context: TLSContext, gatewayLoops: [EventLoop]
    ) async throws(HarnessError) {
        self.gatewayLoops = gatewayLoops
        do throws(TransportError) {
            let loop = try EventLoop(label: "pushbench.feedback")
            self.loop = loop
            try await loop.run { [weak loop] core in
                guard let loop else { return }
                core.tenant = FeedbackDesk(
                    settings: settings.feedback.session, topics: settings.topics, limit: settings.feedback.limit,
                    gatewayLoops: gatewayLoops,
                    home: loop)
            }
            var listening = ListenerOptions()
            listening.connectionLimit = Self.connectionLimit
            listener = try Listener(on: address, context: context, loops: [loop], options: listening) { core in
                guard let desk = core.tenant as? FeedbackDesk else { preconditionFailure("a loop without its desk") }
                return desk.makeLink()
            }
        } catch {
            throw .localLimit("cannot listen for feedback clients on \(address): \(error)")
        }
    }

    /// The port on which it listens.
    var port: Int { Int(listener.address.port) }

    /// The sums at present, with the parts that the gateway's loops still hold.
    func counts() async -> FeedbackCounts {
        for gateway in gatewayLoops {
            let parts = try? await gateway.run { ($0.tenant as? GatewayLoop)?.ledger.feedback.takeAll() ?? [:] }
            guard let parts else { continue }
            try? await loop.run { ($0.tenant as? FeedbackDesk)?.note(parts) }
        }
        let counts = try? await loop.run { ($0.tenant as? FeedbackDesk)?.counts }
        return (counts ?? nil) ?? FeedbackCounts()
    }

    /// Closes everything.
    func shutDown() async {
        await listener.close()
        await loop.shutDownAndWait()
    }
}

extension FeedbackServiceSettings {
    /// The settings as the session wants them.
    var session: FeedbackSettings {
        var settings = FeedbackSettings()
        settings.clearing = clear == .delivered ? .delivered : .connected
        settings.split = split
        settings.pause = pause
        settings.truncateAfter = truncateAfter
        settings.emptyDelay = emptyDelay
        settings.closeMode = CloseMode(closeMode)
        return settings
    }

    /// The listed tokens of devices that no longer have the app.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` that names the file and the place.
    func unregisteredTokens() throws(HarnessError) -> FeedbackList {
        guard let path = unregisteredFile else { return FeedbackList() }
        let bytes = try readFile(path, limit: tokenFileBytesMax)
        let list = bytes.withUnsafeBytes { text in
            Result { () throws(TokenFileError) in
                try TokenList(parsing: text, fileName: path, acceptedBytes: TokenList.documentedBytes)
            }
        }
        let tokens: TokenList
        do throws(TokenFileError) { tokens = try list.get() } catch { throw .invalidInput(error.description) }
        var unregistered = FeedbackList(limit: FeedbackList.largestLimit)
        withUnsafeTemporaryAllocation(byteCount: tokens.maxTokenBytes, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            for index in 0..<tokens.count {
                let count = tokens.writeToken(at: index, into: base)
                unregistered.note(
                    FeedbackTuple(timestamp: 0, token: UnsafeRawBufferPointer(start: base, count: count)))
            }
        }
        return unregistered
    }
}

extension FeedbackLedgerRecord {
    /// The account at the end of a run.
    init(_ counts: FeedbackCounts, notifications: UInt64) {
        self.init()
        self.notifications = Int64(notifications)
        waiting = Int64(counts.waiting)
        delivered = Int64(counts.delivered)
        clearedUndelivered = Int64(counts.clearedUndelivered)
        dropped = Int64(counts.dropped)
    }
}

extension StorageLedgerRecord {
    /// The account at the end of a run.
    init(_ counts: StorageCounts) {
        self.init()
        stored = Int64(counts.stored)
        replaced = Int64(counts.replaced)
        notStored = Int64(counts.notStored)
        expired = Int64(counts.expired)
    }
}
