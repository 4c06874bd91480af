/// A made-up notification as bytes, with the place where each copy gets its sequence number.
struct PayloadImage {
    var bytes: [UInt8] = []
    /// Where the 16 hexadecimal digits of the sequence number stand, if there is room for them.
    var sequenceOffset: Int?
}

/// Which keys a notification has; the more bytes, the more of them.
enum PayloadShape {
    /// An alert text and nothing else.
    case bare
    /// An alert text, a sound, the sequence number.
    case small
    /// Those, a badge and a deep link.
    case medium
    /// An alert with title and body besides.
    case full

    init(byteCount: Int) {
        switch byteCount {
        case ..<80: self = .bare
        case ..<118: self = .small
        case ..<160: self = .medium
        default: self = .full
        }
    }
}

extension PayloadImage {
    /// Makes a notification of exactly `byteCount` bytes; `variant` decides badge and link.
    ///
    /// - Precondition: `byteCount` is at least ``PayloadGenerator/minimumBytes``.
    init(byteCount: Int, variant: Int, text: inout FillerText) {
        let shape = PayloadShape(byteCount: byteCount)
        let badge = String(1 + variant % 9)
        let link = String(1_000 + variant % 9_000)
        let tail: String
        switch shape {
        case .bare: tail = #""}}"#
        case .small: tail = #"","sound":"default"},"sequence":""#
        case .medium, .full:
            tail =
                (shape == .full ? #""},"badge":"# : #"","badge":"#)
                + badge + #","sound":"default"},"link":"app://thread/"# + link + #"","sequence":""#
        }
        let closingBytes = shape == .bare ? 0 : Self.sequenceDigits + Self.close.utf8.count
        bytes.reserveCapacity(byteCount)
        append(shape == .full ? #"{"aps":{"alert":{"title":""# : #"{"aps":{"alert":""#)
        if shape == .full {
            text.append(byteCount: 8 + variant % 9, to: &bytes)
            append(#"","body":""#)
        }
        text.append(byteCount: byteCount - bytes.count - tail.utf8.count - closingBytes, to: &bytes)
        append(tail)
        guard shape != .bare else { return }
        sequenceOffset = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Self.sequenceDigits))
        append(Self.close)
    }

    private static let sequenceDigits = 16
    private static let close = #""}"#

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
