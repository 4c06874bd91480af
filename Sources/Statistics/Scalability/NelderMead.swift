/// The downhill simplex of Nelder and Mead (*The Computer Journal* 7, 1965), for smooth functions of a few variables.
enum NelderMead {
    private static let rounds = 400
    /// The spread of values, relative to the least, below which the search ends.
    private static let tolerance = 1e-14

    /// Where a function is least near a start, and its value there.
    static func minimum(
        from start: [Double], step: Double, of function: ([Double]) -> Double
    ) -> (place: [Double], value: Double) {
        var corners = ([start] + start.indices.map { axis in moved(start, axis, step) })
            .map { (place: $0, value: function($0)) }
        for _ in 0..<rounds {
            corners.sort { $0.value < $1.value }
            let (best, worst) = (corners[0], corners[corners.count - 1])
            if worst.value - best.value <= tolerance * abs(best.value), spread(corners.map(\.place)) < 1e-9 { break }
            let center = start.indices.map { axis in
                corners.dropLast().reduce(0) { $0 + $1.place[axis] } / Double(start.count)
            }
            func point(_ factor: Double) -> (place: [Double], value: Double) {
                let place = start.indices.map { center[$0] + factor * (worst.place[$0] - center[$0]) }
                return (place, function(place))
            }
            let mirrored = point(-1)
            if mirrored.value < best.value {
                let further = point(-2)
                corners[corners.count - 1] = further.value < mirrored.value ? further : mirrored
            } else if mirrored.value < corners[corners.count - 2].value {
                corners[corners.count - 1] = mirrored
            } else {
                let nearer = point(mirrored.value < worst.value ? -0.5 : 0.5)
                if nearer.value < min(mirrored.value, worst.value) {
                    corners[corners.count - 1] = nearer
                } else {
                    for index in 1..<corners.count {
                        let place = start.indices.map { (corners[index].place[$0] + best.place[$0]) / 2 }
                        corners[index] = (place, function(place))
                    }
                }
            }
        }
        return corners.min { $0.value < $1.value } ?? (start, function(start))
    }

    private static func moved(_ place: [Double], _ axis: Int, _ step: Double) -> [Double] {
        var place = place
        place[axis] += step
        return place
    }

    private static func spread(_ places: [[Double]]) -> Double {
        places[0].indices.map { axis in
            let values = places.map { $0[axis] }
            return (values.max() ?? 0) - (values.min() ?? 0)
        }.max() ?? 0
    }
}
