public import Primitives

/// Any number of synthetic devices, and which of them each notification goes to, in constant memory.
///
/// Everything follows from the seed: the fate of device *i*, and the device of notification *k*. Notifications visit the
/// devices in rounds; within a round each device comes once, in a pseudo-random order of its own, so that no token is hot.
/// Any place can be computed alone, so shards, resends and skip-ahead cost nothing.
public struct DevicePopulation: Sendable {
    /// The seed that the population follows from.
    public let seed: UInt64
    /// How many devices there are.
    public let deviceCount: UInt64
    /// The environment that gave out all tokens.
    public let environment: PushEnvironment
    /// The shares of devices that are not good.
    public let rates: FateRates
    @usableFromInline let fateSalt: UInt64
    @usableFromInline let orderSalt: UInt64
    @usableFromInline let order: KeyedPermutation

    /// Makes a population of `deviceCount` devices.
    ///
    /// - Throws: ``WorkloadError/noDevices``.
    public init(
        seed: UInt64, deviceCount: UInt64, environment: PushEnvironment = .sandbox, rates: FateRates = .allValid
    ) throws(WorkloadError) {
        guard deviceCount > 0 else { throw .noDevices }
        self.seed = seed
        self.deviceCount = deviceCount
        self.environment = environment
        self.rates = rates
        fateSalt = mix64(seed ^ 0x6661_7465_6661_7465)
        orderSalt = mix64(seed ^ 0x6F72_6465_726F_7264)
        order = KeyedPermutation(count: deviceCount)
    }

    /// Returns device `index`; the fate follows from seed and index alone.
    @inlinable
    public func device(at index: UInt64) -> SyntheticDevice {
        let fate = fate(at: index)
        return SyntheticDevice(
            index: index, environment: environment, fate: fate, topic: fate == .otherTopic ? 1 : 0)
    }

    /// Returns the fate of device `index`.
    @inlinable
    public func fate(at index: UInt64) -> FateClass { rates.fate(ofHash: mix64(fateSalt ^ index)) }

    /// Returns the index of the device that notification `sequence` goes to, counted from 0.
    @inlinable
    public func deviceIndex(forNotification sequence: UInt64) -> UInt64 {
        var round: UInt64 = 0
        var position = sequence
        // Most runs stay in the first round, and a 64-bit division costs as much as the rest.
        if position >= deviceCount { (round, position) = sequence.quotientAndRemainder(dividingBy: deviceCount) }
        return order.element(at: position, key: mix64(orderSalt ^ round))
    }

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
