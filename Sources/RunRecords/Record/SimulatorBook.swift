import Foundation
import PushWire

/// What a simulator that runs alone knows at its end, as a file for those who test a provider against it.
public struct SimulatorBook: Codable, Equatable, Sendable {
    /// The schema that this version writes.
    public static let currentSchema = "pushbench.simulator/1"

    /// Identifiers that follow each other.
    public struct Stretch: Codable, Equatable, Sendable {
        /// The first one.
        public var first: UInt32
        /// The last one, which belongs to it.
        public var last: UInt32

        /// Makes a stretch.
        public init(first: UInt32, last: UInt32) {
            self.first = first
            self.last = last
        }
    }

    /// The schema of this file.
    public var schema = currentSchema
    /// The sums.
    public var ledger = SimulatorLedgerRecord()
    /// Refusals by status, sentinels not among them; bytes that are no command count under 128.
    public var rejections: [ErrorCountRecord] = []
    /// The identifiers of accepted notifications, ascending; null when there are too many stretches to list.
    ///
    /// 0 is not among them: a notification of that identifier counts as one without.
    @ExplicitNull public var acceptedIdentifiers: [Stretch]?
    /// Lines of the log of single notifications.
    public var loggedNotifications: Int64 = 0
    /// Notifications that the log leaves out because it is bounded.
    public var unloggedNotifications: Int64 = 0

    /// Makes the book of a simulator that saw nothing.
    public init() {}

    /// Makes the book out of what a simulator told at its end.
    ///
    /// - Parameters:
    ///   - result: what it told.
    ///   - firstIdentifier: the identifier from which its stretches count.
    public init(_ result: SimulatorResult, firstIdentifier: UInt32) {
        ledger = result.ledger
        rejections = result.rejections.sorted { $0.key < $1.key }.map { status, count in
            let name = ErrorStatus(rawValue: UInt8(clamping: status)).description
            return ErrorCountRecord(status: status, name: name, count: count)
        }
        acceptedIdentifiers = result.acceptedStretches.map {
            Self.identifiers(of: $0, in: IdentifierSpace(first: firstIdentifier))
        }
    }

    /// The book as JSON with sorted keys and a line break at the end.
    ///
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public func encoded() throws(RecordError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        do { return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")] } catch { throw .notEncodable(keyPath: "") }
    }

    /// Stretches of identifiers, of alternating starts and ends by distance; one that wraps becomes two.
    private static func identifiers(of bounds: [UInt64], in space: IdentifierSpace) -> [Stretch] {
        var stretches: [Stretch] = []
        for index in stride(from: 0, to: bounds.count - 1, by: 2) where bounds[index] < bounds[index + 1] {
            let first = space.identifier(of: bounds[index])
            let last = space.identifier(of: bounds[index + 1] - 1)
            if first <= last {
                stretches.append(Stretch(first: first, last: last))
            } else {
                stretches += [Stretch(first: first, last: .max), Stretch(first: 1, last: last)]
            }
        }
        return stretches.sorted { $0.first < $1.first }
    }
}
