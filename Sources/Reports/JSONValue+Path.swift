import RunRecords

extension JSONValue {
    /// The value at a path of keys; nil if there is none.
    private func value(at path: [String]) -> JSONValue? {
        path.reduce(self) { value, name in
            guard case .object(let members)? = value else { return nil }
            return members[name]
        }
    }

    /// The text at a path of keys; nil if there is none.
    func text(_ path: String...) -> String? {
        guard case .string(let text)? = value(at: path) else { return nil }
        return text
    }

    /// The whole number at a path of keys; nil if there is none.
    func integer(_ path: String...) -> Int64? {
        guard case .integer(let integer)? = value(at: path) else { return nil }
        return integer
    }
}
