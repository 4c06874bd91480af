import Primitives
import PushWire
import Workload

/// Settings that are sound each alone and impossible together.
extension Profile {
    /// Checks that all settings are possible together; for profiles made in code, whose places have no lines.
    ///
    /// - Throws: ``ProfileError/setting(at:keyPath:_:)`` for the first contradiction.
    public func check() throws(ProfileError) {
        try check(LocatedValue(content: .object([]), origin: ValueOrigin(source: name)))
    }

    /// Checks the settings that were read from a document, which gives errors their places.
    func check(_ document: LocatedValue) throws(ProfileError) {
        let checks = ContradictionCheck(document: document)
        try checkLoad(checks)
        try checkPayload(checks)
        try checkTokens(checks)
        try checkSender(checks)
        try checkProtocol(checks)
        try checkRequests(checks)
        try checkTarget(checks)
    }

    private func checkPayload(_ checks: ContradictionCheck) throws(ProfileError) {
        let payload = workload.payload
        try checks.refuse("workload.payload.file", when: payload.file != nil && payload.templateFile != nil) {
            "stands beside templateFile; a payload comes from one of them"
        }
        let isSized = checks.document.mentions("workload.payload.bytes")
        try checks.refuse("workload.payload.bytes", when: payload.file != nil && isSized) {
            "stands beside file, which fixes the payload"
        }
        if case .distribution(let sizes) = payload.bytes {
            try checks.refuse("workload.payload.bytes", when: sizes.p50 > sizes.p99 || sizes.p99 > sizes.max) {
                "p50 \(sizes.p50), p99 \(sizes.p99), max \(sizes.max) must not fall"
            }
        }
        let isGenerated = payload.file == nil && payload.templateFile == nil
        try checks.refuse(
            "workload.payload.bytes", when: isGenerated && isSizeJudged && payload.bytes.max > payloadLimit
        ) {
            "payloads of \(payload.bytes.max) bytes are over the target's limit of \(payloadLimit); "
                + "to send some that are, set workload.faults.oversizedPayload"
        }
        try checks.refuse(
            "workload.faults.oversizedPayload", when: !isGenerated && workload.faults.oversizedPayload > 0
        ) {
            "needs generated payloads, not a file"
        }
        let oversized = workload.faults.oversizedPayload > 0 ? payloadLimit + PayloadGenerator.oversizeMaximum : 0
        let largest = max(payload.bytes.max, oversized) + frameOverhead
        try checks.refuse("sender.batch.bytes", when: isGenerated && sender.batch.bytes < largest) {
            "\(sender.batch.bytes) bytes do not hold the largest notification, \(largest) bytes"
        }
    }

    private func checkTokens(_ checks: ContradictionCheck) throws(ProfileError) {
        let faults = workload.faults
        let sum = faults.badToken + faults.unregistered + faults.otherTopic
        // Shares like 0.7, 0.2 and 0.1 are a hair over 1 in binary.
        try checks.refuse("workload.faults", when: sum > 1 + 1e-9) {
            "badToken, unregistered and otherTopic are together \(decimalText(sum, places: 3)), more than 1"
        }
        try checks.refuse("workload.faults", when: workload.tokensFile != nil && sum > 0) {
            "stands beside tokensFile; only synthetic tokens have a known fate"
        }
    }

    private func checkSender(_ checks: ContradictionCheck) throws(ProfileError) {
        let batch = sender.batch
        try checks.refuse("sender.window", when: sender.window < batch.notifications) {
            "\(sender.window) is less than a batch, sender.batch.notifications \(batch.notifications)"
        }
        try checks.refuse("sender.batch.notifications", when: sender.mode == .waitEach && batch.notifications > 1) {
            "\(batch.notifications) stands beside mode wait-each, which sends one at a time"
        }
        try checks.refuse("sender.silence", when: sender.mode != .windowed && sender.silence != nil) {
            "has no effect: only mode windowed waits for silence"
        }
        try checks.refuse("sender.batch.linger", when: batch.notifications == 1 && batch.linger > .zero) {
            "\(batch.linger) has no effect: a batch of one notification never waits for others"
        }
        try checks.refuse("sender.reconnect.cap", when: sender.reconnect.cap < sender.reconnect.base) {
            "\(sender.reconnect.cap) is less than base, \(sender.reconnect.base)"
        }
    }

    private func checkProtocol(_ checks: ContradictionCheck) throws(ProfileError) {
        try checks.refuse(
            "sender.priority", when: ![.framed, .mixed, .http2].contains(protocolName) && sender.priority != 10
        ) {
            "has no effect: only protocols framed, mixed and http2 carry a priority, and this is \(protocolName.rawValue)"
        }
        try checks.refuse("sender.priority", when: sender.priority == 1 && protocolName != .http2) {
            "1 stands in requests of protocol http2 only, and this is \(protocolName.rawValue), which knows 10 and 5"
        }
        try checks.refuse("workload.expiry", when: protocolName == .simple && workload.expiry != nil) {
            "has no effect: protocol simple carries no expiry"
        }
        if let fixed = sender.identifiers.fixed, workload.notifications > 1 {
            throw checks.error(
                "sender.identifiers.fixed",
                .contradiction(
                    "identifiers not unique in the window: an error reply that names \(fixed) would name all of "
                        + "\(Count(Int64(workload.notifications)).grouped) notifications; consecutive ones, or one "
                        + "notification, are accepted"))
        }
        try checks.refuse("sender.malformed", when: sender.malformed != nil && !sender.allowMalformed) {
            "sends notifications with damaged tokens; set sender.allowMalformed to true if that is meant"
        }
    }

    private func checkRequests(_ checks: ContradictionCheck) throws(ProfileError) {
        guard protocolName == .http2 else {
            let defaults = SenderSettings()
            for (key, isSet) in [
                ("sender.streams", sender.streams != defaults.streams),
                ("sender.http2", sender.http2 != defaults.http2),
            ] {
                try checks.refuse(key, when: isSet) {
                    "has no effect: only protocol http2 has it, and this is \(protocolName.rawValue)"
                }
            }
            return
        }
        try checks.refuse("sender.mode", when: sender.mode != .pipelined) {
            "\(sender.mode.rawValue) is for the binary interface; over HTTP/2 sender.streams bounds what is in flight"
        }
        try checks.refuse("sender.malformed", when: sender.malformed != nil) {
            "has no effect: only the binary interface declares token lengths"
        }
        let http2 = sender.http2
        for (name, value) in [("keyID", http2.keyID), ("teamID", http2.teamID)] {
            try checks.refuse("sender.http2.keyFile", when: http2.keyFile != nil && value == nil) {
                "needs \(name) beside it"
            }
            try checks.refuse("sender.http2.\(name)", when: http2.keyFile == nil && value != nil) {
                "needs keyFile beside it"
            }
        }
        try checks.refuse("sender.http2.keyFile", when: http2.authentication == .certificate && http2.keyFile != nil) {
            "has no effect: authentication is certificate"
        }
        if case .gateway = target, http2.authentication == .token, http2.keyFile == nil {
            throw checks.error(
                "sender.http2",
                .missing("keyFile, which provider tokens need; or set authentication to \"certificate\""))
        }
        if case .simulator(let simulator) = target, !simulator.http2.acceptAll {
            let asks = simulator.clientCertificates != .none || simulator.http2.authentication == .none
            try checks.refuse("sender.http2.authentication", when: http2.authentication == .certificate && !asks) {
                "certificate stands beside target.simulator.clientCertificates none, so that every request would be refused; "
                    + "set that to request or require"
            }
        }
        for (name, value) in [
            ("authority", http2.authority), ("topic", http2.topic), ("pushType", http2.pushType),
            ("collapseID", http2.collapseID),
        ] {
            guard let value else { continue }
            let isValue = Array(value.utf8).withUnsafeBytes { HTTP2FieldBytes.isValue($0) }
            try checks.refuse("sender.http2.\(name)", when: !isValue || !(1...512).contains(value.utf8.count)) {
                "is no value of a header field; 1 to 512 bytes on one line, without blanks at their ends, are accepted"
            }
        }
    }

    private func checkTarget(_ checks: ContradictionCheck) throws(ProfileError) {
        switch target {
        case .gateway(let gateway): try checkTLS(gateway.tls, checks)
        case .simulator(let simulator):
            let port = simulator.feedback.port
            try checks.refuse("target.simulator.feedback.port", when: port != 0 && port == simulator.port) {
                "\(port) is the gateway's port, too; the service needs one of its own"
            }
            let http2 = simulator.http2
            try checks.refuse(
                "target.simulator.http2.port",
                when: http2.port != 0 && (http2.port == simulator.port || http2.port == port)
            ) { "\(http2.port) is taken by another service of the simulator" }
            try checkTLS(of: simulator, checks)
        }
    }

    private func checkTLS(_ tls: TLSSettings, _ checks: ContradictionCheck) throws(ProfileError) {
        let hasIdentity = tls.certificateFile != nil || tls.pkcs12File != nil
        try checks.refuse("target.tls.keyFile", when: tls.keyFile != nil && tls.certificateFile == nil) {
            "needs certificateFile beside it"
        }
        try checks.refuse("target.tls.pkcs12File", when: tls.pkcs12File != nil && tls.certificateFile != nil) {
            "stands beside certificateFile; an identity comes from one of them"
        }
        try checks.refuse("target.tls.passphraseFile", when: tls.passphraseFile != nil && !hasIdentity) {
            "needs certificateFile or pkcs12File beside it"
        }
        try checks.refuse("target.tls.caFile", when: tls.caFile != nil && !tls.verify) {
            "has no effect: verify is false"
        }
        try checks.refuse("target.tls.minVersion", when: tls.minVersion > tls.maxVersion) {
            "\(tls.minVersion.rawValue) is over maxVersion, \(tls.maxVersion.rawValue)"
        }
    }

    private func checkTLS(of simulator: SimulatorSettings, _ checks: ContradictionCheck) throws(ProfileError) {
        let path = "target.simulator"
        try checks.refuse("\(path).tlsMinVersion", when: simulator.tlsMinVersion > simulator.tlsMaxVersion) {
            "\(simulator.tlsMinVersion.rawValue) is over tlsMaxVersion, \(simulator.tlsMaxVersion.rawValue)"
        }
        for (name, file) in [("keyFile", simulator.keyFile), ("passphraseFile", simulator.passphraseFile)] {
            try checks.refuse("\(path).\(name)", when: file != nil && simulator.certificateFile == nil) {
                "needs certificateFile beside it"
            }
        }
        let asks = simulator.clientCertificates != .none
        for (name, isSet) in [
            ("clientCAFile", simulator.clientCAFile != nil), ("topics", !simulator.topics.isEmpty),
            ("providerCertificate", simulator.providerCertificate != .good),
        ] {
            try checks.refuse("\(path).\(name)", when: isSet && !asks) {
                "has no effect: clientCertificates is none"
            }
        }
        let isOtherTopic = simulator.providerCertificate == .otherTopic
        try checks.refuse("\(path).providerCertificate", when: isOtherTopic && simulator.topics.isEmpty) {
            "otherTopic has no effect without topics: every certificate is one for the app under load"
        }
    }

    /// What a frame has beside its payload, with a token of 32 bytes.
    private var frameOverhead: Int {
        switch protocolName {
        case .simple: SimpleNotification.overheadBytes + 32
        case .framed, .mixed: FramedNotification.overheadBytes + 32
        case .enhanced: EnhancedNotification.overheadBytes + 32
        // A first request carries all its fields, and a provider token of about 250 bytes.
        case .http2: 1_024
        }
    }

    /// The largest payload that the target takes, in bytes.
    public var payloadLimit: Int {
        switch target {
        // Over HTTP/2 the limit is the push type's, whatever the era.
        case _ where protocolName == .http2: sender.http2.pushType == "voip" ? PayloadLimit.voip : PayloadLimit.http2
        case .simulator(let simulator): simulator.payloadLimit
        case .gateway: PayloadLimit.binary
        }
    }

    private var isSizeJudged: Bool {
        guard case .simulator(let simulator) = target else { return true }
        return simulator.judge.payloadSize
    }
}

/// Throws contradictions with the places of the settings that they are about.
struct ContradictionCheck {
    let document: LocatedValue

    func refuse(_ keyPath: String, when isContradiction: Bool, _ text: () -> String) throws(ProfileError) {
        guard isContradiction else { return }
        throw error(keyPath, .contradiction(text()))
    }

    func error(_ keyPath: String, _ fault: SettingFault) -> ProfileError {
        .setting(at: document.origin(at: keyPath.split(separator: ".")), keyPath: keyPath, fault)
    }
}
