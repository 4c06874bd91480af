import Primitives
public import RunRecords

/// What one run says about bad tokens beside its rate: how it was set, and the times and counts that their price rests on.
public struct BadTokenRun: Codable, Equatable, Sendable {
    /// The settings that matter.
    public var setting: BadTokenSetting
    /// Notifications that the gateway refused.
    public var errors: Int64
    /// Notifications that it accepted or refused.
    public var judged: Int64
    /// From the write of a bad notification to its reply, on average; null without any.
    @ExplicitNull public var replyMeanNs: Int64?
    /// The same at the median; null without enough of them.
    @ExplicitNull public var replyMedianNs: Int64?
    /// From the reply to the first batch on the successor, on average; null without any.
    @ExplicitNull public var reconnectMeanNs: Int64?
    /// The round trip as the sender took it from the time that opening its connections took, on average; null without any.
    @ExplicitNull public var roundTripMeanNs: Int64?
    /// The sender's processor time for a handshake, on average; null without any.
    @ExplicitNull public var senderHandshakeNs: Double?
    /// The simulator's; null without any.
    @ExplicitNull public var simulatorHandshakeNs: Double?
    /// The sender's processor time.
    public var senderCPUNs: Int64
    /// The simulator's; null if not known.
    @ExplicitNull public var simulatorCPUNs: Int64?
    /// Notifications written, those written again among them.
    public var written: Int64
    /// Connections that were replaced.
    public var reconnects: Int64
    /// The sender's event loops.
    public var senderLoops: Int
    /// The simulator's; null if not known.
    @ExplicitNull public var simulatorLoops: Int?
    /// The cores of the machine.
    public var cores: Int
    /// The share of the time for which the busiest event loop of either side was busy; null if not known.
    @ExplicitNull public var load: Double?
    /// The median of what was written for the first time in a second while no connection was replaced; null if there was too little of
    /// such time.
    @ExplicitNull public var quietPerSecond: Double?
    /// The standard error of the throughput lost for each replaced connection, from the noise of quiet time; null if that is not known.
    @ExplicitNull public var lostStandardError: Double?
    /// The bytes of a notification on average; null if nothing was written.
    @ExplicitNull public var frameBytes: Double?

    /// Takes what a run has of it; nil for the provider API and for records of other forms.
    public init?(_ record: RunRecord) {
        guard let setting = BadTokenSetting(record.profile) else { return nil }
        self.setting = setting
        errors = record.ledger.rejected
        judged = record.ledger.accepted + record.ledger.rejected
        replyMeanNs = record.latency["errorReply"]?.meanNs
        replyMedianNs = record.latency["errorReply"]?.quantiles.p50
        reconnectMeanNs = record.latency["reconnect"]?.meanNs
        let opening = [record.latency["connectTCP"]?.meanNs, record.latency["connectTLS"]?.meanNs].compactMap { $0 }
        // Sessions resume or speak TLS 1.3, but for the first connections with TLS 1.2.
        if opening.count == 2 { roundTripMeanNs = opening.reduce(0, +) / 2 }
        senderHandshakeNs = Self.mean(record.reconnects.senderHandshakes)
        simulatorHandshakeNs = Self.mean(record.reconnects.simulatorHandshakes)
        senderCPUNs = record.resources.sender.cpuNs
        simulatorCPUNs = record.resources.simulator?.cpuNs
        written = record.connections.reduce(0) { $0 + $1.written }
        reconnects = record.reconnects.count
        senderLoops = max(1, Set(record.connections.map(\.loop)).count)
        simulatorLoops = record.resources.simulator?.loops?.count
        cores = max(1, record.machine.cores)
        load = [record.limit?.senderBusy, record.limit?.simulatorBusy].compactMap { $0 }.max()
        quietPerSecond = record.reconnects.throughputLost?.medianPerSecond
        if let lost = record.reconnects.throughputLost, lost.reconnects > 0 {
            lostStandardError = lost.standardError / Double(lost.reconnects)
        }
        if let bytes = record.throughput.bytesPerSecond, let written = record.throughput.writtenPerSecond, written > 0 {
            frameBytes = bytes / written
        }
    }

    private static func mean(_ handshakes: HandshakesRecord?) -> Double? {
        guard let handshakes, handshakes.count > 0 else { return nil }
        return Double(handshakes.cpuNs) / Double(handshakes.count)
    }

    /// The share of notifications that were refused; 0 if none were judged.
    public var badShare: Double { judged > 0 ? Double(errors) / Double(judged) : 0 }
}

/// The settings of a run that the price of a bad token depends on.
public struct BadTokenSetting: Codable, Equatable, Sendable {
    /// Connections.
    public var connections: Int
    /// The most notifications of a batch.
    public var batchNotifications: Int
    /// The most bytes of a batch.
    public var batchBytes: Int
    /// Notifications that a connection can write again, and has in flight at most where ``mode`` bounds them.
    public var window: Int
    /// Whether a connection waits between notifications: `pipelined`, `windowed` or `wait-each`.
    public var mode: String
    /// The round trip that the simulator adds.
    public var roundTripNs: Int64
    /// The bytes that its way holds of one connection; null of other targets.
    @ExplicitNull public var roundTripWindow: Int64?
    /// How long a notification stays in the window; null for the round trip as measured.
    @ExplicitNull public var silenceNs: Int64?
    /// The most attempts to connect in a second.
    public var attemptsPerSecond: Double
    /// Whether error replies name notifications.
    public var hasIdentifiers: Bool
    /// Whether notifications are offered at a rate.
    public var isOpenLoop: Bool
    /// A fault of the gateway that does more than delay; null without one.
    @ExplicitNull public var otherFault: String?

    /// The faults that only delay, which the measured times contain.
    private static let delays: Set<String> = ["replyDelay", "acceptanceDelay"]

    /// Reads the settings of a run of the binary interface; nil for the provider API and for profiles that say less than all.
    init?(_ profile: JSONValue) {
        guard let protocolName = profile.text("protocol"), protocolName != ProtocolName.http2.rawValue,
            let connections = profile.integer("sender", "connections"),
            let batch = profile.integer("sender", "batch", "notifications"),
            let bytes = profile.integer("sender", "batch", "bytes"), let window = profile.integer("sender", "window"),
            let mode = profile.text("sender", "mode"), let loop = profile.text("load", "loop"),
            let text = profile.text("sender", "reconnect", "attemptsPerSecond"), let attempts = try? Rate(text: text)
        else { return nil }
        self.connections = Int(connections)
        batchNotifications = Int(batch)
        batchBytes = Int(bytes)
        self.window = Int(window)
        self.mode = mode
        roundTripNs = Self.time(profile.text("target", "simulator", "roundTrip")) ?? 0
        roundTripWindow = profile.integer("target", "simulator", "roundTripWindow")
        silenceNs = Self.time(profile.text("sender", "silence"))
        attemptsPerSecond = attempts.perSecond
        hasIdentifiers = protocolName != ProtocolName.simple.rawValue
        isOpenLoop = loop != "closed"
        if case .array(let faults)? = profile.value("target", "simulator", "faults") {
            otherFault = faults.compactMap { $0.text("fault") }.first { !Self.delays.contains($0) }
        }
    }

    /// Whether a run can have been set like that; a record can be edited.
    var isPossible: Bool {
        (1...1_000_000).contains(connections) && batchNotifications > 0 && window >= batchNotifications
            && attemptsPerSecond > 0
    }

    private static func time(_ text: String?) -> Int64? { text.flatMap { try? Interval(text: $0) }?.nanoseconds }
}

extension JSONValue {
    /// A member of a member; nil if one of them is missing.
    fileprivate func value(_ path: String...) -> JSONValue? { value(at: path[...]) }

    private func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let name = path.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members[name]?.value(at: path.dropFirst())
    }

    fileprivate func text(_ path: String...) -> String? {
        guard case .string(let text)? = value(at: path[...]) else { return nil }
        return text
    }

    fileprivate func integer(_ path: String...) -> Int64? {
        guard case .integer(let number)? = value(at: path[...]) else { return nil }
        return number
    }
}
