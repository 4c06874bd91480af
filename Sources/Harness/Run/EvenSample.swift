/// An evenly spread sample of a sequence of unknown length, in constant memory.
///
/// It keeps every n-th element; when it is full, every other one goes and n doubles.
struct EvenSample<Element: Sendable>: Sendable {
    private let capacity: Int
    private var stride = 1
    /// How many elements there were.
    private(set) var seen = 0
    /// Those kept, in order.
    private(set) var elements: [Element] = []

    init(capacity: Int) {
        precondition(capacity > 1, "a sample thins out to at least one element")
        self.capacity = capacity
    }

    /// Takes the next element into account.
    mutating func add(_ element: Element) {
        defer { seen += 1 }
        guard seen % stride == 0 else { return }
        if elements.count == capacity {
            elements = elements.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
            guard seen % stride == 0 else { return }
        }
        elements.append(element)
    }
}
