/// The name that was probably meant by a mistyped one, to be offered in an error message.
///
/// A candidate qualifies if it begins with what was typed, at least three characters, or if at most a third of the
/// characters differ: left out, added, replaced, or two neighbours exchanged; case does not matter.
///
/// - Parameters:
///   - name: what was typed.
///   - candidates: the names there are; of equally near ones the first wins.
/// - Returns: the nearest candidate, nil if none is near.
public func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(name.lowercased().unicodeScalars)
    // Longer than any name there is: no need to compare in quadratic time.
    guard !typed.isEmpty, typed.count <= 64 else { return nil }
    var nearest: (candidate: String, distance: Int)?
    var completions: [String] = []
    for candidate in candidates {
        let letters = Array(candidate.lowercased().unicodeScalars)
        if typed.count >= 3, letters.starts(with: typed) { completions.append(candidate) }
        let distance = editDistance(typed, letters)
        let limit = max(1, max(typed.count, letters.count) / 3)
        if distance <= limit, distance < letters.count, distance < nearest?.distance ?? .max {
            nearest = (candidate, distance)
        }
    }
    return nearest?.candidate ?? completions.first
}

/// How many insertions, deletions, replacements and exchanges of neighbours lead from one text to the other.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        current.reserveCapacity(right.count + 1)
        for column in right.indices {
            let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
            var distance = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                distance = min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
