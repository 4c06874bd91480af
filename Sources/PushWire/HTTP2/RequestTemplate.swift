public import Primitives

/// Writes the requests of one connection: HEADERS and, in front of a body that already stands there, the header of its DATA frame.
///
/// The first request puts every fixed field into the peer's table; those after it are an image of a few dozen bytes in which
/// only stream identifiers, the path and the `apns-id` are written anew. A new `authorization` is one more insertion, which moves
/// all indices by one. Path and `apns-id` are literals without indexing, as Apple advises (protocol sheet, HPACK advice).
public struct RequestTemplate: ~Copyable {
    private let fields: RequestFields
    @usableFromInline let ids: NotificationIDSpace
    @usableFromInline let pathPrefix: OwnedBytes
    @usableFromInline let pathPrefixCount: Int
    /// The fields in front of the path, and behind them those from the path to the value of `apns-id`.
    @usableFromInline private(set) var image = OwnedBytes()
    @usableFromInline private(set) var headCount = 0
    @usableFromInline private(set) var imageCount = 0
    /// Whether the next request inserts something into the peer's table.
    @usableFromInline private(set) var inserts = true
    /// The peer's table as it is, and as it will be after the next request.
    private var table = HPACKEncoderTable()
    private var nextTable = HPACKEncoderTable()
    private var authorization: [UInt8]?

    /// The most bytes of a device token.
    public static let maxTokenBytes = 256

    /// Makes the template of a new connection.
    ///
    /// - Precondition: the fields are no longer than ``RequestFields/byteLimit``.
    public init(fields: RequestFields, ids: NotificationIDSpace) {
        precondition(fields.byteCount <= RequestFields.byteLimit, "a header block fits into one frame")
        self.fields = fields
        self.ids = ids
        authorization = fields.authorization
        let prefix = Array(fields.pathPrefix.utf8)
        var bytes = OwnedBytes()
        bytes.reserve(prefix.count)
        prefix.withUnsafeBytes { bytes.put($0, at: 0) }
        pathPrefix = bytes
        pathPrefixCount = prefix.count
        build()
    }

    // MARK: - What the peer says

    /// The peer's SETTINGS_HEADER_TABLE_SIZE is `size` from the next request on.
    public mutating func setPeerTableSize(_ size: Int) {
        table.setLimit(size)
        build()
    }

    /// Another value of `authorization` holds from the next request on; nil leaves it out.
    public mutating func setAuthorization(_ value: [UInt8]?) {
        guard value != authorization else { return }
        precondition(
            fields.byteCount - (fields.authorization?.count ?? 0) + (value?.count ?? 0) <= RequestFields.byteLimit,
            "a header block fits into one frame")
        authorization = value
        build()
    }

    // MARK: - Writing

    /// How many bytes the next request has before its body, for a device token of so many bytes.
    @inlinable
    public func payloadOffset(tokenBytes: Int) -> Int {
        let pathCount = pathPrefixCount &+ 2 &* tokenBytes
        return 2 &* HTTP2FrameHeader.byteCount &+ imageCount &+ 1 &+ (pathCount < 127 ? 1 : pathCount < 255 ? 2 : 3)
            &+ pathCount &+ NotificationIDSpace.byteCount
    }

    /// Writes all of the next request but its body, which stands at ``payloadOffset(tokenBytes:)`` or is to be written there.
    ///
    /// - Parameters:
    ///   - request: the request's first byte; there is room up to the body.
    ///   - streamID: the stream that the request opens.
    ///   - token: the device token's bytes, at most ``maxTokenBytes``, outside the request.
    ///   - sequence: the notification's number.
    ///   - payloadBytes: the length of the body; a request without one ends with its headers.
    /// - Returns: the whole request's length in bytes.
    @inlinable
    public mutating func write(
        to request: UnsafeMutableRawPointer, streamID: UInt32, token: UnsafeRawBufferPointer, sequence: UInt64,
        payloadBytes: Int
    ) -> Int {
        let end = writeHeaders(
            to: request, streamID: streamID, token: token, sequence: sequence, endsStream: payloadBytes == 0)
        guard payloadBytes > 0 else { return end }
        HTTP2FrameHeader(type: .data, flags: .endStream, streamID: streamID, length: payloadBytes)
            .write(to: request + end)
        return end &+ HTTP2FrameHeader.byteCount &+ payloadBytes
    }

    /// Writes the HEADERS frame of the next request and returns its length in bytes.
    @inlinable
    public mutating func writeHeaders(
        to request: UnsafeMutableRawPointer, streamID: UInt32, token: UnsafeRawBufferPointer, sequence: UInt64,
        endsStream: Bool
    ) -> Int {
        guard let fixed = image.all.baseAddress, let prefix = pathPrefix.all.baseAddress else { return 0 }
        var end = HTTP2FrameHeader.byteCount
        (request + end).copyMemory(from: fixed, byteCount: headCount)
        end &+= headCount
        request.storeBytes(of: 0x04, toByteOffset: end, as: UInt8.self)
        let pathCount = pathPrefixCount &+ 2 &* token.count
        end &+= 1 &+ HPACKInteger.write(pathCount, prefixBits: 7, pattern: 0, to: request + (end &+ 1))
        (request + end).copyMemory(from: prefix, byteCount: pathPrefixCount)
        HexDigits.write(token, to: request + (end &+ pathPrefixCount))
        end &+= pathCount
        (request + end).copyMemory(from: fixed + headCount, byteCount: imageCount &- headCount)
        end &+= imageCount &- headCount
        ids.write(sequence: sequence, to: request + end)
        end &+= NotificationIDSpace.byteCount
        HTTP2FrameHeader(
            type: .headers, flags: endsStream ? [.endHeaders, .endStream] : .endHeaders, streamID: streamID,
            length: end &- HTTP2FrameHeader.byteCount
        ).write(to: request)
        if inserts { commit() }
        return end
    }

    // MARK: - The image

    /// The image was written, with all that it inserts.
    @usableFromInline
    mutating func commit() {
        table = nextTable
        build()
    }

    /// Makes the image of the next request.
    private mutating func build() {
        var next = table
        let fixed = behindPath
        let authority = (Array("\(HTTP2FieldName.authority.text)".utf8), Array(fields.authority.utf8))
        let idName = Array("\(HTTP2FieldName.apnsID.text)".utf8)
        var needed = HPACKEncoderTable.size(name: idName.count, value: NotificationIDSpace.byteCount)
        for (name, value) in fixed + [authority] {
            needed += HPACKEncoderTable.size(name: name.count, value: value.count)
        }
        let room =
            fields.byteCount + (authorization?.count ?? 0) + (fixed.count + 6) * (HPACKWriter.literalOverhead + 16)
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { buffer in
            var writer = HPACKWriter(buffer)
            next.begin(needed: needed, writer: &writer)
            writer.indexed(Self.methodPOST)
            writer.indexed(Self.schemeHTTPS)
            next.write(authority.0, authority.1, writer: &writer)
            headCount = writer.count
            if fields.authorizationIndexing == .literal, let authorization {
                authorization.withUnsafeBytes { writer.literal(.withoutIndexing, .authorization, value: $0) }
            }
            for (name, value) in fixed { next.write(name, value, writer: &writer) }
            next.writeName(idName, valueCount: NotificationIDSpace.byteCount, writer: &writer)
            image.reserve(writer.count)
            image.put(UnsafeRawBufferPointer(start: writer.start, count: writer.count), at: 0)
            imageCount = writer.count
        }
        inserts = next.changeCount != table.changeCount
        nextTable = next
    }

    /// The fields behind the path that are the same in all requests and that the peer's table is for.
    private var behindPath: [(name: [UInt8], value: [UInt8])] {
        var all = fields.named.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) }
        if fields.authorizationIndexing == .indexed, let authorization {
            all.insert((Array("\(HTTP2FieldName.authorization.text)".utf8), authorization), at: 0)
        }
        return all
    }

    private static let methodPOST = 3
    private static let schemeHTTPS = 7
}
