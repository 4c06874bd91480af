import RunRecords
import Testing

@Suite struct TargetPolicyTests {
    @Test(arguments: [
        "gateway.push.apple.com", "api.push.apple.com", "feedback.push.apple.com", "push.apple.com", "x.push.apple.com",
        "GATEWAY.Push.Apple.COM", "gateway.push.apple.com.", "sandbox.evil.push.apple.com",
        "gateway.push-apple.com.akadns.net", "17.188.128.1", "0x11.1", "285212673", "2620:149:a00::1",
        "::ffff:17.1.2.3", "[2620:149::1]",
    ])
    func `a production host is refused even if it is allowed`(_ host: String) {
        #expect(throws: TargetRefusal.production(host: host)) {
            try TargetPolicy.check(host: host, allowedHosts: [host])
        }
    }

    @Test(arguments: [
        "gateway.sandbox.push.apple.com", "api.sandbox.push.apple.com", "feedback.sandbox.push.apple.com",
        "api.development.push.apple.com", "gateway.sandbox.push-apple.com.akadns.net", "gateway.example.com",
        "notpush.apple.com", "push.apple.com.example.org", "192.0.2.7", "2001:db8::1",
    ])
    func `any other host must be allowed by name`(_ host: String) {
        #expect(throws: TargetRefusal.notAllowed(host: host)) {
            try TargetPolicy.check(host: host, allowedHosts: ["other.example.com"])
        }
        #expect(throws: Never.self) {
            try TargetPolicy.check(host: host, allowedHosts: ["other.example.com", host.uppercased() + "."])
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "0x7f.1",
        "::ffff:127.0.0.1",
    ])
    func `this machine needs no permission`(_ host: String) {
        #expect(throws: Never.self) { try TargetPolicy.check(host: host, allowedHosts: []) }
    }

    @Test(arguments: ["localhost.example.com", "127.0.0.1.example.com", "0.0.0.0", "128.0.0.1", "::2", "localhost1"])
    func `what only looks like this machine needs permission`(_ host: String) {
        #expect(throws: TargetRefusal.notAllowed(host: host)) { try TargetPolicy.check(host: host, allowedHosts: []) }
    }

    @Test(arguments: ["", ".", "a b", "\u{FF41}pi.push.apple.com", "api.push.apple.com\u{0}", "a/b", "ａ"])
    func `what cannot be a host is refused`(_ host: String) {
        #expect(throws: TargetRefusal.notAHost(host)) { try TargetPolicy.check(host: host, allowedHosts: [host]) }
    }

    @Test func `a production name for TLS is refused whatever the host`() {
        var gateway = GatewaySettings(host: "127.0.0.1")
        #expect(throws: Never.self) { try TargetPolicy.check(.gateway(gateway), allowedHosts: []) }
        gateway.tls.serverName = "gateway.push.apple.com"
        #expect(throws: TargetRefusal.production(host: "gateway.push.apple.com")) {
            try TargetPolicy.check(.gateway(gateway), allowedHosts: ["127.0.0.1"])
        }
    }

    @Test func `the simulator is always allowed`() {
        #expect(throws: Never.self) { try TargetPolicy.check(.simulator(SimulatorSettings()), allowedHosts: []) }
    }

    @Test func `a refusal says what would be accepted`() {
        #expect(
            TargetRefusal.notAllowed(host: "h.example").description
                == "\"h.example\" is not this machine; to send load to it, add --allow-host h.example")
        #expect(
            TargetRefusal.production(host: "api.push.apple.com").description
                == "\"api.push.apple.com\" belongs to Apple's production service, which is never load-tested; "
                + "accepted: the simulator, or a sandbox host with --allow-host")
    }
}
