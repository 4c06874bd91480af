import PushWire

/// The header block of a good request, and what was found out about it: most requests of a provider differ from the one before only in
/// the device token and `apns-id`.
///
/// The same bytes mean the same as long as nothing enters or leaves the table of HPACK. So of a block that is the same but for
/// these digits, only they are read; whatever else it may be goes the long way.
struct RequestMemo: ~Copyable {
    private static let longest = 512

    /// What was found out; its token and identifier are those of the request that was looked at last.
    var head = RequestHead()
    /// The provider token that it came with.
    private var providerToken: KnownToken?
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: longest, alignment: 16)
    private var byteCount = 0
    private var tableMark: UInt64 = 0
    private var token = 0..<0
    private var messageID = 0..<0

    deinit { bytes.deallocate() }

    /// Where a block has the fields that differ; found while it is decoded.
    struct Places {
        private let block: UnsafeRawBufferPointer
        private(set) var path: Range<Int>?
        private(set) var messageID: Range<Int>?

        init(_ block: UnsafeRawBufferPointer) { self.block = block }

        /// Looks at the next field of the block.
        @inline(__always)
        mutating func note(_ field: HPACKField) {
            guard field.name == .path || field.name == .apnsID else { return }
            guard let value = field.value.baseAddress, let start = block.baseAddress, value >= start,
                value < start + block.count
            else { return }
            let place = (value - start)..<(value - start + field.value.count)
            if field.name == .path { path = place } else { messageID = place }
        }
    }

    /// Nothing is like the remembered one any more.
    mutating func forget() { byteCount = 0 }

    /// Remembers a block if the request that ``head`` is about is good as far as its fields tell; `tableMark` is that of the table before and after it.
    mutating func remember(
        _ block: UnsafeRawBufferPointer, _ places: Places, on connection: ProviderConnection, tableMark: UInt64
    ) {
        byteCount = 0
        guard head.kind == .device, head.refusal == nil, !head.isForeign, head.identifier != 0, head.tokenByteCount > 0,
            let path = places.path, let id = places.messageID, path.upperBound <= id.lowerBound,
            block.count <= Self.longest, block[0] & 0xE0 != 0x20, let source = block.baseAddress
        else { return }
        bytes.copyMemory(from: source, byteCount: block.count)
        byteCount = block.count
        token = (path.upperBound - 2 * Int(head.tokenByteCount))..<path.upperBound
        messageID = id
        self.tableMark = tableMark
        providerToken = connection.token
    }

    /// Whether a block is the remembered one but for the digits of token and identifier, and comes with the same provider token.
    @inline(__always)
    func isLike(_ block: UnsafeRawBufferPointer, on connection: ProviderConnection, tableMark: UInt64) -> Bool {
        guard block.count == byteCount, byteCount > 0, tableMark == self.tableMark, connection.token === providerToken
        else { return false }
        let known = UnsafeRawBufferPointer(start: bytes, count: byteCount)
        return known.equals(block, in: 0..<token.lowerBound)
            && known.equals(block, in: token.upperBound..<messageID.lowerBound)
            && known.equals(block, in: messageID.upperBound..<byteCount)
    }

    /// The digits of a block that is like the remembered one.
    func digits(of block: UnsafeRawBufferPointer) -> (token: UnsafeRawBufferPointer, messageID: UnsafeRawBufferPointer)
    {
        (UnsafeRawBufferPointer(rebasing: block[token]), UnsafeRawBufferPointer(rebasing: block[messageID]))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes of a range are the same in both.
    @inline(__always)
    fileprivate func equals(_ other: UnsafeRawBufferPointer, in range: Range<Int>) -> Bool {
        UnsafeRawBufferPointer(rebasing: self[range]).equals(UnsafeRawBufferPointer(rebasing: other[range]))
    }
}
