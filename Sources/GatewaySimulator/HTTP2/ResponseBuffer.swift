/// Responses that wait to be written, behind each other.
struct ResponseBuffer: ~Copyable {
    private static let firstCapacity = 16_384

    private var bytes: UnsafeMutableRawPointer
    private var capacity = firstCapacity
    private var start = 0
    private var end = 0

    init() { bytes = .allocate(byteCount: Self.firstCapacity, alignment: 16) }

    deinit { bytes.deallocate() }

    /// How many bytes wait.
    var byteCount: Int { end - start }

    /// Whether bytes have left and others behind them have not, so that the next one may be within a frame.
    private(set) var isCut = false

    /// Lets `body` write up to `most` bytes and return how many it wrote.
    @inline(__always)
    mutating func append(_ most: Int, _ body: (UnsafeMutableRawPointer) -> Int) {
        if end + most > capacity { makeRoom(for: most) }
        end += body(bytes + end)
    }

    /// Moves as many bytes into `buffer` as have room and returns how many.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(byteCount, buffer.count)
        guard count > 0, let target = buffer.baseAddress else { return 0 }
        target.copyMemory(from: bytes + start, byteCount: count)
        start += count
        isCut = start < end
        if !isCut { (start, end) = (0, 0) }
        return count
    }

    private mutating func makeRoom(for most: Int) {
        let count = byteCount
        if start > 0 && count + most <= capacity {
            bytes.copyMemory(from: bytes + start, byteCount: count)
        } else {
            var wider = capacity
            while wider < count + most { wider *= 2 }
            let fresh = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 16)
            fresh.copyMemory(from: bytes + start, byteCount: count)
            bytes.deallocate()
            bytes = fresh
            capacity = wider
        }
        (start, end) = (0, count)
    }
}
