import Foundation
import Glibc
import GatewaySimulator
import Harness
import Primitives
import RunRecords
import Synchronization
import Testing
import Transport

extension EndToEndTests {
    /// C22: Nagle's algorithm is a switch on both ends, and what the sockets say is what the profile asks for.
    @Suite struct SocketOptionTests {
        /// What both ends of the connections to a port say of TCP_NODELAY, read from this process's sockets.
        private final class NoDelayWatch: Sendable {
            struct Seen: Equatable {
                var sender: Set<Bool> = []
                var simulator: Set<Bool> = []
            }

            private let state = Mutex(Seen())
            var seen: Seen { state.withLock { $0 } }

            func look(port: Int) {
                for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
                    guard let descriptor = Int32(name) else { continue }
                    let isSender = Self.port(getpeername, descriptor) == port
                    let isSimulator =
                        Self.port(getsockname, descriptor) == port
                        && Self.port(getpeername, descriptor) != nil
                    guard isSender || isSimulator, let isOn = Self.noDelay(descriptor) else { continue }
                    state.withLock { seen in
                        _ = isSender ? seen.sender.insert(isOn) : seen.simulator.insert(isOn)
                    }
                }
            }

            private static func port(
                _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32,
                _ descriptor: Int32
            ) -> Int? {
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let status = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
                }
                guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
                return Int(UInt16(bigEndian: address.sin_port))
            }

            private static func noDelay(_ descriptor: Int32) -> Bool? {
                var value: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size)
                return status == 0 ? value != 0 : nil
            }
        }

        /// How long each of 200 a second took to the simulator, in batches of one, from the soonest one's on; sorted.
        private static func residences() async throws -> [Interval] {
            let count = 300
            let profile = try Profile.read(
                text: """
                    { target: { simulator: { noDelay: true, loops: 1 } }, workload: { notifications: \(count) } }
                    """, source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            let server = try await SimulatorServer(profile: profile, settings: settings, journalLimit: count + 1)
            let run = try Run(
                """
                { target: { host: "127.0.0.1", port: \(server.port), tls: { verify: false } },
                  load: { loop: "open", rate: "200/s" }, workload: { notifications: \(count) },
                  sender: { connections: 1, batch: { notifications: 1 }, noDelay: true } }
                """)
            let watch = Task {
                var arrivals: [(identifier: UInt32, at: Instant)] = []
                while arrivals.count < count, !Task.isCancelled {  // ends with the run
                    let now = MonotonicClock.now()
                    for entry in await server.takeJournal().entries where entry.outcome == .accepted {
                        arrivals.append((entry.identifier ?? 0, now))
                    }
                    try? await Task.sleep(nanoseconds: 1_000_000)
                }
                return arrivals
            }
            let record = try await run.record()
            watch.cancel()
            let arrivals = await watch.value
            await server.shutDown()
            #expect(record.ledger.accepted == Int64(count), "\(record.verdict.reasons)")
            let late = arrivals.map { $0.at - (.zero + .milliseconds(5) * Int64($0.identifier)) }.sorted()
            let soonest = try #require(late.first)
            return late.map { $0 - soonest }
        }

        @Test func `C22 written one by one at 200 a second, none waits for a delayed acknowledgement`() async throws {
            // A delayed acknowledgement shows each time, the machine's other work now and then.
            var seen: [[Int64]] = []
            for _ in 0..<4 {
                let residences = try await Self.residences()
                seen.append(residences.map { $0.nanoseconds / 1_000_000 })
                try #require(residences.count >= 250, "\(seen)")
                let mode = residences.count { (.milliseconds(35) ... .milliseconds(60)).contains($0) }
                if residences[residences.count / 2] < .milliseconds(20), mode < residences.count / 10 { return }
            }
            Issue.record("written one by one they waited each time: \(seen)")
        }

        @Test(arguments: [(true, true), (true, false), (false, true)])
        func `C22 both ends send small writes at once, unless the profile says otherwise`(
            sender: Bool, simulator: Bool
        ) async throws {
            let profile = try Profile.read(
                text: "{ target: { simulator: { noDelay: \(simulator) } } }", source: "test.json5")
            guard case .simulator(let settings) = profile.target else { preconditionFailure("it is a simulator") }
            let server = try await SimulatorServer(profile: profile, settings: settings)
            let watch = NoDelayWatch()
            var run = try Run(
                """
                { target: { host: "127.0.0.1", port: \(server.port), tls: { verify: false } },
                  load: { loop: "open", rate: "200/s" }, workload: { notifications: 250 },
                  sender: { connections: 2, batch: { notifications: 1 }, noDelay: \(sender) } }
                """)
            let port = server.port
            run.onInterval = { _ in watch.look(port: port) }
            let record = try await run.record()
            #expect(record.ledger.accepted == 250, "\(record.verdict.reasons)")
            #expect(watch.seen == .init(sender: [sender], simulator: [simulator]))
            await server.shutDown()
        }
    }
}
