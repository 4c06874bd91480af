import Primitives
import PushWire

/// The tables of faults: which keys each kind takes.
extension SettingsField<SimulatorSettings> {
    /// The fault plan, a list.
    static var faults: Self {
        Self(
            name: "faults",
            numbers: FaultKind.allCases.flatMap { kind in
                FaultSettings(kind).fields.flatMap(\.numbers).within("faults[\(kind.rawValue)]")
            },
            read: { (simulator, setting) throws(ProfileError) in simulator.faults = try setting.faultPlan() },
            write: { .array($0.faults.map(\.json)) })
    }
}

extension FaultSettings {
    private typealias Field = SettingsField<FaultSettings>
    private static let counts = 1...1_000_000_000
    private static let replyBytes = 6

    /// The fault with the keys that say something.
    var json: JSONValue {
        var members = ["fault": JSONValue.string(kind.rawValue)]
        for field in fields {
            let value = field.write(self)
            if value != .null { members[field.name] = value }
        }
        return .object(members)
    }

    /// The keys beside `fault`.
    var fields: [SettingsField<FaultSettings>] { parameters + trigger }

    private var parameters: [Field] {
        switch kind {
        case .status: [.count("status", \.status, 0...255).required]
        case .shutdown, .replyWithheld, .stall, .refuse, .outage, .freeze: []
        case .blackHole: [.interval("idle", \.idle, Interval.positive)]
        case .slowAccept: [Field.interval("delay", \.acceptDelay, Interval.zero...Interval.seconds(3_600)).required]
        case .handshake: [Field.choice("mode", \.handshake).required, .count("alert", \.alert, 0...255)]
        case .idleClose: [Field.interval("idle", \.idle, Interval.positive).required, .choice("mode", \.mode)]
        case .kill: [Field.rate("rate", \.rate, 0.001...1e6).required, .choice("mode", \.mode)]
        case .close: [.choice("mode", \.mode)]
        case .replyClose: [Field.choice("mode", \.mode).required]
        case .throttle: [.rate("rate", \.rate, 0.001...1e9), .bytes("bytes", \.bytes, 1...1_000_000_000_000)]
        case .acceptanceDelay: [Field.delay.required]
        case .replyDelay: [.delay, .count("until", \.until, Self.counts), .reads]
        case .replySplit: [Field.pieces.required, .interval("pause", \.pause, Interval.any)]
        case .replyIdentifier: [.identifier, .shift]
        case .response: [Field.reason.required]
        case .responseDelay: [Field.delay.required]
        case .unanswered, .windowHeld: []
        case .resetStream: [.choice("code", \.code)]
        case .goAway:
            [
                .choice("last", \.last), .count("behind", \.behind, 1...1_000_000), .choice("code", \.code), .reason,
                .interval("announcement", \.announcement, Interval.positive), .flag("closes", \.closes),
            ]
        case .streamLimit: [Field.count("streams", \.streams, 0...100_000).required]
        case .streamWindow: [Field.bytes("window", \.window, 0...Int(Int32.max)).required]
        case .tokenLimit: [Field.rate("rate", \.rate, 0.001...1e6).required]
        }
    }

    private var trigger: [Field] {
        let at = Field.interval("at", \.at, Interval.any)
        let length = Field.interval("for", \.length, Interval.positive)
        let scope = Field.choice("scope", \.scope)
        return switch kind {
        case .outage, .freeze: [at, length.required]
        case .refuse, .handshake: [at, length, .share]
        case .slowAccept, .idleClose, .kill: []
        case .throttle: [at, length, scope]
        case .stall, .windowHeld: [at, .count("after", \.after, Self.counts), length.required] + selection + [scope]
        default: [at, .count("after", \.after, Self.counts), length] + selection + [scope]
        }
    }

    private var selection: [Field] {
        [
            .count("every", \.every, Self.counts), .share, .tokens, .identifiers,
            .text("payloadContains", \.payloadContains),
        ]
    }

    /// Whether a plan can hold only one such fault.
    var isSingle: Bool {
        switch kind {
        case .slowAccept, .idleClose, .kill: true
        case .throttle: bytes != nil
        case .blackHole: idle != nil
        case .refuse: share != nil
        default: false
        }
    }

    /// Whether it picks single notifications.
    public var isSelective: Bool {
        every != nil || share != nil || tokens != nil || !identifiers.isEmpty || payloadContains != nil
    }

    /// Whether something other than chance picks notifications.
    private var isChosen: Bool { every != nil || tokens != nil || !identifiers.isEmpty || payloadContains != nil }

    /// Refuses what is impossible together.
    fileprivate func check(_ setting: Setting) throws(ProfileError) {
        if at != nil, after != nil {
            throw setting.contradiction("after", "stands beside at; a fault begins with one of them")
        }
        if case .distribution(let delays)? = delay, delays.p50 > delays.p99 || delays.p99 > delays.max {
            throw setting.contradiction(
                "delay", "p50 \(delays.p50), p99 \(delays.p99), max \(delays.max) must not fall")
        }
        switch kind {
        case .status where status == 10:
            throw setting.contradiction(
                "status", "10 names the last accepted notification and refuses none; write fault: \"shutdown\"")
        case .stall where isSelective && (at != nil || after != nil):
            let key = at != nil ? "at" : "after"
            throw setting.contradiction(
                key, "a stall begins at a time or a count, or with chosen notifications, not both")
        case .throttle where (rate == nil) == (bytes == nil):
            throw setting.error(.missing("one of rate, bytes"))
        case .throttle where bytes != nil && (at != nil || length != nil):
            throw setting.contradiction(at != nil ? "at" : "for", "a limit of bytes holds all the time")
        case .refuse where (length == nil) == (share == nil):
            throw setting.error(.missing("one of for, share"))
        case .refuse where share != nil && at != nil:
            throw setting.contradiction("at", "a share of new connections is refused all the time")
        case .blackHole where idle != nil && (at != nil || after != nil || isChosen):
            throw setting.contradiction("idle", "stands beside another trigger; only share goes with it")
        case .idleClose, .kill:
            if mode == .halfClose || mode == .never {
                throw setting.contradiction("mode", "\(mode.rawValue) does not end a connection")
            }
        case .replyDelay:
            if delay == nil && until == nil { throw setting.error(.missing("delay, until, or both")) }
            if !reads, until != nil {
                throw setting.contradiction("until", "counts what is read, and reads is false")
            }
        case .replySplit where pieces.reduce(0, +) != Self.replyBytes:
            throw setting.contradiction(
                "pieces", "are \(pieces.reduce(0, +)) bytes together; a reply has \(Self.replyBytes)")
        case .goAway where behind != nil && last != .latest:
            throw setting.contradiction("behind", "counts from the latest stream, and last names another")
        case .replyIdentifier where (identifier == nil) == (shift == nil):
            throw setting.error(.missing("one of identifier, shift"))
        default: break
        }
    }
}

extension Setting {
    fileprivate func faultPlan() throws(ProfileError) -> [FaultSettings] {
        var faults: [FaultSettings] = []
        for item in try elements(expected: "a list of faults, such as [{ fault: \"stall\", at: \"2s\", for: \"5s\" }]")
        {
            let fault = try item.fault()
            if fault.isSingle, faults.contains(where: { $0.kind == fault.kind && $0.isSingle }) {
                throw item.error(
                    .contradiction("there is already a fault of this kind, and it leaves no room for another"))
            }
            faults.append(fault)
        }
        return faults
    }

    private func fault() throws(ProfileError) -> FaultSettings {
        guard let members = value.members else { throw wrongKind(expected: "an object") }
        guard let name = value.member("fault") else {
            let kinds = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(.missing("fault, one of \(kinds)"))
        }
        let start = FaultSettings(try child(name).choice(FaultKind.self, supported: { _ in true }))
        let rest = LocatedValue(content: .object(members.filter { $0.name != "fault" }), origin: value.origin)
        let fault = try Setting(keyPath: keyPath, value: rest).group(from: start, fields: start.fields)
        try fault.check(self)
        return fault
    }

    /// An error about a member, at its place.
    fileprivate func contradiction(_ key: String, _ text: String) -> ProfileError {
        guard let member = value.member(key) else { return error(.contradiction(text)) }
        return .setting(at: member.origin, keyPath: child(member).keyPath, .contradiction(text))
    }

    /// A number or a list of numbers.
    fileprivate func counts<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) throws(ProfileError) -> [Number] {
        guard case .array = value.content else { return [try count(range)] }
        var numbers: [Number] = []
        for item in try elements(expected: "a list of numbers") { numbers.append(try item.count(range)) }
        guard !numbers.isEmpty else { throw error(.missing("a number; found an empty list")) }
        return numbers
    }

    /// A reason of the HTTP/2 provider API, by its name.
    fileprivate func reason() throws(ProfileError) -> RefusalReason {
        let accepted = "a reason of Apple's documents, such as TooManyRequests"
        guard case .string(let text) = value.content else { throw wrongKind(expected: accepted) }
        let found = Array(text.utf8).withUnsafeBytes { RefusalReason(name: $0) }
        guard let found else { throw error(.outOfRange(found: text, accepted: accepted)) }
        return found
    }

    /// A whole number that may be negative.
    fileprivate func signed(_ limit: Int) throws(ProfileError) -> Int {
        let accepted = "a whole number from -\(limit) to \(limit), not 0"
        guard case .number(let text) = value.content, let number = Int(text) else {
            throw wrongKind(expected: accepted)
        }
        guard number != 0, (-limit...limit).contains(number) else {
            throw error(.outOfRange(found: text, accepted: accepted))
        }
        return number
    }
}

extension SettingsField<FaultSettings> {
    fileprivate static var share: Self {
        Self(
            name: "share", numbers: [NumericKey("share", "0", "1")],
            read: { (fault, setting) throws(ProfileError) in fault.share = try setting.fraction(0...1) },
            write: { $0.share.map { JSONValue($0) } ?? .null })
    }

    fileprivate static var reason: Self {
        Self(
            name: "reason", numbers: [],
            read: { (fault, setting) throws(ProfileError) in fault.reason = try setting.reason() },
            write: { $0.reason.map { .string("\($0.name)") } ?? .null })
    }

    fileprivate static var tokens: Self {
        Self(
            name: "tokens", numbers: [],
            read: { (fault, setting) throws(ProfileError) in
                fault.tokens = try setting.choice(FaultSettings.TokenClass.self, supported: { _ in true })
            },
            write: { $0.tokens.map { .string($0.rawValue) } ?? .null })
    }

    fileprivate static var identifiers: Self {
        Self(
            name: "identifiers", numbers: [NumericKey("identifiers", 0...UInt32.max)],
            read: { (fault, setting) throws(ProfileError) in fault.identifiers = try setting.counts(0...UInt32.max) },
            write: { $0.identifiers.isEmpty ? .null : .array($0.identifiers.map { .integer(Int64($0)) }) })
    }

    fileprivate static var delay: Self {
        Self(
            name: "delay",
            numbers: [NumericKey("delay", .zero...Interval.seconds(3_600))] + DelayQuantiles.numbers.within("delay")
                + LogNormalDelays.numbers.within("delay"),
            read: { (fault, setting) throws(ProfileError) in
                if setting.value.member("median") != nil || setting.value.member("sigma") != nil {
                    fault.delay = .logNormal(try setting.group(LogNormalDelays.self, from: LogNormalDelays()))
                } else if setting.value.members != nil {
                    fault.delay = .distribution(try setting.group(DelayQuantiles.self, from: DelayQuantiles()))
                } else {
                    fault.delay = .constant(try setting.interval(.zero...Interval.seconds(3_600)))
                }
            },
            write: { fault in
                switch fault.delay {
                case .constant(let delay): .string(delay.exactText)
                case .distribution(let delays): delays.json
                case .logNormal(let delays): delays.json
                case nil: .null
                }
            })
    }

    /// Written only if it is not the default.
    fileprivate static var reads: Self {
        Self(
            name: "reads", numbers: [],
            read: { (fault, setting) throws(ProfileError) in fault.reads = try setting.flag() },
            write: { $0.reads ? .null : .bool(false) })
    }

    fileprivate static var pieces: Self {
        Self(
            name: "pieces", numbers: [NumericKey("pieces[]", 1...6)],
            read: { (fault, setting) throws(ProfileError) in fault.pieces = try setting.counts(1...6) },
            write: { .array($0.pieces.map { .integer(Int64($0)) }) })
    }

    fileprivate static var identifier: Self {
        Self(
            name: "identifier", numbers: [NumericKey("identifier", 0...UInt32.max)],
            read: { (fault, setting) throws(ProfileError) in fault.identifier = try setting.count(0...UInt32.max) },
            write: { $0.identifier.map { .integer(Int64($0)) } ?? .null })
    }

    fileprivate static var shift: Self {
        Self(
            name: "shift", numbers: [NumericKey("shift", -1_000_000_000...1_000_000_000)],
            read: { (fault, setting) throws(ProfileError) in fault.shift = try setting.signed(1_000_000_000) },
            write: { $0.shift.map { .integer(Int64($0)) } ?? .null })
    }
}

extension DelayQuantiles: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        let delays = Interval(nanoseconds: 1)...Interval.seconds(3_600)
        return [.interval("p50", \.p50, delays), .interval("p99", \.p99, delays), .interval("max", \.max, delays)]
    }
}

extension LogNormalDelays: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        [
            .interval("median", \.median, Interval(nanoseconds: 1)...Interval.seconds(60)),
            .fraction("sigma", \.sigma, 0...3),
        ]
    }
}
