/// The shares of devices whose tokens are not good, as exact integer thresholds.
public struct FateRates: Equatable, Sendable {
    /// All devices are good.
    public static let allValid = FateRates(badBelow: 0, unregisteredBelow: 0, otherBelow: 0)

    /// Each threshold is cumulative, in units of 2⁻⁶³.
    @usableFromInline let badBelow: UInt64
    @usableFromInline let unregisteredBelow: UInt64
    @usableFromInline let otherBelow: UInt64

    private init(badBelow: UInt64, unregisteredBelow: UInt64, otherBelow: UInt64) {
        self.badBelow = badBelow
        self.unregisteredBelow = unregisteredBelow
        self.otherBelow = otherBelow
    }

    /// Makes rates from shares of all devices, each from 0 to 1 and together at most 1.
    ///
    /// - Throws: ``WorkloadError/fractionOutOfRange(name:value:)`` and ``WorkloadError/fractionsExceedWhole(sum:)``.
    public init(badToken: Double = 0, unregistered: Double = 0, otherTopic: Double = 0) throws(WorkloadError) {
        let bad = try Self.threshold(badToken, name: "badToken")
        let gone = try Self.threshold(unregistered, name: "unregistered")
        let other = try Self.threshold(otherTopic, name: "otherTopic")
        let sum = badToken + unregistered + otherTopic
        // Shares like 0.7, 0.2 and 0.1 are a hair over 1 in binary, and are accepted.
        guard sum <= 1 + 1e-9 else { throw .fractionsExceedWhole(sum: sum) }
        let unregisteredBelow = bad + min(gone, Self.whole - bad)
        let otherBelow = unregisteredBelow + min(other, Self.whole - unregisteredBelow)
        self.init(badBelow: bad, unregisteredBelow: unregisteredBelow, otherBelow: otherBelow)
    }

    /// Whether no device is bad.
    @inlinable var areAllValid: Bool { otherBelow == 0 }

    /// The fate of a device whose hash is `hash`.
    @inlinable
    func fate(ofHash hash: UInt64) -> FateClass {
        let draw = hash &>> 1
        guard draw < otherBelow else { return .valid }
        if draw < badBelow { return .badToken }
        return draw < unregisteredBelow ? .unregistered : .otherTopic
    }

    static let whole: UInt64 = 1 << 63

    /// A share in units of 2⁻⁶³.
    static func threshold(_ fraction: Double, name: String) throws(WorkloadError) -> UInt64 {
        guard fraction >= 0, fraction <= 1 else { throw .fractionOutOfRange(name: name, value: fraction) }
        return UInt64(fraction * 0x1p63)
    }
}
