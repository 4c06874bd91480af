import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// Clients that we did not write, with and without a certificate, against a simulator that asks for one.
    @Suite struct CertificateClientTests {
        /// What `pushbench certificates` makes, and a simulator that takes nothing else.
        private struct Scene {
            let folder: ScratchFolder
            let simulator: Simulator
            var certificate: String { "\(folder.path)/provider-com.example.app.pem" }
            var key: String { "\(folder.path)/provider-com.example.app-key.pem" }

            init(tls: String) async throws {
                folder = try ScratchFolder()
                let (output, status) = try await Shell.run(
                    "exec '\(Simulator.program())' certificates '\(folder.path)' --topic com.example.app --force 2>&1")
                try #require(status == 0, "\(String(decoding: output, as: UTF8.self))")
                simulator = try await Simulator([
                    "--tls-max", tls, "--client-certificates", "require", "--client-ca", "\(folder.path)/ca.pem",
                ])
            }
        }

        private struct Report: Decodable {
            var failed: [Failure]
        }

        @Test(arguments: ["tapns3_enhanced.py", "apns_worker_client.py"], ["1.2", "1.3"])
        func `a library with its certificate is let in, also when it comes again`(driver: String, tls: String)
            async throws
        {
            let scene = try await Scene(tls: tls)
            let first: UInt32 = driver == "tapns3_enhanced.py" ? 1 : 0
            let notifications = (0...30).map { Planned(first + $0, isBad: $0 == 10 || $0 == 30) }
            var job = Job(scene.simulator, notifications)
            job.certificate = scene.certificate
            job.key = scene.key
            let report = try await Clients.run(driver, job, as: Report.self)
            let books = try await scene.simulator.finish()
            books.expectSound()
            let bad = [10, 30].map { Failure(identifier: first + $0, status: 8) }
            #expect(report.failed == bad)
            #expect(books.failures == bad)
            #expect(books.acceptedTokens == notifications.filter { $0.token.contains { $0 != "0" } }.map(\.token))
            #expect(books.book.ledger.certificateRefusals == [:])
        }

        @Test(
            arguments: [
                ("1.2", "alert handshake failure"), ("1.3", "alert certificate required"),
            ])
        func `s_client without a certificate is told by an alert, and with one it is let in`(tls: String, alert: String)
            async throws
        {
            let scene = try await Scene(tls: tls)
            let frames = "\(scene.folder.path)/frames"
            var bad: [UInt8] = [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 32]
            bad += [UInt8](repeating: 0, count: 32) + [0, 2] + Array("{}".utf8)
            try Data(bad).write(to: URL(filePath: frames))
            let without = try await Clients.runSClient(frames, to: scene.simulator)
            #expect(without.status != 0)
            #expect(without.output.isEmpty)
            #expect(without.errors.contains(alert), "\(without.errors)")
            let with = try await Clients.sendRaw(
                frames, to: scene.simulator, options: "-cert '\(scene.certificate)' -key '\(scene.key)'")
            #expect(with == [8, 8, 0, 0, 0, 7])
            let books = try await scene.simulator.finish()
            books.expectSound()
            #expect(books.book.ledger.certificateRefusals == ["missing": 1])
            #expect(books.failures == [Failure(identifier: 7, status: 8)])
        }
    }
}
