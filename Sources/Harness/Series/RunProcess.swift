import Glibc
public import RunRecords

/// What is asked of a run that is carried out by a process of its own.
public struct RunOrder: Sendable {
    /// The program; any version of this one.
    public var program: String
    /// The profile's file.
    public var profile: String
    /// More words of its command line: settings, hosts, faults.
    public var arguments: [String]
    /// How the process shows its progress on the standard error; nil to keep all that it says there.
    public var progress: String?

    /// Makes an order.
    public init(program: String, profile: String, arguments: [String] = [], progress: String? = nil) {
        self.program = program
        self.profile = profile
        self.arguments = arguments
        self.progress = progress
    }
}

/// `pushbench run` as a process of its own: with fresh memory and a fresh gateway, as a run that a user starts by hand.
public struct RunProcess: Sendable {
    private let order: RunOrder
    private let folder: ScratchFolder

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - order: what is asked of it.
    ///   - folder: where it leaves its record until that is read.
    public init(_ order: RunOrder, in folder: ScratchFolder) {
        self.order = order
        self.folder = folder
    }

    /// Carries the run out; the user's orders to stop are passed on to it.
    ///
    /// - Returns: its record, also of a run that failed or was interrupted.
    /// - Throws: ``HarnessError`` when it left none.
    public func run(interrupts: Interrupts) async throws(HarnessError) -> RunRecord {
        let record = folder.path + "/run.json"
        let log = folder.path + "/run.log"
        unlink(record)
        let process = try start(record: record, log: log)
        let status = await wait(for: process, interrupts: interrupts)
        do throws(RecordError) { return try RunRecord.read(record) } catch {
            throw failure(status: status, log: log, error)
        }
    }

    private func start(record: String, log: String) throws(HarnessError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        if order.progress == nil {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // A process group of its own, so that Ctrl-C comes once, from here. Threads of Dispatch block nearly all signals, and a
        // child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let words =
            [order.program, "run", order.profile] + order.arguments
            + ["--quiet", "--progress", order.progress ?? "none", "--output", "json=" + record]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) }
        arguments.append(nil)
        var environment = Self.environment
        defer {
            for text in arguments { free(text) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var process: pid_t = 0
        let status = posix_spawnp(&process, order.program, &actions, &attributes, &arguments, &environment)
        guard status == 0 else {
            throw .invalidInput("\(order.program): cannot be started: \(String(cString: strerror(status)))")
        }
        return process
    }

    /// The environment without the variables that change settings: those are among the arguments already.
    private static var environment: [UnsafeMutablePointer<CChar>?] {
        var kept: [UnsafeMutablePointer<CChar>?] = []
        var index = 0
        while let line = environ[index] {
            let text = String(cString: line)
            if !text.hasPrefix("PUSHBENCH_") || text.hasPrefix(IdentityPassphrase.variable + "=") { kept.append(line) }
            index += 1
        }
        return kept + [nil]
    }

    private func wait(for process: pid_t, interrupts: Interrupts) async -> Int32 {
        var passedOn = interrupts.value
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {  // ends with the process, which two orders stop at once
            if interrupts.value > passedOn {
                passedOn += 1
                kill(process, SIGINT)
            }
            try? await Task.sleep(nanoseconds: 10_000_000)
        }
        return status
    }

    private func failure(status: Int32, log: String, _ error: RecordError) -> HarnessError {
        let lines = ((try? readFile(log)).map { String(decoding: $0, as: UTF8.self) } ?? "").split(separator: "\n")
        let said = lines.last.map { String($0.trimmingPrefix("pushbench: ")) }
        guard status & 0x7F == 0 else {
            return .internalFailure("a run was ended by signal \(status & 0x7F) and left no record")
        }
        let code = status >> 8 & 0xFF
        let text = said ?? "a run ended with \(code): \(error)"
        return code == 2 || code == 127 ? .invalidInput(text) : .internalFailure(text)
    }
}

/// A folder for files between processes; it goes away with the value.
public final class ScratchFolder: Sendable {
    /// Its path.
    public let path: String

    /// Makes a folder among the system's temporary files.
    ///
    /// - Throws: ``HarnessError/localLimit(_:)``.
    public init() throws(HarnessError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(parent)/pushbench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw .localLimit("cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        for name in ["run.json", "run.log"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
