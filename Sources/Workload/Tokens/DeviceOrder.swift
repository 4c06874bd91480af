public import Primitives

/// In which order notifications visit the devices: each once in every round, any place of it in constant time.
///
/// Round *r* is position · stride + offset(*r*) modulo the device count, with a stride that is coprime to the count and
/// between a quarter and three quarters of it. Neighbours in the order are far apart, so nothing that is cached by index
/// helps; the tokens themselves look random in any order. (A true pseudo-random permutation by Feistel steps cost as much
/// as the token: 9 against 3 ns.)
@usableFromInline
struct DeviceOrder: Sendable {
    /// The largest number of devices, so that products of two indices fit 64 bits.
    static let largestCount: UInt64 = 1 << 32

    @usableFromInline let count: UInt64
    @usableFromInline let stride: UInt64
    @usableFromInline let offsetSalt: UInt64
    /// 2⁶⁴ ÷ count, rounded down but never over 64 bits: division by multiplication, too small by one at most.
    @usableFromInline let reciprocal: UInt64

    /// - Precondition: `count` is from 1 to ``largestCount``.
    init(count: UInt64, seed: UInt64) {
        precondition(count > 0 && count <= Self.largestCount, "an order of \(count) devices")
        self.count = count
        var random = SeededRandom(seed: mix64(seed ^ 0x6F72_6465_726F_7264))
        offsetSalt = random.next()
        reciprocal = UInt64.max / count
        var candidate = count / 4 + random.below(count / 2 + 1)
        while Self.greatestCommonDivisor(candidate, count) != 1 { candidate = (candidate + 1) % count }
        stride = candidate
    }

    /// Returns the device that notification `sequence` goes to, counted from 0.
    @inlinable @inline(__always)
    func device(ofNotification sequence: UInt64) -> UInt64 {
        let (round, position) = divide(sequence)
        // A stride below the count times a position below it, plus an offset below it, stays below 2⁶⁴.
        let offset = mix64(offsetSalt ^ round).multipliedFullWidth(by: count).high
        return divide(position &* stride &+ offset).remainder
    }

    /// The place of notification `sequence` in the order.
    @inlinable
    func cursor(at sequence: UInt64) -> DeviceCursor {
        DeviceCursor(
            sequence: sequence, position: divide(sequence).remainder, device: device(ofNotification: sequence))
    }

    /// Moves on by one notification: an addition, but for the first one of each round.
    @inlinable @inline(__always)
    func advance(_ cursor: inout DeviceCursor) {
        cursor.sequence &+= 1
        cursor.position &+= 1
        guard cursor.position < count else {
            cursor = self.cursor(at: cursor.sequence)
            return
        }
        cursor.device &+= stride
        if cursor.device >= count { cursor.device &-= count }
    }

    @inlinable @inline(__always)
    func divide(_ value: UInt64) -> (quotient: UInt64, remainder: UInt64) {
        let quotient = value.multipliedFullWidth(by: reciprocal).high
        let remainder = value &- quotient &* count
        return remainder >= count ? (quotient &+ 1, remainder &- count) : (quotient, remainder)
    }

    private static func greatestCommonDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var (larger, smaller) = (left, right)
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}

/// Where consecutive notifications stand in an order of devices.
public struct DeviceCursor: Sendable {
    /// The notification whose turn it is, counted from 0.
    @usableFromInline var sequence: UInt64
    @usableFromInline var position: UInt64
    /// The device that it goes to.
    @usableFromInline var device: UInt64

    @inlinable
    init(sequence: UInt64, position: UInt64, device: UInt64) {
        self.sequence = sequence
        self.position = position
        self.device = device
    }
}
