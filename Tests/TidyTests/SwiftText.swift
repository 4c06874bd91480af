/// Takes the parts out of Swift source that rules about code must not see, and keeps the lines where they are.
struct SwiftText {
    private enum Context {
        case code(openParentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
    }

    private let source: [UInt8]
    private let keepsComments: Bool
    private var output: [UInt8] = []
    private var position = 0
    private var contexts = [Context.code(openParentheses: 0)]

    /// The code of `source`: without string literals, and without comments unless they are kept.
    static func code(of source: String, keepingComments: Bool = false) -> String {
        var scanner = SwiftText(source: Array(source.utf8), keepsComments: keepingComments)
        return scanner.scan()
    }

    private init(source: [UInt8], keepsComments: Bool) {
        self.source = source
        self.keepsComments = keepsComments
    }

    private mutating func scan() -> String {
        while position < source.count {
            switch contexts[contexts.count - 1] {
            case .code(let depth): scanCode(depth)
            case .string(let hashes, let isMultiline): scanString(hashes, isMultiline)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func scanCode(_ depth: Int) {
        let byte = source[position]
        if byte == UInt8(ascii: "/"), starts("//") {
            while position < source.count, source[position] != UInt8(ascii: "\n") { pass(keepsComments) }
        } else if byte == UInt8(ascii: "/"), starts("/*") {
            while position < source.count, !starts("*/") { pass(keepsComments) }
            position = min(position + 2, source.count)
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let opening = stringOpening() {
            contexts.append(.string(hashes: opening.hashes, isMultiline: opening.isMultiline))
            position += opening.length
        } else {
            step(depth)
        }
    }

    private mutating func step(_ depth: Int) {
        let isInterpolation = contexts.count > 1
        switch source[position] {
        case UInt8(ascii: "(") where isInterpolation: contexts[contexts.count - 1] = .code(openParentheses: depth + 1)
        case UInt8(ascii: ")") where isInterpolation:
            if depth == 1 {
                contexts.removeLast()
            } else {
                contexts[contexts.count - 1] = .code(openParentheses: depth - 1)
            }
        default: break
        }
        pass(true)
    }

    private mutating func scanString(_ hashes: Int, _ isMultiline: Bool) {
        let byte = source[position]
        if byte == UInt8(ascii: "\\") {
            if starts("\\" + String(repeating: "#", count: hashes) + "(") {
                position += hashes + 2
                contexts.append(.code(openParentheses: 1))
            } else {
                pass(false)
                if hashes == 0, position < source.count { pass(false) }
            }
        } else if byte == UInt8(ascii: "\""),
            starts((isMultiline ? "\"\"\"" : "\"") + String(repeating: "#", count: hashes))
        {
            position += (isMultiline ? 3 : 1) + hashes
            contexts.removeLast()
        } else {
            pass(false)
        }
    }

    private func stringOpening() -> (hashes: Int, isMultiline: Bool, length: Int)? {
        var hashes = 0
        while position + hashes < source.count, source[position + hashes] == UInt8(ascii: "#") { hashes += 1 }
        guard matches("\"", at: position + hashes) else { return nil }
        let isMultiline = matches("\"\"\"", at: position + hashes)
        return (hashes, isMultiline, hashes + (isMultiline ? 3 : 1))
    }

    /// Goes one byte on; line ends are always kept.
    private mutating func pass(_ keeps: Bool) {
        if keeps || source[position] == UInt8(ascii: "\n") { output.append(source[position]) }
        position += 1
    }

    private func starts(_ text: String) -> Bool { matches(text, at: position) }

    private func matches(_ text: String, at start: Int) -> Bool {
        let bytes = text.utf8
        return start + bytes.count <= source.count && source[start..<start + bytes.count].elementsEqual(bytes)
    }
}
