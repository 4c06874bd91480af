import Workload

/// A provider token (JSON Web Token, RFC 7519) taken apart: who signed it, and when.
struct ProviderToken {
    /// The longest token that is looked at.
    static let maxBytes = 4_096
    /// The length of an ES256 signature (RFC 7518 section 3.4).
    private static let signatureBytes = 64

    /// The key's identifier, `kid`.
    var keyID: [UInt8]
    /// The team's identifier, `iss`.
    var teamID: [UInt8]
    /// When it was issued, `iat`, in seconds since 1970.
    var issuedAt: Int64
    /// What is signed: header and claims as they stand.
    var signedByteCount: Int
    /// R and S.
    var signature: [UInt8]

    /// Takes a token apart; nil when it is none, or lacks what a provider token needs.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count <= Self.maxBytes, let first = text.firstIndex(of: Self.dot),
            let second = text[(first + 1)...].firstIndex(of: Self.dot),
            let header = RequestText.base64URL(UnsafeRawBufferPointer(rebasing: text[..<first])),
            let claims = RequestText.base64URL(UnsafeRawBufferPointer(rebasing: text[(first + 1)..<second])),
            let signature = RequestText.base64URL(text.dropping(second + 1)), signature.count == Self.signatureBytes
        else { return nil }
        let head = header.withUnsafeBytes { json -> [UInt8]? in
            guard JSONSyntax.check(json) == nil, let algorithm = JSONMembers.text("alg", in: json),
                algorithm.elementsEqual("ES256".utf8)
            else { return nil }
            return JSONMembers.text("kid", in: json)
        }
        let body = claims.withUnsafeBytes { json -> (team: [UInt8], time: Int64)? in
            guard JSONSyntax.check(json) == nil, let team = JSONMembers.text("iss", in: json),
                let time = JSONMembers.value("iat", in: json), let seconds = Self.seconds(time)
            else { return nil }
            return (team, seconds)
        }
        guard let head, !head.isEmpty, let body, !body.team.isEmpty else { return nil }
        keyID = head
        teamID = body.team
        issuedAt = body.time
        signedByteCount = second
        self.signature = signature
    }

    /// A time as a number or a numeric string, with or without a fraction (`protocol.md` section 3.7).
    private static func seconds(_ value: UnsafeRawBufferPointer) -> Int64? {
        var digits = value
        if digits.count >= 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
            digits = UnsafeRawBufferPointer(rebasing: digits[1..<(digits.count - 1)])
        }
        if let point = digits.firstIndex(of: dot) {
            guard digits.dropping(point + 1).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
            digits = UnsafeRawBufferPointer(rebasing: digits[..<point])
        }
        return RequestText.canonicalNumber(digits)
    }

    private static let dot = UInt8(ascii: ".")
}

/// Members of a JSON object, looked up without building anything.
enum JSONMembers {
    /// The characters of a string member as they stand; nil without such a member or when it is no string.
    static func text(_ name: StaticString, in object: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let value = value(name, in: object), value.count >= 2, value.first == quote else { return nil }
        return Array(value[1..<(value.count - 1)])
    }

    /// The bytes of a member's value, quotation marks included; the last one of several of the same name.
    ///
    /// - Precondition: the text is a JSON object, as ``JSONSyntax`` checks it.
    static func value(_ name: StaticString, in object: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        var place = 0
        var depth = 0
        // Bounded: every turn moves on.
        while place < object.count {
            switch object[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case quote:
                let end = endOfString(place, object)
                let key = UnsafeRawBufferPointer(rebasing: object[(place + 1)..<max(place + 1, end - 1)])
                let next = skipSpace(end, object)
                if depth == 1, next < object.count, object[next] == UInt8(ascii: ":") {
                    let start = skipSpace(next + 1, object)
                    let valueEnd = endOfValue(start, object)
                    if key.isText(name) { found = UnsafeRawBufferPointer(rebasing: object[start..<valueEnd]) }
                    place = valueEnd
                } else {
                    place = end
                }
                continue
            default: break
            }
            place += 1
        }
        return found
    }

    private static let quote = UInt8(ascii: "\"")

    private static func skipSpace(_ start: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var place = start
        while place < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) { place += 1 }
        return place
    }

    /// The place behind the string that begins at `start`.
    private static func endOfString(_ start: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var place = start + 1
        while place < text.count {
            if text[place] == quote { return place + 1 }
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return text.count
    }

    /// The place behind the value that begins at `start`.
    private static func endOfValue(_ start: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var place = start
        var depth = 0
        while place < text.count {
            switch text[place] {
            case quote:
                place = endOfString(place, text)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }
}
