/// A bounded buffer of encrypted bytes on their way to the socket: appended by the channel, consumed by the transport.
///
/// It belongs to one event loop and is lent to one channel at a time. It holds one batch and its records' overhead,
/// with room for the alerts and key updates that a peer can cause meanwhile.
public final class CiphertextBuffer {
    /// The most plaintext that is encrypted into one buffer, in bytes: four full TLS records.
    public static let batchCapacity = 64 * 1024
    /// The buffer's size in bytes.
    public static let capacity = batchCapacity + 8 * 1024

    private let storage: UnsafeMutableRawPointer
    private var head = 0
    private var tail = 0

    /// Makes an empty buffer.
    public init() { storage = .allocate(byteCount: Self.capacity, alignment: 64) }

    deinit { storage.deallocate() }

    /// How many bytes wait to be written.
    public var pendingCount: Int { tail - head }

    /// The bytes that wait; valid until the buffer is next changed.
    public var pending: UnsafeRawBufferPointer { .init(start: storage + head, count: tail - head) }

    /// Forgets the first `count` waiting bytes, which the kernel has taken.
    ///
    /// - Precondition: no more than ``pendingCount``.
    public func consume(_ count: Int) {
        precondition(count >= 0 && count <= tail - head, "consuming bytes that are not there")
        head += count
        if head == tail { reset() }
    }

    /// Forgets everything.
    public func reset() {
        head = 0
        tail = 0
    }

    /// Appends a fatal alert in the clear, as it is sent before keys are agreed (RFC 8446 sections 5.1 and 6); false when
    /// it does not fit.
    @discardableResult
    public func append(alert description: UInt8) -> Bool {
        // Record type 21, the legacy version 3.3, two bytes of content: level fatal and the description.
        let record: [UInt8] = [21, 3, 3, 0, 2, 2, description]
        return record.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return append(start, count: bytes.count)
        }
    }

    /// Appends bytes and returns true, or returns false when they do not fit.
    func append(_ start: UnsafeRawPointer, count: Int) -> Bool {
        guard count <= Self.capacity - tail else { return false }
        (storage + tail).copyMemory(from: start, byteCount: count)
        tail += count
        return true
    }
}
