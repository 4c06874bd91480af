public import Primitives

/// Where notifications get their device tokens from.
public enum TokenSource: Sendable {
    /// Tokens made from a population with a key.
    case synthetic(DevicePopulation, TokenKey)
    /// Tokens of a list, in its order, over and over. The key tells the fate of those among them that it made.
    case list(TokenList, TokenKey)
}

/// Where notifications get their payloads from.
public enum PayloadSource: Sendable {
    /// Payloads made from a plan, or always the same.
    case generated(PayloadGenerator)
    /// Payloads filled into a template, under a protocol's limit in bytes.
    case template(PayloadTemplate, limitBytes: Int)
}

/// Token and payload of every notification of a run, by sequence number from 0.
///
/// Nothing changes after `init`, so any number of event loops may share one source. All answers depend on the sequence
/// number alone: a resend asks again and gets the same bytes.
public final class NotificationSource: Sendable {
    /// The length of the longest token in bytes.
    public let maxTokenBytes: Int
    /// The length of the longest payload in bytes.
    public let maxPayloadBytes: Int
    /// How many different devices, or tokens of a list, the notifications go to.
    public let deviceCount: UInt64
    @usableFromInline let key: TokenKey
    // Which of two is in use is a flag and not an optional, because unwrapping copies the whole struct every time.
    @usableFromInline let isListed: Bool
    @usableFromInline let population: DevicePopulation
    @usableFromInline let list: TokenList
    @usableFromInline let isGenerated: Bool
    @usableFromInline let generator: PayloadGenerator
    private let template: PayloadTemplate?
    private let limitBytes: Int

    /// Joins tokens and payloads.
    public init(tokens: TokenSource, payloads: PayloadSource) {
        switch tokens {
        case .synthetic(let population, let key):
            self.key = key
            self.population = population
            isListed = false
            list = TokenList()
            deviceCount = population.deviceCount
            maxTokenBytes = TokenKey.tokenBytes
        case .list(let list, let key):
            self.key = key
            self.list = list
            isListed = true
            population = .single
            deviceCount = UInt64(list.count)
            maxTokenBytes = list.maxTokenBytes
        }
        switch payloads {
        case .generated(let generator):
            self.generator = generator
            isGenerated = true
            template = nil
            limitBytes = generator.limitBytes
            maxPayloadBytes = generator.maxBytes
        case .template(let template, let limitBytes):
            self.template = template
            isGenerated = false
            generator = .none
            self.limitBytes = limitBytes
            maxPayloadBytes = template.maxBytes
        }
    }

    /// Writes the token of notification `sequence` and returns its length in bytes.
    ///
    /// - Precondition: ``maxTokenBytes`` bytes are writable at `destination`.
    @inlinable
    public func writeToken(sequence: UInt64, into destination: UnsafeMutableRawPointer) -> Int {
        if isListed { return list.writeToken(at: Int(sequence % deviceCount), into: destination) }
        key.writeToken(for: population.device(at: population.deviceIndex(forNotification: sequence)), into: destination)
        return TokenKey.tokenBytes
    }

    /// The place of notification `sequence`, from which consecutive tokens cost less than single ones.
    @inlinable
    public func cursor(at sequence: UInt64) -> DeviceCursor {
        isListed
            ? DeviceCursor(sequence: sequence, position: 0, device: sequence % deviceCount)
            : population.order.cursor(at: sequence)
    }

    /// Writes the token of the notification at the cursor, moves the cursor to the next one, and returns the token's
    /// length in bytes.
    ///
    /// - Precondition: ``maxTokenBytes`` bytes are writable at `destination`, and the cursor is this source's.
    @inlinable @inline(__always)
    public func writeToken(at cursor: inout DeviceCursor, into destination: UnsafeMutableRawPointer) -> Int {
        let device = cursor.device
        if isListed {
            cursor.sequence &+= 1
            cursor.device = device &+ 1 == deviceCount ? 0 : device &+ 1
            return list.writeToken(at: Int(device), into: destination)
        }
        population.order.advance(&cursor)
        key.writeToken(for: population.device(at: device), into: destination)
        return TokenKey.tokenBytes
    }

    /// Writes the payload of notification `sequence` and returns its length in bytes.
    ///
    /// - Precondition: ``maxPayloadBytes`` bytes are writable at `destination`, and `capacity` says how many are.
    @inlinable @inline(__always)
    public func writePayload(sequence: UInt64, into destination: UnsafeMutableRawPointer, capacity: Int) -> Int {
        isGenerated
            ? generator.write(sequence: sequence, into: destination, capacity: capacity)
            : fillTemplate(sequence: sequence, into: destination, capacity: capacity)
    }

    /// The index of the device that notification `sequence` goes to.
    @inlinable
    public func deviceIndex(_ sequence: UInt64) -> UInt64 {
        isListed ? sequence % deviceCount : population.deviceIndex(forNotification: sequence)
    }

    /// The fate of the device that notification `sequence` goes to; a token of a list that the key did not make counts
    /// as valid.
    public func fate(_ sequence: UInt64) -> FateClass {
        let index = deviceIndex(sequence)
        return isListed ? fate(ofListed: Int(index)) : population.fate(at: index)
    }

    /// Whether the payload of notification `sequence` is over the protocol's limit.
    public func isOversized(_ sequence: UInt64) -> Bool {
        if isGenerated { return generator.isOversized(sequence) }
        guard maxPayloadBytes > limitBytes else { return false }
        return withUnsafeTemporaryAllocation(byteCount: maxPayloadBytes, alignment: 1) { buffer in
            guard let base = buffer.baseAddress else { return false }
            return fillTemplate(sequence: sequence, into: base, capacity: buffer.count) > limitBytes
        }
    }

    /// Counts the notifications among the first `notifications` that go to devices of a fate.
    public func expectedCount(of fate: FateClass, notifications: UInt64) -> UInt64 {
        if !isListed { return population.expectedCount(of: fate, notifications: notifications) }
        let (rounds, rest) = notifications.quotientAndRemainder(dividingBy: deviceCount)
        var count: UInt64 = 0
        for index in 0..<list.count where self.fate(ofListed: index) == fate {
            count += rounds + (UInt64(index) < rest ? 1 : 0)
        }
        return count
    }

    /// Whether a rate sends more often than every ten seconds to each device, so that a gateway may throttle single
    /// tokens and the result says little about a real population.
    public func hasTooFewDevices(for rate: Rate) -> Bool { Double(deviceCount) < rate.perSecond * 10 }

    @usableFromInline
    func fillTemplate(sequence: UInt64, into destination: UnsafeMutableRawPointer, capacity: Int) -> Int {
        template?.write(
            sequence: sequence, device: deviceIndex(sequence), into: destination, capacity: capacity) ?? 0
    }

    private func fate(ofListed index: Int) -> FateClass {
        withUnsafeTemporaryAllocation(byteCount: list.maxTokenBytes, alignment: 8) { buffer in
            guard let base = buffer.baseAddress, list.writeToken(at: index, into: base) == TokenKey.tokenBytes
            else { return .valid }
            return key.device(ofToken: base)?.fate ?? .valid
        }
    }
}
