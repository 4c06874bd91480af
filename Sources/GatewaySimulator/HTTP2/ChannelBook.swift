import Primitives
import Synchronization

/// The broadcast channels of all apps (`protocol.md` section 4.1), which all event loops of a gateway share.
public final class ChannelBook: Sendable {
    /// One channel.
    struct Channel: Sendable {
        /// 0: nothing is stored; 1: the most recent message is.
        var storagePolicy: Int
        /// How many messages were published to it.
        var publishedCount: UInt64 = 0
    }

    /// The most apps whose channels are kept.
    static let appLimit = 1_000

    private struct State {
        var channels: [[UInt8]: [[UInt8]: Channel]] = [:]
        var random = SeededRandom(seed: 0x6368_616E_6E65_6C73)
    }

    private let state = Mutex(State())

    /// Makes a book without channels.
    public init() {}

    /// Makes a channel and returns its identifier; nil when the app has `limit` of them.
    func create(app: [UInt8], storagePolicy: Int, limit: Int) -> [UInt8]? {
        state.withLock { state in
            let count = state.channels[app]?.count
            guard count != nil || state.channels.count < Self.appLimit, count ?? 0 < limit else { return nil }
            var bytes: [UInt8] = []
            for _ in 0..<2 {
                let word = state.random.next()
                for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(place * 8))) }
            }
            let identifier = RequestText.base64(bytes)
            state.channels[app, default: [:]][identifier] = Channel(storagePolicy: storagePolicy)
            return identifier
        }
    }

    /// A channel of an app.
    func channel(_ identifier: [UInt8], app: [UInt8]) -> Channel? {
        state.withLock { $0.channels[app]?[identifier] }
    }

    /// Counts a message to a channel.
    func publish(to identifier: [UInt8], app: [UInt8]) {
        state.withLock { $0.channels[app]?[identifier]?.publishedCount += 1 }
    }

    /// Deletes a channel; false when there is none.
    func delete(_ identifier: [UInt8], app: [UInt8]) -> Bool {
        state.withLock { $0.channels[app]?.removeValue(forKey: identifier) != nil }
    }

    /// The identifiers of an app's channels, in order.
    func identifiers(app: [UInt8]) -> [[UInt8]] {
        state.withLock { state in
            (state.channels[app]?.keys).map { $0.sorted { $0.lexicographicallyPrecedes($1) } } ?? []
        }
    }
}
