import Primitives
import Workload

/// Fields whose value has more than one form.
extension SettingsField<Profile> {
    /// A simulator under its own key, or the keys of a gateway.
    static var target: Self {
        Self(
            name: "target",
            numbers: SimulatorSettings.numbers.within("target.simulator") + GatewaySettings.numbers.within("target"),
            read: { (profile, setting) throws(ProfileError) in profile.target = try setting.target() },
            write: { profile in
                switch profile.target {
                case .simulator(let simulator): .object(["simulator": simulator.json])
                case .gateway(let gateway): gateway.json
                }
            })
    }

    /// A list of conditions, each checked.
    static var thresholds: Self {
        Self(
            name: "thresholds", numbers: [],
            read: { (profile, setting) throws(ProfileError) in profile.thresholds = try setting.thresholds() },
            write: { .array($0.thresholds.map { .string($0.text) }) })
    }
}

extension SettingsField<PayloadSettings> {
    /// A number of bytes, or quantiles.
    static var payloadBytes: Self {
        Self(
            name: "bytes",
            numbers: [NumericKey("bytes", PayloadSettings.sizes)] + PayloadQuantiles.numbers.within("bytes"),
            read: { (payload, setting) throws(ProfileError) in
                if setting.value.members != nil {
                    payload.bytes = .distribution(try setting.group(PayloadQuantiles.self, from: PayloadQuantiles()))
                } else {
                    payload.bytes = .constant(try setting.bytes(PayloadSettings.sizes))
                }
            },
            write: { payload in
                // A fixed file has no sizes, and a profile that names both is refused.
                guard payload.file == nil else { return .null }
                return switch payload.bytes {
                case .constant(let bytes): .integer(Int64(bytes))
                case .distribution(let quantiles): quantiles.json
                }
            })
    }
}

extension SettingsField<SenderSettings> {
    /// 10, 5 or 1, and nothing between.
    static var priority: Self {
        Self(
            name: "priority", numbers: [NumericKey("priority", "1", "10")],
            read: { (sender, setting) throws(ProfileError) in
                let priority = try setting.count(UInt8(0)...UInt8.max)
                guard [1, 5, 10].contains(priority) else {
                    throw setting.error(
                        .outOfRange(found: "\(priority)", accepted: "10 or 5, and 1 with protocol http2"))
                }
                sender.priority = priority
            },
            write: { .integer(Int64($0.priority)) })
    }
}

extension SettingsField<SimulatorSettings> {
    /// A number of bytes, or the name of an era.
    static var payloadLimit: Self {
        Self(
            name: "payloadLimit", numbers: [NumericKey("payloadLimit", PayloadLimit.accepted)],
            read: { (simulator, setting) throws(ProfileError) in
                simulator.payloadLimit = try setting.payloadLimit()
            },
            write: { .integer(Int64($0.payloadLimit)) })
    }
}

extension Setting {
    fileprivate func payloadLimit() throws(ProfileError) -> Int {
        let eras = PayloadEra.allCases.map(\.rawValue)
        let text = try quantityText(expected: "one of \(eras.joined(separator: ", ")), or \(Quantity.size.accepted)")
        if let era = PayloadEra(rawValue: text) { return era.limitBytes }
        guard text.first?.isLetter != true else {
            throw error(
                .unknownChoice(
                    found: shortened(text), nearest: nearestName(to: text, among: eras),
                    accepted: eras + ["or \(Quantity.size.accepted)"]))
        }
        return try bytes(PayloadLimit.accepted)
    }

    fileprivate func target() throws(ProfileError) -> TargetSettings {
        guard let members = value.members else { throw wrongKind(expected: "an object") }
        guard let simulator = value.member("simulator") else {
            let gatewayKeys = GatewaySettings.fields.map(\.name)
            if let unknown = members.first(where: { !(gatewayKeys + ["simulator"]).contains($0.name) }) {
                throw unknownKey(unknown, accepted: ["simulator"] + gatewayKeys)
            }
            guard value.member("host") != nil else { throw error(.missing("one of simulator, host")) }
            let present = members.filter { $0.name != "simulator" }
            let rest = LocatedValue(content: .object(present), origin: value.origin)
            let gateway = try Setting(keyPath: keyPath, value: rest).group(
                GatewaySettings.self, from: GatewaySettings())
            guard !gateway.host.isEmpty else { throw error(.missing("a host; found an empty text")) }
            return .gateway(gateway)
        }
        if let other = members.first(where: { $0.name != "simulator" && $0.value.content != .null }) {
            throw .setting(
                at: other.origin, keyPath: child(other).keyPath,
                .contradiction("stands beside simulator; a target is either simulator or a host"))
        }
        return .simulator(try child(simulator).group(SimulatorSettings.self, from: SimulatorSettings()))
    }

    fileprivate func thresholds() throws(ProfileError) -> [Threshold] {
        var thresholds: [Threshold] = []
        for item in try elements(expected: "a list of texts") {
            let text = try item.text()
            do throws(ThresholdError) { thresholds.append(try Threshold(text)) } catch {
                throw item.error(.threshold(error))
            }
        }
        return thresholds
    }
}
