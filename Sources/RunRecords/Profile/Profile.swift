public import Primitives

/// What one run does, as a profile file, the environment and the command line together say it.
///
/// Every property has the value that the run uses: defaults are filled in. ``read(_:)`` is the strict way to make one;
/// a value made in code is as good, once ``check()`` has passed.
public struct Profile: Equatable, Sendable {
    /// What the profile is called, in reports; the file's name unless it says so itself.
    public var name = "unnamed"
    /// What is sent to.
    public var target = TargetSettings.simulator(SimulatorSettings())
    /// The protocol that is spoken.
    public var protocolName = ProtocolName.enhanced
    /// What is sent.
    public var workload = WorkloadSettings()
    /// When it is sent.
    public var load = LoadSettings()
    /// How it is sent.
    public var sender = SenderSettings()
    /// How long each part of the run takes.
    public var phases = PhaseSettings()
    /// Whether latencies are measured, with all that belongs to them: idle timers, the schedule's late operations, times of acceptance.
    /// Default: true. Without them a run has its rates and books only; it is there to see what measuring costs.
    public var latencies = true
    /// Conditions that the run must meet to pass, in the order of the profile.
    public var thresholds: [Threshold] = []

    /// The most notifications of one run: identifiers have 32 bits and stay unique, and some are left for sentinels.
    public static let notificationLimit = 4_294_836_223

    /// Makes the profile of all defaults: a million notifications to the embedded simulator.
    public init() {}
}

/// The protocols by their names in profiles and options.
public enum ProtocolName: String, Sendable, CaseIterable {
    /// Command 0 of the binary interface, which has no identifiers: nothing that is sent can be proved.
    case simple
    /// Command 1 of the binary interface.
    case enhanced
    /// Command 2 of the binary interface.
    case framed
    /// Commands 1 and 2 by turns on every connection; not command 0, behind which nothing could be proved.
    case mixed
    /// The provider API over HTTP/2.
    case http2

    /// Whether an error reply can name a notification, so that what became of each can be proved.
    public var hasIdentifiers: Bool { self != .simple }
}

/// The world that tokens and gateways belong to; a token of one is refused by the other.
public enum EnvironmentName: String, Sendable, CaseIterable {
    /// The development environment.
    case sandbox
    /// The environment of released applications.
    case production
}

/// How long each part of the run takes.
public struct PhaseSettings: Equatable, Sendable {
    /// Sending at full load that is left out of rates and latencies; shorter than ``measure``. Default: none.
    public var warmup = Interval.zero
    /// The measured part after the warm-up; nil (the default) means until every notification has been written. The run
    /// ends with whichever comes first, this time or the last notification.
    public var measure: Interval?
    /// The longest to wait for proof after the last notification was written. Default: 10 s.
    public var drain = Interval.seconds(10)

    /// Makes the default phases.
    public init() {}
}
