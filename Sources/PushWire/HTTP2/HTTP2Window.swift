/// How much DATA may still be sent, or received, on a stream or a connection (RFC 9113 section 6.9.1).
///
/// Lowering SETTINGS_INITIAL_WINDOW_SIZE can leave a stream's window below zero (section 6.9.2).
@frozen public struct HTTP2Window: Hashable, Sendable {
    /// The window that a connection begins with, in bytes.
    @inlinable public static var initial: Int64 { 65_535 }

    /// The room in bytes; negative after the initial size was lowered.
    public var room: Int64

    /// Makes a window of so many bytes.
    @inlinable
    public init(_ room: Int64 = HTTP2Window.initial) { self.room = room }

    /// Takes `count` bytes of room away.
    @inlinable
    public mutating func consume(_ count: Int) { room -= Int64(count) }

    /// Gives room back.
    ///
    /// - Throws: ``HTTP2Rule/windowOverflow`` in `scope` when the window would be over 2³¹ − 1.
    public mutating func widen(
        by increment: Int64, scope: HTTP2Violation.Scope = .connection
    ) throws(HTTP2Violation) {
        let sum = room + increment
        guard sum <= Int64(HTTP2Settings.maxWindowSize) else { throw HTTP2Violation(.windowOverflow, scope: scope) }
        room = sum
    }
}
