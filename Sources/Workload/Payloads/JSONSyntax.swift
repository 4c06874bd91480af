/// A strict JSON checker (RFC 8259) over bytes: says where a text stops being JSON, and makes nothing of it.
///
/// Stricter than the grammar in one point: an escaped surrogate without its partner is an error, because no string can
/// hold it (RFC 7493, section 2.1). UTF-8 is checked as RFC 3629 has it; a byte order mark is an error. It does not
/// recurse or allocate.
public enum JSONSyntax {
    /// What may stand at the top of the text.
    public enum TopLevel: Sendable {
        /// An object only, as a payload must be.
        case object
        /// Any value.
        case anyValue
    }

    /// How deeply arrays and objects may be nested in each other.
    public static let depthLimit = 512

    /// Returns the offset of the first byte that makes the text no JSON, or nil when it is JSON.
    ///
    /// A text that ends too early has its error at the offset of its end; one nested too deeply at the bracket that is
    /// one too many.
    public static func check(_ text: UnsafeRawBufferPointer, topLevel: TopLevel = .object) -> Int? {
        guard let base = text.baseAddress else { return 0 }
        var scanner = JSONScanner(base: base, count: text.count)
        return scanner.document(topLevel: topLevel) ? nil : scanner.at
    }

    /// The range of a text without the white space around it.
    static func trimmed(_ text: UnsafeRawBufferPointer) -> Range<Int> {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let start = text.firstIndex { !isSpace($0) } ?? text.count
        let end = (text.lastIndex { !isSpace($0) } ?? start - 1) + 1
        return start..<end
    }
}

/// The checker's place in a text, inlined into one function so that the place stays in a register. Every method returns false with ``at`` on the offending byte.
struct JSONScanner {
    let base: UnsafeRawPointer
    let count: Int
    var at = 0
    private var nesting = JSONNesting()

    init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    /// The byte at the place, or 0 at the end, which no rule accepts.
    @inline(__always) var byte: UInt8 { at < count ? base.load(fromByteOffset: at, as: UInt8.self) : 0 }

    mutating func document(topLevel: JSONSyntax.TopLevel) -> Bool {
        skipSpace()
        if topLevel == .object, byte != UInt8(ascii: "{") { return false }
        guard values() else { return false }
        skipSpace()
        return at == count
    }

    /// One value with everything in it: turns of "a value begins" and "a value has ended" until nothing is open.
    @inline(__always)
    private mutating func values() -> Bool {
        repeat {
            switch begin() {
            case .invalid: return false
            case .opened: continue
            case .complete: break
            }
            guard finish() else { return false }
        } while nesting.depth > 0
        return true
    }

    private enum Beginning { case invalid, opened, complete }

    /// Reads a scalar value, an empty container, or up to the first value inside a container.
    @inline(__always)
    private mutating func begin() -> Beginning {
        skipSpace()
        switch byte {
        case UInt8(ascii: "\""): return string() ? .complete : .invalid
        case UInt8(ascii: "{"): return open(isObject: true)
        case UInt8(ascii: "["): return open(isObject: false)
        case UInt8(ascii: "t"): return word("true") ? .complete : .invalid
        case UInt8(ascii: "f"): return word("false") ? .complete : .invalid
        case UInt8(ascii: "n"): return word("null") ? .complete : .invalid
        default: return number() ? .complete : .invalid
        }
    }

    @inline(__always)
    private mutating func open(isObject: Bool) -> Beginning {
        guard nesting.push(isObject: isObject) else { return .invalid }
        at += 1
        skipSpace()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            at += 1
            nesting.pop()
            return .complete
        }
        return !isObject || key() ? .opened : .invalid
    }

    /// After a value: closes containers that end here, or moves to where the next value begins.
    @inline(__always)
    private mutating func finish() -> Bool {
        while nesting.depth > 0 {
            skipSpace()
            let isObject = nesting.isObject
            if byte == UInt8(ascii: ",") {
                at += 1
                guard isObject else { return true }
                skipSpace()
                return key()
            }
            guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
            at += 1
            nesting.pop()
        }
        return true
    }

    @inline(__always)
    private mutating func key() -> Bool {
        guard byte == UInt8(ascii: "\""), string() else { return false }
        skipSpace()
        guard byte == UInt8(ascii: ":") else { return false }
        at += 1
        return true
    }

    @inline(__always)
    private mutating func skipSpace() {
        while at < count {
            switch base.load(fromByteOffset: at, as: UInt8.self) {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[index] else { return false }
            at += 1
        }
        return true
    }

    private mutating func number() -> Bool {
        if byte == UInt8(ascii: "-") { at += 1 }
        if byte == UInt8(ascii: "0") {
            at += 1
        } else if !digits() {
            return false
        }
        if byte == UInt8(ascii: ".") {
            at += 1
            guard digits() else { return false }
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            at += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
            return digits()
        }
        return true
    }

    /// One digit or more.
    private mutating func digits() -> Bool {
        let start = at
        while byte &- UInt8(ascii: "0") < 10 { at += 1 }
        return at > start
    }
}

/// Which containers are open around a place, innermost last: one bit each, set for an object.
struct JSONNesting {
    private(set) var depth = 0
    private var bits = InlineArray<8, UInt64>(repeating: 0)

    /// Whether the innermost open container is an object.
    var isObject: Bool { bits[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1 }

    mutating func push(isObject: Bool) -> Bool {
        guard depth < JSONSyntax.depthLimit else { return false }
        let mask: UInt64 = 1 << UInt64(depth & 63)
        if isObject { bits[depth >> 6] |= mask } else { bits[depth >> 6] &= ~mask }
        depth += 1
        return true
    }

    mutating func pop() { depth -= 1 }
}
