internal import COpenSSL

/// What the library's callbacks see of a channel: the input and the output lent for the call in progress.
///
/// It lives at a fixed address for the life of the channel, which owns it; the library's object borrows the address.
struct ChannelMemory {
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Unowned: the caller of the channel keeps the buffer alive during the call.
    var output: Unmanaged<CiphertextBuffer>?
    var hasOverflowed = false
    /// The newest session that the peer gave us; owned, one reference.
    var newestSession: OpaquePointer?

    /// Copies up to `count` input bytes and returns how many there were.
    mutating func takeInput(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        let taken = min(count, input.count)
        guard taken > 0, let start = input.baseAddress else { return 0 }
        target.copyMemory(from: start, byteCount: taken)
        input = UnsafeRawBufferPointer(start: start + taken, count: input.count - taken)
        return taken
    }

    /// Appends to the lent output; false when there is none or it is full.
    mutating func appendOutput(_ start: UnsafeRawPointer, count: Int) -> Bool {
        let fits = output?._withUnsafeGuaranteedRef { $0.append(start, count: count) } ?? false
        if !fits { hasOverflowed = true }
        return fits
    }

    /// Keeps a session given by the peer, in place of the one before.
    mutating func keep(session: OpaquePointer) {
        if let old = newestSession { SSL_SESSION_free(old) }
        newestSession = session
    }
}

/// The library's view of memory buffers as a byte source and sink (a BIO method), made once per process.
enum MemoryBIO {
    /// The method's address; a number because the table is immutable after it is made and may be shared by all threads.
    private static let methodAddress: UInt = makeMethod()

    /// Makes a BIO that reads and writes through `memory`, which must outlive it; nil when memory is short.
    static func make(memory: UnsafeMutablePointer<ChannelMemory>) -> OpaquePointer? {
        guard let method = OpaquePointer(bitPattern: methodAddress), let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, memory)
        BIO_set_init(bio, 1)
        return bio
    }

    private static func makeMethod() -> UInt {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent memory")
        BIO_meth_set_write(method, writeCallback)
        BIO_meth_set_read(method, readCallback)
        BIO_meth_set_ctrl(method, controlCallback)
        return UInt(bitPattern: method)
    }
}

private func memory(of bio: OpaquePointer?) -> UnsafeMutablePointer<ChannelMemory>? {
    BIO_get_data(bio)?.assumingMemoryBound(to: ChannelMemory.self)
}

private let writeCallback: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
    shim_bio_clear_retry($0)
    guard let memory = memory(of: $0), let start = $1, $2 > 0 else { return -1 }
    return memory.pointee.appendOutput(start, count: Int($2)) ? $2 : -1
}

private let readCallback: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32 = {
    shim_bio_clear_retry($0)
    guard let memory = memory(of: $0), let start = $1 else { return -1 }
    let taken = memory.pointee.takeInput(into: start, count: Int($2))
    if taken > 0 { return Int32(taken) }
    shim_bio_want_read($0)
    return -1
}

private let controlCallback: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
    _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0
}

/// The library hands over one reference to the session when this returns 1.
let sessionCallback: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32 = {
    guard let memory = SSL_get_ex_data($0, 0)?.assumingMemoryBound(to: ChannelMemory.self), let session = $1 else {
        return 0
    }
    memory.pointee.keep(session: session)
    return 1
}
