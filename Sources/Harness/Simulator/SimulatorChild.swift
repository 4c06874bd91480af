import CShims
import Glibc
import Primitives
import RunRecords
import Synchronization

/// The simulator as a process of its own, so that its processor time, memory and queues are told apart from the sender's.
///
/// The child reads the profile and then orders from its standard input and writes reports to its standard output; the end of
/// its input is its order to stop, so it never outlives this process.
final class SimulatorChild: Sendable {
    /// What has been heard from the child.
    struct State: Sendable {
        var ready:
            (
                port: Int, feedbackPort: Int, http2Port: Int, authorityPEM: String, provider: ProviderIdentity?,
                signingKey: ProviderSigningKey?
            )?
        /// An even sample of its sums; a long run does not keep all of them.
        var progress = EvenSample<SimulatorProgress>(capacity: 4_096)
        var lastProgress: SimulatorProgress?
        var result: SimulatorResult?
        var failure: String?
        var hasEnded = false
    }

    private let process: pid_t
    private let orders: Int32
    private let state = Mutex(State())

    /// Starts `program simulate` in its controlled form.
    ///
    /// - Throws: ``HarnessError/internalFailure(_:)`` when no process can be started.
    init(program: String, profileJSON: String) throws(HarnessError) {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard shim_pipe(&input) == 0, shim_pipe(&output) == 0 else {
            throw .localLimit("no pipe for the simulator: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // A process group of its own: Ctrl-C is for the run, which then stops the simulator in order.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = [program, "simulate", "--controlled"].map { (text: String) in
            strdup(text)
        }
        arguments.append(nil)
        defer {
            for argument in arguments { free(argument) }
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(input[0])
            close(output[1])
        }
        var process: pid_t = 0
        let status = posix_spawn(&process, program, &actions, &attributes, &arguments, environ)
        guard status == 0 else {
            close(input[1])
            close(output[0])
            throw .internalFailure("cannot start the simulator: \(String(cString: strerror(status)))")
        }
        self.process = process
        orders = input[1]
        send(profileJSON.filter { $0 != "\n" } + "\n")
        listen(to: output[0])
    }

    /// What has been heard so far.
    var current: State { state.withLock { $0 } }

    /// The latest sums that were heard.
    var lastProgress: SimulatorProgress? { state.withLock { $0.lastProgress } }

    /// Orders the end, which the child answers with its result.
    func stop() { send("stop\n") }

    /// Ends the child at once, and reaps it.
    func kill() {
        Glibc.kill(process, SIGKILL)
        close(orders)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Waits until `condition` holds, the child ends or time is up; true when the condition holds.
    func wait(upTo seconds: Double, for condition: @Sendable (State) -> Bool) async -> Bool {
        let steps = Int(seconds * 200)
        for _ in 0..<steps {
            let now = current
            if condition(now) { return true }
            if now.hasEnded { return false }
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
        return condition(current)
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(orders, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
        }
    }

    /// Reads reports on a thread of their own, since reading a pipe blocks.
    private func listen(to descriptor: Int32) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Reader(descriptor: descriptor, child: self))
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Reader {
        let descriptor: Int32
        let child: SimulatorChild

        init(descriptor: Int32, child: SimulatorChild) {
            self.descriptor = descriptor
            self.child = child
        }

        func run() {
            var pending: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {  // ends with the child's output
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                // Only the new bytes are searched: the last line of a run with many errors has megabytes.
                var rest = chunk[0..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    pending.append(contentsOf: rest[..<end])
                    child.take(line: String(decoding: pending, as: UTF8.self))
                    pending.removeAll()
                    rest = rest[(end + 1)...]
                }
                pending.append(contentsOf: rest)
            }
            close(descriptor)
            child.state.withLock { $0.hasEnded = true }
        }
    }

    private func take(line: String) {
        guard let report = try? SimulatorReport(line: line) else { return }
        state.withLock { state in
            switch report {
            case .ready(let port, let feedbackPort, let http2Port, let pem, let provider, let signingKey):
                state.ready = (port, feedbackPort, http2Port, pem, provider, signingKey)
            case .progress(let progress):
                state.progress.add(progress)
                state.lastProgress = progress
            case .ended(let result): state.result = result
            case .failed(let message): state.failure = message
            }
        }
    }
}
