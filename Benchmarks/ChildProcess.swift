import CShims
import Glibc
import Harness

/// A program that runs beside this one, with what it prints in a file.
final class ChildProcess {
    private let program: String
    private let log: String
    private let identifier: pid_t
    private var isRunning = true

    /// Starts a program; it is looked for in `PATH` unless its name is a path.
    ///
    /// - Throws: ``BenchmarkFailure`` if it cannot be started.
    init(_ program: String, _ words: [String], log: String, environment additions: [String] = []) throws {
        self.program = program
        self.log = log
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { (word: String) in strdup(word) }
        arguments.append(nil)
        let added: [UnsafeMutablePointer<CChar>?] = additions.map { (line: String) in strdup(line) }
        var environment = added
        for index in 0... {
            environment.append(environ[index])
            if environ[index] == nil { break }
        }
        // Threads of Dispatch block nearly all signals, and a child would inherit that.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        defer {
            for text in arguments + added { free(text) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, program, &actions, &attributes, &arguments, &environment)
        guard failure == 0 else { throw BenchmarkFailure("\(program): \(String(cString: strerror(failure)))") }
        identifier = process
    }

    deinit { if isRunning { stop() } }

    /// What it has printed so far.
    var output: String { (try? readFile(log)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The processor time that it has used so far, in nanoseconds.
    var processorNs: Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Waits for the end; returns the exit code, and the processor time that it used in all, in nanoseconds.
    ///
    /// - Throws: ``BenchmarkFailure`` if a signal ended it.
    func wait() throws -> (code: Int32, processorNs: Int64) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        isRunning = false
        guard status & 0x7F == 0 else {
            throw BenchmarkFailure("\(program) ended by signal \(status & 0x7F): \(output)")
        }
        func nanoseconds(_ time: timeval) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000 }
        return (status >> 8 & 0xFF, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    /// Ends it, whatever it is doing, and waits for that.
    func stop() {
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        isRunning = false
    }

    /// Runs a program to its end and returns what it printed and the processor time that it used, in nanoseconds.
    ///
    /// - Throws: ``BenchmarkFailure`` if it ends with another code than 0.
    static func run(
        _ program: String, _ words: [String], log: String, environment: [String] = []
    ) throws -> (output: String, processorNs: Int64) {
        let process = try ChildProcess(program, words, log: log, environment: environment)
        let (code, processorNs) = try process.wait()
        guard code == 0 else {
            throw BenchmarkFailure("\(program) \(words.joined(separator: " ")) ended with \(code): \(process.output)")
        }
        return (process.output, processorNs)
    }

    /// Whether a program of that name is in `PATH`.
    static func isInstalled(_ name: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
}

/// A folder for the files of one measurement; removed with what is in it.
struct WorkFolder {
    let path: String

    init() throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(folder)/pushbench-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkFailure("no temporary folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The folder at a path that exists.
    init(existing path: String) { self.path = path }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        let bytes = Array(text.utf8)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        let count = bytes.withUnsafeBytes { descriptor < 0 ? -1 : write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw BenchmarkFailure("\(file): \(String(cString: strerror(errno)))") }
        return file
    }

    /// Removes the folder with its files; folders in it must be empty by then, or gone.
    func remove() {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink(path + "/" + name)
        }
        closedir(folder)
        rmdir(path)
    }
}
