/// Command 2: items in any order.
extension NotificationParser {
    /// The longest frame that the format can say without an item twice; what is longer holds no notification.
    private static let formatLimit = FramedNotification.overheadBytes + 2 * Int(UInt16.max)

    /// Reads a command 2: at once if it is in the usual order, else item by item.
    @inline(__always)
    func parseFramed(_ base: UnsafeRawPointer, count: Int) -> ParsedNotification {
        guard count >= FramedNotification.headerBytes else {
            return .incomplete(neededBytes: FramedNotification.headerBytes)
        }
        let byteCount = FramedNotification.headerBytes + Int(base.bigEndian32(at: 1))
        let payloadLength = byteCount &- FramedNotification.overheadBytes &- Self.usualTokenBytes
        if count >= byteCount && isUsual(base, byteCount: byteCount, payloadLength: payloadLength) {
            return .notification(Self.usualFrame(base, byteCount: byteCount, payloadLength: payloadLength))
        }
        return parseUnusual(base, count: count, byteCount: byteCount)
    }

    @inline(never)
    private func parseUnusual(_ base: UnsafeRawPointer, count: Int, byteCount: Int) -> ParsedNotification {
        if !judgesForm && byteCount > Self.formatLimit { return FrameItems().refused(.protocolError) }
        let isReadWhole = byteCount <= wholeFrameLimit || !judgesForm
        guard !isReadWhole || count >= byteCount else { return .incomplete(neededBytes: byteCount) }
        return parseItems(base, count: min(count, byteCount), byteCount: byteCount, isWhole: isReadWhole)
    }

    /// Whether a whole frame has all items in the order of their ids, as our sender writes it, with nothing wrong with any.
    @inline(__always)
    private func isUsual(_ base: UnsafeRawPointer, byteCount: Int, payloadLength: Int) -> Bool {
        guard takesUsualTokens, payloadLength > 0, payloadLength <= payloadLimit else { return false }
        let payloadHeader = base + FramedNotification.tokenOffset + Self.usualTokenBytes
        let tail = base + (byteCount &- FramedNotification.tailBytes)
        return base.itemHeader(at: FramedNotification.headerBytes) == Self.header(.token, Self.usualTokenBytes)
            && payloadHeader.itemHeader(at: 0) == Self.header(.payload, payloadLength)
            && tail.itemHeader(at: 0) == Self.header(.identifier, 4)
            && tail.itemHeader(at: 7) == Self.header(.expiry, 4)
            && tail.itemHeader(at: 14) == Self.header(.priority, 1)
            && Self.isPriority(tail.load(fromByteOffset: 17, as: UInt8.self))
    }

    @inline(__always)
    private static func usualFrame(_ base: UnsafeRawPointer, byteCount: Int, payloadLength: Int) -> NotificationView {
        let tail = base + (byteCount &- FramedNotification.tailBytes)
        return NotificationView(
            command: FramedNotification.command, identifier: tail.bigEndian32(at: 3), hasIdentifier: true,
            expiry: tail.bigEndian32(at: 10), priority: tail.load(fromByteOffset: 17, as: UInt8.self),
            token: UnsafeRawBufferPointer(start: base + FramedNotification.tokenOffset, count: usualTokenBytes),
            payload: UnsafeRawBufferPointer(
                start: base + FramedNotification.payloadOffset(tokenBytes: usualTokenBytes), count: payloadLength),
            byteCount: byteCount)
    }

    /// Walks through the items that are there.
    private func parseItems(_ base: UnsafeRawPointer, count: Int, byteCount: Int, isWhole: Bool) -> ParsedNotification {
        var items = FrameItems()
        var offset = FramedNotification.headerBytes
        while offset < byteCount {  // bounded: each round takes at least an item's header
            let dataOffset = offset + FramedNotification.itemHeaderBytes
            guard dataOffset <= byteCount else { return conclude(items, .protocolError, byteCount) }
            guard count >= dataOffset else { return .incomplete(neededBytes: dataOffset) }
            let length = base.bigEndian16(at: offset + 1)
            let end = dataOffset + length
            guard end <= byteCount else { return conclude(items, .protocolError, byteCount) }
            let item = FramedNotification.Item(rawValue: base.load(fromByteOffset: offset, as: UInt8.self))
            if let status = fault(of: item, length: length, after: items) {
                items.firstFault = items.firstFault ?? status
                let isSearched = isWhole && status != .missingDeviceToken && !items.has(.identifier)
                guard isSearched else { return conclude(items, status, byteCount) }
            }
            guard count >= end else { return .incomplete(neededBytes: end) }
            if let item { items.take(item, UnsafeRawBufferPointer(start: base + dataOffset, count: length)) }
            if !Self.isPriority(items.priority) { items.firstFault = items.firstFault ?? .protocolError }
            if judgesForm, let status = items.firstFault, !isWhole || items.has(.identifier) {
                return conclude(items, status, byteCount)
            }
            offset = end
        }
        if !items.has(.token) { return conclude(items, .missingDeviceToken, byteCount) }
        if !items.has(.payload) { return conclude(items, .missingPayload, byteCount) }
        return conclude(items, nil, byteCount)
    }

    /// What an item's header earns, whatever its data is.
    private func fault(of item: FramedNotification.Item?, length: Int, after items: FrameItems) -> ErrorStatus? {
        guard judgesForm else { return nil }
        guard let item, !items.has(item) else { return .protocolError }
        switch item {
        case .token:
            if tokenBytes.contains(length) { return nil }
            return length == 0 ? .missingDeviceToken : .invalidTokenSize
        case .payload:
            if length > payloadLimit { return .invalidPayloadSize }
            return length == 0 ? .missingPayload : nil
        case .identifier, .expiry: return length == 4 ? nil : .protocolError
        case .priority: return length == 1 ? nil : .protocolError
        }
    }

    /// The frame's outcome: the first fault decides, or what turned out at its end.
    private func conclude(_ items: FrameItems, _ status: ErrorStatus?, _ byteCount: Int) -> ParsedNotification {
        if judgesForm, let status = items.firstFault ?? status { return items.refused(status) }
        return .notification(items.notification(byteCount: byteCount))
    }

    private static func isPriority(_ value: UInt8) -> Bool {
        value == FramedNotification.immediatePriority || value == FramedNotification.powerSavingPriority
    }

    /// An item's header as ``UnsafeRawPointer/itemHeader(at:)`` reads it.
    @inline(__always)
    private static func header(_ item: FramedNotification.Item, _ length: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: Int(item.rawValue) << 16 | length)
    }
}

/// The items of a command 2 as far as they were read.
private struct FrameItems {
    /// What is wrong with the first item that is.
    var firstFault: ErrorStatus?
    private(set) var priority = FramedNotification.immediatePriority
    private var seen: UInt8 = 0
    private var identifier: UInt32 = 0
    private var expiry: UInt32 = 0
    private var token = UnsafeRawBufferPointer(start: nil, count: 0)
    private var payload = UnsafeRawBufferPointer(start: nil, count: 0)

    func has(_ item: FramedNotification.Item) -> Bool { seen & 1 << item.rawValue != 0 }

    /// Takes the first item of each kind whose data can be what it should be.
    mutating func take(_ item: FramedNotification.Item, _ data: UnsafeRawBufferPointer) {
        guard !has(item), let base = data.baseAddress else { return }
        switch item {
        case .token: token = data
        case .payload: payload = data
        case .identifier:
            guard data.count == 4 else { return }
            identifier = base.bigEndian32(at: 0)
        case .expiry:
            guard data.count == 4 else { return }
            expiry = base.bigEndian32(at: 0)
        case .priority:
            guard data.count == 1 else { return }
            priority = data[0]
        }
        seen |= 1 << item.rawValue
    }

    func refused(_ status: ErrorStatus) -> ParsedNotification {
        .refused(
            RefusedNotification(
                command: FramedNotification.command, status: status, identifier: identifier,
                hasIdentifier: has(.identifier)))
    }

    func notification(byteCount: Int) -> NotificationView {
        NotificationView(
            command: FramedNotification.command, identifier: identifier, hasIdentifier: has(.identifier),
            expiry: expiry, priority: priority, token: token, payload: payload, byteCount: byteCount)
    }
}

extension UnsafeRawPointer {
    /// The three bytes of an item's header at an offset, as a number; the byte behind them must be readable, too.
    @inline(__always)
    fileprivate func itemHeader(at offset: Int) -> UInt32 { bigEndian32(at: offset) >> 8 }
}
