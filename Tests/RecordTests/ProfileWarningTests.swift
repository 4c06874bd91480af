import RunRecords
import Testing

/// What a profile may say, but is told to be doubtful.
@Suite struct ProfileWarningTests {
    private func warnings(_ text: String) throws -> [String] {
        try Profile.read(text: text, source: "p").warnings
    }

    @Test(arguments: [
        (
            "pushType: 'background'",
            "sender.priority: 10 is none for pushType background, so every request is refused (400 BadPriority); accepted: 5"
        ),
        (
            "pushType: 'alrt'",
            "sender.http2.pushType: \"alrt\" is no push type, did you mean \"alert\"?, so every request is refused "
                + "(400 InvalidPushType); accepted: alert, background, complication, controls, fileprovider, liveactivity, "
                + "location, mdm, pushtotalk, voip, widgets"
        ),
        (
            "collapseID: '\(String(repeating: "x", count: 65))'",
            "sender.http2.collapseID: it has 65 bytes, so every request is refused (400 BadCollapseId); up to 64 are accepted"
        ),
    ])
    func `what every request has and gateways refuse is told before the run`(setting: String, warning: String) throws {
        let sender = "sender: { http2: { \(setting) } }"
        #expect(try warnings("{ protocol: 'http2', \(sender) }") == [warning])
        #expect(
            try warnings("{ protocol: 'http2', target: { simulator: { http2: { acceptAll: true } } }, \(sender) }")
                == [])
    }

    @Test(arguments: [
        ("response.p99 < 1s", "", false), ("schedule.late == 0", "", false), ("sendGap.variation < 0.5", "", false),
        ("compare(response.p99) < 5%", "", false), ("service.p99 < 1s", "", true), ("residence.max < 1s", "", true),
        ("response.p99 < 1s", "load: { loop: 'open', rate: '1k/s' },", true),
        ("residence.max < 1s", "latencies: false,", false), ("connectTLS.max < 1s", "latencies: false,", true),
    ])
    func `a threshold that can never have data is refused before the run`(
        _ threshold: String, _ settings: String, _ isSound: Bool
    ) throws {
        let profile = try Profile.read(
            text: "{ \(settings) thresholds: ['lost == 0', '\(threshold)'] }", source: "p.json5")
        let message: String?
        do throws(ProfileError) {
            try profile.checkThresholds()
            message = nil
        } catch { message = "\(error)" }
        #expect((message == nil) == isSound, "\(message ?? "nothing")")
        if let message { #expect(message.hasPrefix("p: thresholds[1]: \(threshold) can have no data: ")) }
    }

    @Test func `what gateways take is not warned of`() throws {
        for sender in [
            "{ priority: 5, http2: { pushType: 'background' } }", "{ priority: 1, http2: { pushType: 'widgets' } }",
            "{ http2: { pushType: 'location', collapseID: '\(String(repeating: "x", count: 64))' } }", "{}",
        ] {
            #expect(try warnings("{ protocol: 'http2', sender: \(sender) }") == [])
        }
    }

    @Test func `a push type that needs a provider token is refused with a certificate`() throws {
        let text =
            "{ protocol: 'http2', target: { simulator: { clientCertificates: 'require' } }, "
            + "sender: { http2: { authentication: 'certificate', pushType: 'location' } } }"
        #expect(
            try warnings(text) == [
                "sender.http2.pushType: location needs provider tokens, so every request with a certificate is refused "
                    + "(403 Forbidden)"
            ])
    }

    @Test func `a fault of the other interface never strikes`() throws {
        let faults =
            "target: { simulator: { faults: [{ fault: 'close' }, { fault: 'status', status: 7 }, { fault: 'goAway' }] } }"
        #expect(
            try warnings("{ protocol: 'http2', \(faults) }") == [
                "target.simulator.faults[1]: status is a fault of the binary interface, and never strikes a run of protocol http2"
            ])
        #expect(
            try warnings("{ protocol: 'framed', \(faults) }") == [
                "target.simulator.faults[2]: goAway is a fault of HTTP/2, and never strikes a run of protocol framed"
            ])
    }

    @Test func `a certificate for a simulator that asks for none is a contradiction`() throws {
        let sender = "sender: { http2: { authentication: 'certificate' } }"
        #expect {
            try warnings("{ protocol: 'http2', \(sender) }")
        } throws: {
            "\($0)"
                == "p:1:41: sender.http2.authentication: certificate stands beside target.simulator.clientCertificates none, "
                + "so that every request would be refused; set that to request or require"
        }
        for simulator in [
            "clientCertificates: 'request'", "http2: { authentication: 'none' }", "http2: { acceptAll: true }",
        ] {
            #expect(try warnings("{ protocol: 'http2', target: { simulator: { \(simulator) } }, \(sender) }") == [])
        }
    }
}
