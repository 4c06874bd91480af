import Primitives

/// A payload from a file with fields that are filled anew for every notification.
///
/// Made-up texts come from 64 titles and 64 bodies that are prepared at the start. That every filling is valid JSON is
/// checked once, with the shortest and the longest value of each field.
public struct PayloadTemplate: Sendable {
    /// Lengths of made-up titles in bytes.
    public static let titleBytes = 8...24
    /// Lengths of made-up bodies in bytes.
    public static let bodyBytes = 24...96

    /// The largest size that a filled template can have, in bytes.
    public let maxBytes: Int
    private let literals: [UInt8]
    private let segments: [TemplateSegment]
    private let texts: [UInt8]
    /// Titles, then bodies.
    private let textEntries: [ImageEntry]
    private let salt: UInt64

    /// Reads a template; white space around the object is left out.
    ///
    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - name: the file's name for error messages.
    ///   - seed: what texts and badges follow from.
    ///   - alphabet: the characters of made-up texts.
    ///   - form: how they stand in the JSON.
    ///   - limitBytes: the protocol's largest payload.
    ///   - oversize: what to do when a filled template can be larger than that.
    /// - Throws: ``WorkloadError`` with the place of an unknown field or of what is not JSON, or with the size.
    public init(
        parsing text: UnsafeRawBufferPointer, name: String, seed: UInt64 = 0, alphabet: TextAlphabet = .ascii,
        form: TextForm = .utf8, limitBytes: Int = PayloadLimit.binary, oversize: OversizePolicy = .refused
    ) throws(WorkloadError) {
        let source = TemplateSource(text: text, name: name)
        let segments = try source.segments()
        try source.checkFillings(of: segments)
        var filler = FillerText(alphabet: alphabet, form: form, seed: seed)
        (texts, textEntries) = Self.texts(&filler)
        literals = Array(text)
        self.segments = segments
        salt = mix64(seed ^ 0x7465_6D70_6C61_7465)
        maxBytes = segments.reduce(0) { $0 + $1.count + ($1.field.map(Self.maxBytes(of:)) ?? 0) }
        let largest = oversize == .wanted ? PayloadLimit.accepted.upperBound : limitBytes
        guard maxBytes <= largest else { throw .payloadTooLarge(bytes: maxBytes, limit: largest) }
    }

    /// Writes the payload of a notification and returns its size in bytes.
    ///
    /// - Precondition: `capacity` bytes are writable at `destination`, ``maxBytes`` or more.
    public func write(
        sequence: UInt64, device: UInt64, into destination: UnsafeMutableRawPointer, capacity: Int
    ) -> Int {
        precondition(capacity >= maxBytes, "the buffer is shorter than the longest payload")
        let hash = mix64(salt ^ sequence)
        var at = destination
        for segment in segments {
            at = Self.copy(literals, segment.start, segment.count, to: at)
            guard let field = segment.field else { continue }
            switch field {
            case .title: at = copyText(Int(hash & 63), to: at)
            case .body: at = copyText(64 + Int(hash >> 6 & 63), to: at)
            case .badge: at += DecimalDigits.write(1 + (hash >> 12) % 99, to: at)
            case .sound: at = Self.copy(Self.sound, to: at)
            case .link:
                at = Self.copy(Self.linkPrefix, to: at)
                HexDigits.write(sequence, to: at)
                at += 16
            case .sequence: at += DecimalDigits.write(sequence, to: at)
            case .device: at += DecimalDigits.write(device, to: at)
            }
        }
        return at - destination
    }

    static let sound: StaticString = "default"
    static let linkPrefix: StaticString = "app://message/"

    private static func maxBytes(of field: TemplateField) -> Int {
        switch field {
        case .title: titleBytes.upperBound
        case .body: bodyBytes.upperBound
        case .badge: 2
        case .sound: sound.utf8CodeUnitCount
        case .link: linkPrefix.utf8CodeUnitCount + 16
        case .sequence, .device: DecimalDigits.maxCount
        }
    }

    /// 64 titles and 64 bodies whose lengths cover their ranges.
    private static func texts(_ filler: inout FillerText) -> ([UInt8], [ImageEntry]) {
        var texts: [UInt8] = []
        var entries: [ImageEntry] = []
        for range in [titleBytes, bodyBytes] {
            for step in 0..<64 {
                let byteCount = range.lowerBound + step * (range.count - 1) / 63
                entries.append(ImageEntry(offset: texts.count, byteCount: byteCount, sequenceOffset: nil))
                filler.append(byteCount: byteCount, to: &texts)
            }
        }
        return (texts, entries)
    }

    private func copyText(_ index: Int, to destination: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        Self.copy(texts, textEntries[index].offset, textEntries[index].byteCount, to: destination)
    }

    private static func copy(
        _ bytes: [UInt8], _ start: Int, _ count: Int, to destination: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        bytes.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { destination.copyMemory(from: base + start, byteCount: count) }
        }
        return destination + count
    }

    private static func copy(
        _ text: StaticString, to destination: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        destination.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        return destination + text.utf8CodeUnitCount
    }
}
