import Primitives
import Workload

/// The tables of all settings: key, property, accepted range.
extension Profile: SettingsGroup {
    static var fields: [SettingsField<Profile>] {
        [
            .text("name", \.name),
            .target,
            .choice("protocol", \.protocolName),
            .group("workload", \.workload), .group("load", \.load), .group("sender", \.sender),
            .group("phases", \.phases), .flag("latencies", \.latencies),
            .thresholds,
        ]
    }
}

extension Interval {
    /// Longer than any sensible setting, and far from overflow.
    static let settingMax = Interval.seconds(30 * 86_400)
    static let any = Interval.zero...settingMax
    static let positive = Interval(nanoseconds: 1)...settingMax
}

private let counts = 1...1_000_000_000
private let ports = 1...65_535
private let loopCounts = 1...1_024

extension PhaseSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .interval("warmup", \.warmup, Interval.any), .interval("measure", \.measure, Interval.positive),
            .interval("drain", \.drain, Interval.any),
        ]
    }
}

extension WorkloadSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .count("notifications", \.notifications, 1...Profile.notificationLimit),
            .count("devices", \.devices, counts),
            .count("seed", \.seed, 0...UInt64(Int64.max)), .choice("environment", \.environment),
            .text("tokensFile", \.tokensFile),
            .interval("expiry", \.expiry, Interval.any), .group("payload", \.payload), .group("faults", \.faults),
        ]
    }
}

extension PayloadSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .payloadBytes, .choice("text", \.text), .choice("form", \.form), .text("templateFile", \.templateFile),
            .text("file", \.file),
        ]
    }

    /// The binary formats carry a length of 16 bits; below the minimum no valid payload exists.
    static let sizes = PayloadGenerator.minimumBytes...60_000
}

extension PayloadQuantiles: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .bytes("p50", \.p50, PayloadSettings.sizes), .bytes("p99", \.p99, PayloadSettings.sizes),
            .bytes("max", \.max, PayloadSettings.sizes),
        ]
    }
}

extension WorkloadFaults: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .fraction("badToken", \.badToken), .fraction("unregistered", \.unregistered),
            .fraction("otherTopic", \.otherTopic), .fraction("oversizedPayload", \.oversizedPayload),
        ]
    }
}

extension SenderSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .count("connections", \.connections, 1...1_000_000), .count("loops", \.loops, loopCounts),
            .group("batch", \.batch), .count("window", \.window, 1...16_777_216),
            .count("firstIdentifier", \.firstIdentifier, 1...UInt32.max), .flag("noDelay", \.noDelay),
            .bytes("sendBuffer", \.sendBuffer, 4_096...1_073_741_824),
            .bytes("unsentLimit", \.unsentLimit, 4_096...1_073_741_824), .choice("mode", \.mode),
            .interval("wait", \.wait, Interval.any), .interval("silence", \.silence, Interval.positive),
            .group("unproven", \.unproven),
            .group("reconnect", \.reconnect), .interval("connectTimeout", \.connectTimeout, Interval.positive),
            .interval("handshakeTimeout", \.handshakeTimeout, Interval.positive), .flag("resume", \.resume),
            .interval("stallLimit", \.stallLimit, Interval.positive),
            .interval("sentinelTimeout", \.sentinelTimeout, Interval.positive),
            .interval("extraWork", \.extraWork, Interval.zero...Interval.seconds(1)),
            .group("identifiers", \.identifiers), .priority, .interval("watch", \.watch, Interval.any),
            .flag("allowMalformed", \.allowMalformed), .group("malformed", \.malformed),
            .count("streams", \.streams, 1...100_000), .group("http2", \.http2),
        ]
    }
}

extension HTTP2SenderSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .choice("authentication", \.authentication), .text("keyFile", \.keyFile), .text("keyID", \.keyID),
            .text("teamID", \.teamID),
            .interval("renewal", \.renewal, Interval.seconds(1_200)...Interval.seconds(3_600)),
            .choice("tokens", \.tokens), .choice("authorizationIndexing", \.authorizationIndexing),
            .text("authority", \.authority), .text("topic", \.topic), .text("pushType", \.pushType),
            .text("collapseID", \.collapseID),
            .interval("requestTimeout", \.requestTimeout, Interval.positive),
            .interval("pingAfter", \.pingAfter, Interval.positive),
            .interval("pingTimeout", \.pingTimeout, Interval.positive), .group("retry", \.retry),
        ]
    }
}

extension HTTP2RetrySettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .count("otherConnection", \.otherConnection, 0...100),
            .count("refusedStream", \.refusedStream, 0...65_000), .count("later", \.later, 0...100),
            .interval("laterDelay", \.laterDelay, Interval.positive), .count("backoff", \.backoff, 0...16),
            .interval("backoffDelay", \.backoffDelay, Interval.positive),
        ]
    }
}

extension IdentifierSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] { [.count("fixed", \.fixed, 1...UInt32.max)] }
}

extension MalformedSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] { [.choice("token", \.token), .count("every", \.every, counts)] }
}

extension BatchSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .count("notifications", \.notifications, 1...65_536), .bytes("bytes", \.bytes, 256...16_777_216),
            .interval("linger", \.linger, .zero...Interval.seconds(60)),
        ]
    }
}

extension UnprovenSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] { [.choice("policy", \.policy), .count("limit", \.limit, 1...100)] }
}

extension ReconnectSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .interval("base", \.base, Interval.positive), .fraction("factor", \.factor, 1...10),
            .interval("cap", \.cap, Interval.positive), .fraction("jitter", \.jitter),
            .rate("attemptsPerSecond", \.attemptsPerSecond, 0.001...1e6),
        ]
    }
}

extension GatewaySettings: SettingsGroup {
    init() { self.init(host: "") }

    static var fields: [SettingsField<Self>] {
        [
            .text("host", \.host), .count("port", \.port, ports), .choice("environment", \.environment),
            .group("tls", \.tls),
        ]
    }
}

extension TLSSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .text("caFile", \.caFile), .text("certificateFile", \.certificateFile), .text("keyFile", \.keyFile),
            .text("pkcs12File", \.pkcs12File), .text("passphraseFile", \.passphraseFile),
            .flag("allowExpired", \.allowExpired), .text("serverName", \.serverName), .flag("verify", \.verify),
            .choice("minVersion", \.minVersion), .choice("maxVersion", \.maxVersion),
        ]
    }
}

extension SimulatorSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .text("address", \.address), .count("port", \.port, 0...65_535), .group("judge", \.judge),
            .payloadLimit, .choice("tokenLength", \.tokenLength), .choice("environment", \.environment),
            .choice("unknownCommand", \.unknownCommand), .choice("simpleRefusal", \.simpleRefusal),
            .count("tickets", \.tickets, 0...16),
            .flag("renewTickets", \.renewTickets), .choice("tlsMinVersion", \.tlsMinVersion),
            .choice("tlsMaxVersion", \.tlsMaxVersion), .text("certificateFile", \.certificateFile),
            .text("keyFile", \.keyFile), .text("passphraseFile", \.passphraseFile),
            .choice("clientCertificates", \.clientCertificates), .text("clientCAFile", \.clientCAFile),
            .texts("topics", \.topics), .choice("providerCertificate", \.providerCertificate),
            .flag("noDelay", \.noDelay), .count("maxConnections", \.maxConnections, 1...1_000_000),
            .interval("handshakeTimeout", \.handshakeTimeout, Interval.milliseconds(1)...Interval.seconds(3_600)),
            .bytes("receiveBuffer", \.receiveBuffer, 4_096...1_073_741_824),
            .count("loops", \.loops, loopCounts), .group("feedback", \.feedback), .group("http2", \.http2),
            .group("storage", \.storage),
            .interval("roundTrip", \.roundTrip, .zero...Interval.seconds(2)),
            .bytes("roundTripWindow", \.roundTripWindow, 4_096...1_073_741_824),
            .bytes("roundTripTotal", \.roundTripTotal, 1_048_576...1_099_511_627_776),
            .interval("extraWork", \.extraWork, Interval.zero...Interval.seconds(1)), .faults,
        ]
    }
}

extension JudgeSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .flag("tokens", \.tokens), .flag("environment", \.environment), .flag("payloadSize", \.payloadSize),
            .flag("payloadJSON", \.payloadJSON), .flag("acceptAll", \.acceptAll),
            .choice("foreignTokens", \.foreignTokens),
        ]
    }
}

extension FeedbackServiceSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .count("port", \.port, 0...65_535), .choice("clear", \.clear),
            .count("limit", \.limit, 1...tokenLimit), .text("unregisteredFile", \.unregisteredFile),
            .byteList("split", \.split, 1...65_536), .interval("pause", \.pause, .zero...Interval.seconds(60)),
            .bytes("truncateAfter", \.truncateAfter, 0...Int(Int32.max)),
            .interval("emptyDelay", \.emptyDelay, .zero...Interval.seconds(60)),
            .choice("closeMode", \.closeMode), .flag("readAtEnd", \.readAtEnd),
        ]
    }
}

extension NotificationStorageSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] { [.fraction("offline", \.offline), .choice("expirySign", \.expirySign)] }
}
