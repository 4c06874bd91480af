import Primitives
import PushWire
import SecureChannel
import SimulatedTransport
import Transport

/// Scripted gateways of the provider API over real TLS, one for each connection.
final class ScriptedTLSGateway: Sendable {
    /// What one connection saw.
    struct Seen: Sendable {
        var requests: [SeenRequest]
        var breaches: [String]
        var openCount: Int
    }

    /// The stages of a loop, in the order of their connections.
    private final class Stages {
        var all: [ScriptedStage] = []
    }

    let port: Int
    private let loop: EventLoop
    private let listener: Listener

    /// Listens for runs of workload seed 7; `script` prepares the gateway of each connection.
    init(_ script: @escaping @Sendable (ScriptedStage) -> Void) async throws {
        var options = TLSServerOptions(identity: try CertificateAuthority().issue(.server))
        options.applicationProtocols = ["h2"]
        loop = try EventLoop(label: "test.gateway")
        try await loop.run { $0.tenant = Stages() }
        listener = try Listener(context: try TLSContext(server: options), loops: [loop]) { core in
            guard let stages = core.tenant as? Stages else { preconditionFailure("a loop without its stages") }
            let stage = ScriptedStage(number: stages.all.count, core: core)
            stages.all.append(stage)
            script(stage)
            return stage
        }
        port = Int(listener.address.port)
    }

    /// A profile for it, with what else stands in sender, workload and the profile.
    func profile(_ notifications: Int, sender: String, workload: String = "", _ more: String = "") -> String {
        """
        { target: { host: "127.0.0.1", port: \(port), tls: { verify: false } }, protocol: "http2",
          workload: { notifications: \(notifications), devices: \(notifications), seed: 7, \(workload) },
          sender: { connections: 1, reconnect: { base: "20ms", cap: "100ms", attemptsPerSecond: "1000/s" }, \(sender) },
          \(more) }
        """
    }

    /// What each connection saw.
    func seen() async throws -> [Seen] {
        try await loop.run { core in
            ((core.tenant as? Stages)?.all ?? []).map { stage in
                let gateway = stage.gateway
                return Seen(requests: gateway.requests, breaches: gateway.breaches, openCount: gateway.open.count)
            }
        }
    }

    func close() async {
        await listener.close()
        await loop.shutDownAndWait()
    }
}

/// One connection's end: a scripted gateway and the link that carries it.
final class ScriptedStage: LinkHandler {
    let number: Int
    let gateway: ScriptedGateway
    private let core: LoopCore
    private var link: Link?
    private var timers: [LoopTimer] = []

    init(number: Int, core: LoopCore) {
        self.number = number
        self.core = core
        gateway = ScriptedGateway(index: number, ids: NotificationIDSpace(seed: 7))
    }

    /// Does something later, and sends what comes of it.
    func after(_ delay: Interval, _ body: @escaping (ScriptedStage) -> Void) {
        let timer = core.makeTimer { [weak self] _ in
            guard let self else { return }
            body(self)
            flush()
        }
        timer.set(to: core.now + delay)
        timers.append(timer)
    }

    /// Closes the connection behind what was sent.
    func close() {
        flush()
        after(.milliseconds(20)) { $0.link?.close(.graceful(drain: .seconds(1))) }
    }

    private func flush() { if !gateway.output.isEmpty { link?.requestFill() } }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        self.link = link
        if gateway.output.isEmpty { gateway.announce() }
        flush()
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        gateway.receive(Array(bytes))
        flush()
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let part = gateway.output.prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        gateway.output.removeFirst(part.count)
        return part.count
    }

    func link(_ link: Link, flushedAt now: Instant) { flush() }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        self.link = nil
        for timer in timers { timer.cancel() }
        timers = []
    }
}
