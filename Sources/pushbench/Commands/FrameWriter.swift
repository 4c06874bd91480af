import Harness
import Primitives
import ProviderSessions
import PushWire
import RunRecords
import Workload

/// Writes single frames in the command that `generate frames --protocol` names.
struct FrameWriter {
    private enum Choice: String, CaseIterable {
        case simple, enhanced, framed, mixed
    }

    /// The settings that the command line makes.
    let profile: Profile
    private let plan: SessionPlan
    private let isMixed: Bool

    /// Reads the command line.
    init(_ parsed: ParsedCommand) throws {
        let name = parsed.last("protocol") ?? Choice.enhanced.rawValue
        guard let choice = Choice(rawValue: name) else {
            let names = Choice.allCases.map(\.rawValue)
            let hint = nearestName(to: name, among: names).map { ", did you mean \($0)?" } ?? ""
            throw UsageError(
                description: "--protocol \(name): no such protocol\(hint); accepted: \(names.joined(separator: ", "))")
        }
        isMixed = choice == .mixed
        // Of a mixture the framed part has all settings.
        let named = isMixed ? Choice.framed : choice
        let override = ProfileOverride(keyPath: "protocol", text: named.rawValue, origin: "--protocol")
        profile = try Profile.read(text: "{}", source: "defaults", overrides: parsed.overrides + [override])
        plan = profile.sessionPlan()
    }

    /// Writes the frame of notification `sequence` and returns its length in bytes.
    func callAsFunction(_ sequence: UInt64, of source: NotificationSource, at base: UnsafeMutableRawPointer) -> Int {
        guard isMixed, case .framed(let priority) = plan.command else {
            return write(sequence, as: plan.command, of: source, at: base)
        }
        let commands: [NotificationCommand] = [.simple, .enhanced, .framed(priority: priority)]
        return write(sequence, as: commands[Int(sequence % 3)], of: source, at: base)
    }

    private func write(
        _ sequence: UInt64, as command: NotificationCommand, of source: NotificationSource,
        at base: UnsafeMutableRawPointer
    ) -> Int {
        switch command {
        case .simple: write(sequence, as: SimpleNotification(), of: source, at: base)
        case .enhanced, .mixed: write(sequence, as: EnhancedNotification(expiry: plan.expiry), of: source, at: base)
        case .framed(let priority):
            write(
                sequence, as: FramedNotification(expiry: plan.expiry, priority: priority), of: source, at: base)
        }
    }

    private func write<Format: NotificationFormat>(
        _ sequence: UInt64, as format: Format, of source: NotificationSource, at base: UnsafeMutableRawPointer
    ) -> Int {
        let tokenBytes = source.writeToken(sequence: sequence, into: base + Format.tokenOffset)
        let payloadBytes = source.writePayload(
            sequence: sequence, into: base + Format.payloadOffset(tokenBytes: tokenBytes),
            capacity: source.maxPayloadBytes)
        return format.frame(
            base, identifier: plan.identifiers.identifier(of: sequence), tokenBytes: tokenBytes,
            payloadBytes: payloadBytes)
    }
}
