import Glibc
import Primitives
import Testing

@testable import Workload

/// C39: a token population must look random.
@Suite struct TokenStatisticsTests {
    static let count = 1_000_000
    static let seed: UInt64 = 20_240_601

    /// 99.9 % bounds of chi-square with 255 degrees of freedom over 32 comparisons together (Wilson and Hilferty).
    static let bounds = 174.0...356.0

    /// The chi-square of the byte values at each of 32 positions.
    static func chiSquares(_ count: Int, token: (UInt64, UnsafeMutableRawPointer) -> Void) -> [Double] {
        let counts = UnsafeMutablePointer<Int>.allocate(capacity: 32 * 256)
        counts.initialize(repeating: 0, count: 32 * 256)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
        defer {
            counts.deallocate()
            buffer.deallocate()
        }
        for index in 0..<UInt64(count) {
            token(index, UnsafeMutableRawPointer(buffer))
            for position in 0..<32 { counts[position &* 256 &+ Int(buffer[position])] &+= 1 }
        }
        let expected = Double(count) / 256
        return (0..<32).map { position in
            (0..<256).reduce(0) { sum, value in
                let difference = Double(counts[position * 256 + value]) - expected
                return sum + difference * difference / expected
            }
        }
    }

    @Test func `every byte position of a million tokens is uniform within 99.9 percent bounds`() throws {
        let key = TokenKey(seed: Self.seed)
        let population = try DevicePopulation(
            seed: Self.seed, deviceCount: UInt64(Self.count), rates: FateRates(badToken: 0.01))
        let values = Self.chiSquares(Self.count) { key.writeToken(for: population.device(at: $0), into: $1) }
        for (position, value) in values.enumerated() {
            #expect(Self.bounds.contains(value), "seed \(Self.seed) position \(position): \(value)")
        }
    }

    @Test func `a counter in 24 zero bytes is found to be no random population`() {
        let values = Self.chiSquares(10_000) { index, token in
            for offset in stride(from: 8, to: 32, by: 8) {
                token.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
            }
            token.storeBytes(of: index, as: UInt64.self)
        }
        #expect(!values.contains { Self.bounds.contains($0) })
    }

    @Test func `a million tokens are all different`() throws {
        let key = TokenKey(seed: Self.seed)
        let population = try DevicePopulation(seed: Self.seed, deviceCount: UInt64(Self.count))
        let token = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
        defer { token.deallocate() }
        // The first eight bytes tell them apart already: 64 random bits collide once in 37 million such runs.
        var prefixes: [UInt64] = []
        prefixes.reserveCapacity(Self.count)
        for index in 0..<UInt64(Self.count) {
            key.writeToken(for: population.device(at: index), into: token)
            prefixes.append(token.load(as: UInt64.self))
        }
        prefixes.sort()
        let repeats = zip(prefixes, prefixes.dropFirst()).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
        #expect(repeats == 0, "seed \(Self.seed)")
    }

    @Test func `C39 ten million tokens are generated in constant memory`() async {
        await #expect(processExitsWith: .success) {
            func peak() -> Int {
                var usage = rusage()
                getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
                return usage.ru_maxrss
            }
            let key = TokenKey(seed: Self.seed)
            let population = try DevicePopulation(seed: Self.seed, deviceCount: 10_000_000)
            let token = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
            defer { token.deallocate() }
            var digest: UInt64 = 0
            var early = 0
            var index: UInt64 = 0
            while index < 10_000_000 {  // a range takes three times as long without the optimiser
                key.writeToken(for: population.device(at: index), into: token)
                digest &+= token.load(as: UInt64.self)
                if index == 100_000 { early = peak() }
                index &+= 1
            }
            precondition(digest != 0 && early > 0)
            precondition(peak() <= early + 512, "\(early) kB, then \(peak()) kB")
        }
    }

    @Test func `tokens take constant memory because key and population are plain numbers`() {
        #expect(_isPOD(TokenKey.self))
        #expect(_isPOD(DevicePopulation.self))
    }
}
