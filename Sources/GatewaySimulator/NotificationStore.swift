import Primitives
import PushWire
import Workload

/// Which devices are offline.
public struct StorageSettings: Hashable, Sendable {
    /// The share of devices that are offline all the time, 0 ... 1.
    public var offlineShare: Double
    /// Decides which devices those are.
    public var seed: UInt64
    /// Whether an expiry is a signed number, so that what is below 0 is not stored. Apple's documents disagree: the older ones say
    /// "less than zero", the later ones only "zero"; providers sent −1 for "do not store".
    public var readsExpirySigned: Bool

    /// Makes the settings of a gateway with a share of offline devices.
    public init(offlineShare: Double, seed: UInt64, readsExpirySigned: Bool = true) {
        self.offlineShare = offlineShare
        self.seed = seed
        self.readsExpirySigned = readsExpirySigned
    }
}

/// What became of notifications to offline devices.
public struct StorageCounts: Hashable, Sendable {
    /// Notifications that wait for their device at the end: one for each device, since the last one wins.
    public var stored: UInt64 = 0
    /// Notifications that were stored, and thrown away when a later one came.
    public var replaced: UInt64 = 0
    /// Notifications that asked not to be stored: their expiry is 0 or, read as signed, less.
    public var notStored: UInt64 = 0
    /// Notifications whose expiry was past when they came.
    public var expired: UInt64 = 0

    /// Makes counts of nothing.
    public init() {}
}

/// Store and forward of one event loop, as counters: only the last notification of a device is kept while it is offline.
///
/// A device is offline by a draw from its token, so nothing is kept but one bit for each device that has something stored. Bits come in
/// pages; devices beyond ``deviceLimit``, and tokens that no key opens, share the bits by their hash. Expiry is judged when the
/// notification comes and not again, because no device ever comes back.
/// Apple, Local and Remote Notification Programming Guide, "Legacy Notification Format" and "Binary Provider API".
public final class NotificationStore {
    /// How many devices have a bit of their own; at most 16 MiB.
    public static let deviceLimit: UInt64 = 1 << 27
    private static let pageWords = 4_096
    private static let pageShift = 18

    /// The bits of the devices that have something stored, so that the parts of several loops can be joined.
    public struct Snapshot: Sendable {
        /// Notifications that were to be stored, those that were replaced among them.
        var storable: UInt64 = 0
        var counts = StorageCounts()
        var pages: [Int: [UInt64]] = [:]

        /// Makes a snapshot of nothing.
        public init() {}

        /// This part and another loop's as one.
        public func joined(with other: Snapshot) -> Snapshot {
            var joined = self
            joined.storable += other.storable
            joined.counts.notStored += other.counts.notStored
            joined.counts.expired += other.counts.expired
            joined.pages.merge(other.pages) { zip($0, $1).map { $0 | $1 } }
            return joined
        }

        /// What became of all notifications to offline devices.
        public var result: StorageCounts {
            var result = counts
            result.stored = pages.values.reduce(0) { sum, words in
                words.reduce(sum) { $0 + UInt64($1.nonzeroBitCount) }
            }
            result.replaced = storable - result.stored
            return result
        }
    }

    /// This loop's part.
    public private(set) var snapshot = Snapshot()
    private let readsExpirySigned: Bool
    private let threshold: UInt64
    private let salt: UInt64
    private let key: TokenKey?

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - settings: which devices are offline.
    ///   - tokenSeed: the seed of the synthetic tokens, which tell their device.
    public init(settings: StorageSettings, tokenSeed: UInt64?) {
        readsExpirySigned = settings.readsExpirySigned
        threshold = UInt64(min(max(settings.offlineShare, 0), 1) * 0x1p63)
        salt = mix64(settings.seed ^ 0x6F66_666C_696E_6521)
        key = tokenSeed.map { TokenKey(seed: $0) }
    }

    /// Whether the device of a token is offline.
    public func isOffline(_ token: UnsafeRawBufferPointer) -> Bool { isOffline(hash: identity(of: token).hash) }

    /// Takes an accepted notification: nothing happens unless its device is offline.
    ///
    /// - Parameters:
    ///   - notification: the notification.
    ///   - unixTime: the time in seconds since 1970.
    func take(_ notification: NotificationView, unixTime: Int64) {
        take(
            notification.token, storedUntil: notification.storedUntil(readingSigned: readsExpirySigned),
            unixTime: unixTime)
    }

    /// Takes an accepted notification by its parts.
    ///
    /// - Parameters:
    ///   - token: the device's token.
    ///   - expiry: until when it is to be kept, in seconds since 1970; 0 or less for not at all.
    ///   - unixTime: the time in seconds since 1970.
    func take(_ token: UnsafeRawBufferPointer, storedUntil expiry: Int64, unixTime: Int64) {
        let (hash, device) = identity(of: token)
        guard isOffline(hash: hash) else { return }
        guard expiry > 0 else {
            snapshot.counts.notStored += 1
            return
        }
        guard expiry > unixTime else {
            snapshot.counts.expired += 1
            return
        }
        snapshot.storable += 1
        let bit = Int(truncatingIfNeeded: device)
        snapshot.pages[bit >> Self.pageShift, default: [UInt64](repeating: 0, count: Self.pageWords)][
            bit >> 6 & (Self.pageWords - 1)] |= 1 << UInt64(bit & 63)
    }

    private func isOffline(hash: UInt64) -> Bool { mix64(salt ^ hash) >> 1 < threshold }

    /// What the draw is made from, and the device's bit.
    private func identity(of token: UnsafeRawBufferPointer) -> (hash: UInt64, device: UInt64) {
        if token.count == TokenKey.tokenBytes, let base = token.baseAddress, let device = key?.device(ofToken: base) {
            let index = device.index
            return (index, index < Self.deviceLimit ? index : mix64(index) % Self.deviceLimit)
        }
        let hash = tokenHash(token)
        return (hash, hash % Self.deviceLimit)
    }
}
