import Glibc
import Primitives
public import RunRecords
import Synchronization
import Transport

/// The simulator's side of a run's control: profile and orders from standard input, reports to standard output.
public enum ControlledSimulator {
    /// Serves until it is told to stop or its input ends.
    ///
    /// - Parameter profile: makes a profile of the first line.
    public static func run(profile: @Sendable (String) throws -> Profile) async {
        guard let line = readLine(), let profile = try? profile(line), case .simulator(let settings) = profile.target
        else { return report(.failed(message: "the simulator got no profile")) }
        let server: SimulatorServer
        do throws(HarnessError) {
            server = try await SimulatorServer(
                profile: profile, settings: settings, makesSigningKey: true, samplesAcceptance: profile.latencies)
        } catch {
            return report(.failed(message: error.description))
        }
        report(
            .ready(
                port: server.port, feedbackPort: server.feedbackPort, http2Port: server.http2Port,
                authorityPEM: server.authorityPEM, provider: server.provider, signingKey: server.signingKey))
        let orders = OrderWatch()
        var last = SimulatorProgress(atNs: 0, accepted: -1, cpuNs: 0)
        while !orders.isOver {
            try? await Task.sleep(nanoseconds: 10_000_000)
            // Asking costs the loops a wake-up, so it is not done more often than it is told.
            guard MonotonicClock.now().nanoseconds - last.atNs >= 100_000_000 else { continue }
            let progress = await server.progress()
            if progress.accepted != last.accepted { report(.progress(progress)) }
            last = progress
        }
        report(.ended(await server.result()))
        await server.shutDown()
    }

    private static func report(_ report: SimulatorReport) {
        let bytes = Array((report.line + "\n").utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
        }
    }
}

/// Waits for the next line or the end of standard input on a thread of its own.
private final class OrderWatch: Sendable {
    private let over = Atomic<Bool>(false)

    init() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                _ = readLine()
                guard let context else { return nil }
                Unmanaged<OrderWatch>.fromOpaque(context).takeRetainedValue().over.store(true, ordering: .relaxed)
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    var isOver: Bool { over.load(ordering: .relaxed) }
}
