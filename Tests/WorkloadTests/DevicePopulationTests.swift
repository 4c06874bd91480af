import Primitives
import Testing

@testable import Workload

@Suite struct DevicePopulationTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 10, 64, 100, 255, 256, 257, 1_000, 4_096, 10_007] as [UInt64])
    func `every device is used once before any is used twice`(deviceCount: UInt64) throws {
        for seed: UInt64 in [0, 1, 99] {
            let population = try DevicePopulation(seed: seed, deviceCount: deviceCount)
            for round in 0..<3 as Range<UInt64> {
                let devices = (0..<deviceCount).map {
                    population.deviceIndex(forNotification: round * deviceCount + $0)
                }
                #expect(devices.sorted() == Array(0..<deviceCount), "seed \(seed) round \(round)")
            }
        }
    }

    @Test(arguments: [1, 3, 250_000, 1 << 32, (1 << 32) - 1, (1 << 32) - 5] as [UInt64])
    func `any notification has a device, however large its sequence number`(deviceCount: UInt64) throws {
        let population = try DevicePopulation(seed: 5, deviceCount: deviceCount)
        var random = SeededRandom(seed: 5)
        for sequence in [0, deviceCount - 1, deviceCount, .max] + (0..<1_000).map({ _ in random.next() }) {
            let device = population.deviceIndex(forNotification: sequence)
            #expect(device < deviceCount, "sequence \(sequence)")
            // The same by division in full, which the hot path replaces by multiplication.
            let (round, position) = sequence.quotientAndRemainder(dividingBy: deviceCount)
            let start = population.deviceIndex(forNotification: round * deviceCount)
            let stride = population.order.stride
            #expect(device == (start + position * stride % deviceCount) % deviceCount, "sequence \(sequence)")
        }
    }

    @Test func `neighbours in the order are far apart`() throws {
        let population = try DevicePopulation(seed: 8, deviceCount: 1_000_000)
        for sequence in 0..<1_000 as Range<UInt64> {
            let here = Int(population.deviceIndex(forNotification: sequence))
            let next = Int(population.deviceIndex(forNotification: sequence + 1))
            #expect(abs(next - here) >= 249_999, "seed 8 sequence \(sequence)")
        }
    }

    @Test func `fates come in the shares that were asked for`() throws {
        let rates = try FateRates(badToken: 0.01, unregistered: 0.02, otherTopic: 0.03)
        let population = try DevicePopulation(seed: 13, deviceCount: 200_000, environment: .production, rates: rates)
        var counts: [FateClass: Int] = [:]
        for index in 0..<200_000 as Range<UInt64> {
            let device = population.device(at: index)
            counts[device.fate, default: 0] += 1
            #expect(device.topic == (device.fate == .otherTopic ? 1 : 0))
        }
        // Five standard deviations of a binomial count.
        for (fate, share) in [(FateClass.badToken, 0.01), (.unregistered, 0.02), (.otherTopic, 0.03), (.valid, 0.94)] {
            let expected = 200_000 * share
            let tolerance = 5 * (expected * (1 - share)).squareRoot()
            #expect(abs(Double(counts[fate] ?? 0) - expected) < tolerance, "seed 13 \(fate): \(counts)")
        }
        #expect(population.device(at: 5).environment == .production)
    }

    @Test(arguments: [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.7, 0.2, 0.1), (0.1, 0.2, 0.7)])
    func `shares of the whole leave no valid device`(bad: Double, unregistered: Double, other: Double) throws {
        let rates = try FateRates(badToken: bad, unregistered: unregistered, otherTopic: other)
        let population = try DevicePopulation(seed: 1, deviceCount: 10_000, rates: rates)
        #expect(population.expectedCount(of: .valid, notifications: 10_000) == 0)
    }

    @Test func `no shares leave only valid devices`() throws {
        let population = try DevicePopulation(seed: 1, deviceCount: 10_000)
        #expect(population.expectedCount(of: .valid, notifications: 10_000) == 10_000)
    }

    @Test(arguments: [0, 1, 999, 1_000, 1_001, 2_500] as [UInt64])
    func `the expected count is what counting one by one gives`(notifications: UInt64) throws {
        let rates = try FateRates(badToken: 0.1, unregistered: 0.2, otherTopic: 0.3)
        let population = try DevicePopulation(seed: 21, deviceCount: 1_000, rates: rates)
        for fate in FateClass.allCases {
            let counted = (0..<notifications).count {
                population.device(at: population.deviceIndex(forNotification: $0)).fate == fate
            }
            #expect(population.expectedCount(of: fate, notifications: notifications) == UInt64(counted), "seed 21")
        }
    }

    @Test func `two seeds make different populations`() throws {
        let rates = try FateRates(badToken: 0.5)
        let left = try DevicePopulation(seed: 1, deviceCount: 1_000, rates: rates)
        let right = try DevicePopulation(seed: 2, deviceCount: 1_000, rates: rates)
        let differences = (0..<1_000 as Range<UInt64>).count { left.device(at: $0) != right.device(at: $0) }
        #expect((400...600).contains(differences))
    }

    @Test func `impossible shares are refused by name`() {
        #expect(throws: WorkloadError.fractionOutOfRange(name: "badToken", value: -0.1)) {
            try FateRates(badToken: -0.1)
        }
        #expect(throws: WorkloadError.fractionOutOfRange(name: "otherTopic", value: 1.5)) {
            try FateRates(otherTopic: 1.5)
        }
        #expect(throws: WorkloadError.self) { try FateRates(unregistered: .nan) }
        #expect(throws: WorkloadError.fractionsExceedWhole(sum: 1.25)) {
            try FateRates(badToken: 0.75, otherTopic: 0.5)
        }
    }

    @Test(arguments: [0, (1 << 32) + 1] as [UInt64])
    func `a population without devices or with too many is refused`(count: UInt64) {
        #expect(throws: WorkloadError.deviceCountOutOfRange(count)) {
            try DevicePopulation(seed: 1, deviceCount: count)
        }
    }
}
