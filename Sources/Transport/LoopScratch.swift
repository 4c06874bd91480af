internal import CShims
internal import Glibc
internal import SecureChannel

/// The buffers that all links of a loop share, because only one link works at a time.
///
/// They are why an idle connection costs no buffer of ours.
struct LoopScratch: ~Copyable {
    /// How much one read takes from a socket at most, in bytes.
    static let readCapacity = 256 * 1024
    /// How many output buffers are kept for later; more are given back to the allocator.
    static let pooledOutputLimit = 64

    /// Encrypted bytes of the read in progress.
    let ciphertext: UnsafeMutableRawBufferPointer
    /// Decrypted bytes of the delivery in progress.
    let plaintext: UnsafeMutableRawBufferPointer
    /// The batch that a handler is filling.
    let batch: UnsafeMutableRawBufferPointer
    /// The output buffer for the link at work, always empty between two operations.
    private(set) var spareOutput = CiphertextBuffer()
    private var pooledOutputs: ContiguousArray<CiphertextBuffer> = []

    init() {
        ciphertext = .allocate(byteCount: Self.readCapacity, alignment: 4_096)
        plaintext = .allocate(byteCount: Self.readCapacity, alignment: 4_096)
        batch = .allocate(byteCount: CiphertextBuffer.batchCapacity, alignment: 4_096)
        pooledOutputs.reserveCapacity(Self.pooledOutputLimit)
    }

    deinit {
        ciphertext.deallocate()
        plaintext.deallocate()
        batch.deallocate()
    }

    /// Lets a link keep the spare output, which holds bytes that its socket does not take yet.
    mutating func giveSpareAway() { spareOutput = pooledOutputs.popLast() ?? CiphertextBuffer() }

    /// Takes back an output that a link kept.
    mutating func takeBack(_ output: CiphertextBuffer) {
        output.reset()
        if pooledOutputs.count < Self.pooledOutputLimit { pooledOutputs.append(output) }
    }
}
