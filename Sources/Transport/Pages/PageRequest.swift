/// What a client of a ``PageServer`` asked for.
public struct PageRequest: Equatable, Sendable {
    /// `GET` or `HEAD`; the server answers others by itself.
    public var method: String
    /// The path without a query, as it was written, such as `/metrics`.
    public var path: String
    /// The values of all `Accept` fields, joined by commas; empty without any.
    public var accept: String

    /// Makes a request.
    public init(method: String = "GET", path: String, accept: String = "") {
        self.method = method
        self.path = path
        self.accept = accept
    }

    /// Whether the client takes a media type by its name, and not only by a wildcard; a quality of 0 refuses it.
    public func names(_ mediaType: String) -> Bool {
        accept.split(separator: ",").contains { range in
            let parts = range.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard parts.first == mediaType else { return false }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { $0.dropFirst(2) }
            return quality.map { (Double($0) ?? 0) > 0 } ?? true
        }
    }
}

/// What a ``PageServer`` answers.
public struct PageResponse: Equatable, Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The body's media type.
    public var contentType: String
    /// The body.
    public var body: [UInt8]
    /// Further fields by name.
    public var fields: [String: String]

    /// Makes an answer.
    public init(
        status: Int = 200, contentType: String = "text/plain; charset=utf-8", body: [UInt8],
        fields: [String: String] = [:]
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.fields = fields
    }

    /// Makes an answer of one line of text.
    public init(status: Int, line: String, fields: [String: String] = [:]) {
        self.init(status: status, body: Array((line + "\n").utf8), fields: fields)
    }

    /// The bytes of the answer (RFC 9112 section 4); the connection ends with them.
    func bytes(withBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Other")\r\n"
        head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + (withBody ? body : [])
    }

    private static let phrases = [
        200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        431: "Request Header Fields Too Large", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}

/// The head of a request, as it comes in, and what is wrong with it (RFC 9112 sections 2 to 5). It knows neither sockets nor time.
struct PageRequestReader {
    /// What has come of the bytes so far.
    enum State: Equatable {
        /// The head goes on.
        case incomplete
        /// A request that can be answered.
        case request(PageRequest)
        /// A request that is answered like this.
        case refused(PageResponse)
    }

    /// The longest head that is read, in bytes: a scrape's has a few hundred.
    static let headBytesMax = 8_192

    private var head: [UInt8] = []

    /// Takes what has come in; what stands behind the head is thrown away.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> State {
        // A terminator may lie across two reads.
        let searchStart = max(0, head.count - 3)
        head.append(contentsOf: bytes.prefix(Self.headBytesMax + 1 - min(head.count, Self.headBytesMax + 1)))
        guard let end = Self.endOfHead(head[searchStart...]) else {
            guard head.count <= Self.headBytesMax else {
                return .refused(PageResponse(status: 431, line: "a request has at most \(Self.headBytesMax) bytes"))
            }
            return .incomplete
        }
        return Self.parse(head[..<end])
    }

    /// Where the empty line behind the fields begins; lines may also end in a bare line feed.
    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while let feed = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
            let rest = bytes[(feed + 1)...].prefix(2)
            if rest.first == UInt8(ascii: "\n") || rest.elementsEqual("\r\n".utf8) { return feed + 1 }
            index = feed + 1
        }
        return nil
    }

    private static func parse(_ head: ArraySlice<UInt8>) -> State {
        guard let text = String(validating: head, as: UTF8.self) else { return refused("a head is text") }
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.dropLast()
        guard let first = lines.popFirst() else { return refused("there is no request line") }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words.allSatisfy({ !$0.isEmpty }) else {
            return refused("a request line is METHOD PATH HTTP/1.1")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            guard words[2].hasPrefix("HTTP/") else { return refused("a request line is METHOD PATH HTTP/1.1") }
            return .refused(PageResponse(status: 505, line: "HTTP/1.1 is spoken here"))
        }
        var accept: [String] = []
        var hostCount = 0
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                !line[..<colon].contains(where: \.isWhitespace)
            else { return refused("a field is NAME: VALUE") }
            let value = line[line.index(after: colon)...].trimmingSpaces
            switch line[..<colon].lowercased() {
            case "accept": accept.append(value)
            case "host": hostCount += 1
            default: break
            }
        }
        guard hostCount == 1 || (hostCount == 0 && words[2] == "HTTP/1.0") else {
            return refused("a request names one host")
        }
        guard words[0] == "GET" || words[0] == "HEAD" else {
            return .refused(
                PageResponse(status: 405, line: "only GET and HEAD are accepted", fields: ["Allow": "GET, HEAD"]))
        }
        guard let path = path(of: words[1]) else { return refused("the path begins with /") }
        return .request(PageRequest(method: String(words[0]), path: path, accept: accept.joined(separator: ",")))
    }

    /// The path of a request's target, which may be a whole address.
    private static func path(of target: Substring) -> String? {
        var rest = target
        if rest.lowercased().hasPrefix("http://") {
            rest = rest.dropFirst("http://".count)
            rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        guard rest.hasPrefix("/") else { return nil }
        return String(rest.prefix { $0 != "?" && $0 != "#" })
    }

    private static func refused(_ line: String) -> State { .refused(PageResponse(status: 400, line: line)) }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmingSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = firstIndex { !isSpace($0) } ?? endIndex
        guard let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[start...last])
    }
}
