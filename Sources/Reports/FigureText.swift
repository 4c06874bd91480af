import Primitives
import RunRecords

/// A text whose control characters, and those that turn its direction, which would do things to a reader's terminal, are U+FFFD; line breaks stay.
func withoutControls(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        let isControl =
            scalar.properties.generalCategory == .control && scalar != "\n" || scalar.properties.isBidiControl
        result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return result
}

/// Figures as people read them; a dash for what was not measured.
enum FigureText {
    static let missing = "-"

    static func count(_ value: Int64?) -> String { value.map { Count($0).grouped } ?? missing }

    /// So many things of a kind, whose plural takes an s.
    static func count(_ value: Int64?, of thing: String) -> String {
        "\(count(value)) \(thing)" + (value == 1 ? "" : "s")
    }

    static func time(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { Interval(nanoseconds: $0).description } ?? missing
    }

    static func size(_ bytes: Int64?) -> String { bytes.map { ByteCount(bytes: $0).description } ?? missing }

    static func rate(_ perSecond: Double?) -> String {
        perSecond.map { MetricUnit.rate.text($0) } ?? missing
    }

    static func bytesPerSecond(_ value: Double?) -> String {
        value.map { MetricUnit.bytesPerSecond.text($0) } ?? missing
    }

    /// Any figure in its unit.
    static func value(_ value: Double?, _ unit: MetricUnit) -> String {
        value.map { unit.text($0) } ?? missing
    }
}
