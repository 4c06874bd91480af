import RunRecords
import Testing

/// A profile that must be refused, and the whole message.
struct BadProfile: CustomTestStringConvertible, Sendable {
    let text: String
    let message: String
    var testDescription: String { text }

    init(_ text: String, _ message: String) {
        self.text = text
        self.message = message
    }
}

private let countForm = "expected a whole number such as 250000, 1_000k or 1M (k M G are powers of 1000)"
private let timeForm =
    "expected a time such as 500ms, 2s, 1m30s or 1h (ns us ms s m h d; a bare number is seconds)"

@Suite struct ProfileErrorTests {
    @Test(arguments: [
        BadProfile(
            "{ sendr: {} }",
            "p.json5:1:3: sendr: unknown key, did you mean \"sender\"?; "
                + "accepted: name, target, protocol, workload, load, sender, phases, latencies, thresholds"),
        BadProfile(
            "{\n  sender: {\n    unproven: { polcy: 1 },\n  },\n}",
            "p.json5:3:17: sender.unproven.polcy: unknown key, did you mean \"policy\"?; accepted: policy, limit"),
        BadProfile(
            "{ phases: { zzz: 1 } }", "p.json5:1:13: phases.zzz: unknown key; accepted: warmup, measure, drain"),
        BadProfile(
            "{ target: { simulator: { feedback: { split: 5 } } } }",
            "p.json5:1:45: target.simulator.feedback.split: found 5, expected a list of sizes, such as [1, 37]"),
        BadProfile(
            "{ target: { simulator: { feedback: { split: [1, 0] } } } }",
            "p.json5:1:49: target.simulator.feedback.split[1]: 0 is out of range; accepted: 1 to 65,536 bytes"),
        BadProfile(
            "{ target: { simulator: { port: 2196, feedback: { port: 2196 } } } }",
            "p.json5:1:50: target.simulator.feedback.port: 2196 is the gateway's port, too; "
                + "the service needs one of its own"),
        BadProfile("{ sender: { batch: 5 } }", "p.json5:1:20: sender.batch: found 5, expected an object"),
        BadProfile("{ name: 5 }", "p.json5:1:9: name: found 5, expected a text in quotes"),
        BadProfile("{ sender: { resume: 1 } }", "p.json5:1:21: sender.resume: found 1, expected true or false"),
        BadProfile("[1]", "p.json5:1:1: found a list, expected an object"),
        BadProfile(
            "{ thresholds: \"lost == 0\" }", "p.json5:1:15: thresholds: found \"lost == 0\", expected a list of texts"),
    ])
    func `a wrong key or kind is named with its place`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test(arguments: [
        BadProfile(
            "{\n  sender: {\n    // why\n    window: 0,\n  }\n}",
            "p.json5:4:13: sender.window: 0 is out of range; accepted: 1 to 16,777,216"),
        BadProfile(
            "{ sender: { connections: -1 } }",
            "p.json5:1:26: sender.connections: \"-1\" is negative; \(countForm)"),
        BadProfile(
            "{ sender: { connections: 99999999999999999999 } }",
            "p.json5:1:26: sender.connections: \"99999999999999999999\" is too large; \(countForm)"),
        BadProfile(
            "{ sender: { connections: \"many\" } }",
            "p.json5:1:26: sender.connections: \"many\" is not a number with a unit; \(countForm)"),
        BadProfile(
            "{ sender: { connections: true } }", "p.json5:1:26: sender.connections: found true, \(countForm)"),
        BadProfile(
            "{ sender: { firstIdentifier: 0 } }",
            "p.json5:1:30: sender.firstIdentifier: 0 is out of range; accepted: 1 to 4,294,967,295"),
        BadProfile(
            "{ sender: { batch: { linger: \"5 parsecs\" } } }",
            "p.json5:1:30: sender.batch.linger: \"5 parsecs\" has the unknown unit \"parsecs\"; \(timeForm)"),
        BadProfile(
            "{ sender: { connectTimeout: 0 } }",
            "p.json5:1:29: sender.connectTimeout: 0 s is out of range; accepted: 1 ns to 30d"),
        BadProfile(
            "{ workload: { faults: { badToken: 1.5 } } }",
            "p.json5:1:35: workload.faults.badToken: 1.5 is out of range; accepted: 0 to 1"),
        BadProfile(
            "{ sender: { reconnect: { factor: NaN } } }",
            "p.json5:1:34: sender.reconnect.factor: NaN is out of range; accepted: 1 to 10"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 0 } }",
            "p.json5:1:31: load.rate: \"0\" is zero; expected a rate such as 2000/s, 200k/s, 60/m or 10M/5min "
                + "(k M G; a bare number is per second)"),
        BadProfile(
            "{ sender: { batch: { bytes: \"64KB\" } } }",
            "p.json5:1:29: sender.batch.bytes: \"64KB\" is ambiguous: \"KB\" may mean powers of 1000 or of 1024; "
                + "expected a size such as 4096, 64KiB, 16K or 1.5MiB (K M G, also with iB, are powers of 1024)"),
        BadProfile(
            "{ workload: { payload: { bytes: 19 } } }",
            "p.json5:1:33: workload.payload.bytes: 19 is out of range; accepted: 20 to 60,000 bytes"),
    ])
    func `a number at zero, below, beyond or without sense is refused`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test(arguments: [
        BadProfile(
            "{ sender: { streams: 10 } }",
            "p.json5:1:13: sender.streams: has no effect: only protocol http2 has it, and this is enhanced"),
        BadProfile(
            "{ protocol: \"http2\", sender: { mode: \"windowed\" } }",
            "p.json5:1:32: sender.mode: windowed is for the binary interface; over HTTP/2 sender.streams bounds what is in "
                + "flight"),
        BadProfile(
            "{ protocol: \"http2\", sender: { http2: { keyFile: \"k.p8\" } } }",
            "p.json5:1:41: sender.http2.keyFile: needs keyID beside it"),
        BadProfile(
            "{ protocol: \"http2\", sender: { http2: { keyID: \"K\" } } }",
            "p.json5:1:41: sender.http2.keyID: needs keyFile beside it"),
        BadProfile(
            "{ protocol: \"http2\", sender: { http2: { renewal: \"10min\" } } }",
            "p.json5:1:50: sender.http2.renewal: 10m is out of range; accepted: 20m to 1h"),
        BadProfile(
            "{ protocol: \"http2\", sender: { http2: { topic: \" x\" } } }",
            "p.json5:1:41: sender.http2.topic: is no value of a header field; 1 to 512 bytes on one line, without blanks at "
                + "their ends, are accepted"),
        BadProfile(
            "{ protocol: \"enhancd\" }",
            "p.json5:1:13: protocol: unknown value \"enhancd\", did you mean \"enhanced\"?; "
                + "accepted: simple, enhanced, framed, mixed, http2"),
        BadProfile(
            "{ target: { simulator: { tlsMaxVersion: 1.1 } } }",
            "p.json5:1:41: target.simulator.tlsMaxVersion: unknown value \"1.1\", did you mean \"1.2\"?; accepted: 1.2, 1.3"
        ),
    ])
    func `a word that is unknown or not yet supported is refused`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test(arguments: [
        BadProfile("{ target: {} }", "p.json5:1:11: target: missing one of simulator, host"),
        BadProfile(
            "{ target: { simulator: {}, host: \"x\" } }",
            "p.json5:1:28: target.host: stands beside simulator; a target is either simulator or a host"),
        BadProfile(
            "{ target: { hots: \"x\" } }",
            "p.json5:1:13: target.hots: unknown key, did you mean \"host\"?; "
                + "accepted: simulator, host, port, environment, tls"),
        BadProfile(
            "{ target: { host: \"a\", tls: { keyFile: \"k\" } } }",
            "p.json5:1:31: target.tls.keyFile: needs certificateFile beside it"),
        BadProfile(
            "{ target: { host: \"a\", tls: { passphraseFile: \"k\" } } }",
            "p.json5:1:31: target.tls.passphraseFile: needs certificateFile or pkcs12File beside it"),
        BadProfile(
            "{ target: { host: \"a\", tls: { certificateFile: \"c\", pkcs12File: \"p\" } } }",
            "p.json5:1:53: target.tls.pkcs12File: stands beside certificateFile; an identity comes from one of them"),
        BadProfile(
            "{ target: { host: \"a\", tls: { minVersion: 1.3, maxVersion: 1.2 } } }",
            "p.json5:1:31: target.tls.minVersion: 1.3 is over maxVersion, 1.2"),
        BadProfile(
            "{ target: { simulator: { tlsMinVersion: 1.3, tlsMaxVersion: 1.2 } } }",
            "p.json5:1:26: target.simulator.tlsMinVersion: 1.3 is over tlsMaxVersion, 1.2"),
        BadProfile(
            "{ target: { simulator: { keyFile: \"k\" } } }",
            "p.json5:1:26: target.simulator.keyFile: needs certificateFile beside it"),
        BadProfile(
            "{ target: { simulator: { providerCertificate: \"expired\" } } }",
            "p.json5:1:26: target.simulator.providerCertificate: has no effect: clientCertificates is none"),
        BadProfile(
            "{ target: { simulator: { clientCertificates: 'require', providerCertificate: 'otherTopic' } } }",
            "p.json5:1:57: target.simulator.providerCertificate: otherTopic has no effect without topics: "
                + "every certificate is one for the app under load"),
        BadProfile(
            "{ target: { simulator: { payloadLimit: 'ios9' } } }",
            "p.json5:1:40: target.simulator.payloadLimit: unknown value \"ios9\", did you mean \"ios7\"?; "
                + "accepted: ios7, ios8, voip, or a size such as 4096, 64KiB, 16K or 1.5MiB "
                + "(K M G, also with iB, are powers of 1024)"),
        BadProfile(
            "{ target: { simulator: { clientCertificates: \"require\", topics: [\"\"] } } }",
            "p.json5:1:66: target.simulator.topics[0]: missing a text; found an empty one"),
        BadProfile(
            "{ target: { simulator: { faults: [{ fault: 'freeze', at: '1s' }] } } }",
            "p.json5:1:35: target.simulator.faults[0]: missing for"),
        BadProfile(
            "{ load: { loop: \"open\" } }",
            "p.json5:1:3: load: missing rate, which an open loop needs; "
                + "or one of ratePerConnection, stages, staircase, replayFile"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 5, ratePerConnection: 5 } }",
            "p.json5:1:34: load.ratePerConnection: stands beside rate; a schedule comes from one of "
                + "rate, ratePerConnection, stages, staircase, replayFile"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 5, arrivals: \"bursts\" } }",
            "p.json5:1:34: load.arrivals: missing burst beside it, the number of notifications of a burst"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 5, burst: 10 } }",
            "p.json5:1:34: load.burst: has no effect: arrivals are constant, not bursts"),
        BadProfile(
            "{ load: { loop: \"open\", replayFile: \"t\", arrivals: \"poisson\" } }",
            "p.json5:1:42: load.arrivals: stands beside replayFile, which has the time of each notification"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 5, shard: { index: 3, of: 3 } } }",
            "p.json5:1:43: load.shard.index: 3 is none of 3 shards, which count from 0"),
        BadProfile(
            "{ load: { loop: \"open\", stages: [{ rate: 5, for: 1 }, { rate: 5 }] } }",
            "p.json5:1:55: load.stages[1]: missing for"),
        BadProfile(
            "{ load: { loop: \"open\", stages: { rate: 5 } } }",
            "p.json5:1:33: load.stages: found an object, expected a list of stages, "
                + "such as [{ rate: \"1k/s\", for: \"30s\" }]"),
        BadProfile(
            "{ load: { loop: \"open\", ratePerConnection: \"1G\" }, sender: { connections: 16 } }",
            "p.json5:1:25: load.ratePerConnection: times 16 connections is more than 1 G/s"),
        BadProfile(
            "{ load: { skipAfter: \"1s\" } }",
            "p.json5:1:11: load.skipAfter: has no effect: a closed loop has no schedule"),
        BadProfile(
            "{ load: { loop: \"open\", rate: 5, catchUp: 0.5 } }",
            "p.json5:1:43: load.catchUp: 0.5 is out of range; accepted: 1 to 1000"),
        BadProfile(
            "{ load: { rate: \"200k/s\" } }",
            "p.json5:1:11: load.rate: a closed loop has no schedule; set load.loop to \"open\" or leave this out"),
        BadProfile(
            "{ phases: { warmup: \"30s\", measure: \"30s\" } }",
            "p.json5:1:13: phases.warmup: 30 s of warm-up is not shorter than phases.measure, 30 s"),
        BadProfile(
            "{ sender: { window: 50 } }",
            "p.json5:1:13: sender.window: 50 is less than a batch, sender.batch.notifications 100"),
        BadProfile(
            "{ sender: { batch: { bytes: 300 } } }",
            "p.json5:1:22: sender.batch.bytes: 300 bytes do not hold the largest notification, 301 bytes"),
        BadProfile(
            "{ sender: { batch: { notifications: 1, linger: \"1ms\" } } }",
            "p.json5:1:40: sender.batch.linger: 1 ms has no effect: a batch of one notification never waits for others"),
        BadProfile(
            "{ sender: { mode: \"wait-each\", batch: { notifications: 5 } } }",
            "p.json5:1:41: sender.batch.notifications: 5 stands beside mode wait-each, which sends one at a time"),
        BadProfile(
            "{ sender: { reconnect: { cap: \"1ms\" } } }",
            "p.json5:1:26: sender.reconnect.cap: 1 ms is less than base, 50 ms"),
        BadProfile(
            "{ workload: { faults: { badToken: 0.6, otherTopic: 0.6 } } }",
            "p.json5:1:15: workload.faults: badToken, unregistered and otherTopic are together 1.200, more than 1"),
        BadProfile(
            "{ workload: { tokensFile: \"t\", faults: { badToken: 0.1 } } }",
            "p.json5:1:32: workload.faults: stands beside tokensFile; only synthetic tokens have a known fate"),
        BadProfile(
            "{ workload: { payload: { bytes: { p50: 200, p99: 100 } } } }",
            "p.json5:1:26: workload.payload.bytes: p50 200, p99 100, max 256 must not fall"),
        BadProfile(
            "{ workload: { payload: { bytes: 3000 } } }",
            "p.json5:1:26: workload.payload.bytes: payloads of 3000 bytes are over the target's limit of 2048; "
                + "to send some that are, set workload.faults.oversizedPayload"),
        BadProfile(
            "{ workload: { payload: { file: \"a\", templateFile: \"b\" } } }",
            "p.json5:1:26: workload.payload.file: stands beside templateFile; a payload comes from one of them"),
        BadProfile(
            "{ workload: { payload: { file: \"a\", bytes: 99 } } }",
            "p.json5:1:37: workload.payload.bytes: stands beside file, which fixes the payload"),
    ])
    func `settings that cannot be together are refused`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test(arguments: [
        BadProfile(
            "{ thresholds: [\"lost == 0\", \"lost = 0\"] }",
            "p.json5:1:29: thresholds[1]: \"lost = 0\" has the unknown comparison \"=\"; expected one of >= <= == != > <"
        ),
        BadProfile(
            "{ thresholds: [\"errorReply.p99 < 20\"] }",
            "p.json5:1:16: thresholds[0]: \"20\" lacks a unit; \(timeForm)"),
        BadProfile(
            "{ thresholds: [\"fast\"] }",
            "p.json5:1:16: thresholds[0]: \"fast\" has no comparison; expected: metric, one of >= <= == != > <, value"),
    ])
    func `a threshold that cannot be understood is refused`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test(arguments: [
        BadProfile("", "p.json5:1:1: found the end of the text, expected a value"),
        BadProfile("{ a: 1", "p.json5:1:7: found the end of the text, expected \",\" or \"}\""),
        BadProfile("{ a: 1, a: 2 }", "p.json5:1:9: found the key \"a\" again, first in line 1, expected each key once"),
        BadProfile(
            "{ protocol: enhanced }",
            "p.json5:1:13: found \"enhanced\", expected a number, true, false, null, or a text in quotes"),
        BadProfile("{ a: 'x\n' }", "p.json5:1:6: found a text without an end, expected a closing quote"),
        BadProfile("{}\n /* x", "p.json5:2:2: found a comment without an end, expected \"*/\""),
        BadProfile("{ name: \"\\ud800\" }", "p.json5:1:10: found one surrogate, expected two surrogates"),
        BadProfile("{} {}", "p.json5:1:4: found \"{\", expected the end of the text"),
    ])
    func `text that is not JSON5 is refused`(_ bad: BadProfile) { expectRefusal(bad) }

    @Test func `a file that is not there is named with the system's reason`() {
        #expect(throws: ProfileError.unreadable(file: "/nowhere/p.json5", reason: "No such file or directory")) {
            try Profile.read(file: "/nowhere/p.json5")
        }
    }

    private func expectRefusal(_ bad: BadProfile) {
        do throws(ProfileError) {
            _ = try Profile.read(text: bad.text, source: "p.json5")
            Issue.record("accepted: \(bad.text)")
        } catch {
            #expect(error.description == bad.message)
        }
    }
}
