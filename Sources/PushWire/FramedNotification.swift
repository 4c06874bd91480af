/// The layout of command 2, the "framed" notification: one notification as a run of items.
///
/// command 2 (1) · length of all that follows (4) · items, each item id (1) · data length (2) · data, integers big-endian.
/// Written in the order of the item ids, as most clients do: 1 token · 2 payload · 3 identifier · 4 expiry · 5 priority.
/// Apple, Local and Remote Notification Programming Guide, "Binary Provider API", tables.
public struct FramedNotification: NotificationFormat {
    /// What an item holds, by the id on the wire.
    public enum Item: UInt8, Hashable, Sendable, CaseIterable {
        /// The device token; required.
        case token = 1
        /// The payload; required.
        case payload = 2
        /// What an error reply echoes, 4 bytes.
        case identifier = 3
        /// UNIX seconds, 4 bytes.
        case expiry = 4
        /// 10 or 5, 1 byte.
        case priority = 5
    }

    /// The first byte of the frame.
    public static let command: UInt8 = 2
    /// Bytes before the items: command and length.
    public static let headerBytes = 5
    /// Bytes before the data of an item: id and length.
    public static let itemHeaderBytes = 3
    /// Where the token begins.
    public static let tokenOffset = headerBytes + itemHeaderBytes
    /// Identifier, expiry and priority as items.
    @usableFromInline static let tailBytes = 18
    /// Bytes of a frame that are neither token nor payload.
    public static let overheadBytes = headerBytes + 2 * itemHeaderBytes + tailBytes
    /// The priority that is assumed without an item that says one: deliver now.
    public static let immediatePriority: UInt8 = 10
    /// Deliver at a time that saves the device's power.
    public static let powerSavingPriority: UInt8 = 5

    /// UNIX seconds; 0 means that the gateway does not store the notification.
    public var expiry: UInt32
    /// 10 or 5; any other value is refused by gateways.
    public var priority: UInt8

    /// Makes the format of notifications with one expiry and one priority.
    @inlinable
    public init(expiry: UInt32 = 0, priority: UInt8 = immediatePriority) {
        self.expiry = expiry
        self.priority = priority
    }

    /// Where the payload begins, behind a token of `tokenBytes` bytes.
    @inlinable
    public static func payloadOffset(tokenBytes: Int) -> Int { tokenOffset + tokenBytes + itemHeaderBytes }

    /// Writes everything but token and payload, which already stand at their offsets.
    @inlinable
    public func frame(
        _ frame: UnsafeMutableRawPointer, identifier: UInt32, tokenBytes: Int, payloadBytes: Int
    ) -> Int {
        let byteCount = Self.overheadBytes + tokenBytes + payloadBytes
        frame.storeBytes(of: Self.command, as: UInt8.self)
        frame.storeBytes(of: UInt32(byteCount - Self.headerBytes).bigEndian, toByteOffset: 1, as: UInt32.self)
        Self.storeItem(.token, tokenBytes, at: frame + Self.headerBytes)
        Self.storeItem(.payload, payloadBytes, at: frame + Self.tokenOffset + tokenBytes)
        let tail = frame + Self.payloadOffset(tokenBytes: tokenBytes) + payloadBytes
        Self.storeItem(.identifier, 4, at: tail)
        tail.storeBytes(of: identifier.bigEndian, toByteOffset: 3, as: UInt32.self)
        Self.storeItem(.expiry, 4, at: tail + 7)
        tail.storeBytes(of: expiry.bigEndian, toByteOffset: 10, as: UInt32.self)
        Self.storeItem(.priority, 1, at: tail + 14)
        tail.storeBytes(of: priority, toByteOffset: 17, as: UInt8.self)
        return byteCount
    }

    @inlinable
    static func storeItem(_ item: Item, _ byteCount: Int, at place: UnsafeMutableRawPointer) {
        place.storeBytes(of: item.rawValue, as: UInt8.self)
        place.storeBytes(of: UInt16(byteCount).bigEndian, toByteOffset: 1, as: UInt16.self)
    }
}
