import Foundation
import Glibc

/// A listening socket whose connections the kernel accepts and nobody serves.
final class SilentListener {
    let port: UInt16
    private var descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Loopback.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isListening else { throw Loopback.Failure(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close() }

    /// Hands the descriptor over to the caller.
    func giveAway() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}

/// Plain blocking sockets to this machine.
enum Loopback {
    struct Failure: Error { var code: Int32 }

    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Waits for the peer's end of the connection; false when 20 s pass without, or when there is data instead.
    static func isEndedByPeer(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// Connects; the caller closes the descriptor.
    static func connect(port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = address(port: UInt16(port))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Failure(code: code)
        }
        return descriptor
    }
}

/// A plain TCP listener that greets each connection with the same bytes and leaves it open.
final class BabblingListener: Sendable {
    let port: UInt16
    private let listening: Int32

    init(greeting: [UInt8]) throws {
        let silent = try SilentListener()
        port = silent.port
        let descriptor = silent.giveAway()
        listening = descriptor
        Thread.detachNewThread {
            var accepted: [Int32] = []
            while true {  // ends when the listener is shut down
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { break }
                accepted.append(peer)
                _ = greeting.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            for peer in accepted { Glibc.close(peer) }
            Glibc.close(descriptor)
        }
    }

    func close() { shutdown(listening, Int32(SHUT_RDWR)) }
}
