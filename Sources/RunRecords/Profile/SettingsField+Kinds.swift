import Primitives

/// The kinds of fields: each reads strictly and writes a text or number that reads back as the same value.
extension SettingsField {
    static func text(_ name: String, _ path: WritableKeyPath<Group, String>) -> Self {
        Self(
            name: name, numbers: [],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.text() },
            write: { .string($0[keyPath: path]) })
    }

    static func text(_ name: String, _ path: WritableKeyPath<Group, String?>) -> Self {
        Self(
            name: name, numbers: [],
            read: { (group, setting) throws(ProfileError) in
                let text = try setting.text()
                guard !text.isEmpty else { throw setting.error(.missing("a name; found an empty text")) }
                group[keyPath: path] = text
            },
            write: { $0[keyPath: path].map(JSONValue.string) ?? .null })
    }

    /// A list of texts, none of them empty.
    static func texts(_ name: String, _ path: WritableKeyPath<Group, [String]>) -> Self {
        Self(
            name: name, numbers: [],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.texts() },
            write: { .array($0[keyPath: path].map(JSONValue.string)) })
    }

    static func flag(_ name: String, _ path: WritableKeyPath<Group, Bool>) -> Self {
        Self(
            name: name, numbers: [],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.flag() },
            write: { .bool($0[keyPath: path]) })
    }

    static func count<Number: FixedWidthInteger>(
        _ name: String, _ path: WritableKeyPath<Group, Number>, _ range: ClosedRange<Number>
    ) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.count(range) },
            write: { .integer(Int64(clamping: $0[keyPath: path])) })
    }

    static func count<Number: FixedWidthInteger>(
        _ name: String, _ path: WritableKeyPath<Group, Number?>, _ range: ClosedRange<Number>
    ) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.count(range) },
            write: { $0[keyPath: path].map { .integer(Int64(clamping: $0)) } ?? .null })
    }

    static func bytes(_ name: String, _ path: WritableKeyPath<Group, Int>, _ range: ClosedRange<Int>) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.bytes(range) },
            write: { .integer(Int64($0[keyPath: path])) })
    }

    static func bytes(_ name: String, _ path: WritableKeyPath<Group, Int?>, _ range: ClosedRange<Int>) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.bytes(range) },
            write: { $0[keyPath: path].map { .integer(Int64($0)) } ?? .null })
    }

    static func byteList(_ name: String, _ path: WritableKeyPath<Group, [Int]>, _ range: ClosedRange<Int>) -> Self {
        Self(
            name: name, numbers: [NumericKey("\(name)[]", range)],
            read: { (group, setting) throws(ProfileError) in
                guard case .array(let values) = setting.value.content else {
                    throw setting.wrongKind(expected: "a list of sizes, such as [1, 37]")
                }
                var sizes: [Int] = []
                for (index, value) in values.enumerated() {
                    sizes.append(try Setting(keyPath: "\(setting.keyPath)[\(index)]", value: value).bytes(range))
                }
                group[keyPath: path] = sizes
            },
            write: { .array($0[keyPath: path].map { .integer(Int64($0)) }) })
    }

    static func fraction(
        _ name: String, _ path: WritableKeyPath<Group, Double>, _ range: ClosedRange<Double> = 0...1
    ) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, "\(range.lowerBound)", "\(range.upperBound)")],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.fraction(range) },
            write: { JSONValue($0[keyPath: path]) })
    }

    static func interval(
        _ name: String, _ path: WritableKeyPath<Group, Interval>, _ range: ClosedRange<Interval>
    ) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.interval(range) },
            write: { .string($0[keyPath: path].exactText) })
    }

    static func interval(
        _ name: String, _ path: WritableKeyPath<Group, Interval?>, _ range: ClosedRange<Interval>
    ) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, range)],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.interval(range) },
            write: { $0[keyPath: path].map { .string($0.exactText) } ?? .null })
    }

    static func rate(_ name: String, _ path: WritableKeyPath<Group, Rate>, _ range: ClosedRange<Double>) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, "\(range.lowerBound)/s", "\(range.upperBound)/s")],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.rate(range) },
            write: { .string($0[keyPath: path].exactText) })
    }

    static func rate(_ name: String, _ path: WritableKeyPath<Group, Rate?>, _ range: ClosedRange<Double>) -> Self {
        Self(
            name: name, numbers: [NumericKey(name, "\(range.lowerBound)/s", "\(range.upperBound)/s")],
            read: { (group, setting) throws(ProfileError) in group[keyPath: path] = try setting.rate(range) },
            write: { $0[keyPath: path].map { .string($0.exactText) } ?? .null })
    }

    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ path: WritableKeyPath<Group, Choice>, supported: @escaping (Choice) -> Bool = { _ in true }
    ) -> Self where Choice.RawValue == String {
        Self(
            name: name, numbers: [],
            read: { (group, setting) throws(ProfileError) in
                group[keyPath: path] = try setting.choice(Choice.self, supported: supported)
            },
            write: { .string($0[keyPath: path].rawValue) })
    }

    static func group<Inner: SettingsGroup>(_ name: String, _ path: WritableKeyPath<Group, Inner>) -> Self {
        Self(
            name: name, numbers: Inner.numbers.within(name),
            read: { (group, setting) throws(ProfileError) in
                group[keyPath: path] = try setting.group(Inner.self, from: group[keyPath: path])
            },
            write: { $0[keyPath: path].json })
    }

    static func group<Inner: SettingsGroup>(_ name: String, _ path: WritableKeyPath<Group, Inner?>) -> Self {
        Self(
            name: name, numbers: Inner.numbers.within(name),
            read: { (group, setting) throws(ProfileError) in
                group[keyPath: path] = try setting.group(Inner.self, from: Inner())
            },
            write: { $0[keyPath: path]?.json ?? .null })
    }
}

extension Interval {
    /// The time in the largest unit that it is a whole number of, so that it reads back exactly.
    var exactText: String {
        let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
        for (unit, name) in units where nanoseconds.isMultiple(of: unit) { return "\(nanoseconds / unit)\(name)" }
        return "\(nanoseconds)ns"
    }
}

extension Rate {
    /// The rate as a text that reads back as the same rate: a whole number per some unit, or all digits per second.
    var exactText: String {
        let units: [(Double, String)] = [(1, "s"), (60, "m"), (3_600, "h"), (86_400, "d")]
        for (seconds, name) in units {
            let events = (perSecond * seconds).rounded()
            guard events < 0x1p53 else { continue }
            let text = "\(Int64(events))/\(name)"
            if (try? Rate(text: text)) == self { return text }
        }
        return "\(perSecond)/s"
    }
}
