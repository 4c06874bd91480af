import Analysis
import Primitives
import Testing

@Suite struct CapacitySearchTests {
    /// Carries a search out against a target that answers each probe.
    static func search(
        _ plan: CapacitySearch.Plan = CapacitySearch.Plan(), _ answer: (CapacitySearch.Probe) -> CapacitySearch.Outcome
    ) -> (finding: CapacitySearch.Finding?, probes: [CapacitySearch.Probe], contradictions: Int) {
        var search = CapacitySearch(plan)
        var probes: [CapacitySearch.Probe] = []
        while let probe = search.probe, probes.count < 200 {
            probes.append(probe)
            search.take(answer(probe))
        }
        return (search.finding, probes, search.contradictions)
    }

    @Test(arguments: [20_000, 1_000, 37, 123_456.7])
    func `a hard limit is found within the tolerance`(limit: Double) throws {
        let (finding, probes, _) = Self.search { $0.rate.perSecond <= limit ? .holds : .fails }
        guard case .found(let sustainable, let failing, let isConfirmed) = try #require(finding) else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(isConfirmed)
        #expect(sustainable.perSecond <= limit && limit < failing.perSecond)
        #expect(failing.perSecond / sustainable.perSecond <= 1.0501)
        #expect(probes.last?.stage == .confirm && probes.last?.length == .seconds(60))
        // Both edges once more.
        #expect(probes.filter { $0.stage == .edge }.map(\.rate) == [sustainable, failing])
        #expect(probes.count < 30, "\(probes.count)")
    }

    @Test func `what the generator cannot reach is no limit of the target`() {
        let (finding, probes, _) = Self.search { $0.rate.perSecond <= 300_000 ? .holds : .generatorLimited }
        guard case .generatorLimited(let held?, let tried)? = finding else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(held.perSecond <= 300_000 && held.perSecond > 280_000 && tried.perSecond > 300_000)
        #expect(!probes.contains { $0.stage == .confirm })
    }

    @Test func `a rate that the generator missed once is tried again before it bounds the search`() {
        var misses = 0
        let (finding, probes, _) = Self.search { probe in
            if probe.rate.perSecond == 4_000, misses == 0 {
                misses += 1
                return .generatorLimited
            }
            return probe.rate.perSecond <= 20_000 ? .holds : .fails
        }
        guard case .found(let sustainable, _, true)? = finding else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(sustainable.perSecond > 19_000)
        #expect(probes.filter { $0.rate.perSecond == 4_000 }.map(\.stage) == [.rise, .edge])
    }

    @Test func `a limit below that of the generator is found though the first try beyond it could not be made`() {
        let (finding, _, _) = Self.search {
            $0.rate.perSecond > 900_000 ? .generatorLimited : $0.rate.perSecond <= 700_000 ? .holds : .fails
        }
        guard case .found(let sustainable, _, true)? = finding else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(sustainable.perSecond <= 700_000 && sustainable.perSecond > 665_000)
    }

    @Test func `the search stops at the highest rate that is allowed`() {
        var plan = CapacitySearch.Plan()
        plan.highest = Rate(perSecond: 50_000)
        let (finding, probes, _) = Self.search(plan) { _ in .holds }
        #expect(finding == .atLeast(Rate(perSecond: 50_000)))
        #expect(probes.last?.rate.perSecond == 50_000)
    }

    @Test func `a target that holds nothing is told as such`() {
        let (finding, probes, _) = Self.search { _ in .fails }
        #expect(finding == .nothingHolds(tried: CapacitySearch.lowest))
        #expect(probes.count < 20)
        #expect(
            Self.search { _ in .generatorLimited }.finding == .generatorLimited(held: nil, tried: CapacitySearch.lowest)
        )
    }

    @Test func `a try that decides nothing is made again for longer, and then counts as failed`() {
        let (finding, probes, _) = Self.search { probe in
            if probe.rate.perSecond < 19_000 { return .holds }
            if probe.rate.perSecond > 21_000 { return .fails }
            return .undecided
        }
        guard case .found(let sustainable, _, true)? = finding else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(sustainable.perSecond < 19_000)
        #expect(probes.contains { $0.stage == .extend && $0.length == .seconds(30) })
    }

    @Test func `a confirmation that fails steps down, three times at most`() {
        let (finding, probes, _) = Self.search { probe in
            probe.stage == .confirm ? .fails : probe.rate.perSecond <= 10_000 ? .holds : .fails
        }
        guard case .found(_, _, isConfirmed: false)? = finding else {
            Issue.record("\(finding as Any)")
            return
        }
        #expect(probes.filter { $0.stage == .confirm }.count == 3)
        let confirmed = Self.search { probe in
            probe.rate.perSecond <= (probe.stage == .confirm ? 9_500 : 10_000) ? .holds : .fails
        }
        guard case .found(let sustainable, _, isConfirmed: true)? = confirmed.finding else {
            Issue.record("\(confirmed.finding as Any)")
            return
        }
        #expect(sustainable.perSecond <= 9_500 && sustainable.perSecond > 8_500)
    }

    @Test func `a run that cannot be used ends the search`() {
        let (finding, probes, _) = Self.search { $0.rate.perSecond > 3_000 ? .unusable : .holds }
        #expect(finding == .stopped(tried: Rate(perSecond: 4_000)))
        #expect(probes.count == 3)
    }

    @Test(arguments: 1...20) func `a noisy target ends the search near its limit`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (finding, probes, _) = Self.search { probe in
            let limit = 20_000 * (1 + 0.03 * (random.unit() - 0.5))
            return probe.rate.perSecond <= limit ? .holds : .fails
        }
        guard case .found(let sustainable, let failing, _)? = finding else {
            Issue.record("seed \(seed): \(finding as Any)")
            return
        }
        #expect(abs(sustainable.perSecond / 20_000 - 1) < 0.1, "seed \(seed): \(sustainable)")
        #expect(sustainable < failing && probes.count < 60, "seed \(seed)")
    }

    @Test(arguments: 1...50) func `whatever is answered, the search ends`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (finding, probes, _) = Self.search { _ in
            [.holds, .fails, .undecided, .generatorLimited][Int(random.below(4))]
        }
        #expect(finding != nil && probes.count < 200, "seed \(seed): \(probes.count)")
    }
}
