import Testing

@testable import Transport

/// Heads of requests, without sockets.
@Suite struct PageRequestTests {
    private static func read(_ text: String, pieces: Int = .max) -> PageRequestReader.State {
        var reader = PageRequestReader()
        var state = PageRequestReader.State.incomplete
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, state == .incomplete {
            let piece = rest.prefix(pieces)
            state = piece.withUnsafeBytes { reader.read($0) }
            rest = rest.dropFirst(piece.count)
        }
        return state
    }

    private static func status(_ text: String) -> Int? {
        if case .refused(let response) = read(text) { response.status } else { nil }
    }

    @Test(arguments: 1...40)
    func `a request is the same in whatever pieces it comes`(_ pieces: Int) {
        let text =
            "GET /metrics?name=a HTTP/1.1\r\nHost: localhost:9\r\naccept: text/plain;q=0.5\r\nX-Y:\r\n"
            + "Accept:\tapplication/openmetrics-text \r\n\r\nbody"
        #expect(
            Self.read(text, pieces: pieces)
                == .request(
                    PageRequest(path: "/metrics", accept: "text/plain;q=0.5,application/openmetrics-text")))
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", "/"), ("HEAD /a HTTP/1.1\nHost: x\n\n", "/a"),
        ("GET http://localhost/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "/metrics"),
        ("GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", "/"),
    ])
    func `every form of a request that clients send has its path`(_ text: String, _ path: String) {
        guard case .request(let request) = Self.read(text) else {
            Issue.record("\(Self.read(text))")
            return
        }
        #expect(request.path == path)
    }

    @Test(arguments: [
        ("\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("GET / \r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("GET / SPDY/1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\n\r\n", 405), ("get / HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\n\n", 400), (String(repeating: "a", count: 9_000), 431),
        ("GET /" + String(repeating: "a", count: 8_190) + " HTTP/1.1\r\n\r\n", 431),
    ])
    func `what is no request is refused with its status`(_ text: String, _ status: Int) {
        #expect(Self.status(text) == status)
    }

    @Test func `bytes that are no text are refused`() {
        var reader = PageRequestReader()
        let state = [UInt8]([0xFF, 0xFE, 0x0A, 0x0A]).withUnsafeBytes { reader.read($0) }
        if case .refused(let response) = state { #expect(response.status == 400) } else { Issue.record("\(state)") }
    }

    @Test(arguments: [
        ("application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1", true), ("*/*", false), ("", false),
        ("text/plain, APPLICATION/OpenMetrics-Text", true), ("application/openmetrics-text;q=0", false),
        ("application/openmetrics-text-x", false), ("application/openmetrics-text; q=x", false),
    ])
    func `a media type is wanted where it is named, and not refused by its quality`(_ accept: String, _ isNamed: Bool) {
        #expect(PageRequest(path: "/", accept: accept).names("application/openmetrics-text") == isNamed)
    }

    @Test func `an answer has its length, its fields and the connection's end`() {
        let response = PageResponse(status: 405, line: "no", fields: ["Allow": "GET"])
        let text =
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
            + "Connection: close\r\nAllow: GET\r\n\r\n"
        #expect(String(decoding: response.bytes(withBody: true), as: UTF8.self) == text + "no\n")
        #expect(String(decoding: response.bytes(withBody: false), as: UTF8.self) == text)
    }
}
