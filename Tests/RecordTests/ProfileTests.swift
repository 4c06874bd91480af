import Foundation
import Primitives
import Testing
import Workload

@testable import RunRecords

@Suite struct ProfileTests {
    @Test func `an empty profile is the default one under the file's name`() throws {
        var expected = Profile()
        expected.name = "empty"
        #expect(try Profile.read(text: "{}", source: "some/folder/empty.json5") == expected)
    }

    @Test func `every key of a full profile arrives`() throws {
        let profile = try Profile.read(text: Self.fullText, source: "full.json5")
        guard case .simulator(let simulator) = profile.target else {
            Issue.record("not a simulator")
            return
        }
        #expect(simulator.judge.foreignTokens == .reject)
        #expect(simulator.tlsMaxVersion == .tls12)
        #expect(simulator.faults.map(\.kind) == FaultKind.allCases)
        #expect(profile.load.rate == Rate(perSecond: 200_000))
        #expect(profile.workload.payload.bytes == .constant(300))
        #expect(profile.workload.payload.text == .mixed)
        #expect(profile.sender.firstIdentifier == .max)
        #expect(profile.sender.batch.bytes == 65_536)
        #expect(profile.sender.unproven.policy == .resend)
        #expect(profile.phases.measure == .seconds(90))
        #expect(profile.thresholds.map(\.text) == ["lost == 0"])
    }

    @Test func `the provider API has its settings`() throws {
        let profile = try Profile.read(text: Self.http2Text, source: "http2.json5")
        guard case .simulator(let simulator) = profile.target else {
            Issue.record("not a simulator")
            return
        }
        var expected = HTTP2SimulatorSettings()
        expected.port = 2_197
        expected.authentication = .none
        expected.mixedAuthentication = .forbidden
        var key = ProviderKeySettings()
        (key.file, key.keyID, key.teamID) = ("key.p8", "K", "T")
        (key.environment, key.topics) = (.production, ["a.app"])
        expected.keys = [key]
        (key.keyID, key.environment, key.topics) = ("K2", .both, [])
        expected.keys += [key, ProviderKeySettings()]
        expected.tokenLifetime = .seconds(7_200)
        expected.tokenUpdateInterval = .zero
        expected.tokenUpdateScope = .fleet
        expected.keyEnvironmentSpelling = .documented
        expected.maxStreams = 500
        expected.streamsBeforeAuthentication = 2
        expected.streamEnforcement = .goAway
        expected.streamWindow = 16_384
        expected.connectionWindow = 65_536
        expected.headerTable = 0
        expected.headerList = 16_384
        expected.prefaceTimeout = .seconds(1)
        expected.idleTimeout = .seconds(60)
        expected.channels = 0
        expected.unregisteredAt = 1_454_948_015_990
        expected.acceptAll = true
        #expect(simulator.http2 == expected)
    }

    static let http2Text = """
        { target: { simulator: { http2: {
            port: 2197, authentication: "none", mixedAuthentication: "forbidden",
            keys: [{ file: "key.p8", keyID: "K", teamID: "T", environment: "production", topics: ["a.app"] },
                   { file: "key.p8", keyID: "K2", teamID: "T" }, {}],
            tokenLifetime: "2h", tokenUpdateInterval: 0, tokenUpdateScope: "fleet", keyEnvironmentSpelling: "documented",
            maxStreams: 500, streamsBeforeAuthentication: 2, streamEnforcement: "goAway", streamWindow: "16KiB",
            connectionWindow: "64KiB", headerTable: 0, headerList: "16KiB", prefaceTimeout: "1s", idleTimeout: "1m",
            channels: 0, unregisteredAt: 1454948015990, acceptAll: true } } } }
        """

    @Test(arguments: [
        ("{ port: 2195 }", "port: 2195 is taken"), ("{ keys: [{ file: 'k' }] }", "keys[0]: missing keyID"),
        ("{ keys: [{ file: 'k', keyID: 'K' }] }", "keys[0]: missing teamID"),
        ("{ keys: [{}, {}] }", "keys[1]: has no file"),
        (
            "{ keys: [{ file: 'k', keyID: 'K', teamID: 'T' }, { file: 'l', keyID: 'K', teamID: 'T' }] }",
            "keys[1]: is the second key K of the team T"
        ), ("{ keys: 'k' }", "keys: found"), ("{ keys: [{ teams: 1 }] }", "keys[0].teams: unknown key"),
    ])
    func `a provider API that cannot be is refused`(_ http2: String, _ key: String) {
        let error = #expect(throws: ProfileError.self) {
            try Profile.read(text: "{ target: { simulator: { port: 2195, http2: \(http2) } } }", source: "p")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("target.simulator.http2.\(key)"))
    }

    @Test func `the feedback service and offline devices have their settings`() throws {
        let profile = try Profile.read(text: Self.feedbackText, source: "feedback.json5")
        guard case .simulator(let simulator) = profile.target else {
            Issue.record("not a simulator")
            return
        }
        #expect(simulator.feedback.port == 2_196)
        #expect(simulator.feedback.clear == .connected)
        #expect(simulator.feedback.limit == 50_000)
        #expect(simulator.feedback.unregisteredFile == "gone.txt")
        #expect(simulator.feedback.split == [1, 37, 1_024])
        #expect(simulator.feedback.pause == .milliseconds(10))
        #expect(simulator.feedback.truncateAfter == 100)
        #expect(simulator.feedback.emptyDelay == .seconds(1))
        #expect(simulator.feedback.closeMode == .reset)
        #expect(simulator.feedback.readAtEnd)
        #expect(simulator.storage.offline == 0.2)
        #expect(simulator.storage.expirySign == .unsigned)
        #expect(profile.workload.expiry == .seconds(3_600))
    }

    static let feedbackText = """
        { target: { simulator: {
            feedback: { port: 2196, clear: "connected", limit: "50k", unregisteredFile: "gone.txt",
                        split: [1, 37, "1KiB"], pause: "10ms", truncateAfter: 100, emptyDelay: "1s",
                        closeMode: "reset", readAtEnd: true },
            storage: { offline: 0.2, expirySign: "unsigned" } } },
          workload: { expiry: "1h" } }
        """

    @Test(arguments: [
        "{}", fullText, feedbackText, http2Text,
        "{ target: { host: 'h', tls: { pkcs12File: 'p.p12', allowExpired: true, minVersion: 1.3, maxVersion: 1.3 } } }",
        "{ target: { host: 'h', tls: { caFile: 'ca.pem' } }, sender: { mode: 'wait-each' } }",
        "{ workload: { payload: { file: 'p.json' } }, load: { loop: 'open', rate: 0.25 } }",
        "{ sender: { batch: { linger: '1500ns' }, reconnect: { attemptsPerSecond: '7/m' } } }",
    ])
    func `the effective profile reads back as the same profile`(_ text: String) throws {
        let profile = try Profile.read(text: text, source: "p.json5")
        let again = try Profile.read(text: profile.effectiveJSON.canonicalText, source: "again.json5")
        #expect(again == profile)
        #expect(again.hash == profile.hash)
    }

    @Test func `the effective profile is what Foundation reads too`() throws {
        let effective = try Profile.read(text: Self.fullText, source: "p").effectiveJSON
        let decoded = try JSONDecoder().decode(JSONValue.self, from: Data(effective.canonicalText.utf8))
        #expect(decoded == effective)
    }

    @Test func `the hash of the default profile stays what it was`() {
        // A change of this text makes all older records incomparable: change it only together with a default.
        #expect(Profile().hash == "fnv1a64:0a97060f244e6223")
    }

    @Test func `the hash follows what a run does, not its name or its thresholds`() throws {
        let hash = { (text: String) in try Profile.read(text: text, source: "p").hash }
        let plain = try hash("{}")
        #expect(try hash("{ name: 'other', thresholds: ['lost == 0'] }") == plain)
        #expect(try hash("{ sender: { window: 4096 } }") != plain)
        #expect(try hash("{ workload: { seed: 2 } }") != plain)
        #expect(try hash("{ sender: { window: '65_536', connections: 8 } }") == plain)
    }

    @Test func `files of keys are named and never copied`() throws {
        let folder = try TemporaryFolder()
        try folder.write("key.pem", "SECRET KEY")
        try folder.write("pass.txt", "SECRET PASS")
        let (key, pass) = (folder.path("key.pem"), folder.path("pass.txt"))
        let tls = "{ certificateFile: '\(key)', keyFile: '\(key)', passphraseFile: '\(pass)' }"
        let profile = try Profile.read(text: "{ target: { host: 'h', tls: \(tls) } }", source: "p")
        let text = profile.effectiveJSON.canonicalText
        #expect(text.contains(key) && text.contains(pass))
        #expect(!text.contains("SECRET"))
    }

    @Test func `attempts are few where churn is taken for an attack`() throws {
        let remote = try Profile.read(text: "{ target: { host: 'h' } }", source: "p")
        #expect(remote.sender.reconnect.attemptsPerSecond == Rate(perSecond: 20))
        #expect(Profile().sender.reconnect.attemptsPerSecond == Rate(perSecond: 10_000))
    }

    @Test func `a profile made in code is checked as one from a file`() {
        var profile = Profile()
        #expect(throws: Never.self) { try profile.check() }
        profile.sender.window = 10
        #expect(throws: ProfileError.self) { try profile.check() }
    }

    static let fullText = """
        {
          name: "full",
          target: { simulator: {
            address: "127.0.0.1", port: 2195, payloadLimit: "2K", environment: "production",
            tokenLength: "variable", unknownCommand: "silentClose", simpleRefusal: "reply",
            judge: { tokens: true, environment: false, payloadSize: true, payloadJSON: true, foreignTokens: "reject" },
            tickets: 0, tlsMaxVersion: 1.2, maxConnections: 5, loops: 2,
            tlsMinVersion: 1.2, renewTickets: false, noDelay: false, certificateFile: "s.pem", keyFile: "k.pem",
            passphraseFile: "p.txt", clientCertificates: "require", clientCAFile: "ca.pem", topics: ["a.app", "b.app"],
            providerCertificate: "expired",
            faults: [
              { fault: "status", status: 7, share: 0.25, at: "1s", for: "2s", scope: "connection" },
              { fault: "shutdown", every: "10k", tokens: "unregistered" },
              { fault: "close", after: 300, mode: "halfClose" },
              { fault: "stall", at: 1.5, for: 5 },
              { fault: "blackHole", identifiers: [5, 7] },
              { fault: "throttle", rate: "1M/s" },
              { fault: "acceptanceDelay", delay: { median: "10ms", sigma: 0.8 } },
              { fault: "replyDelay", delay: { p50: "100ms" }, until: "2k" },
              { fault: "replySplit", pieces: [1, 2, 3], pause: "5ms" },
              { fault: "replyWithheld", payloadContains: "now" },
              { fault: "replyIdentifier", shift: -1 },
              { fault: "replyClose", mode: "reset" },
              { fault: "response", reason: "ServiceUnavailable", at: "1s", for: "1s" },
              { fault: "responseDelay", delay: { p50: "10ms", p99: "50ms", max: "1s" } },
              { fault: "unanswered", share: 0.001 },
              { fault: "resetStream", code: "cancel", every: 100 },
              { fault: "goAway", behind: 3, code: "internalError", reason: "Shutdown", announcement: "1s", closes: false },
              { fault: "streamLimit", streams: 10, at: "5s" },
              { fault: "streamWindow", window: "1KiB", after: 5 },
              { fault: "windowHeld", at: "1s", for: "2s" },
              { fault: "tokenLimit", rate: "10/s" },
              { fault: "refuse", at: 1.5, for: "10s" },
              { fault: "slowAccept", delay: "100ms" },
              { fault: "handshake", mode: "alert", alert: 80, share: 0.5, for: "1s" },
              { fault: "idleClose", idle: "2h" },
              { fault: "kill", rate: "1/s" },
              { fault: "outage", at: "1s", for: "1s" },
              { fault: "freeze", for: "1s" },
            ],
          } },
          workload: {
            notifications: "1M", devices: 250_000, seed: 9223372036854775807, environment: "production",
            payload: { bytes: 300, text: "mixed" },
            faults: { badToken: 1e-4, unregistered: .001, otherTopic: 0, oversizedPayload: 0.01 },
          },
          protocol: "framed",
          load: { loop: "open", rate: "200k/s", arrivals: "constant" },
          sender: {
            connections: 1, loops: 1, batch: { notifications: 448, bytes: "64KiB", linger: "2ms" }, window: "4k",
            firstIdentifier: 4294967295, noDelay: false, sendBuffer: "1MiB", unsentLimit: "64KiB", mode: "pipelined", wait: 0,
            unproven: { policy: "resend", limit: 1 },
            reconnect: { base: "10ms", factor: 1.5, cap: "1s", jitter: 0, attemptsPerSecond: 50 },
            connectTimeout: "1s", handshakeTimeout: "1s", resume: false, sentinelTimeout: "1s", stallLimit: "5s",
            priority: 5, allowMalformed: true, malformed: { token: "extraByte", every: 10 }, watch: "1s",
            extraWork: "200ns",
          },
          phases: { warmup: "2s", measure: "1m30s", drain: 0 },
          thresholds: ["lost == 0"],
        }
        """
}

/// Values that tools have choked on (case C51): each is refused with a message, or has a documented meaning.
@Suite struct ExtremeSettingTests {
    /// Numeric settings for which 0 has a meaning: no wait, no fault, any port, no ticket, the first seed.
    private static let zeroAllowed: Set<String> = [
        "load.lateAfter", "phases.drain", "phases.warmup", "sender.batch.linger", "sender.http2.retry.backoff",
        "sender.http2.retry.later", "sender.reconnect.jitter", "sender.wait", "sender.extraWork",
        "sender.watch", "target.simulator.extraWork", "target.simulator.port", "target.simulator.roundTrip",
        "target.simulator.feedback.emptyDelay",
        "target.simulator.feedback.pause", "target.simulator.feedback.port",
        "target.simulator.http2.channels", "target.simulator.http2.headerTable", "target.simulator.http2.port",
        "target.simulator.http2.tokenUpdateInterval", "target.simulator.storage.offline",
        "target.simulator.tickets", "workload.faults.badToken", "workload.faults.otherTopic",
        "workload.faults.oversizedPayload", "workload.faults.unregistered", "workload.seed",
    ]

    @Test func `every number at minus one and huge is refused, and zero only where it means something`() throws {
        let effective = try Profile.read(text: ProfileTests.fullText, source: "p").effectiveJSON
        let paths = numericPaths(effective, "")
        #expect(paths.count > 30, "the walk over the settings must find them")
        for path in paths {
            for value in ["-1", "1e30", "99999999999999999999999"] {
                #expect(throws: ProfileError.self, "\(path)=\(value)") { try read(path, value) }
            }
            let isAccepted = (try? read(path, "0")) != nil
            #expect(isAccepted == Self.zeroAllowed.contains(path), "\(path)=0")
        }
    }

    private func read(_ path: String, _ value: String) throws -> Profile {
        let change = ProfileOverride(keyPath: path, text: value, origin: "--set")
        return try Profile.read(text: ProfileTests.fullText, source: "p", overrides: [change])
    }

    /// Leaves that take numbers: those that are numbers, or texts that begin with a digit.
    private func numericPaths(_ value: JSONValue, _ path: String) -> [String] {
        switch value {
        case .object(let members):
            members.sorted { $0.key < $1.key }
                .flatMap { numericPaths($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
        case .integer, .number: [path]
        case .string(let text) where text.first?.isNumber == true:
            // These two take words.
            ["target.simulator.address", "target.simulator.tlsMaxVersion"].contains(path) ? [] : [path]
        default: []
        }
    }
}

@Suite struct ProfileOverrideTests {
    @Test(arguments: [
        ("sender.window", "4k"), ("sender.window", "4000"), ("sender.window", "'4k'"), ("sender", "{ window: 4000 }"),
    ])
    func `an override may be JSON5 or a bare text`(_ keyPath: String, _ text: String) throws {
        #expect(try profile("{}", [(keyPath, text, "--set")]).sender.window == 4_000)
    }

    @Test func `later overrides beat earlier ones and the file`() throws {
        let changes = [("sender.window", "300", "PUSHBENCH_WINDOW"), ("sender.window", "400", "-w")]
        #expect(try profile("{ sender: { window: 200 } }", changes).sender.window == 400)
        #expect(try profile("{ sender: { window: 200 } }", [changes[0]]).sender.window == 300)
        #expect(try profile("{ sender: { window: 200 } }", []).sender.window == 200)
    }

    @Test func `null takes back what the file says`() throws {
        let text = "{ sender: { window: 200 }, phases: { measure: '5s' } }"
        let changed = try profile(text, [("sender.window", "null", "--set"), ("phases.measure", "null", "--set")])
        #expect(changed.sender.window == 65_536)
        #expect(changed.phases.measure == nil)
    }

    @Test func `a text that looks like a number stays a text`() throws {
        #expect(try profile("{}", [("workload.tokensFile", "007", "--set")]).workload.tokensFile == "007")
        #expect(try profile("{}", [("name", "true", "--set")]).name == "true")
    }

    @Test func `an error of an override names the option, one of the file its line`() {
        #expect(
            message("{}", ("sender.windw", "5", "--set")) == "--set: sender.windw: unknown key, did you mean "
                + "\"window\"?; accepted: connections, loops, batch, window, firstIdentifier, noDelay, sendBuffer, "
                + "unsentLimit, mode, wait, silence, unproven, reconnect, connectTimeout, handshakeTimeout, resume, stallLimit, "
                + "sentinelTimeout, extraWork, identifiers, priority, watch, allowMalformed, malformed, streams, http2")
        #expect(
            message("{ sender: {\n window: 200 } }", ("sender.batch.notifications", "300", "-b"))
                == "p.json5:2:2: sender.window: 200 is less than a batch, sender.batch.notifications 300")
        #expect(
            message("{ sender: { batch: { notifications: 300 } } }", ("sender.window", "200", "-w"))
                == "-w: sender.window: 200 is less than a batch, sender.batch.notifications 300")
        #expect(
            message("{}", ("sender..x", "1", "--set"))
                == "--set: found \"sender..x\", expected a key path such as sender.window")
    }

    private func profile(_ text: String, _ changes: [(String, String, String)]) throws(ProfileError) -> Profile {
        let overrides = changes.map { ProfileOverride(keyPath: $0.0, text: $0.1, origin: $0.2) }
        return try Profile.read(text: text, source: "p.json5", overrides: overrides)
    }

    private func message(_ text: String, _ change: (String, String, String)) -> String {
        do throws(ProfileError) {
            _ = try profile(text, [change])
            return "accepted"
        } catch {
            return error.description
        }
    }
}

@Suite struct ShippedProfileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "profiles")

    @Test func `every shipped profile reads, is named like its file and says what it is for`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path()).sorted()
        #expect(names.contains("quickstart.json5"))
        for name in names {
            let file = Self.folder.appending(path: name).path()
            let profile = try Profile.read(file: file)
            #expect("\(profile.name).json5" == name)
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("// "))
        }
    }

    @Test func `the quickstart is what the README promises`() throws {
        let profile = try Profile.read(file: Self.folder.appending(path: "quickstart.json5").path())
        #expect(profile.workload.notifications == 1_000_000)
        #expect(profile.workload.devices == 250_000)
        #expect(profile.workload.faults.badToken == 0.0001)
        #expect(profile.sender.connections == 8)
        #expect(profile.sender.batch.notifications == 100)
    }
}
