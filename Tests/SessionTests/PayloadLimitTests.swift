import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// C38: a payload's size is bytes, whatever its characters and however they are written.
@Suite struct PayloadLimitTests {
    private struct Text: CustomTestStringConvertible {
        var alphabet: TextAlphabet
        var form: TextForm
        var testDescription: String { "\(alphabet) as \(form)" }
    }

    private static let texts = TextAlphabet.allCases.flatMap { alphabet in
        TextForm.allCases.map { Text(alphabet: alphabet, form: $0) }
    }

    @Test(arguments: [256, 2_048, 4_096, 5_120], texts)
    private func `C38 the limit is taken and one byte more is refused with status 7`(limit: Int, text: Text) throws {
        for excess in [0, 1] {
            let payloads = try PayloadGenerator(
                PayloadPlan(
                    seed: 5, sizes: PayloadSizes(constant: limit + excess), alphabet: text.alphabet, form: text.form,
                    limitBytes: limit + excess))
            var bench = Bench(notifications: 20, connections: 2)
            bench.sharedSource = NotificationSource(
                tokens: .synthetic(
                    try DevicePopulation(seed: bench.seed, deviceCount: 20, environment: .sandbox),
                    TokenKey(seed: bench.seed)),
                payloads: .generated(payloads))
            bench.gateway.payloadLimit = limit
            bench.gateway.judgesJSON = true
            let world = try bench.run()
            #expect(world.count(.accepted) == (excess == 0 ? 20 : 0))
            #expect(world.ledger.errors == (excess == 0 ? [:] : [.invalidPayloadSize: 20]))
        }
    }
}
