public import Primitives

/// Generated payloads: valid JSON of exact sizes, the same bytes for the same seed and sequence number.
///
/// Some dozen to some thousand notifications are made beforehand, one for each slice of the size distribution; a payload is
/// a copy of one of them with its own sequence number (16 hexadecimal digits under the key `sequence`). All images together
/// stay small enough for a core's first cache, because copying them is the whole cost.
public struct PayloadGenerator: Sendable {
    /// The length of the shortest notification, `{"aps":{"alert":""}}`.
    public static let minimumBytes = 20
    /// How far over the limit the largest oversized payload is, in bytes.
    public static let oversizeMaximum = 64

    /// The size of the largest payload, oversized ones included.
    public let maxBytes: Int
    /// The protocol's limit in bytes that ``isOversized(_:)`` measures against.
    public let limitBytes: Int
    @usableFromInline let salt: UInt64
    @usableFromInline let regularMask: UInt64
    @usableFromInline let regularCount: UInt64
    /// In units of 2⁻⁵², compared with the bits that do not choose the image.
    @usableFromInline let oversizedBelow: UInt64
    @usableFromInline let entries: [ImageEntry]
    @usableFromInline let pool: [UInt8]

    /// Makes the images of a plan.
    ///
    /// - Throws: ``WorkloadError/limitOutOfRange(bytes:)``, ``WorkloadError/payloadTooLarge(bytes:limit:)`` when the
    ///   sizes exceed the limit, ``WorkloadError/fractionOutOfRange(name:value:)``.
    public init(_ plan: PayloadPlan) throws(WorkloadError) {
        guard PayloadLimit.accepted.contains(plan.limitBytes) else { throw .limitOutOfRange(bytes: plan.limitBytes) }
        guard plan.sizes.max <= plan.limitBytes else {
            throw .payloadTooLarge(bytes: plan.sizes.max, limit: plan.limitBytes)
        }
        guard plan.oversizedFraction >= 0, plan.oversizedFraction <= 1 else {
            throw .fractionOutOfRange(name: "oversizedPayload", value: plan.oversizedFraction)
        }
        var sizes = Self.regularSizes(plan.sizes)
        let regularCount = sizes.count
        if plan.oversizedFraction > 0 { sizes += Self.oversizedSizes(limit: plan.limitBytes) }
        var text = FillerText(alphabet: plan.alphabet, form: plan.form, seed: plan.seed)
        let images = sizes.enumerated().map { PayloadImage(byteCount: $1, variant: $0, text: &text) }
        self.init(
            images: images, regularCount: regularCount, limitBytes: plan.limitBytes, seed: plan.seed,
            oversizedBelow: UInt64(plan.oversizedFraction * 0x1p52))
    }

    /// Makes a generator that gives the same bytes, those of a file, for every notification; white space around the
    /// object is left out.
    ///
    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - name: the file's name for error messages.
    ///   - limitBytes: the protocol's largest payload.
    ///   - oversize: what to do when the payload is larger than that.
    /// - Throws: ``WorkloadError/invalidJSON(file:offset:line:column:)``,
    ///   ``WorkloadError/payloadTooLarge(bytes:limit:)``.
    public init(
        fixed text: UnsafeRawBufferPointer, name: String, limitBytes: Int = PayloadLimit.binary,
        oversize: OversizePolicy = .refused
    ) throws(WorkloadError) {
        if let offset = JSONSyntax.check(text) {
            let place = TextPosition(offset: offset, in: text)
            throw .invalidJSON(file: name, offset: offset, line: place.line, column: place.column)
        }
        let range = JSONSyntax.trimmed(text)
        let largest = oversize == .wanted ? PayloadLimit.accepted.upperBound : limitBytes
        guard range.count <= largest else { throw .payloadTooLarge(bytes: range.count, limit: largest) }
        self.init(
            images: [PayloadImage(bytes: Array(text[range]))], regularCount: 1, limitBytes: limitBytes, seed: 0,
            oversizedBelow: 0)
    }

    /// The empty object, for sources that do not generate payloads.
    static let none = PayloadGenerator(
        images: [PayloadImage(bytes: Array("{}".utf8))], regularCount: 1, limitBytes: PayloadLimit.binary, seed: 0,
        oversizedBelow: 0)

    private init(
        images: [PayloadImage], regularCount: Int, limitBytes: Int, seed: UInt64, oversizedBelow: UInt64
    ) {
        var entries: [ImageEntry] = []
        var pool: [UInt8] = []
        for image in images {
            entries.append(
                ImageEntry(offset: pool.count, byteCount: image.bytes.count, sequenceOffset: image.sequenceOffset))
            pool += image.bytes
        }
        self.entries = entries
        self.pool = pool
        self.limitBytes = limitBytes
        self.oversizedBelow = oversizedBelow
        self.regularCount = UInt64(regularCount)
        regularMask = UInt64(regularCount - 1)
        salt = mix64(seed ^ 0x7061_796C_6F61_6473)
        maxBytes = images.map(\.bytes.count).max() ?? 0
    }

    /// The size of the payload of notification `sequence`, in bytes.
    @inlinable
    public func byteCount(_ sequence: UInt64) -> Int { entries[imageIndex(sequence)].byteCount }

    /// Whether the payload of notification `sequence` is over the protocol's limit.
    @inlinable
    public func isOversized(_ sequence: UInt64) -> Bool { byteCount(sequence) > limitBytes }

    /// Writes the payload of notification `sequence` and returns its size in bytes.
    ///
    /// - Precondition: `capacity` bytes are writable at `destination`, and the payload fits; ``maxBytes`` always do.
    @inlinable @inline(__always)
    public func write(sequence: UInt64, into destination: UnsafeMutableRawPointer, capacity: Int) -> Int {
        let entry = entries[imageIndex(sequence)]
        precondition(entry.byteCount <= capacity, "the buffer is shorter than the payload")
        pool.withUnsafeBytes { pool in
            if let source = pool.baseAddress {
                destination.copyMemory(from: source + entry.offset, byteCount: entry.byteCount)
            }
        }
        if let offset = entry.sequenceOffset { HexDigits.write(sequence, to: destination + offset) }
        return entry.byteCount
    }

    @inlinable @inline(__always)
    func imageIndex(_ sequence: UInt64) -> Int {
        let hash = mix64(salt ^ sequence)
        // Low bits choose the image, the 52 high ones whether it is an oversized one.
        if hash &>> 12 < oversizedBelow { return Int(regularCount &+ (hash & Self.oversizedMask)) }
        return Int(hash & regularMask)
    }

    private static let oversizedCount = 16
    @usableFromInline static let oversizedMask: UInt64 = 15
    private static let poolBytesAim = 32 * 1_024

    /// As many quantiles of the sizes (64 to 4,096, a power of two) as the pool has room for.
    private static func regularSizes(_ sizes: PayloadSizes) -> [Int] {
        var count = 4_096
        var quantiles = sizes.quantiles(count)
        while count > 64, quantiles.reduce(0, +) > poolBytesAim {
            count /= 2
            quantiles = sizes.quantiles(count)
        }
        return quantiles
    }

    /// Sizes over a limit, half of them by a single byte.
    private static func oversizedSizes(limit: Int) -> [Int] {
        (0..<oversizedCount).map { $0 % 2 == 0 ? limit + 1 : limit + ($0 + 1) * oversizeMaximum / oversizedCount }
    }
}

/// Where an image stands in the pool, in eight bytes.
@usableFromInline
struct ImageEntry: Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let length: UInt16
    /// The offset of the sequence number plus one, or 0 for none.
    @usableFromInline let patch: UInt16

    init(offset: Int, byteCount: Int, sequenceOffset: Int?) {
        start = UInt32(offset)
        length = UInt16(byteCount)
        patch = UInt16((sequenceOffset ?? -1) + 1)
    }

    @inlinable var offset: Int { Int(start) }
    @inlinable var byteCount: Int { Int(length) }
    @inlinable var sequenceOffset: Int? { patch == 0 ? nil : Int(patch) - 1 }
}
