/// Where a value was written.
public struct ValueOrigin: Equatable, Sendable {
    /// A file's name, an option such as `--set`, or a variable of the environment.
    public var source: String
    /// The line in the file, from 1; nil outside files.
    public var line: Int?
    /// The column in characters, from 1; nil outside files.
    public var column: Int?

    /// Makes an origin.
    public init(source: String, line: Int? = nil, column: Int? = nil) {
        self.source = source
        self.line = line
        self.column = column
    }
}

extension ValueOrigin: CustomStringConvertible {
    /// `file:line:column`, as compilers write it and editors follow.
    public var description: String {
        guard let line else { return source }
        return "\(source):\(line):\(column ?? 1)"
    }
}

/// A value of JSON5 that knows where it was written.
///
/// Foundation's reader tells no positions, and silently drops a key that stands twice, so it cannot serve a profile.
struct LocatedValue: Equatable, Sendable {
    indirect enum Content: Equatable, Sendable {
        case null
        case bool(Bool)
        /// The number as text: decimal, without sign `+`, exponent, or bare point.
        case number(String)
        case string(String)
        case array([LocatedValue])
        case object([LocatedMember])
    }

    var content: Content
    var origin: ValueOrigin
    /// What was typed, if it was typed as an option and so has no quotes that tell texts from numbers.
    var typedText: String?

    /// A value's kind, for messages.
    var kindText: String {
        switch content {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): shortened(text)
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The members of an object; nil for anything else.
    var members: [LocatedMember]? {
        guard case .object(let members) = content else { return nil }
        return members
    }

    /// The member of a name; nil if there is none or it is null, which both mean the default.
    func member(_ name: String) -> LocatedMember? {
        members?.first { $0.name == name && $0.value.content != .null }
    }

    /// The origin of what stands at a key path, or of the nearest part of the path that is there.
    func origin(at path: some Sequence<Substring>) -> ValueOrigin {
        var place = self
        var origin = self.origin
        for name in path {
            guard let member = place.member(String(name)) else { return origin }
            (place, origin) = (member.value, member.origin)
        }
        return origin
    }

    /// Puts a value at a key path, in place of what was there.
    mutating func overlay(_ value: LocatedValue, at path: ArraySlice<Substring>) {
        guard let name = path.first.map(String.init) else {
            self = value
            return
        }
        var members = self.members ?? []
        let index = members.firstIndex { $0.name == name } ?? members.count
        if index == members.count {
            let empty = LocatedValue(content: .object([]), origin: value.origin)
            members.append(LocatedMember(name: name, origin: value.origin, value: empty))
        }
        members[index].origin = value.origin
        members[index].value.overlay(value, at: path.dropFirst())
        content = .object(members)
    }
}

/// One member of an object.
struct LocatedMember: Equatable, Sendable {
    var name: String
    var origin: ValueOrigin
    var value: LocatedValue
}

/// A text in quotes, cut so that a long one does not flood the screen.
func shortened(_ text: String) -> String {
    text.count > 40 ? (text.prefix(40) + "…").debugDescription : text.debugDescription
}
