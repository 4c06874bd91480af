/// The settings that a sweep tries: every combination of the values of some profile keys.
public struct SweepGrid: Codable, Equatable, Sendable {
    /// One profile key and the values that it takes, from the cheapest to the dearest.
    public struct Axis: Codable, Equatable, Sendable {
        /// The key path, such as `sender.window`.
        public var key: String
        /// The values as a profile has them.
        public var values: [String]

        /// Whether it is about what is sent and whom to, which nobody can choose for speed: rates are compared only where it has one value.
        public var isCondition: Bool { key.hasPrefix("workload.") || key.hasPrefix("target.") }

        /// Makes an axis.
        public init(key: String, values: [String]) {
            self.key = key
            self.values = values
        }
    }

    /// The axes; the first one changes slowest.
    public var axes: [Axis]

    /// The most combinations of one sweep.
    public static let cellsMax = 10_000

    /// Makes a grid.
    public init(_ axes: [Axis]) { self.axes = axes }

    /// How many combinations there are.
    public var count: Int {
        axes.reduce(1) { $0.multipliedReportingOverflow(by: $1.values.count).overflow ? .max : $0 * $1.values.count }
    }

    /// The place of a combination on each axis.
    public func place(ofCell cell: Int) -> [Int] {
        var rest = cell
        return axes.reversed().map { axis in
            defer { rest /= axis.values.count }
            return rest % axis.values.count
        }.reversed()
    }

    /// The combination at a place on each axis; nil beyond the grid.
    public func cell(at place: [Int]) -> Int? {
        var cell = 0
        for (axis, index) in zip(axes, place) {
            guard axis.values.indices.contains(index) else { return nil }
            cell = cell * axis.values.count + index
        }
        return cell
    }

    /// The values of a combination, one for each axis.
    public func values(ofCell cell: Int) -> [String] { zip(axes, place(ofCell: cell)).map { $0.values[$1] } }

    /// The values of a combination on the axes that are conditions.
    public func condition(ofCell cell: Int) -> [String] {
        zip(axes, values(ofCell: cell)).filter { $0.0.isCondition }.map(\.1)
    }

    /// Whether there is anything to choose.
    public var hasChoice: Bool { axes.contains { !$0.isCondition } || axes.allSatisfy { $0.values.count == 1 } }

    /// The combinations one step away on one axis, under the same conditions.
    public func neighbors(ofCell cell: Int) -> [Int] {
        let place = place(ofCell: cell)
        return axes.indices.filter { !axes[$0].isCondition }.flatMap { axis in
            [-1, 1].compactMap { step in
                var moved = place
                moved[axis] += step
                return self.cell(at: moved)
            }
        }
    }
}

extension SweepGrid {
    /// A combination for people: `sender.batch.notifications=100 sender.connections=8`.
    public func text(ofCell cell: Int) -> String {
        zip(axes, values(ofCell: cell)).map { "\($0.key)=\($1)" }.joined(separator: " ")
    }
}
