import SecureChannel

/// Two byte machines that talk through memory.
final class ChannelPair {
    enum Side {
        case client
        case server
    }

    private let client: TLSChannel
    private let server: TLSChannel
    private let output = CiphertextBuffer()

    init(
        server changeServer: (inout TLSServerOptions) -> Void = { _ in },
        client changeClient: (inout TLSClientOptions) -> Void = { _ in }
    ) throws {
        let authority = try Self.authority.get()
        var options = TLSServerOptions(identity: authority.identity)
        options.tickets = .everyHandshake(count: 2)
        changeServer(&options)
        var clientOptions = TLSClientOptions(trust: .authorities(pem: authority.pem))
        changeClient(&clientOptions)
        let serverContext = try TLSContext(server: options)
        let clientContext = try TLSContext(client: clientOptions)
        client = try TLSChannel(client: clientContext, serverName: "localhost")
        server = try TLSChannel(server: serverContext)
    }

    private static let authority = Result {
        let authority = try CertificateAuthority()
        return (pem: authority.certificatePEM, identity: try authority.issue(.server))
    }

    func channel(_ side: Side) -> TLSChannel { side == .client ? client : server }

    /// Takes what a side has put out, after giving it these bytes during its handshake.
    func handshake(_ side: Side, input: [UInt8]) -> (step: TLSHandshakeStep, output: [UInt8]) {
        input.withUnsafeBytes { bytes in
            channel(side).lend(input: bytes)
            defer { channel(side).takeBackInput() }
            let step = channel(side).handshake(output: output)
            return (step, takeOutput())
        }
    }

    /// Shakes hands, giving each side its input in pieces of at most `pieceSize` bytes; returns what the client has
    /// not read yet.
    @discardableResult
    func shakeHands(pieceSize: Int = .max) -> Bool {
        var toServer = handshake(.client, input: []).output
        var isServerDone = false
        var isClientDone = false
        for _ in 0..<4 where !(isServerDone && isClientDone) {
            var toClient: [UInt8] = []
            for piece in toServer.pieces(of: pieceSize) where !isServerDone {
                let (step, output) = handshake(.server, input: piece)
                toClient += output
                isServerDone = step == .done
                if case .failed = step { return false }
            }
            toServer = []
            for piece in toClient.pieces(of: pieceSize) {
                if isClientDone {
                    _ = decrypt(piece, at: .client)
                    continue
                }
                let (step, output) = handshake(.client, input: piece)
                toServer += output
                isClientDone = step == .done
                if case .failed = step { return false }
            }
        }
        return isServerDone && isClientDone
    }

    func encrypt(_ plaintext: [UInt8], from side: Side) -> [UInt8] {
        _ = plaintext.withUnsafeBytes { channel(side).write($0, output: output) }
        return takeOutput()
    }

    func close(_ side: Side) -> [UInt8] {
        channel(side).close(output: output)
        return takeOutput()
    }

    func decrypt(_ ciphertext: [UInt8], at side: Side, collect: ([UInt8]) -> Void = { _ in }) -> TLSReadStep {
        let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 70_000, alignment: 1)
        defer { plaintext.deallocate() }
        return ciphertext.withUnsafeBytes { bytes in
            channel(side).lend(input: bytes)
            defer { channel(side).takeBackInput() }
            let step = channel(side).read(into: plaintext, output: output)
            collect(Array(plaintext[..<step.byteCount]))
            return step
        }
    }

    private func takeOutput() -> [UInt8] {
        let bytes = Array(output.pending)
        output.reset()
        return bytes
    }
}

extension [UInt8] {
    /// The bytes in pieces of at most `size`.
    func pieces(of size: Int) -> [[UInt8]] {
        guard size < count else { return isEmpty ? [] : [self] }
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min(count, $0 + size)]) }
    }
}
