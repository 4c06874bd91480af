import Glibc
import Primitives
import Testing
import Transport

/// The page server at real sockets.
@Suite(.timeLimit(.minutes(3))) struct PageServerTests {
    private static let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func server(
        timeLimit: Interval = .seconds(5), body: [UInt8] = Array("hello\n".utf8)
    ) throws -> PageServer {
        try PageServer(on: .loopback(port: 0), timeLimit: timeLimit) { request in
            request.path == "/metrics" ? PageResponse(body: body) : PageResponse(status: 404, line: "nothing")
        }
    }

    private static func send(_ text: String, on socket: Int32) {
        _ = Array(text.utf8).withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// All that comes until the server closes.
    private static func readAll(_ socket: Int32) -> [UInt8] {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {  // ends with the connection
            let count = read(socket, &chunk, chunk.count)
            guard count > 0 else { return received }
            received += chunk[..<count]
        }
    }

    private static func exchange(_ text: String, with server: PageServer) throws -> String {
        let socket = try RawSocket.connect(to: server.address)
        defer { close(socket) }
        send(text, on: socket)
        return String(decoding: readAll(socket), as: UTF8.self)
    }

    @Test func `clients get their pages, one after the other`() throws {
        let server = try Self.server()
        #expect(server.address.isLoopback)
        for _ in 0..<50 {
            let answer = try Self.exchange(Self.request, with: server)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\nhello\n"), "\(answer)")
        }
        #expect(try Self.exchange("GET / HTTP/1.0\r\n\r\n", with: server).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(try Self.exchange("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", with: server).hasPrefix("HTTP/1.1 405 "))
    }

    @Test func `a request without an end is answered in spite of all that the client goes on to send`() throws {
        let server = try Self.server()
        let answer = try Self.exchange(String(repeating: "x", count: 60_000), with: server)
        #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
    }

    @Test func `a client that says nothing is told so when its time is over`() throws {
        let server = try Self.server(timeLimit: .milliseconds(100))
        #expect(try Self.exchange("GET /", with: server).hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `clients that say nothing do not keep others from their answers`() throws {
        let server = try Self.server(timeLimit: .seconds(50))
        let silent = try (0..<30).map { _ in try RawSocket.connect(to: server.address) }
        defer { for socket in silent { close(socket) } }
        for socket in silent { Self.send("GET /metrics HT", on: socket) }
        #expect(try Self.exchange(Self.request, with: server).hasSuffix("hello\n"))
    }

    @Test func `a client that does not read holds up nobody, and one that reads slowly gets all of it`() throws {
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 8 << 20)
        let server = try Self.server(body: body)
        let lazy = try RawSocket.connect(to: server.address)
        defer { close(lazy) }
        Self.send(Self.request, on: lazy)
        let answer = try Self.exchange(Self.request, with: server)
        #expect(answer.utf8.count > body.count && answer.hasSuffix("aaa"))
    }

    @Test func `closing ends open connections and gives the port back`() throws {
        let server = try Self.server(timeLimit: .seconds(50))
        let address = server.address
        let silent = try RawSocket.connect(to: address)
        defer { close(silent) }
        _ = try Self.exchange(Self.request, with: server)
        server.close()
        server.close()
        #expect(Self.readAll(silent).isEmpty)
        #expect(throws: Never.self) { try address.checkListening() }
    }

    @Test func `a port that is taken is an error`() throws {
        let server = try Self.server()
        #expect(throws: TransportError.self) { try PageServer(on: server.address) { _ in PageResponse(body: []) } }
    }
}
