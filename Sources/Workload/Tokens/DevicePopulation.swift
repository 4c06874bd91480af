public import Primitives

/// Any number of synthetic devices, and which of them each notification goes to, in constant memory.
///
/// Everything follows from the seed: the fate of device *i*, and the device of notification *k*. Notifications visit the
/// devices in rounds; each device comes once in a round, with neighbours far apart, so that no token is hot.
/// Any place can be computed alone, so shards, resends and skip-ahead cost nothing.
public struct DevicePopulation: Sendable {
    /// The seed that the population follows from.
    public let seed: UInt64
    /// The environment that gave out all tokens.
    public let environment: PushEnvironment
    /// The shares of devices that are not good.
    public let rates: FateRates
    @usableFromInline let fateSalt: UInt64
    @usableFromInline let order: DeviceOrder

    /// Makes a population of `deviceCount` devices.
    ///
    /// - Throws: ``WorkloadError/deviceCountOutOfRange(_:)``; 1 to 2³² devices are possible.
    public init(
        seed: UInt64, deviceCount: UInt64, environment: PushEnvironment = .sandbox, rates: FateRates = .allValid
    ) throws(WorkloadError) {
        guard deviceCount > 0, deviceCount <= DeviceOrder.largestCount else {
            throw .deviceCountOutOfRange(deviceCount)
        }
        self.init(
            seed: seed, environment: environment, rates: rates, order: DeviceOrder(count: deviceCount, seed: seed))
    }

    private init(seed: UInt64, environment: PushEnvironment, rates: FateRates, order: DeviceOrder) {
        self.seed = seed
        self.environment = environment
        self.rates = rates
        self.order = order
        fateSalt = mix64(seed ^ 0x6661_7465_6661_7465)
    }

    /// One good device, for sources that do not use a population.
    static let single = DevicePopulation(
        seed: 0, environment: .sandbox, rates: .allValid, order: DeviceOrder(count: 1, seed: 0))

    /// How many devices there are.
    @inlinable public var deviceCount: UInt64 { order.count }

    /// Returns device `index`; the fate follows from seed and index alone.
    @inlinable @inline(__always)
    public func device(at index: UInt64) -> SyntheticDevice {
        let fate = fate(at: index)
        return SyntheticDevice(
            index: index, environment: environment, fate: fate, topic: fate == .otherTopic ? 1 : 0)
    }

    /// Returns the fate of device `index`.
    @inlinable @inline(__always)
    public func fate(at index: UInt64) -> FateClass {
        // Most populations have none but good devices, and then there is nothing to draw.
        rates.areAllValid ? .valid : rates.fate(ofHash: mix64(fateSalt ^ index))
    }

    /// Returns the index of the device that notification `sequence` goes to, counted from 0.
    @inlinable @inline(__always)
    public func deviceIndex(forNotification sequence: UInt64) -> UInt64 { order.device(ofNotification: sequence) }

    /// Counts the notifications among the first `notifications` that go to devices of a fate.
    ///
    /// - Complexity: one hash for each device, and two for each notification of the last, unfinished round.
    public func expectedCount(of fate: FateClass, notifications: UInt64) -> UInt64 {
        let (rounds, rest) = notifications.quotientAndRemainder(dividingBy: deviceCount)
        var count: UInt64 = 0
        if rounds > 0 {
            for index in 0..<deviceCount where self.fate(at: index) == fate { count += 1 }
            count *= rounds
        }
        for sequence in rounds * deviceCount..<rounds * deviceCount + rest
        where self.fate(at: deviceIndex(forNotification: sequence)) == fate { count += 1 }
        return count
    }
}
