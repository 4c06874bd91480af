/// How a histogram divides its range into cells: linear within a power of two, so that every value keeps so many
/// significant decimal digits.
///
/// Two histograms can be added only when their geometries are equal. Layout as HdrHistogram's, so that the V2 format
/// carries the cells unchanged.
public struct HistogramGeometry: Hashable, Sendable {
    /// The smallest value told apart from zero, at least 1.
    public let lowestDiscernible: Int64
    /// The largest value with a cell, at least twice ``lowestDiscernible``.
    public let highestTrackable: Int64
    /// Decimal digits that survive, in 0 ... 5; three digits mean cells at most 0.1 % wide.
    public let significantDigits: Int
    /// How many cells there are; each takes eight bytes.
    public let cellCount: Int
    /// Powers of two, each with its own linear cells.
    public let bucketCount: Int
    /// Linear cells of the first bucket; later buckets have half as many.
    public let subBucketCount: Int

    /// Logarithm of the unit below which values share the cell of zero.
    @usableFromInline let unitMagnitude: Int64
    /// Logarithm of the cells per half bucket.
    @usableFromInline let halfMagnitude: Int64
    /// Cells per half bucket.
    @usableFromInline let halfCount: Int64
    /// All values of the first bucket, so that its values count as one magnitude.
    @usableFromInline let firstBucketMask: Int64
    /// Leading zero bits of a value of the first bucket.
    @usableFromInline let leadingZerosBase: Int64

    /// For latencies of a whole run in nanoseconds: 1 ns to 1 hour at three digits, 33,792 cells.
    public static let runTotals = HistogramGeometry(
        checkedLowest: 1, highest: 3_600_000_000_000, digits: 3, subBucketMagnitude: 11)

    /// For many small histograms, one per connection, in nanoseconds: 1 ns to 1 hour at two digits, 4,608 cells.
    public static let perConnection = HistogramGeometry(
        checkedLowest: 1, highest: 3_600_000_000_000, digits: 2, subBucketMagnitude: 8)

    /// Makes the geometry of a range and a precision.
    ///
    /// - Parameters:
    ///   - lowestDiscernible: the smallest value told apart from zero, at least 1.
    ///   - highestTrackable: the largest value with a cell, at least twice the lowest.
    ///   - significantDigits: decimal digits that survive, in 0 ... 5.
    /// - Throws: ``HistogramError/badGeometry(lowest:highest:digits:)`` outside these ranges.
    public init(
        lowestDiscernible: Int64, highestTrackable: Int64, significantDigits: Int
    ) throws(HistogramError) {
        let error = HistogramError.badGeometry(
            lowest: lowestDiscernible, highest: highestTrackable, digits: significantDigits)
        guard (0...5).contains(significantDigits), lowestDiscernible >= 1,
            lowestDiscernible <= Int64.max / 2, highestTrackable >= 2 * lowestDiscernible
        else { throw error }
        var magnitude = 0
        let resolution = 2 * (0..<significantDigits).reduce(1) { power, _ in power * 10 }
        while 1 << magnitude < resolution { magnitude += 1 }
        guard Self.magnitude(of: lowestDiscernible) + magnitude <= 62 else { throw error }
        self.init(
            checkedLowest: lowestDiscernible, highest: highestTrackable, digits: significantDigits,
            subBucketMagnitude: magnitude)
    }

    private init(checkedLowest lowest: Int64, highest: Int64, digits: Int, subBucketMagnitude: Int) {
        lowestDiscernible = lowest
        highestTrackable = highest
        significantDigits = digits
        subBucketCount = 1 << subBucketMagnitude
        unitMagnitude = Int64(Self.magnitude(of: lowest))
        halfMagnitude = Int64(subBucketMagnitude - 1)
        halfCount = Int64(subBucketCount / 2)
        firstBucketMask = Int64(subBucketCount - 1) << unitMagnitude
        leadingZerosBase = 64 - unitMagnitude - Int64(subBucketMagnitude)
        var buckets = 1
        var reach = Int64(subBucketCount - 1) << unitMagnitude | ((1 << unitMagnitude) - 1)
        while reach < highest {
            reach = reach << 1 | 1
            buckets += 1
        }
        bucketCount = buckets
        cellCount = (buckets + 1) * (subBucketCount / 2)
    }

    private static func magnitude(of value: Int64) -> Int { 63 - value.leadingZeroBitCount }

    /// The index of the cell that holds `value`, which must not be negative; at ``cellCount`` or above for values
    /// beyond the last cell.
    @inlinable
    public func index(of value: Int64) -> Int {
        let bucket = leadingZerosBase &- Int64(truncatingIfNeeded: (value | firstBucketMask).leadingZeroBitCount)
        // Masking shifts: amounts are 0 ... 62 by construction, and this is the hottest line of a recorder.
        let subBucket = value &>> (bucket &+ unitMagnitude)
        return Int(truncatingIfNeeded: ((bucket &+ 1) &<< halfMagnitude) &+ (subBucket &- halfCount))
    }

    /// The smallest value of the cell at `index`.
    public func lowestValue(at index: Int) -> Int64 {
        let (bucket, subBucket) = position(at: index)
        return subBucket << (bucket + unitMagnitude)
    }

    /// The largest value of the cell at `index`; what a quantile reports.
    public func highestValue(at index: Int) -> Int64 {
        let (bucket, subBucket) = position(at: index)
        let width: Int64 = 1 << (bucket + unitMagnitude)
        return (subBucket << (bucket + unitMagnitude)) + (width - 1)
    }

    /// The value in the middle of the cell at `index`; what means from cells use.
    public func medianValue(at index: Int) -> Int64 {
        let (bucket, subBucket) = position(at: index)
        let width: Int64 = 1 << (bucket + unitMagnitude)
        return (subBucket << (bucket + unitMagnitude)) + (width >> 1)
    }

    private func position(at index: Int) -> (bucket: Int64, subBucket: Int64) {
        let bucket = (Int64(index) >> halfMagnitude) - 1
        let subBucket = Int64(index) & (halfCount - 1)
        return bucket < 0 ? (0, subBucket) : (bucket, subBucket + halfCount)
    }
}

extension HistogramGeometry: CustomStringConvertible {
    /// The range and the digits, for messages.
    public var description: String { "\(lowestDiscernible)...\(highestTrackable) at \(significantDigits) digits" }
}
