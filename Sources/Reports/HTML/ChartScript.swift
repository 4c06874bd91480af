import Primitives
import RunRecords

/// A colour of charts by what it is for; pages give it the value that suits the reader's screen.
enum ChartColor: Int {
    case text, grid, first, second, third, fourth, fifth, sixth, good, bad

    /// The colours that tell lines apart, in the order in which they are taken.
    static let lines: [ChartColor] = [.first, .second, .third, .fourth, .fifth, .sixth]
}

/// How a line is broken, so that no line is told from another by its colour alone.
enum ChartDash: CaseIterable {
    case solid, long, short, mixed, dots, wide

    /// Lengths of strokes and gaps; none for a solid line.
    var lengths: [Int] {
        switch self {
        case .solid: []
        case .long: [9, 4]
        case .short: [4, 3]
        case .mixed: [9, 3, 2, 3]
        case .dots: [1, 3]
        case .wide: [3, 7]
        }
    }
}

/// A kind of point by its shape, with gnuplot's number of it.
enum ChartPoint: Int {
    case cross = 2
    case openSquare = 4
    case openCircle = 6
    case circle = 7
    case openTriangle = 8

    /// The shape for a legend, around 15,6.
    var outline: String {
        switch self {
        case .cross: "M11 2L19 10M19 2L11 10"
        case .openSquare: "M11 2H19V10H11Z"
        case .openCircle, .circle: "M11 6A4 4 0 1 0 19 6A4 4 0 1 0 11 6Z"
        case .openTriangle: "M15 1L19.5 9.5H10.5Z"
        }
    }
}

/// A line of gnuplot's language, made of our own constants, of numbers, and of texts that we make of numbers: no text from elsewhere
/// can get in.
struct ChartLine: ExpressibleByStringInterpolation {
    fileprivate(set) var text: String

    init(stringLiteral text: StaticString) { self.text = "\(text)" }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 8 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) { text += "\(literal)" }

        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

        /// A number that is not finite is gnuplot's word for a missing one.
        mutating func appendInterpolation(_ number: Double) { text += numberText(number) ?? "NaN" }

        /// gnuplot writes it so that the drawing's reader knows it again.
        mutating func appendInterpolation(_ color: ChartColor) {
            text += "rgb '#0100\(color.rawValue < 16 ? "0" : "")\(String(color.rawValue, radix: 16))'"
        }

        mutating func appendInterpolation(_ dash: ChartDash) {
            text += dash.lengths.isEmpty ? "dt solid" : "dt (\(dash.lengths.map { "\($0)" }.joined(separator: ",")))"
        }

        /// A number as people read it.
        mutating func appendInterpolation(_ value: Double, as unit: ChartUnit) { appendQuoted(unit.text(value)) }

        /// Numbers that belong together, as people read them.
        mutating func appendInterpolation(_ values: [Double], as unit: ChartUnit) {
            appendQuoted(values.map(unit.text).joined(separator: " × "))
        }

        /// A kind of point.
        mutating func appendInterpolation(_ point: ChartPoint) { text += "pt \(point.rawValue)" }

        /// Rows of numbers that were added under a name.
        mutating func appendInterpolation(data name: StaticString, _ number: Int = 0) { text += "$\(name)\(number)" }

        /// A word of ours.
        mutating func appendInterpolation(word: StaticString) { appendQuoted("\(word)") }

        /// The name of a figure that each record can have.
        mutating func appendInterpolation(_ metric: Metric) { appendQuoted(metric.name) }

        private mutating func appendQuoted(_ label: String) {
            // A text in such quotes has no other end, and nothing in it is carried out.
            text +=
                "'\(String(String.UnicodeScalarView(label.unicodeScalars.filter { $0 != "'" && $0 != "\n" && $0 != "\\" })))'"
        }
    }
}

/// What the numbers along an axis are.
enum ChartUnit {
    case rate, time, seconds, count, cores
    /// A ratio as a change in percent.
    case change
    /// A ratio in percent.
    case share
    /// A ratio in percent with as many places as it has, for powers of ten.
    case ratio
    /// 1/(1-q), as the quantile q in percent.
    case oneIn
    /// Any figure in its unit.
    case metric(MetricUnit)

    func text(_ value: Double) -> String {
        switch self {
        case .rate: MetricUnit.rate.text(value)
        case .time: MetricUnit.time.text(value)
        case .seconds: value == 0 ? "0 s" : MetricUnit.time.text(value * 1e9)
        case .count: MetricUnit.count.text(value)
        case .cores: decimalText(value, places: value == value.rounded() ? 0 : value < 0.1 ? 2 : 1)
        case .change: change(value)
        case .ratio: ratio(value)
        case .share: decimalText(100 * value, places: 0) + " %"
        case .oneIn: quantile(value)
        case .metric(let unit): unit.text(value)
        }
    }

    private func ratio(_ value: Double) -> String {
        var places = 0
        while places < 12, (100 * value * pow10(places)).rounded() < 1 { places += 1 }
        return decimalText(100 * value, places: places) + " %"
    }

    private func pow10(_ places: Int) -> Double { (0..<places).reduce(1) { power, _ in power * 10 } }

    private func change(_ ratio: Double) -> String {
        let percent = (ratio - 1) * 100
        let text = decimalText(
            percent, places: percent.magnitude < 9.95 && (percent - percent.rounded()).magnitude > 0.05 ? 1 : 0)
        return (percent > 0 && text != "0" ? "+" : "") + text + " %"
    }

    private func quantile(_ oneIn: Double) -> String {
        var places = 0
        var beyond = 100.0
        while beyond < oneIn, places < 12 {
            beyond *= 10
            places += 1
        }
        return decimalText(100 * (1 - 1 / oneIn), places: places) + " %"
    }
}

/// What gnuplot is told for one drawing.
///
/// Each drawing is made twice: as wide as a page, and for the screens of telephones, with fewer texts along its axis.
struct ChartScript {
    /// The two drawings.
    enum Size: String, CaseIterable {
        case wide, narrow

        var width: Int { self == .wide ? 960 : 440 }
    }

    let height: Int
    private let left: Int
    private let right: Int
    private var lines: [Size: String] = [:]

    /// - Parameters:
    ///   - height: in pixels of a screen on which the drawing is as wide as a page.
    ///   - left: room for names on the left.
    ///   - right: room on the right.
    init(height: Int, left: Int = 84, right: Int = 12) {
        self.height = height
        self.left = left
        self.right = right
        add("set encoding utf8")
        add("unset key")
        add("set border 0")
        add("set tics scale 0 textcolor \(ChartColor.text)")
        add("set grid ytics back lc \(ChartColor.grid) lw 1 dt solid")
    }

    /// All that gnuplot is told for the drawing of a size.
    func text(_ size: Size = .wide) -> String {
        let width = size.width
        let left = size == .narrow ? min(left, 190) : left
        let head: [ChartLine] = [
            "set terminal svg size \(width),\(height) dynamic noenhanced font 'sans-serif,12' linewidth 1 dashlength 1",
            "set lmargin at screen \(Double(left) / Double(width))",
            "set rmargin at screen \(1 - Double(right) / Double(width))",
        ]
        return head.map { $0.text + "\n" }.joined() + (lines[size] ?? "")
    }

    mutating func add(_ line: ChartLine) { append(line.text + "\n") }

    private mutating func append(_ text: String) {
        for size in Size.allCases { lines[size, default: ""] += text }
    }

    /// Rows of numbers under a name; missing ones break lines.
    mutating func add(data name: StaticString, _ number: Int, _ rows: [[Double?]]) {
        var text = "$\(name)\(number) << EOD\n"
        for row in rows {
            text +=
                row.map { value in value.flatMap { $0.isFinite ? "\($0)" : nil } ?? "NaN" }.joined(separator: " ")
                + "\n"
        }
        append(text + "EOD\n")
    }

    /// The place of the next plot, in pixels from the drawing's top.
    mutating func place(top: Int, bottom: Int) {
        add("set tmargin at screen \(1 - Double(top) / Double(height))")
        add("set bmargin at screen \(1 - Double(bottom) / Double(height))")
    }

    /// Makes an axis with these places marked on it.
    mutating func mark(_ axis: ChartAxis, _ ticks: [Double], as unit: ChartUnit, showsText: Bool = true) {
        let start = ticks.firstIndex(of: 1) ?? 0
        for size in Size.allCases {
            // Along a narrow axis each third text has room.
            let step = size == .narrow && axis == .x ? 3 : 1
            let places = ticks.enumerated().map { index, tick -> ChartLine in
                showsText && (index - start) % step == 0 ? "\(tick, as: unit) \(tick)" : "'' \(tick)"
            }
            lines[size, default: ""] += Self.marks(axis, places)
        }
    }

    /// Makes an axis with places marked on it, each a text in quotes and a number.
    mutating func mark(_ axis: ChartAxis, _ places: [ChartLine]) { append(Self.marks(axis, places)) }

    private static func marks(_ axis: ChartAxis, _ places: [ChartLine]) -> String {
        // In these texts a percent sign would begin a format.
        let list = places.map { $0.text.replacing("%", with: "%%") }.joined(separator: ", ")
        return "set \(axis.rawValue)tics (\(list))\n"
    }
}

enum ChartAxis: String {
    case x, y
}
