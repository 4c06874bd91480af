import Primitives

/// A group of settings whose keys one table lists: the table reads, writes and names them, so that none is forgotten.
protocol SettingsGroup {
    init()
    static var fields: [SettingsField<Self>] { get }
}

/// One key of a group: how its value is read into the group and written from it.
struct SettingsField<Group> {
    let name: String
    /// The numbers that its value holds, for whoever goes through all of them; every kind of field says which.
    let numbers: [NumericKey]
    /// Whether the group makes no sense without it.
    var isRequired = false
    let read: (inout Group, Setting) throws(ProfileError) -> Void
    let write: (Group) -> JSONValue

    /// The same field, which must be given.
    var required: Self {
        var field = self
        field.isRequired = true
        return field
    }
}

/// A key whose value is a number, of whatever unit, with the least and the greatest one that it accepts.
struct NumericKey: Equatable {
    /// The key path from the group that it was asked of.
    var path: String
    /// The least accepted value, as a profile has it.
    let least: String
    /// The greatest accepted value.
    let greatest: String

    init(_ path: String, _ least: String, _ greatest: String) {
        self.path = path
        self.least = least
        self.greatest = greatest
    }

    init<Number: FixedWidthInteger>(_ path: String, _ range: ClosedRange<Number>) {
        self.init(path, "\(range.lowerBound)", "\(range.upperBound)")
    }

    init(_ path: String, _ range: ClosedRange<Interval>) {
        self.init(path, range.lowerBound.exactText, range.upperBound.exactText)
    }

    /// The key as part of a group.
    func within(_ group: String) -> NumericKey { NumericKey("\(group).\(path)", least, greatest) }
}

extension [NumericKey] {
    /// The keys as parts of a group.
    func within(_ group: String) -> [NumericKey] { map { $0.within(group) } }
}

/// A value at its key path.
struct Setting {
    let keyPath: String
    let value: LocatedValue

    /// An error about this setting.
    func error(_ fault: SettingFault) -> ProfileError { .setting(at: value.origin, keyPath: keyPath, fault) }

    func wrongKind(expected: String) -> ProfileError { error(.wrongKind(found: value.kindText, expected: expected)) }

    /// The setting of an element of a list.
    func element(_ index: Int, _ value: LocatedValue) -> Setting {
        Setting(keyPath: "\(keyPath)[\(index)]", value: value)
    }

    /// The elements of a list.
    func elements(expected: String) throws(ProfileError) -> [Setting] {
        guard case .array(let values) = value.content else { throw wrongKind(expected: expected) }
        return values.enumerated().map { element($0.offset, $0.element) }
    }

    /// The setting of a member.
    func child(_ member: LocatedMember) -> Setting {
        Setting(keyPath: keyPath.isEmpty ? member.name : "\(keyPath).\(member.name)", value: member.value)
    }

    /// The text of a number, or of a text that stands for one, as in `"64KiB"`.
    func quantityText(expected: String) throws(ProfileError) -> String {
        switch value.content {
        case .number(let text), .string(let text): return text
        default: throw wrongKind(expected: expected)
        }
    }

    /// A text; a number typed as an option is one, since options have no quotes.
    func text() throws(ProfileError) -> String {
        if let typed = value.typedText { return typed }
        guard case .string(let text) = value.content else { throw wrongKind(expected: "a text in quotes") }
        return text
    }

    func texts() throws(ProfileError) -> [String] {
        guard case .array(let values) = value.content else { throw wrongKind(expected: "a list of texts") }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            let item = Setting(keyPath: "\(keyPath)[\(index)]", value: value)
            let text = try item.text()
            guard !text.isEmpty else { throw item.error(.missing("a text; found an empty one")) }
            texts.append(text)
        }
        return texts
    }

    func flag() throws(ProfileError) -> Bool {
        guard case .bool(let flag) = value.content else { throw wrongKind(expected: "true or false") }
        return flag
    }

    /// Any quantity, its errors given a place.
    func quantity<Value>(
        _ quantity: Quantity, _ parse: (String) throws(QuantityError) -> Value
    ) throws(ProfileError) -> Value {
        let text = try quantityText(expected: quantity.accepted)
        do throws(QuantityError) { return try parse(text) } catch { throw self.error(.quantity(error)) }
    }

    func interval(_ range: ClosedRange<Interval>) throws(ProfileError) -> Interval {
        let interval = try quantity(.interval) { (text) throws(QuantityError) in try Interval(text: text) }
        guard range.contains(interval) else {
            throw error(.outOfRange(found: "\(interval)", accepted: "\(range.lowerBound) to \(range.upperBound)"))
        }
        return interval
    }

    func rate(_ range: ClosedRange<Double>) throws(ProfileError) -> Rate {
        let rate = try quantity(.rate) { (text) throws(QuantityError) in try Rate(text: text) }
        guard range.contains(rate.perSecond) else {
            let bounds = "\(Rate(perSecond: range.lowerBound)) to \(Rate(perSecond: range.upperBound))"
            throw error(.outOfRange(found: "\(rate)", accepted: bounds))
        }
        return rate
    }

    func count<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) throws(ProfileError) -> Number {
        let count = try quantity(.count) { (text) throws(QuantityError) in try Count(text: text) }
        guard let number = Number(exactly: count.value), range.contains(number) else {
            throw error(.outOfRange(found: Count(count.value).grouped, accepted: Self.bounds(range)))
        }
        return number
    }

    func bytes(_ range: ClosedRange<Int>) throws(ProfileError) -> Int {
        let size = try quantity(.size) { (text) throws(QuantityError) in try ByteCount(text: text) }
        guard range.contains(Int(size.bytes)) else {
            throw error(.outOfRange(found: Count(size.bytes).grouped, accepted: Self.bounds(range) + " bytes"))
        }
        return Int(size.bytes)
    }

    /// A number that need not be whole, between whole bounds.
    func fraction(_ range: ClosedRange<Double>) throws(ProfileError) -> Double {
        let accepted = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
        guard case .number(let text) = value.content, let number = Double(text) else {
            throw wrongKind(expected: "a number from \(accepted)")
        }
        guard range.contains(number) else { throw error(.outOfRange(found: text, accepted: accepted)) }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type, supported: (Choice) -> Bool
    ) throws(ProfileError) -> Choice where Choice.RawValue == String {
        let names = type.allCases.map(\.rawValue)
        let text = try quantityText(expected: "one of \(names.joined(separator: ", "))")
        guard let choice = Choice(rawValue: text) else {
            throw error(
                .unknownChoice(
                    found: shortened(text), nearest: nearestName(to: text, among: names), accepted: names))
        }
        guard supported(choice) else {
            let supported = type.allCases.filter(supported).map(\.rawValue)
            throw error(.notSupported(found: shortened(text), supported: supported))
        }
        return choice
    }

    /// Reads a group by its table; every key must be in it.
    func group<Group: SettingsGroup>(_ type: Group.Type, from start: Group) throws(ProfileError) -> Group {
        try group(from: start, fields: type.fields)
    }

    /// Reads a group by a table that may depend on what the group is.
    func group<Group>(from start: Group, fields: [SettingsField<Group>]) throws(ProfileError) -> Group {
        guard let members = value.members else { throw wrongKind(expected: "an object") }
        var group = start
        for member in members {
            guard let field = fields.first(where: { $0.name == member.name }) else {
                throw unknownKey(member, accepted: fields.map(\.name))
            }
            // null means the default, so that an option can take back what a profile says.
            guard member.value.content != .null else { continue }
            try field.read(&group, child(member))
        }
        if let missing = fields.first(where: { $0.isRequired && value.member($0.name) == nil }) {
            throw error(.missing(missing.name))
        }
        return group
    }

    func unknownKey(_ member: LocatedMember, accepted: [String]) -> ProfileError {
        let fault = SettingFault.unknownKey(nearest: nearestName(to: member.name, among: accepted), accepted: accepted)
        return .setting(at: member.origin, keyPath: child(member).keyPath, fault)
    }

    private static func bounds<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) -> String {
        "\(Count(Int64(clamping: range.lowerBound)).grouped) to \(Count(Int64(clamping: range.upperBound)).grouped)"
    }
}

extension SettingsGroup {
    /// All numbers of the group and of the groups in it.
    static var numbers: [NumericKey] { fields.flatMap(\.numbers) }

    /// The group as JSON with every key, so that it reads back as the same group.
    var json: JSONValue {
        .object(Dictionary(uniqueKeysWithValues: Self.fields.map { ($0.name, $0.write(self)) }))
    }
}
