/// Cuts a byte stream that arrives in any pieces into notifications of any command, and keeps at most one unfinished one.
public struct NotificationReader {
    /// What the reader accepts.
    public private(set) var parser: NotificationParser
    @usableFromInline var carry: [UInt8] = []
    @usableFromInline var isLost = false

    /// Makes a reader at the start of a stream.
    public init(parser: NotificationParser) { self.parser = parser }

    /// Whether the stream stops inside a notification at present.
    public var hasUnfinished: Bool { !carry.isEmpty }

    /// How many bytes of an unfinished notification are kept; less than a whole frame that the parser takes.
    public var unfinishedByteCount: Int { carry.count }

    /// Takes every frame from now on as long as its end can be found, whatever its token or payload length; for counting what
    /// is thrown away. A frame whose refusal led here comes again as a whole one.
    public mutating func acceptAnyLength() {
        parser = .takingAnyForm
    }

    /// Passes each frame in `bytes` to `body`, never an incomplete one.
    ///
    /// After an unknown command nothing can be told apart any more, and the rest of the stream is ignored. A refused frame is passed again
    /// unless `body` relaxes the reader, which it gets back for that.
    @inlinable
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (ParsedNotification, inout NotificationReader) -> Void
    ) {
        guard let base = bytes.baseAddress else { return }
        var offset = 0
        if !carry.isEmpty { offset = completeCarry(from: bytes, body) }
        while offset < bytes.count && !isLost {
            let rest = UnsafeRawBufferPointer(start: base + offset, count: bytes.count &- offset)
            if let notification = parser.usualNotification(at: rest) {
                offset &+= notification.byteCount
                body(.notification(notification), &self)
                continue
            }
            let outcome = parser.parseAny(rest)
            switch outcome {
            case .notification(let notification): offset &+= notification.byteCount
            case .incomplete:
                carry.append(contentsOf: rest)
                return
            case .refused:
                body(outcome, &self)
                // The body has relaxed the parser; if not, the stream cannot go on.
                if case .refused = parser.parse(rest) { isLost = true }
                continue
            case .unknownCommand: isLost = true
            }
            body(outcome, &self)
        }
    }

    /// Adds as many bytes to the unfinished frame as it needs and passes it on when it is whole; returns how many were taken.
    @usableFromInline
    mutating func completeCarry(
        from bytes: UnsafeRawBufferPointer, _ body: (ParsedNotification, inout NotificationReader) -> Void
    ) -> Int {
        var consumed = 0
        var needed = 1
        while true {  // bounded: each round needs more bytes than the last one, and a refusal comes once
            let missing = needed - carry.count
            if missing > 0 {
                let taken = bytes.dropFirst(consumed).prefix(missing)
                carry.append(contentsOf: taken)
                consumed += taken.count
                if taken.count < missing { return consumed }
            }
            // The frame leaves the reader while it is judged, since the body may change the reader.
            var frame: [UInt8] = []
            swap(&frame, &carry)
            let outcome = frame.withUnsafeBytes { whole -> Int? in
                let outcome = parser.parse(whole)
                if case .incomplete(let length) = outcome { return length }
                if case .unknownCommand = outcome { isLost = true }
                body(outcome, &self)
                if case .refused = outcome {
                    if case .refused = parser.parse(whole) { isLost = true }
                    return isLost ? nil : whole.count
                }
                return nil
            }
            guard let length = outcome else {
                frame.removeAll(keepingCapacity: true)
                swap(&frame, &carry)
                return consumed
            }
            swap(&frame, &carry)
            needed = length
        }
    }
}
