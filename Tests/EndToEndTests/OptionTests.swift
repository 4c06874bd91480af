import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// C51: every numeric option at 0, −1 and huge is refused by name or has a meaning; none makes a run hang.
    @Suite struct OptionTests {
        /// Each numeric key, with what stands around it when it is not alone.
        private static let keys: [(path: String, context: String)] = [
            ("workload.notifications", ""), ("workload.devices", ""), ("workload.seed", ""),
            ("workload.payload.bytes", ""), ("workload.payload.bytes.p50", ""), ("workload.payload.bytes.p99", ""),
            ("workload.payload.bytes.max", ""), ("workload.faults.badToken", ""), ("workload.faults.unregistered", ""),
            ("workload.faults.otherTopic", ""), ("workload.faults.oversizedPayload", ""),
            ("load.rate", "load.loop=open"), ("sender.connections", ""), ("sender.loops", ""),
            ("sender.batch.notifications", ""), ("sender.batch.bytes", ""), ("sender.batch.linger", ""),
            ("sender.window", ""), ("sender.firstIdentifier", ""), ("sender.sendBuffer", ""),
            ("sender.unsentLimit", ""), ("sender.stallLimit", ""), ("target.simulator.receiveBuffer", ""),
            ("sender.wait", "sender.mode=wait-each"), ("sender.unproven.limit", ""), ("sender.reconnect.base", ""),
            ("sender.reconnect.factor", ""), ("sender.reconnect.cap", ""), ("sender.reconnect.jitter", ""),
            ("sender.reconnect.attemptsPerSecond", ""), ("sender.connectTimeout", ""), ("sender.handshakeTimeout", ""),
            ("sender.sentinelTimeout", ""), ("phases.warmup", ""), ("phases.measure", ""), ("phases.drain", ""),
            ("target.simulator.port", ""), ("target.simulator.payloadLimit", ""), ("target.simulator.errorDelay", ""),
            ("target.simulator.tickets", ""), ("target.simulator.maxConnections", ""), ("target.simulator.loops", ""),
            ("target.simulator.faults.acceptPerSecond", ""), ("target.simulator.faults.shutdownAfter", ""),
            ("target.simulator.faults.silentCloseAfter", ""),
            ("target.simulator.faults.errorRate.rate", "target.simulator.faults.errorRate.for=1s"),
            ("target.simulator.faults.errorRate.for", "target.simulator.faults.errorRate.rate=0"),
            ("target.simulator.faults.stallReading.for", "target.simulator.faults.stallReading.after=1s"),
            ("target.simulator.faults.stallReading.after", "target.simulator.faults.stallReading.for=1ms"),
            ("target.simulator.faults.refuse.for", ""), ("target.simulator.faults.freeze.for", ""),
        ]
        private static let values = ["0", "1e30", "9223372036854775807", "0s", "1e30s", "0/s"]
        /// The largest values that are accepted.
        private static let largest = [
            ("workload.devices", "1000000000"), ("workload.seed", "9223372036854775807"),
            ("load.rate", "1000000000"), ("sender.loops", "1024"), ("sender.batch.notifications", "65536"),
            ("sender.batch.bytes", "16777216"), ("sender.batch.linger", "60s"), ("sender.window", "16777216"),
            ("sender.firstIdentifier", "4294967295"), ("sender.sendBuffer", "1073741824"),
            ("sender.unsentLimit", "1073741824"), ("sender.stallLimit", "720h"),
            ("target.simulator.receiveBuffer", "1073741824"),
            ("sender.unproven.limit", "100"), ("sender.reconnect.base", "5s"), ("sender.reconnect.factor", "10"),
            ("sender.reconnect.cap", "720h"), ("sender.reconnect.jitter", "1"),
            ("sender.reconnect.attemptsPerSecond", "1000000"), ("sender.connectTimeout", "720h"),
            ("sender.handshakeTimeout", "720h"), ("sender.sentinelTimeout", "720h"), ("phases.measure", "720h"),
            ("phases.drain", "720h"), ("target.simulator.tickets", "16"),
            ("target.simulator.maxConnections", "1000000"), ("target.simulator.loops", "64"),
            ("target.simulator.faults.acceptPerSecond", "1000000000"),
            ("target.simulator.faults.shutdownAfter", "1000000000"),
            ("target.simulator.faults.silentCloseAfter", "1000000000"),
            ("target.simulator.faults.errorRate.rate", "1"), ("target.simulator.faults.errorRate.for", "720h"),
            ("target.simulator.faults.stallReading.after", "1000000000"),
        ]
        /// Settings with which every run is short, unless the option under test says otherwise.
        private static let base = "{ workload: { notifications: 50, devices: 50 }, sender: { connections: 2 } }"

        private static func read(_ path: String, _ value: String, context: String) throws(ProfileError) -> Profile {
            var overrides: [ProfileOverride] = []
            if let equals = context.firstIndex(of: "=") {
                overrides.append(
                    ProfileOverride(
                        keyPath: String(context[..<equals]), text: String(context[context.index(after: equals)...]),
                        origin: "--set"))
            }
            overrides.append(ProfileOverride(keyPath: path, text: value, origin: "--set"))
            return try Profile.read(text: base, source: "base.json5", overrides: overrides)
        }

        @Test(arguments: keys.indices)
        func `an impossible number is refused with its place and what is accepted`(index: Int) {
            let (path, context) = Self.keys[index]
            for value in ["-1", "-1e30", "99999999999999999999", "NaN", "Infinity", "-1s"] {
                let error = #expect(throws: ProfileError.self, "\(path) = \(value)") {
                    _ = try Self.read(path, value, context: context)
                }
                guard let error else { continue }
                let text = error.description
                let name = path.split(separator: ".").last.map(String.init) ?? path
                #expect(text.contains("--set"), "\(path) = \(value): \(text)")
                #expect(text.contains(name) || text.contains("faults"), "\(path) = \(value): \(text)")
            }
        }

        @Test(arguments: keys.indices)
        func `zero and huge numbers that are accepted have a run that ends`(index: Int) async throws {
            let (path, context) = Self.keys[index]
            for value in Self.values {
                if let profile = try? Self.read(path, value, context: context) {
                    try await Self.expectEnd(profile, "\(path) = \(value)")
                }
            }
        }

        @Test(arguments: largest.indices)
        func `the largest number that is accepted has a run that ends`(index: Int) async throws {
            let (path, value) = Self.largest[index]
            let context = Self.keys.first { $0.path == path }?.context ?? ""
            let profile = try Self.read(path, value, context: context)
            try await Self.expectEnd(profile, "\(path) = \(value)")
        }

        private static func expectEnd(_ profile: Profile, _ what: String) async throws {
            var run = try Run(base)
            run.profile = profile
            do {
                let record = try await run.record()
                #expect(record.ledger.generated == 50, "\(what)")
            } catch let error as HarnessError {
                #expect(!error.description.isEmpty, "\(what)")
            }
        }
    }
}
