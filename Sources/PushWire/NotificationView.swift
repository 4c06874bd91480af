/// One notification as it lies in a receive buffer; valid as long as the buffer is.
public struct NotificationView {
    /// What an error reply must echo; 0 when the notification carries none.
    public var identifier: UInt32
    /// UNIX seconds; 0 when the notification carries none.
    public var expiry: UInt32
    /// The device token's bytes.
    public var token: UnsafeRawBufferPointer
    /// The payload's bytes.
    public var payload: UnsafeRawBufferPointer
    /// The length of the whole frame.
    public var byteCount: Int
    /// The frame's first byte: 0, 1 or 2.
    public var command: UInt8
    /// 10 or 5; 10 in commands that carry none ("Legacy Notification Format").
    public var priority: UInt8
    /// Whether the notification carries an identifier: command 0 never does, command 2 need not.
    public var hasIdentifier: Bool

    @inlinable
    init(
        command: UInt8, identifier: UInt32, hasIdentifier: Bool, expiry: UInt32,
        priority: UInt8 = FramedNotification.immediatePriority, token: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer, byteCount: Int
    ) {
        self.identifier = identifier
        self.expiry = expiry
        self.token = token
        self.payload = payload
        self.byteCount = byteCount
        self.command = command
        self.priority = priority
        self.hasIdentifier = hasIdentifier
    }

    /// Until when the gateway keeps the notification for a device that it cannot reach, in UNIX seconds; 0 or less for not at all.
    ///
    /// Documents disagree on the sign of the 32 bits; clients send -1 for "do not store", which the older Apple text allows
    /// ("zero or less than zero"). A command 2 without an expiry counts as 0, as clients leave the item out for that;
    /// command 0 has none, and its last notification is kept however stale ("Legacy Notification Format").
    @inlinable
    public func storedUntil(readingSigned isSigned: Bool) -> Int64 {
        if command == SimpleNotification.command { return .max }
        return isSigned ? Int64(Int32(bitPattern: expiry)) : Int64(expiry)
    }
}

/// A notification that is refused, and what is known about it by then.
public struct RefusedNotification: Hashable, Sendable {
    /// The frame's first byte: 0, 1 or 2.
    public var command: UInt8
    /// What is wrong with it.
    public var status: ErrorStatus
    /// Its identifier as far as it was read; 0 otherwise.
    public var identifier: UInt32
    /// Whether an identifier was read.
    public var hasIdentifier: Bool

    /// Makes a refusal.
    public init(command: UInt8, status: ErrorStatus, identifier: UInt32, hasIdentifier: Bool) {
        self.command = command
        self.status = status
        self.identifier = identifier
        self.hasIdentifier = hasIdentifier
    }

    /// Makes the refusal of a well-formed notification.
    public init(_ notification: NotificationView, status: ErrorStatus) {
        self.init(
            command: notification.command, status: status, identifier: notification.identifier,
            hasIdentifier: notification.hasIdentifier)
    }
}

/// What lies at the start of a receive buffer.
public enum ParsedNotification {
    /// A whole frame.
    case notification(NotificationView)
    /// The frame's start; it will be at least `neededBytes` long in all.
    case incomplete(neededBytes: Int)
    /// The frame is refused, if it can be before its end is there, so that no peer decides how much we keep.
    case refused(RefusedNotification)
    /// The first byte is no command that this gateway knows.
    case unknownCommand(UInt8)
}
