import Harness
import Primitives
import Testing
import Transport

@testable import RunRecords

extension PatientEndToEndTests {
    /// C51: every numeric key at 0, −1, its bounds and huge is refused by name or has a meaning; none makes a run hang.
    ///
    /// The keys come from the profile's own tables, so that a new one is among them.
    @Suite struct OptionTests {
        private static let values = [
            "0", "1e30", "9223372036854775807", "0s", "1e30s", "0/s", "-1", "-1e30", "99999999999999999999", "NaN",
            "Infinity", "-1s",
        ]
        /// No key takes these, but for a shift of identifiers, which may be negative.
        private static let impossible = ["-1", "-1e30", "99999999999999999999", "NaN", "Infinity", "-1s"]

        @Test func `the tables name the numbers of all parts of a profile`() {
            let paths = Set(Profile.numbers.map(\.path))
            #expect(paths.count == Profile.numbers.count, "each once")
            for path in [
                "workload.notifications", "workload.expiry", "workload.payload.bytes.p99", "load.rate", "sender.window",
                "sender.watch", "sender.silence", "sender.priority", "sender.malformed.every", "phases.drain",
                "sender.reconnect.jitter", "target.port", "target.simulator.roundTrip",
                "target.simulator.roundTripWindow",
                "target.simulator.roundTripTotal", "target.simulator.storage.offline",
                "target.simulator.feedback.limit",
                "target.simulator.feedback.split[]", "target.simulator.faults[stall].for",
                "target.simulator.faults[replyDelay].delay.p50", "target.simulator.faults[kill].rate",
            ] {
                #expect(paths.contains(path), "\(path)")
            }
        }

        @Test func `an impossible number is refused with its place and what is accepted`() {
            for key in Profile.numbers {
                let option = NumericOption(key)
                for value in Self.impossible where !(key.path.hasSuffix(".shift") && value == "-1") {
                    let error = #expect(throws: ProfileError.self, "\(key.path) = \(value)") {
                        _ = try option.profile(value)
                    }
                    guard let text = error?.description else { continue }
                    #expect(text.contains("--set"), "\(key.path) = \(value): \(text)")
                    #expect(text.contains(option.name), "\(key.path) = \(value): \(text)")
                }
            }
        }

        @Test func `numbers that are accepted have a run that ends`() async throws {
            let program = try NamedProgram()
            var waiting: [(what: String, profile: Profile)] = []
            for key in Profile.numbers {
                let option = NumericOption(key)
                var seen: Set<String> = []
                for value in [key.least, key.greatest] + Self.values {
                    guard let profile = try? option.profile(value) else { continue }
                    if seen.insert(profile.effectiveJSON.canonicalText).inserted {
                        waiting.append(("\(key.path) = \(value)", profile))
                    }
                }
                #expect(!seen.isEmpty, "\(key.path): no value is accepted; what must stand around it?")
            }
            // Most of the time goes by in waiting for what a fault withholds.
            await withTaskGroup(of: Void.self) { group in
                for (number, (what, profile)) in waiting.enumerated() {
                    if number >= 6 { await group.next() }
                    group.addTask { await Self.expectEnd(of: profile, as: program, what) }
                }
            }
            #expect(program.simulators().isEmpty, "no simulator outlives its run")
        }

        private static func expectEnd(of profile: Profile, as program: NamedProgram, _ what: String) async {
            let start = MonotonicClock.now()
            do {
                var options = RunOptions(
                    program: program.path, profileJSON: profile.effectiveJSON.canonicalText)
                options.outageLimit = .seconds(1)
                let record = try await RunEngine(profile: profile, options: options).run()
                #expect(record.ledger.isBalanced, "\(what): \(record.ledger)")
            } catch {
                #expect(!error.description.isEmpty, "\(what): \(error)")
            }
            #expect(MonotonicClock.now() - start < .seconds(15), "\(what): \(MonotonicClock.now() - start)")
        }
    }
}

/// One numeric key, and what must stand around it to be accepted and to have a short run.
private struct NumericOption {
    let key: NumericKey

    init(_ key: NumericKey) { self.key = key }

    /// Settings with which every run is short, unless the option under test says otherwise.
    private static let base = """
        { workload: { notifications: 50, devices: 50 }, phases: { drain: "200ms" },
          sender: { connections: 2, sentinelTimeout: "200ms", stallLimit: "500ms", connectTimeout: "300ms",
                    handshakeTimeout: "500ms", reconnect: { base: "1ms", cap: "20ms" } } }
        """
    private static let open = [("load.loop", "open"), ("load.rate", "1k/s"), ("phases.measure", "300ms")]
    private static func staircase(without key: String) -> [(path: String, text: String)] {
        let whole = [("start", "1k/s"), ("step", "100/s"), ("steps", "2"), ("hold", "100ms")]
        return [("load.loop", "open"), ("phases.measure", "300ms")]
            + whole.filter { $0.0 != key }.map { ("load.staircase.\($0.0)", $0.1) }
    }
    private static let contexts: [String: [(path: String, text: String)]] = [
        "workload.notifications": [("phases.measure", "300ms")],
        "workload.payload.bytes.p99": [("workload.payload.bytes.p50", "20")],
        "workload.payload.bytes.max": [("workload.payload.bytes.p50", "20"), ("workload.payload.bytes.p99", "20")],
        "load.rate": [("load.loop", "open"), ("phases.measure", "300ms")],
        "load.ratePerConnection": [("load.loop", "open"), ("phases.measure", "300ms")],
        "load.burst": open + [("load.arrivals", "bursts")], "load.catchUp": open, "load.skipAfter": open,
        "load.lateAfter": open, "load.shard.index": open + [("load.shard.of", "2")],
        "load.shard.of": open + [("load.shard.index", "0")],
        "load.staircase.start": staircase(without: "start"), "load.staircase.step": staircase(without: "step"),
        "load.staircase.steps": staircase(without: "steps"), "load.staircase.hold": staircase(without: "hold"),
        "sender.wait": [("sender.mode", "wait-each"), ("phases.measure", "300ms")],
        "sender.silence": [("sender.mode", "windowed"), ("phases.measure", "300ms")],
        "sender.priority": [("protocol", "framed")], "sender.watch": [("protocol", "simple")],
        "sender.malformed.every": [("sender.allowMalformed", "true")],
        "sender.identifiers.fixed": [("workload.notifications", "1")],
        "sender.window": [("sender.batch.notifications", "1")],
        "sender.reconnect.attemptsPerSecond": [("sender.connections", "1")],
        "sender.extraWork": [("workload.notifications", "2")],
        "target.simulator.extraWork": [("workload.notifications", "2")],
        "target.port": [("target.host", "127.0.0.1")],
        "target.simulator.feedback.limit": [("workload.faults.unregistered", "0.5")],
        "target.simulator.storage.offline": [("workload.expiry", "1h")],
    ]
    /// The keys that a fault of some kind cannot do without, and those of them that some keys stand in for.
    private static let companions: [String: String] = [
        "status": "status: 8", "slowAccept": "delay: '1ms'", "handshake": "mode: 'alert'", "idleClose": "idle: '1s'",
        "kill": "rate: 1", "replyClose": "mode: 'abrupt'", "throttle": "rate: 1000", "replyDelay": "delay: '1ms'",
        "replySplit": "pieces: [1, 5]", "replyIdentifier": "identifier: 1", "stall": "for: '1s'", "outage": "for: '1s'",
        "freeze": "for: '1s'", "refuse": "for: '1s'", "response": "reason: 'TooManyRequests'",
        "responseDelay": "delay: '1ms'", "acceptanceDelay": "delay: '1ms'", "streamLimit": "streams: 1",
        "streamWindow": "window: 1000",
        "tokenLimit": "rate: 1", "windowHeld": "for: '1s'",
    ]
    private static let replacements: Set<String> = ["throttle.bytes", "replyIdentifier.shift", "refuse.share"]
    private static let faultPrefix = "target.simulator.faults["

    /// The last part of the path, which a message must name.
    var name: String {
        let last = key.path.split(separator: ".").last.map(String.init) ?? key.path
        return last.hasSuffix("[]") ? String(last.dropLast(2)) : last
    }

    /// The profile in which the key has this value.
    func profile(_ value: String) throws(ProfileError) -> Profile {
        let settings: [(path: String, text: String)]
        if key.path.hasPrefix(Self.faultPrefix) {
            settings = [("target.simulator.faults", fault(value))]
        } else if key.path.hasSuffix("[]") {
            settings = [(String(key.path.dropLast(2)), "[\(Self.quoted(value))]")]
        } else {
            settings = [(key.path, value)]
        }
        let isHTTP2 = key.path.hasPrefix("sender.http2.") || key.path == "sender.streams"
        let context = isHTTP2 ? [("protocol", "http2")] : Self.contexts[key.path] ?? []
        let overrides = (context + settings).map {
            ProfileOverride(keyPath: $0.path, text: $0.text, origin: "--set")
        }
        return try Profile.read(text: Self.base, source: "base.json5", overrides: overrides)
    }

    private func fault(_ value: String) -> String {
        let parts = key.path.dropFirst(Self.faultPrefix.count).split(separator: "]", maxSplits: 1)
        let (kind, rest) = (String(parts[0]), String(parts[1].dropFirst()))
        var members = ["fault: '\(kind)'"]
        let companion = Self.companions[kind]
        let isReplaced = Self.replacements.contains("\(kind).\(rest)")
        let first = rest.split(separator: ".").first.map { $0.hasSuffix("[]") ? $0.dropLast(2) : $0 } ?? ""
        if let companion, !isReplaced, !companion.hasPrefix("\(first):") { members.append(companion) }
        switch rest {
        case "delay.p50": members.append("delay: { p50: \(Self.quoted(value)), p99: '3600s', max: '3600s' }")
        case "delay.p99": members.append("delay: { p50: '1ns', p99: \(Self.quoted(value)), max: '3600s' }")
        case "delay.max": members.append("delay: { p50: '1ns', p99: '1ns', max: \(Self.quoted(value)) }")
        case "delay.median": members.append("delay: { median: \(Self.quoted(value)), sigma: 0 }")
        case "delay.sigma": members.append("delay: { median: '1ns', sigma: \(Self.quoted(value)) }")
        default:
            members.append(
                rest.hasSuffix("[]") ? "\(first): [\(Self.quoted(value))]" : "\(rest): \(Self.quoted(value))")
        }
        return "[{ \(members.joined(separator: ", ")) }]"
    }

    /// A value as JSON5 has it: what is no number is a text.
    private static func quoted(_ value: String) -> String {
        value.last.map { $0.isNumber || value == "NaN" || value == "Infinity" } == true ? value : "'\(value)'"
    }
}
