import Glibc

/// gnuplot as a process of its own: it is told what to draw on its standard input and answers on its standard output, within a time.
///
/// It gets no file, no variable of the environment, and no start-up file of the user's.
struct Gnuplot {
    private let path: String
    private let deadline: Deadline

    /// How long all drawings of a page may take together.
    static let timeLimit: Int64 = 10_000_000_000
    /// The most that one drawing may be, in bytes.
    private static let sizeLimit = 4 << 20

    /// - Parameters:
    ///   - path: the program.
    ///   - nanoseconds: how long all drawings may take together.
    init(path: String, within nanoseconds: Int64 = Gnuplot.timeLimit) {
        self.path = path
        deadline = Deadline(in: nanoseconds)
    }

    /// The first one in the folders of a list such as `PATH`; folders that are not named from the root are not looked into.
    static func find(in list: String?) -> Gnuplot? {
        let paths = (list ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/gnuplot" as String }
        return paths.first { path in access(path, X_OK) == 0 }.map { Gnuplot(path: $0) }
    }

    /// Has something drawn.
    ///
    /// - Parameter script: what to draw, in gnuplot's language.
    /// - Returns: what it wrote.
    /// - Throws: ``GnuplotFailure``; the process is gone then, too.
    func draw(_ script: String) throws(GnuplotFailure) -> String {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .cannotStart(errno) }
        defer { close(ends[0]) }
        let process: pid_t
        do throws(GnuplotFailure) {
            process = try start(on: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        let output: String
        do throws(GnuplotFailure) {
            output = try converse(script, ends[0])
        } catch {
            end(process)
            throw error
        }
        guard let status = status(of: process) else {
            end(process)
            throw .late
        }
        guard status == 0 else { throw .failed }
        return output
    }

    /// Ends the process, with all that it may have started.
    private func end(_ process: pid_t) {
        kill(-process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    private func start(on descriptor: Int32) throws(GnuplotFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // Threads of Dispatch block nearly all signals, and a child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = [path, "-d"].map { (word: String) in strdup(word) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("LC_ALL=C.UTF-8"), strdup("PATH=/usr/bin:/bin"), nil]
        defer {
            for text in arguments + environment { free(text) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var process: pid_t = 0
        let status = posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
        guard status == 0 else { throw .cannotStart(status) }
        return process
    }

    /// Writes everything and reads everything, whichever is possible.
    private func converse(_ script: String, _ socket: Int32) throws(GnuplotFailure) -> String {
        var unsent = Array(script.utf8)[...]
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let events = Int16(POLLIN) | (unsent.isEmpty ? 0 : Int16(POLLOUT))
            var watched = pollfd(fd: socket, events: events, revents: 0)
            guard poll(&watched, 1, deadline.milliseconds) > 0 else {
                if deadline.milliseconds > 0, errno == EINTR { continue }
                throw .late
            }
            if watched.revents & Int16(POLLOUT) != 0, !unsent.isEmpty {
                let count = unsent.withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                // Who does not listen may still have answered.
                unsent = count < 0 && ![EAGAIN, EINTR].contains(errno) ? [] : unsent.dropFirst(max(0, count))
                if unsent.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
            }
            guard watched.revents & ~Int16(POLLOUT) != 0 else { continue }
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, [EAGAIN, EINTR].contains(errno) { continue }
            guard count > 0 else { return String(decoding: output, as: UTF8.self) }
            output += buffer[..<count]
            guard output.count <= Self.sizeLimit else { throw .unreadable("more than \(Self.sizeLimit) bytes") }
        }
    }

    /// How the process ended by itself, as it should when it has nothing left to do; nil if it does not.
    private func status(of process: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || ended < 0 && errno != EINTR { return status }
            guard deadline.milliseconds > 0 else { return nil }
            usleep(1_000)
        }
    }
}

/// Why there is no drawing.
enum GnuplotFailure: Error, Equatable {
    /// The system does not start it, for this reason.
    case cannotStart(Int32)
    /// It did not finish in time.
    case late
    /// It ended with an error.
    case failed
    /// What it wrote is not one of its drawings.
    case unreadable(String)
}

extension GnuplotFailure: CustomStringConvertible {
    /// What went wrong, to stand in a sentence.
    var description: String {
        switch self {
        case .cannotStart(let reason): "gnuplot cannot be started (\(String(cString: strerror(reason))))"
        case .late: "gnuplot did not finish within its time"
        case .failed: "gnuplot ended with an error"
        case .unreadable(let reason): "what gnuplot wrote is no drawing (\(reason.prefix(60)))"
        }
    }
}

/// An instant of the monotonic clock until which something may take.
private struct Deadline {
    private let nanoseconds: Int64

    init(in interval: Int64) { nanoseconds = Self.now + interval }

    /// Time left, rounded up; 0 when it is over.
    var milliseconds: Int32 { Int32(clamping: max(0, (nanoseconds - Self.now + 999_999) / 1_000_000)) }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
