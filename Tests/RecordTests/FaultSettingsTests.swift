import Primitives
import Testing

@testable import RunRecords

/// The fault plan in a profile, and in a file of its own.
@Suite struct FaultSettingsTests {
    @Test func `a plan is a list in which each fault says its kind and when`() throws {
        let faults = try read(
            """
            [{ fault: "status", status: 7, share: 0.001 }, { fault: "shutdown", every: "10k", scope: "connection" },
             { fault: "stall", at: "2s", for: "5s" },
             { fault: "replyDelay", delay: { p50: "100ms", p99: "800ms", max: "1s" } },
             { fault: "replyDelay", until: 2000 }, { fault: "throttle", bytes: "64KiB" },
             { fault: "status", status: 255, identifiers: 5 }]
            """)
        #expect(faults.map(\.kind) == [.status, .shutdown, .stall, .replyDelay, .replyDelay, .throttle, .status])
        #expect(faults[0].status == 7 && faults[0].share == 0.001 && faults[0].scope == .total)
        #expect(faults[1].every == 10_000 && faults[1].scope == .connection)
        #expect(faults[2].at == .seconds(2) && faults[2].length == .seconds(5))
        #expect(faults[3].delay == .distribution(DelayQuantiles()))
        #expect(faults[4].until == 2_000 && faults[4].delay == nil)
        let delayed = try read(
            "[{ fault: 'acceptanceDelay', delay: { median: '20ms', sigma: 0.5 } }, { fault: 'responseDelay', delay: { sigma: 2 } }]"
        )
        var expected = LogNormalDelays()
        expected.sigma = 2
        #expect(delayed[1].delay == .logNormal(expected))
        (expected.median, expected.sigma) = (.milliseconds(20), 0.5)
        #expect(delayed[0].kind == .acceptanceDelay && delayed[0].delay == .logNormal(expected))
        #expect(faults[5].bytes == 65_536)
        #expect(faults[6].identifiers == [5])
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        let plan: String
        let message: String
        var testDescription: String { plan }

        init(_ plan: String, _ message: String) {
            self.plan = plan
            self.message = message
        }
    }

    @Test(arguments: [
        Mistake(
            "{ stallReading: { for: '5s' } }",
            ": found an object, expected a list of faults, such as [{ fault: \"stall\", at: \"2s\", for: \"5s\" }]"),
        Mistake(
            "[{ fault: 'stal', for: '5s' }]",
            "[0].fault: unknown value \"stal\", did you mean \"stall\"?; accepted: "
                + FaultKind.allCases.map(\.rawValue).joined(separator: ", ")),
        Mistake(
            "[{ for: '5s' }]",
            "[0]: missing fault, one of " + FaultKind.allCases.map(\.rawValue).joined(separator: ", ")),
        Mistake("['stall']", "[0]: found \"stall\", expected an object"),
        Mistake(
            "[{ fault: 'freeze', for: '5s' }, { fault: 'freeze', every: 5, for: '5s' }]",
            "[1].every: unknown key; accepted: at, for"),
        Mistake(
            "[{ fault: 'throttle', rat: '5/s' }]",
            "[0].rat: unknown key, did you mean \"rate\"?; accepted: rate, bytes, at, for, scope"),
        Mistake("[{ fault: 'throttle' }]", "[0]: missing one of rate, bytes"),
        Mistake("[{ fault: 'throttle', rate: 5, bytes: 5 }]", "[0]: missing one of rate, bytes"),
        Mistake("[{ fault: 'status' }]", "[0]: missing status"),
        Mistake("[{ fault: 'status', status: 256 }]", "[0].status: 256 is out of range; accepted: 0 to 255"),
        Mistake(
            "[{ fault: 'status', status: 10 }]",
            "[0].status: 10 names the last accepted notification and refuses none; write fault: \"shutdown\""),
        Mistake(
            "[{ fault: 'close', at: '1s', after: 5 }]",
            "[0].after: stands beside at; a fault begins with one of them"),
        Mistake(
            "[{ fault: 'stall', at: '1s', every: 5, for: '1s' }]",
            "[0].at: a stall begins at a time or a count, or with chosen notifications, not both"),
        Mistake(
            "[{ fault: 'kill', rate: '1/s' }, { fault: 'kill', rate: '2/s' }]",
            "[1]: there is already a fault of this kind, and it leaves no room for another"),
        Mistake("[{ fault: 'acceptanceDelay' }]", "[0]: missing delay"),
        Mistake(
            "[{ fault: 'responseDelay', delay: { p50: '2s' } }]",
            "[0].delay: p50 2 s, p99 800 ms, max 1 s must not fall"),
        Mistake(
            "[{ fault: 'responseDelay', delay: { median: '2s', p99: '3s' } }]",
            "[0].delay.p99: unknown key; accepted: median, sigma"),
        Mistake("[{ fault: 'refuse', at: '1s' }]", "[0]: missing one of for, share"),
        Mistake(
            "[{ fault: 'refuse', share: 0.5, at: '1s' }]",
            "[0].at: a share of new connections is refused all the time"),
        Mistake(
            "[{ fault: 'blackHole', idle: '1s', every: 5 }]",
            "[0].idle: stands beside another trigger; only share goes with it"),
        Mistake("[{ fault: 'kill', rate: 1, mode: 'never' }]", "[0].mode: never does not end a connection"),
        Mistake("[{ fault: 'throttle', bytes: 5, for: '1s' }]", "[0].for: a limit of bytes holds all the time"),
        Mistake("[{ fault: 'stall', at: '1s' }]", "[0]: missing for"),
        Mistake("[{ fault: 'replyDelay' }]", "[0]: missing delay, until, or both"),
        Mistake(
            "[{ fault: 'replyDelay', delay: { p50: '2s' } }]",
            "[0].delay: p50 2 s, p99 800 ms, max 1 s must not fall"),
        Mistake(
            "[{ fault: 'replySplit', pieces: [1, 2] }]",
            "[0].pieces: are 3 bytes together; a reply has 6"),
        Mistake("[{ fault: 'replyIdentifier' }]", "[0]: missing one of identifier, shift"),
        Mistake(
            "[{ fault: 'replyIdentifier', shift: 0 }]",
            "[0].shift: 0 is out of range; accepted: a whole number from -1000000000 to 1000000000, not 0"),
        Mistake("[{ fault: 'replyClose' }]", "[0]: missing mode"),
        Mistake(
            "[{ fault: 'status', status: 8, tokens: 'badTokens' }]",
            "[0].tokens: unknown value \"badTokens\", did you mean \"badToken\"?; "
                + "accepted: valid, badToken, unregistered, otherTopic, foreign"),
        Mistake("[{ fault: 'status', status: 8, share: 2 }]", "[0].share: 2 is out of range; accepted: 0 to 1"),
        Mistake(
            "[{ fault: 'status', status: 8, every: 0 }]", "[0].every: 0 is out of range; accepted: 1 to 1,000,000,000"),
        Mistake(
            "[{ fault: 'status', status: 8, identifiers: [] }]",
            "[0].identifiers: missing a number; found an empty list"),
    ])
    func `a mistake is named with its place in the list`(_ mistake: Mistake) {
        do throws(ProfileError) {
            _ = try read(mistake.plan)
            Issue.record("\(mistake.plan) is accepted")
        } catch {
            let text = error.description
            #expect(text.hasSuffix("target.simulator.faults" + mistake.message), "\(text)")
            #expect(text.hasPrefix("p.json5:1:"), "\(text)")
        }
    }

    @Test func `a fault is written with the keys that say something, and reads back`() throws {
        let fault = try read("[{ fault: 'replyDelay', delay: '1500us', every: 3 }]")[0]
        #expect(
            fault.json.canonicalText
                == #"{"delay":"1500us","every":3,"fault":"replyDelay","scope":"total"}"#)
        #expect(try read("[\(fault.json.canonicalText)]") == [fault])
    }

    @Test func `a file may hold the list alone or a whole simulator, and options still have the last word`() throws {
        let folder = try TemporaryFolder()
        try folder.write("list.json5", "// late\n[{ fault: 'replyDelay', delay: '20ms' }]")
        try folder.write("simulator.json5", "{ tickets: 0, faults: [{ fault: 'blackHole', after: 5 }] }")
        let text = "{ target: { simulator: { tickets: 4, port: 99, faults: [{ fault: 'shutdown', after: 1 }] } } }"
        let simulator = { (file: String, changes: [ProfileOverride]) throws -> SimulatorSettings in
            let profile = try Profile.read(
                text: text, source: "p.json5", faultsFile: folder.path(file), overrides: changes)
            guard case .simulator(let simulator) = profile.target else { return SimulatorSettings() }
            return simulator
        }
        let list = try simulator("list.json5", [])
        #expect(list.faults.map(\.kind) == [.replyDelay] && list.tickets == 4)
        let whole = try simulator("simulator.json5", [])
        #expect(whole.faults.map(\.kind) == [.blackHole] && whole.tickets == 0 && whole.port == 99)
        let change = ProfileOverride(
            keyPath: "target.simulator.faults", text: "[{ fault: 'close', after: 2 }]", origin: "--set")
        #expect(try simulator("list.json5", [change]).faults.map(\.kind) == [.close])
    }

    @Test func `a mistake in a file of its own is named with that file and line`() throws {
        let folder = try TemporaryFolder()
        try folder.write("plan.json5", "[\n  { fault: 'stall', fr: '5s' }]")
        let path = folder.path("plan.json5")
        do throws(ProfileError) {
            _ = try Profile.read(text: "{}", source: "defaults", faultsFile: path)
            Issue.record("it is accepted")
        } catch {
            #expect(error.description.hasPrefix("\(path):2:"), "\(error)")
            #expect(error.description.contains("target.simulator.faults[0].fr: unknown key, did you mean \"for\"?"))
        }
        #expect(throws: ProfileError.self) {
            try Profile.read(text: "{}", source: "defaults", faultsFile: folder.path("none"))
        }
    }

    private func read(_ plan: String) throws(ProfileError) -> [FaultSettings] {
        let profile = try Profile.read(text: "{ target: { simulator: { faults: \(plan) } } }", source: "p.json5")
        guard case .simulator(let simulator) = profile.target else { return [] }
        return simulator.faults
    }
}
