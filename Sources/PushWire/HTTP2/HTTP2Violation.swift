/// A rule of HTTP/2 or HPACK that a peer can break.
public enum HTTP2Rule: Hashable, Sendable {
    /// A client begins with the connection preface (RFC 9113 section 3.4).
    case preface
    /// The first frame of either side is SETTINGS (RFC 9113 section 3.4).
    case settingsFirst
    /// A frame is no longer than the receiver's SETTINGS_MAX_FRAME_SIZE (RFC 9113 section 4.2).
    case frameSizeLimit
    /// A frame of this type has another length (RFC 9113 section 6).
    case frameLength(HTTP2FrameType)
    /// A frame of this type belongs to a stream (RFC 9113 section 6).
    case streamNeeded(HTTP2FrameType)
    /// A frame of this type belongs to the connection (RFC 9113 section 6).
    case connectionNeeded(HTTP2FrameType)
    /// Padding is shorter than its frame (RFC 9113 section 6.1).
    case padding
    /// Nothing stands between the frames of one header block (RFC 9113 section 6.10).
    case continuationOrder
    /// A header block has few CONTINUATION frames (RFC 9113 section 10.5).
    case continuationCount
    /// A compressed header block is of a moderate size (RFC 9113 section 10.5.1).
    case headerBlockSize
    /// A header list is of a moderate size (RFC 9113 section 10.5.1).
    case headerListSize
    /// The setting of this identifier has another range (RFC 9113 section 6.5.2).
    case settingValue(UInt16)
    /// SETTINGS_INITIAL_WINDOW_SIZE is below 2³¹ (RFC 9113 section 6.5.2).
    case initialWindowSize
    /// A window grows by at least 1 (RFC 9113 section 6.9).
    case windowIncrement
    /// A window stays below 2³¹ (RFC 9113 section 6.9.1).
    case windowOverflow
    /// No more DATA than the window has room for (RFC 9113 section 6.9.1).
    case windowExceeded
    /// Nothing is pushed to who does not want it (RFC 9113 section 8.4).
    case pushPromise
    /// A new stream has a higher number than all before it, an odd one from a client (RFC 9113 section 5.1.1).
    case streamOrder
    /// A frame about a stream that never began (RFC 9113 section 5.1).
    case idleStream
    /// A frame on a stream that has ended (RFC 9113 section 5.1).
    case closedStream
    /// No more streams at once than the peer allows (RFC 9113 section 5.1.2).
    case streamLimit
    /// A message has its pseudo-header fields in front, each once, and valid names (RFC 9113 section 8.1.1).
    case malformedMessage
    /// An index names an entry of the tables (RFC 7541 sections 2.3.3 and 6.1).
    case fieldIndex
    /// An integer is of a sensible size (RFC 7541 section 5.1).
    case fieldInteger
    /// A header block ends with the end of a field (RFC 7541 section 5).
    case fieldTruncated
    /// A Huffman-coded string ends with less than a byte of ones, and without EOS (RFC 7541 section 5.2).
    case huffmanCode
    /// A dynamic table stays within SETTINGS_HEADER_TABLE_SIZE (RFC 7541 section 6.3).
    case tableSize
    /// Updates of the table's size stand at the beginning of a block, at most two (RFC 7541 section 4.2).
    case tableSizeUpdate
    /// Not too many frames that cost more to answer than to send (RFC 9113 section 10.5).
    case flood(HTTP2FloodKind)

    /// The code with which the peer is told.
    public var code: HTTP2ErrorCode {
        switch self {
        case .frameSizeLimit, .frameLength: .frameSizeError
        case .initialWindowSize, .windowOverflow, .windowExceeded: .flowControlError
        case .fieldIndex, .fieldInteger, .fieldTruncated, .huffmanCode, .tableSize, .tableSizeUpdate:
            .compressionError
        case .continuationCount, .headerBlockSize, .headerListSize, .flood: .enhanceYourCalm
        case .closedStream: .streamClosed
        case .streamLimit: .refusedStream
        default: .protocolError
        }
    }
}

/// A rule that a peer broke, and what that costs: one stream, or the connection (RFC 9113 section 5.4).
public struct HTTP2Violation: Error, Hashable, Sendable {
    /// What ends because of a violation.
    public enum Scope: Hashable, Sendable {
        /// The connection: GOAWAY is sent, and nothing is read any more.
        case connection
        /// One stream: RST_STREAM is sent, and the connection goes on.
        case stream(UInt32)
    }

    /// The rule.
    public var rule: HTTP2Rule
    /// What ends.
    public var scope: Scope

    /// Makes a violation, of the whole connection if nothing else is said.
    public init(_ rule: HTTP2Rule, scope: Scope = .connection) {
        self.rule = rule
        self.scope = scope
    }

    /// The code for RST_STREAM or GOAWAY.
    public var code: HTTP2ErrorCode { rule.code }
}

extension HTTP2Violation: CustomStringConvertible {
    /// The rule, the code and what ends, for people.
    public var description: String {
        switch scope {
        case .connection: "\(code.name): \(rule)"
        case .stream(let id): "\(code.name) on stream \(id): \(rule)"
        }
    }
}

extension HTTP2Rule: CustomStringConvertible {
    /// What the peer did, for people.
    public var description: String {
        switch self {
        case .preface: "no connection preface of HTTP/2"
        case .settingsFirst: "another frame before SETTINGS"
        case .frameSizeLimit: "a frame longer than allowed"
        case .frameLength(let type): "\(type) of a wrong length"
        case .streamNeeded(let type): "\(type) without a stream"
        case .connectionNeeded(let type): "\(type) on a stream"
        case .padding: "padding longer than its frame"
        case .continuationOrder: "a frame in a place where the header block does not allow it"
        case .continuationCount: "too many CONTINUATION frames"
        case .headerBlockSize: "a header block longer than allowed"
        case .headerListSize: "a header list longer than allowed"
        case .settingValue(let identifier): "setting \(identifier) out of its range"
        case .initialWindowSize: "SETTINGS_INITIAL_WINDOW_SIZE out of its range"
        case .windowIncrement: "WINDOW_UPDATE by 0"
        case .windowOverflow: "a window wider than the largest one"
        case .windowExceeded: "more DATA than the window has room for"
        case .pushPromise: "PUSH_PROMISE, which nobody asked for"
        case .streamOrder: "a new stream with a number out of order"
        case .idleStream: "a frame on a stream that never began"
        case .closedStream: "a frame on a stream that has ended"
        case .streamLimit: "more streams than allowed"
        default: messageDescription
        }
    }

    /// The same about what header blocks and messages say, and about floods.
    private var messageDescription: String {
        switch self {
        case .malformedMessage: "a malformed message"
        case .fieldIndex: "an index of no header field"
        case .fieldInteger: "an integer in a header block that is too large"
        case .fieldTruncated: "a header block that ends within a field"
        case .huffmanCode: "an invalid Huffman code"
        case .tableSize: "a header table larger than allowed"
        case .tableSizeUpdate: "a change of the header table's size out of place"
        case .flood(let kind): "flood of \(kind)"
        default: code.name
        }
    }
}

extension HTTP2FloodKind: CustomStringConvertible {
    /// What there was too much of, for people.
    public var description: String {
        switch self {
        case .settings: "SETTINGS frames"
        case .ping: "PING frames"
        case .reset: "streams that are reset"
        case .idleFrame: "frames that move nothing"
        case .windowUpdate: "WINDOW_UPDATE frames"
        case .unreadAnswer: "requests for answers that are never read"
        }
    }
}
