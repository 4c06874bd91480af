import Primitives

extension ParsedCommand {
    /// An option's time, which must be above 0.
    func interval(_ name: String, default standard: Interval) throws(UsageError) -> Interval {
        guard let text = last(name) else { return standard }
        do throws(QuantityError) {
            let interval = try Interval(text: text)
            guard interval > .zero else { throw .zero(.interval, found: text) }
            return interval
        } catch {
            throw UsageError(description: "--\(name): \(error)")
        }
    }

    /// An option's rate; nil without it.
    func rate(_ name: String) throws(UsageError) -> Rate? {
        guard let text = last(name) else { return nil }
        do throws(QuantityError) { return try Rate(text: text) } catch {
            throw UsageError(description: "--\(name): \(error)")
        }
    }
}
