import Glibc
import Harness
import RunRecords

/// Runs the gateway simulator until it is interrupted; then prints its book.
struct SimulateCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() async throws -> Int32 {
        if parsed.has("controlled") {
            await ControlledSimulator.run { try Profile.read(text: $0, source: "standard input") }
            return ExitCode.passed
        }
        let file = parsed.arguments.first
        let overrides = parsed.overrides + [try SigningKeyOptions(parsed).override].compactMap { $0 } + acceptances
        let profile =
            if let file {
                try Profile.read(file: file, faultsFile: parsed.last("faults"), overrides: overrides)
            } else {
                try Profile.read(
                    text: Self.defaults, source: "defaults", faultsFile: parsed.last("faults"),
                    overrides: overrides)
            }
        guard case .simulator(let settings) = profile.target else {
            throw HarnessError.invalidInput("\(file ?? "the profile") has another target than a simulator")
        }
        if parsed.has("write-ca"), let own = settings.certificateFile {
            throw HarnessError.invalidInput("--write-ca: the simulator's authority does not vouch for \(own)")
        }
        if let path = parsed.last("ledger"), path != "-" { try FileAccess.checkReplaceable(path) }
        let log = try parsed.last("log").map { try NotificationLog(path: $0) }
        _ = Machine.raiseDescriptorLimit()
        let server = try await SimulatorServer(
            profile: profile, settings: settings, journalLimit: log == nil ? nil : NotificationLog.entryLimit)
        if let path = parsed.last("write-ca") { try writeAuthority(server.authorityPEM, to: path) }
        // Before anybody is told that it listens, and may end it.
        let interrupts = SignalWatch.install()
        let place = "\(settings.address):\(server.port)"
        Terminal.show(
            "listening on \(place), feedback on \(settings.address):\(server.feedbackPort), "
                + "HTTP/2 on \(settings.address):\(server.http2Port), token seed \(profile.workload.seed)")
        // Whoever waits for that line would wait for ever.
        if let failure = Terminal.outputFailure { throw failure }
        while interrupts.value == 0 {
            try? await Task.sleep(nanoseconds: 50_000_000)
            try await write(log, of: server)
        }
        try await write(log, of: server)
        let result = await server.result()
        await server.shutDown()
        if let path = parsed.last("ledger") {
            var book = SimulatorBook(result, firstIdentifier: profile.sender.firstIdentifier)
            book.loggedNotifications = Int64(log?.lineCount ?? 0)
            book.unloggedNotifications = Int64(clamping: log?.leftOutCount ?? 0)
            try write(book, to: path)
            if path == "-" { return ExitCode.passed }
        }
        tell(result)
        return ExitCode.passed
    }

    /// What makes both interfaces accept everything unseen, if that is asked for.
    private var acceptances: [ProfileOverride] {
        guard parsed.has("accept-all") else { return [] }
        return ["http2", "judge"].map {
            ProfileOverride(keyPath: "target.simulator.\($0).acceptAll", text: "true", origin: "--accept-all")
        }
    }

    private func tell(_ result: SimulatorResult) {
        let book = result.ledger
        Terminal.show(
            """
            connections \(book.connectionsAccepted), accepted \(book.accepted), duplicates \(book.duplicates), \
            rejected \(book.rejected + book.sentinels), discarded \(book.discarded)
            without identifier: accepted \(book.acceptedWithoutIdentifier), rejected \(book.rejectedWithoutIdentifier)
            simple \(book.commands.simple), enhanced \(book.commands.enhanced), framed \(book.commands.framed), \
            of priority 5 \(book.powerSaving), unknown commands \(book.unknownCommands), \
            connections ended inside a notification \(book.unfinished ?? 0)
            """)
        if let http2 = book.http2 {
            Terminal.show(
                "HTTP/2: requests \(http2.requests), accepted \(http2.accepted), broadcasts \(http2.broadcasts), "
                    + "streams refused \(http2.refusedStreams), reset by clients \(http2.cancelledStreams), "
                    + "most open \(http2.maxOpenStreams), connections that broke the protocol \(http2.violations)")
            if let others = http2.otherProtocols, others > 0 {
                Terminal.show("HTTP/2: clients that speak something else, by ALPN or by their first bytes: \(others)")
            }
            for (reason, count) in http2.refusals.sorted(by: { $0.key < $1.key }) {
                Terminal.show("\(reason): \(count)")
            }
        }
        for fault in book.faults ?? [] { Terminal.show("fault \(fault.fault): \(fault.count)") }
        printFeedback(book)
        for (status, count) in result.rejections.sorted(by: { $0.key < $1.key }) {
            Terminal.show("status \(status): \(count)")
        }
        for (reason, count) in book.certificateRefusals.sorted(by: { $0.key < $1.key }) {
            Terminal.show("refused certificate, \(reason): \(count)")
        }
    }

    /// What concerns devices that are gone or offline, if there are any.
    private func printFeedback(_ book: SimulatorLedgerRecord) {
        if let feedback = book.feedback, feedback.notifications > 0 {
            Terminal.show(
                "unregistered \(feedback.notifications), feedback: \(feedback.waiting) waiting, "
                    + "\(feedback.delivered) delivered, \(feedback.clearedUndelivered) cleared undelivered, "
                    + "\(feedback.dropped) dropped")
        }
        if let storage = book.storage {
            Terminal.show(
                "offline: \(storage.stored) stored, \(storage.replaced) replaced, \(storage.notStored) not stored, "
                    + "\(storage.expired) expired")
        }
    }

    private func write(_ log: NotificationLog?, of server: SimulatorServer) async throws {
        guard let log else { return }
        let (entries, droppedCount) = await server.takeJournal()
        try log.write(entries, droppedCount: droppedCount)
    }

    private func write(_ book: SimulatorBook, to path: String) throws {
        let bytes = try book.encoded()
        if path == "-" {
            Terminal.output(bytes)
        } else {
            try FileAccess.replace(path, with: bytes, durability: .process)
        }
    }

    /// As a test double, the simulator tracks every identifier and checks that payloads are JSON, and it gives no tickets:
    /// with them several legacy clients see the socket readable, find nothing to read, and close a healthy connection.
    private static let defaults = """
        {workload: {notifications: \(Profile.notificationLimit)},
         target: {simulator: {tickets: 0, judge: {payloadJSON: true}}}}
        """

    private func writeAuthority(_ pem: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw HarnessError.invalidInput("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let isWritten = Array(pem.utf8).withUnsafeBytes { Terminal.write($0, to: descriptor) }
        guard isWritten else { throw HarnessError.invalidInput("\(path): \(String(cString: strerror(errno)))") }
    }
}

/// Counts SIGINT and SIGTERM.
enum SignalWatch {
    private static let interrupts = Interrupts()
    private static let terminations = Interrupts()

    /// Begins to count; the first signal asks for an end in order, the second for one at once.
    static func install() -> Interrupts {
        // Made before a handler can run, since a handler must not initialise anything.
        _ = (interrupts, terminations)
        signal(SIGINT) { _ in SignalWatch.interrupts.add() }
        signal(SIGTERM) { _ in
            SignalWatch.terminations.add()
            SignalWatch.interrupts.add()
        }
        return interrupts
    }

    /// Lets signals end the program at once while `work` goes on, which has nothing to be told of, and counts again behind it.
    static func paused<Result>(during work: () async -> Result) async -> Result {
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        defer { _ = install() }
        return await work()
    }

    /// The exit code that tells which signal came.
    static var exitCode: Int32 { terminations.value > 0 ? ExitCode.terminated : ExitCode.interrupted }
}
