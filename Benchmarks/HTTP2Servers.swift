import Glibc
import Harness
import SecureChannel
import Transport
import Workload

/// What both clients of the HTTP/2 comparison need: keys, certificates, a body, a good device token and provider token.
struct HTTP2Materials {
    let folder: WorkFolder
    private let certificates: String
    private let keys: String
    /// The program that is measured.
    let program: String
    /// The options with which `h2load` says in its requests what ours say.
    let loadOptions: [String]
    /// The path of its requests.
    let path: String

    private static let keyID = "ABC123DEFG"
    private static let teamID = "TEAM123456"
    private static let body = #"{"aps":{"alert":"\#(String(repeating: "a", count: 100))"}}"#

    init(program: String) throws {
        self.program = program
        folder = try WorkFolder()
        certificates = folder.path + "/certificates"
        keys = folder.path + "/keys"
        let log = folder.path + "/log"
        _ = try ChildProcess.run(program, ["certificates", certificates], log: log)
        _ = try ChildProcess.run(
            program, ["keys", keys, "--key-id", Self.keyID, "--team-id", Self.teamID], log: log)
        let signer = ProviderTokenSource(
            key: try SigningKey(pem: try readFile("\(keys)/AuthKey_\(Self.keyID).p8")), keyID: Self.keyID,
            teamID: Self.teamID, unixOffset: UnixClock.offset)
        let token = String(decoding: try signer.token(at: MonotonicClock.now()).text, as: UTF8.self)
        loadOptions = [
            "-t", "1", "-d", try folder.file("body", Self.body), "-H", "apns-topic: com.example.app", "-H",
            "authorization: bearer \(token)", "-H", "apns-push-type: alert", "-H", "apns-priority: 10", "-H",
            "apns-expiration: 0",
        ]
        path = "/3/device/" + (try Self.deviceToken())
    }

    /// Removes the files.
    func remove() {
        for path in [certificates, keys] { WorkFolder(existing: path).remove() }
        folder.remove()
    }

    /// A profile of our sender for a server that somebody else runs.
    func profile(notifications: Int, connections: Int, streams: Int, port: Int, authority: String) -> String {
        """
        {
          name: "benchmark", protocol: "http2",
          target: { host: "127.0.0.1", port: \(port), tls: { caFile: "\(authority)" } },
          workload: { notifications: \(notifications), seed: 1, payload: { bytes: { p50: 120, p99: 130, max: 150 } } },
          sender: { connections: \(connections), streams: \(streams), http2: {
            keyFile: "\(keys)/AuthKey_\(Self.keyID).p8", keyID: "\(Self.keyID)", teamID: "\(Self.teamID)" } },
        }
        """
    }

    /// Starts a server and waits until it listens.
    func start(_ kind: HTTP2Server.Kind) throws -> HTTP2Server {
        switch kind {
        case .sink, .simulator:
            let authority = folder.path + "/authority.pem"
            var words = [
                "simulate", "--port", "0", "--feedback-port", "0", "--http2-port", "0", "--seed", "1", "--write-ca",
                authority,
            ]
            if kind == .sink {
                words += ["--accept-all"]
            } else {
                words += [
                    "--signing-key", "\(keys)/AuthKey_\(Self.keyID).pub.pem", "--key-id", Self.keyID, "--team-id",
                    // A client that sends before it has read the SETTINGS is not to lose streams.
                    Self.teamID, "--set", "target.simulator.http2.streamsBeforeAuthentication=1000",
                ]
            }
            let process = try ChildProcess(program, words, log: folder.path + "/server")
            let port = try HTTP2Server.wait(for: process) {
                process.output.split(separator: "HTTP/2 on 127.0.0.1:").dropFirst().first.flatMap {
                    Int($0.prefix { $0.isNumber })
                }
            }
            return HTTP2Server(process: process, port: port, authority: authority)
        case .nghttpd:
            let port = try HTTP2Server.freePort()
            let process = try ChildProcess(
                "nghttpd",
                [
                    "-m", "1000", "-w", "20", "-W", "24", "-a", "127.0.0.1", "\(port)",
                    "\(certificates)/server-key.pem", "\(certificates)/server.pem",
                ], log: folder.path + "/server")
            _ = try HTTP2Server.wait(for: process) { HTTP2Server.isListening(port) ? port : nil }
            return HTTP2Server(process: process, port: port, authority: "\(certificates)/ca.pem")
        }
    }

    /// The token of a device that both sides know by the seed.
    private static func deviceToken() throws -> String {
        let source = NotificationSource(
            tokens: .synthetic(try DevicePopulation(seed: 1, deviceCount: 1_000), TokenKey(seed: 1)),
            payloads: .generated(
                try PayloadGenerator(PayloadPlan(seed: 1, sizes: try PayloadSizes(p50: 100, p99: 130, max: 150)))))
        var bytes = [UInt8](repeating: 0, count: 32)
        var cursor = source.cursor(at: 0)
        bytes.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { _ = source.writeToken(at: &cursor, into: base) }
        }
        return bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

/// A server of the HTTP/2 comparison, in a process of its own.
struct HTTP2Server {
    enum Kind: String {
        /// The simulator, which answers 200 to everything.
        case sink
        /// The simulator, which judges everything.
        case simulator
        /// The server of nghttp2, which answers 404 to everything.
        case nghttpd
    }

    let process: ChildProcess
    let port: Int
    /// PEM file of the authority that its certificate is from.
    let authority: String

    /// Asks again and again until there is an answer; ten seconds at most.
    static func wait(for process: ChildProcess, _ answer: () -> Int?) throws -> Int {
        for _ in 0..<1_000 {
            if let answer = answer() { return answer }
            usleep(10_000)
        }
        throw BenchmarkFailure("a server does not begin to listen: \(process.output)")
    }

    /// A port that nobody listens on.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw BenchmarkFailure("no free port: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Whether a connection to a port of this machine comes up.
    static func isListening(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
