public import Primitives

/// Instants of some notifications of a run: an even, deterministic sample in bounded memory, the same wherever it is taken.
///
/// Whether a notification is in the sample is decided by its number alone. While there are few, all are; each time that the memory is
/// full, half of them leave, so that of two samples of one run the thinner is a part of the other.
public struct SequenceSample: Sendable {
    /// One notification and when something happened to it.
    public struct Entry: Hashable, Sendable {
        /// The notification's number.
        public var sequence: UInt64
        /// When it happened.
        public var at: Instant

        /// Makes an entry.
        public init(sequence: UInt64, at: Instant) {
            self.sequence = sequence
            self.at = at
        }
    }

    /// One of two to this power is in the sample.
    public private(set) var shift: Int
    /// Those that are, in the order in which they were added.
    public private(set) var entries: ContiguousArray<Entry> = []
    private let capacity: Int
    /// The products with ``factor`` of those in the sample are at most this.
    public private(set) var bound: UInt64

    /// The golden ratio of 2^64, whose multiples lie evenly.
    @inlinable public static var factor: UInt64 { 0x9E37_79B9_7F4A_7C15 }
    /// The most notifications of a sample.
    public static let defaultCapacity = 65_536

    /// Makes an empty sample of at most `capacity` notifications, of which one in 2^`shift` is taken from the start.
    public init(capacity: Int = defaultCapacity, shift: Int = 0) {
        precondition(capacity > 0 && (0..<64).contains(shift), "a sample holds at least one of all numbers")
        self.capacity = capacity
        self.shift = shift
        bound = .max >> UInt64(shift)
    }

    /// Whether the notification is in the sample, as far as it is thinned out now.
    ///
    /// Since the products lie evenly, every part of a batch is met alike.
    @inlinable
    public func contains(_ sequence: UInt64) -> Bool { sequence &* Self.factor <= bound }

    /// Adds a notification if it is in the sample.
    @inlinable
    public mutating func add(_ sequence: UInt64, at instant: Instant) {
        if contains(sequence) { keep(Entry(sequence: sequence, at: instant)) }
    }

    /// Adds those of the notifications first ..< end that are in the sample.
    @inlinable
    public mutating func add(from first: UInt64, to end: UInt64, at instant: Instant) {
        var product = first &* Self.factor
        var sequence = first
        while sequence < end {  // bounded: by the batch
            if product <= bound { keep(Entry(sequence: sequence, at: instant)) }
            product &+= Self.factor
            sequence &+= 1
        }
    }

    @usableFromInline
    mutating func keep(_ entry: Entry) {
        entries.append(entry)
        if entries.count > capacity { thin(to: shift + 1) }
    }

    /// Leaves one of 2^`shift` notifications in the sample, if there are more.
    public mutating func thin(to shift: Int) {
        guard shift > self.shift, shift < 64 else { return }
        self.shift = shift
        bound = .max >> UInt64(shift)
        entries.removeAll { $0.sequence &* Self.factor > bound }
    }

    /// The sample with another one of the same run added.
    public func adding(_ other: SequenceSample) -> SequenceSample {
        var sum = self
        sum.add(other)
        return sum
    }

    /// Adds another sample of the same run, both thinned out alike.
    public mutating func add(_ other: SequenceSample) {
        var other = other
        thin(to: other.shift)
        other.thin(to: shift)
        for entry in other.entries { keep(entry) }
        // The memory may have become full on the way.
        let present = shift
        entries.removeAll { $0.sequence &* Self.factor > .max >> UInt64(present) }
    }
}
