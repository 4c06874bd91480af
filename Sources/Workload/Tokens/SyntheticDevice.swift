/// The two worlds of the service; a device token of one is not valid in the other.
///
/// Source: `BinaryProviderAPI.html` (Apple archive), end points.
public enum PushEnvironment: UInt8, Sendable, CaseIterable {
    /// The development environment.
    case sandbox = 0
    /// The environment of released apps.
    case production = 1
}

/// What a gateway thinks of a synthetic device's token, decided when the token is made.
public enum FateClass: UInt8, Sendable, CaseIterable {
    /// The token is good and the app is installed.
    case valid = 0
    /// The token is not one that the gateway ever gave out (binary status 8, HTTP/2 `BadDeviceToken`).
    case badToken = 1
    /// The token was good, but the app was removed (feedback tuple, HTTP/2 `Unregistered`).
    case unregistered = 2
    /// The token belongs to another app (HTTP/2 `DeviceTokenNotForTopic`).
    case otherTopic = 3
}

/// A device that exists only as numbers; its token carries all of them.
public struct SyntheticDevice: Equatable, Sendable {
    /// The device's place in its population, from 0.
    public var index: UInt64
    /// The environment that gave out the token.
    public var environment: PushEnvironment
    /// How a gateway judges the token.
    public var fate: FateClass
    /// The app that the token belongs to; 0 is the app under load.
    public var topic: UInt16

    /// Makes a device; topic 0 is the app under load.
    @inlinable
    public init(index: UInt64, environment: PushEnvironment, fate: FateClass, topic: UInt16 = 0) {
        self.index = index
        self.environment = environment
        self.fate = fate
        self.topic = topic
    }

    /// Everything but the index in one word: environment, fate, topic from the lowest byte up, the rest zero.
    @inlinable var attributes: UInt64 {
        UInt64(environment.rawValue) | UInt64(fate.rawValue) << 8 | UInt64(topic) << 16
    }

    /// Takes a word of ``attributes`` apart; nil when it holds what no device has.
    @inlinable
    init?(index: UInt64, attributes: UInt64) {
        guard attributes >> 32 == 0,
            let environment = PushEnvironment(rawValue: UInt8(truncatingIfNeeded: attributes)),
            let fate = FateClass(rawValue: UInt8(truncatingIfNeeded: attributes >> 8))
        else { return nil }
        self.init(
            index: index, environment: environment, fate: fate, topic: UInt16(truncatingIfNeeded: attributes >> 16))
    }
}
