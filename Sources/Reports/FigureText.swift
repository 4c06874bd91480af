import Primitives
import RunRecords

/// Figures as people read them; a dash for what was not measured.
enum FigureText {
    static let missing = "-"

    static func count(_ value: Int64?) -> String { value.map { Count($0).grouped } ?? missing }

    static func time(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { Interval(nanoseconds: $0).description } ?? missing
    }

    static func size(_ bytes: Int64?) -> String { bytes.map { ByteCount(bytes: $0).description } ?? missing }

    static func rate(_ perSecond: Double?) -> String {
        guard let perSecond else { return missing }
        return perSecond == 0 ? "0/s" : Rate(perSecond: perSecond).description
    }

    static func bytesPerSecond(_ value: Double?) -> String {
        value.flatMap(rounded).map { ByteCount(bytes: $0).description + "/s" } ?? missing
    }

    /// Any figure in its unit.
    static func value(_ value: Double?, _ unit: MetricUnit) -> String {
        switch unit {
        case .count: count(value.flatMap(rounded))
        case .rate: rate(value)
        case .bytesPerSecond: bytesPerSecond(value)
        case .time: time(value.flatMap(rounded))
        case .size: size(value.flatMap(rounded))
        }
    }

    private static func rounded(_ value: Double) -> Int64? {
        value.magnitude < 0x1p62 ? Int64(value.rounded()) : nil
    }
}
