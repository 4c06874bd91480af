import Foundation
import Glibc
import RunRecords
import Testing

extension InteropTests {
    /// Our sender against `nghttpd`, a server that we did not write.
    @Suite struct ForeignServerTests {
        /// `nghttpd` on a free port, with a certificate of `pushbench certificates`.
        private final class Server {
            let folder: ScratchFolder
            let port: Int
            private let process: pid_t
            private let pipe: UnsafeMutablePointer<FILE>

            init(_ options: String) async throws {
                folder = try ScratchFolder()
                let path = folder.path
                let made = try await Shell.run(
                    "exec '\(Simulator.program())' certificates '\(path)' --topic com.example.app")
                try #require(made.status == 0)
                port = try Self.freePort()
                pipe = try Shell.start(
                    """
                    echo $$; exec timeout 60 nghttpd \(options) -d '\(path)' \(port) '\(path)/server-key.pem' \
                    '\(path)/server.pem' >'\(path)/output' 2>&1 </dev/null
                    """)
                var line = [CChar](repeating: 0, count: 64)
                fgets(&line, 64, pipe)
                process = pid_t(String(decoding: line.prefix { $0 > 32 }.map { UInt8($0) }, as: UTF8.self)) ?? 0
                for _ in 0..<500 where !Self.listens(port) { try await Task.sleep(for: .milliseconds(10)) }
                let output = (try? String(contentsOfFile: "\(path)/output", encoding: .utf8)) ?? ""
                try #require(Self.listens(port), "nghttpd (package nghttp2-server) does not listen: \(output)")
            }

            deinit {
                if process > 0 { kill(process, SIGTERM) }
                pclose(pipe)
            }

            private static func withSocket<Result>(
                port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result
            ) -> Result {
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(descriptor) }
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                address.sin_port = UInt16(port).bigEndian
                return withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }

            /// A port that nobody has at the moment.
            private static func freePort() throws -> Int {
                let port = withSocket(port: 0) { descriptor, address, size -> Int in
                    guard bind(descriptor, address, size) == 0 else { return 0 }
                    var bound = sockaddr_in()
                    var boundSize = size
                    withUnsafeMutablePointer(to: &bound) {
                        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            _ = getsockname(descriptor, $0, &boundSize)
                        }
                    }
                    return Int(UInt16(bigEndian: bound.sin_port))
                }
                try #require(port > 0)
                return port
            }

            private static func listens(_ port: Int) -> Bool {
                withSocket(port: port) { connect($0, $1, $2) == 0 }
            }
        }

        // The windows of the second one are 65,535 and 32,767 bytes, its table of headers has none.
        @Test(arguments: ["-n 1", "-n 1 -m 7 -w 15 -W 16 -c 0"])
        func `nghttpd answers each request of ours 404, and none is lost`(options: String) async throws {
            let server = try await Server(options)
            let profile = try server.folder.file(
                "profile.json5",
                """
                { target: { host: "127.0.0.1", port: \(server.port), tls: { caFile: "\(server.folder.path)/ca.pem" } },
                  protocol: "http2", workload: { notifications: 3_000 },
                  sender: { connections: 2, streams: 200, http2: { authentication: "certificate" } } }
                """)
            let file = "\(server.folder.path)/record.json"
            let (output, status) = try await Shell.run(
                "exec timeout 60 '\(Simulator.program())' run '\(profile)' --calibration off -o 'json=\(file)' 2>&1")
            let text = String(decoding: output, as: UTF8.self)
            #expect(status == 3, "not one was accepted: \(text)")
            let record = try RunRecord.read(file)
            #expect(record.ledger.isBalanced && record.ledger.rejected == 3_000, "\(record.ledger)")
            #expect(record.ledger.resent == 0)
            #expect(record.errors.map(\.name) == ["404"], "\(record.errors)")
            #expect(record.errors.map(\.count) == [3_000])
            #expect(record.connections.allSatisfy { $0.openings == 1 })
        }
    }
}
