import SecureChannel
import Testing

@Suite struct ChannelTests {
    @Test(arguments: [1, 2, 3, 7, 100, 1_000])
    func `a handshake and data in pieces of any size are the same`(pieceSize: Int) throws {
        let pair = try ChannelPair()
        #expect(pair.shakeHands(pieceSize: pieceSize))
        let bytes = seededBytes(20_000, seed: 8)
        var received: [UInt8] = []
        for piece in pair.encrypt(bytes, from: .client).pieces(of: pieceSize) {
            let step = pair.decrypt(piece, at: .server) { received += $0 }
            #expect(step.reason == .wantsInput)
        }
        #expect(received == bytes)
    }

    @Test func `a batch of 64 KiB becomes four full records`() throws {
        let pair = try ChannelPair()
        #expect(pair.shakeHands())
        let records = pair.encrypt([UInt8](repeating: 5, count: CiphertextBuffer.batchCapacity), from: .client)
        // Header 5, content type 1 and tag 16 bytes to a record (RFC 8446 section 5.2).
        #expect(records.count == 4 * (16_384 + 22))
        #expect(pair.decrypt(records, at: .server).byteCount == CiphertextBuffer.batchCapacity)
    }

    @Test func `the data before a close is delivered with it`() throws {
        let pair = try ChannelPair()
        #expect(pair.shakeHands())
        let bytes = pair.encrypt([1, 2, 3], from: .server) + pair.close(.server)
        let step = pair.decrypt(bytes, at: .client)
        #expect(step.byteCount == 3 && step.reason == .closed)
        #expect(pair.decrypt([1, 2, 3], at: .client).reason == .closed)
    }

    @Test func `a session comes with the first bytes read, once`() throws {
        let pair = try ChannelPair()
        #expect(pair.shakeHands())
        _ = pair.decrypt(pair.encrypt([1], from: .server), at: .client)
        #expect(pair.channel(.client).takeSession() != nil)
        #expect(pair.channel(.client).takeSession() == nil)
        #expect(pair.channel(.server).takeSession() == nil)
    }

    @Test func `releasing the buffers between batches changes nothing`() throws {
        let pair = try ChannelPair()
        #expect(pair.shakeHands())
        for seed in 0..<5 as Range<UInt64> {
            let bytes = seededBytes(1_000, seed: seed)
            var received: [UInt8] = []
            let records = pair.encrypt(bytes, from: .client)
            _ = pair.decrypt(Array(records[..<600]), at: .server) { received += $0 }
            pair.channel(.server).releaseBuffers()
            _ = pair.decrypt(Array(records[600...]), at: .server) { received += $0 }
            pair.channel(.client).releaseBuffers()
            #expect(received == bytes)
        }
    }
}
