import Primitives
import Testing

@testable import Workload

@Suite struct TokenKeyTests {
    static let seeds: [UInt64] = [0, 1, 7, 0x5EED_5EED, .max]

    static func token(_ key: TokenKey, _ device: SyntheticDevice) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            key.writeToken(for: device, into: UnsafeMutableRawPointer(buffer.baseAddress!))
            count = 32
        }
    }

    static func device(_ key: TokenKey, _ token: [UInt8]) -> SyntheticDevice? {
        token.withUnsafeBytes { key.device(ofToken: $0.baseAddress!) }
    }

    static func anyDevice(_ random: inout SeededRandom) -> SyntheticDevice {
        SyntheticDevice(
            index: random.next() >> random.below(64), environment: random.below(2) == 0 ? .sandbox : .production,
            fate: FateClass(rawValue: UInt8(random.below(4)))!, topic: UInt16(truncatingIfNeeded: random.next()))
    }

    @Test(arguments: seeds)
    func `a token inverts to the device that it was made from`(seed: UInt64) {
        let key = TokenKey(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<10_000 {
            let device = Self.anyDevice(&random)
            #expect(Self.device(key, Self.token(key, device)) == device, "seed \(seed)")
        }
    }

    @Test(arguments: seeds)
    func `a token with any one bit flipped is not ours`(seed: UInt64) {
        let key = TokenKey(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let token = Self.token(key, Self.anyDevice(&random))
            for bit in 0..<256 {
                var flipped = token
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(Self.device(key, flipped) == nil, "seed \(seed) bit \(bit)")
            }
        }
    }

    @Test(arguments: seeds)
    func `neither random bytes nor the all-zero token nor another key's token is ours`(seed: UInt64) {
        let key = TokenKey(seed: seed)
        let other = TokenKey(seed: seed ^ 1)
        var random = SeededRandom(seed: seed)
        #expect(Self.device(key, [UInt8](repeating: 0, count: 32)) == nil, "seed \(seed)")
        for _ in 0..<1_000 {
            #expect(Self.device(key, (0..<32).map { _ in UInt8(random.below(256)) }) == nil, "seed \(seed)")
            #expect(Self.device(key, Self.token(other, Self.anyDevice(&random))) == nil, "seed \(seed)")
        }
    }

    @Test(arguments: [
        UInt64(1) << 32, UInt64(2), UInt64(0xFF), UInt64(4) << 8, UInt64(0xFF) << 8, UInt64(1) << 63,
    ])
    func `attributes that no device has are refused although the check words are right`(attributes: UInt64) {
        let key = TokenKey(seed: 3)
        let token = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            key.writeToken(index: 17, attributes: attributes, into: UnsafeMutableRawPointer(buffer.baseAddress!))
            count = 32
        }
        #expect(Self.device(key, token) == nil)
    }

    @Test func `flipping any bit of a device flips about half of its token`() {
        let key = TokenKey(seed: 11)
        for bit in 0..<64 {
            var flips = 0
            for index in 0..<200 as Range<UInt64> {
                let left = SyntheticDevice(index: index, environment: .sandbox, fate: .valid)
                let right = SyntheticDevice(index: index ^ 1 << UInt64(bit), environment: .sandbox, fate: .valid)
                flips += zip(Self.token(key, left), Self.token(key, right)).reduce(0) {
                    $0 + ($1.0 ^ $1.1).nonzeroBitCount
                }
            }
            // 51,200 fair coins: mean 25,600, standard deviation 113.
            #expect(abs(flips - 25_600) < 6 * 113, "bit \(bit): \(flips)")
        }
    }

    @Test func `the same seed and device give the same token in every process and version`() {
        let device = SyntheticDevice(index: 123_456_789, environment: .production, fate: .unregistered, topic: 7)
        let text = Self.token(TokenKey(seed: 42), device).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        #expect(text.joined() == "a77019127bb20c12be6a87ce99cd5a7f60502985ef8e272dff3b90a0c58efb1d")
    }
}
