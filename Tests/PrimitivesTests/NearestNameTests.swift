import Primitives
import Testing

@Suite struct NearestNameTests {
    private let options = [
        "connections", "streams", "batch", "window", "rate", "duration", "timeout", "drain-timeout", "seed",
    ]

    @Test(arguments: [
        ("conections", "connections"), ("connectoins", "connections"), ("Batch", "batch"), ("bacth", "batch"),
        ("windows", "window"), ("rat", "rate"), ("tiemout", "timeout"), ("drain-time", "drain-timeout"),
        ("conn", "connections"), ("dur", "duration"), ("sede", "seed"),
    ])
    func `a mistyped name finds the one that was meant`(typed: String, meant: String) {
        #expect(nearestName(to: typed, among: options) == meant)
    }

    @Test(arguments: ["", "x", "frobnicate", "co", "zzzz", String(repeating: "connections", count: 1_000)])
    func `a name that is like no other finds none`(typed: String) {
        #expect(nearestName(to: typed, among: options) == nil)
    }

    @Test func `of equally near names the first wins`() {
        #expect(nearestName(to: "bat", among: ["cat", "rat"]) == "cat")
        #expect(nearestName(to: "bat", among: ["rat", "cat"]) == "rat")
    }

    @Test func `no candidates give no name`() {
        #expect(nearestName(to: "batch", among: []) == nil)
        #expect(nearestName(to: "batch", among: [""]) == nil)
    }
}
