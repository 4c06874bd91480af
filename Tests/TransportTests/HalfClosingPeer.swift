import Glibc
import SecureChannel
import Synchronization
import Transport

/// A foreign client: plain sockets and the byte machine, ends its direction first and then reads to the end.
struct HalfClosingPeer {
    private let socket: Int32
    private let channel: TLSChannel
    private let output = CiphertextBuffer()
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)

    init(to address: SocketAddress, context: TLSContext) throws {
        socket = try RawSocket.connect(to: address)
        channel = try TLSChannel(client: context, serverName: "localhost")
    }

    /// Sends, ends with or without close_notify, and returns all that comes back.
    func exchange(_ bytes: [UInt8], cleanly: Bool) async throws -> [UInt8] {
        defer {
            close(socket)
            input.deallocate()
        }
        while channel.handshake(output: output) == .wantsInput {
            flush()
            lendNext()
        }
        _ = bytes.withUnsafeBytes { channel.write($0, output: output) }
        if cleanly { channel.close(output: output) }
        flush()
        shutdown(socket, Int32(SHUT_WR))
        var received: [UInt8] = []
        let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { plaintext.deallocate() }
        var isOver = false
        while !isOver {
            let step = channel.read(into: plaintext, output: output)
            received.append(contentsOf: plaintext[..<step.byteCount])
            switch step.reason {
            case .plaintextFull: break
            case .wantsInput: isOver = !lendNext()
            case .closed, .failed: isOver = true
            }
        }
        return received
    }

    private func flush() {
        while output.pendingCount > 0 {
            let count = write(socket, output.pending.baseAddress, output.pendingCount)
            guard count > 0 else { return }
            output.consume(count)
        }
    }

    /// Lends what the socket gives next; false at its end.
    @discardableResult
    private func lendNext() -> Bool {
        let count = read(socket, input.baseAddress, input.count)
        guard count > 0 else { return false }
        channel.lend(input: UnsafeRawBufferPointer(rebasing: input[..<count]))
        return true
    }
}

/// A blocking socket without TLS, for peers that misbehave.
enum RawSocket {
    static func connect(to address: SocketAddress) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var form = sockaddr_in()
        form.sin_family = sa_family_t(AF_INET)
        form.sin_port = address.port.bigEndian
        form.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw SystemFailure(operation: "connecting", code: errno) }
        return descriptor
    }

    /// A listening socket that accepts nothing by itself, with its address.
    static func listen(backlog: Int32) throws -> (descriptor: Int32, address: SocketAddress) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var form = sockaddr_in()
        form.sin_family = sa_family_t(AF_INET)
        form.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard status else { throw SystemFailure(operation: "listening", code: errno) }
        return (descriptor, .loopback(port: UInt16(bigEndian: form.sin_port)))
    }
}
