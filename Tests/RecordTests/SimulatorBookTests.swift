import Foundation
import RunRecords
import Testing

@Suite struct SimulatorBookTests {
    @Test(
        arguments: [
            (1, [0, 3, 5, 6], [[1, 3], [6, 6]]), (10, [0, 1], [[10, 10]]), (1, [], []),
            // The identifiers go on with 1 behind the last one.
            (4_294_967_294, [0, 4], [[1, 2], [4_294_967_294, 4_294_967_295]]),
        ] as [(UInt32, [UInt64], [[UInt32]])])
    func `accepted identifiers are told by what the provider called them`(
        first: UInt32, distances: [UInt64], identifiers: [[UInt32]]
    ) {
        var result = SimulatorResult()
        result.acceptedStretches = distances
        let book = SimulatorBook(result, firstIdentifier: first)
        #expect(book.acceptedIdentifiers?.map { [$0.first, $0.last] } == identifiers)
    }

    @Test func `a book reads back as it was written`() throws {
        var result = SimulatorResult()
        result.ledger.accepted = 5
        result.rejections = [8: 2, 7: 1]
        let book = SimulatorBook(result, firstIdentifier: 1)
        #expect(book.rejections.map(\.name) == ["invalid payload size", "invalid token"])
        let bytes = try book.encoded()
        #expect(try JSONDecoder().decode(SimulatorBook.self, from: Data(bytes)) == book)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""acceptedIdentifiers" : null"#), "too many to list")
    }
}
