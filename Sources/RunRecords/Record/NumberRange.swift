/// The range in which every number of a record must lie, so that no reader's sums of a few of them overflow.
///
/// A record is a file, which anybody can edit. What is a count or a time cannot be negative, and none comes near the limit: 2^53
/// nanoseconds are 104 days, and as many bytes are 9 petabytes.
struct NumberRange {
    /// No number is further from zero.
    static let most = 9_007_199_254_740_992.0

    /// What may be negative: differences, and instants that are told from the start of the run.
    private static let signed: Set<String> = [
        "atNs", "bound", "detectNs", "goneSinceFirstMs", "goneSinceLastMs", "headroom", "ledgerDifference",
        "lostPerReconnect", "notifications", "shift", "startNs", "throughputLost", "value",
    ]
    /// What holds figures of a comparison, or of bad tokens and their model: some of them are negative in runs already, as throughput
    /// lost is by chance.
    private static let signedWithin: Set<String> = ["confirmation", "measured", "metrics", "modelError"]
    /// What is not a figure but was asked for: a profile, and seeds, which have 64 bits.
    private static let free: Set<String> = ["profile", "seed"]

    private enum Place {
        case member(String)
        case element(Int)
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var places: [Place] = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Finds the first number that is out of range in a text that is known to be JSON.
    ///
    /// - Returns: its key path and why; nil if all are as they should be.
    static func violation(in bytes: [UInt8]) -> (keyPath: String, reason: String)? {
        var range = NumberRange(bytes)
        return range.firstViolation()
    }

    private mutating func firstViolation() -> (keyPath: String, reason: String)? {
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""): takeString()
            case UInt8(ascii: "{"): enter(.member(""))
            case UInt8(ascii: "["): enter(.element(0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                places = places.dropLast()
                offset += 1
            case UInt8(ascii: ","):
                if case .element(let index)? = places.last { places[places.count - 1] = .element(index + 1) }
                offset += 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let reason = reasonAgainstNumber() { return (keyPath, reason) }
            default: offset += 1
            }
        }
        return nil
    }

    private mutating func enter(_ place: Place) {
        places.append(place)
        offset += 1
    }

    /// Passes a string; if it is a name, what follows is of that name.
    private mutating func takeString() {
        let start = offset + 1
        offset = start
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(offset, bytes.count)
        offset = end + 1
        var next = offset
        while next < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[next]) { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: ":"), !places.isEmpty else { return }
        places[places.count - 1] = .member(String(decoding: bytes[start..<end], as: UTF8.self))
    }

    private mutating func reasonAgainstNumber() -> String? {
        let start = offset
        while offset < bytes.count, JSON5Reader.isDigit(bytes[offset]) || "-+.eE".utf8.contains(bytes[offset]) {
            offset += 1
        }
        guard !isFree else { return nil }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard let number = Double(text), number.magnitude <= Self.most else {
            return "\(shortened(text)) is out of range; at most \(Int64(Self.most)) is accepted"
        }
        if number < 0, !isSigned { return "\(shortened(text)) is out of range; it cannot be negative" }
        return nil
    }

    private var isFree: Bool {
        places.contains { place in
            if case .member(let name) = place { Self.free.contains(name) } else { false }
        }
    }

    private var isSigned: Bool {
        if case .member(let name)? = places.last, Self.signed.contains(name) { return true }
        return places.contains { place in
            if case .member(let name) = place { Self.signedWithin.contains(name) } else { false }
        }
    }

    private var keyPath: String {
        let text = places.map { place in
            switch place {
            case .member(let name): ".\(name)"
            case .element(let index): "[\(index)]"
            }
        }
        return String(text.joined().drop { $0 == "." })
    }
}
