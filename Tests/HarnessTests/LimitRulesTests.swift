import ProviderSessions
import RunRecords
import Testing

@testable import Harness

/// What bound a run, by the rules that ``LimitRules`` states.
@Suite struct LimitRulesTests {
    private func rules(
        sender: (Double, Double?) = (0.5, 0), simulator: (Double, Double?)? = (0.5, 0)
    ) -> LimitRules {
        LimitRules(
            sender: LimitRules.Side(busy: sender.0, queued: sender.1),
            simulator: simulator.map { LimitRules.Side(busy: $0.0, queued: $0.1) })
    }

    @Test func `the side whose loop was busy is named, and both are the processors`() {
        #expect(rules(sender: (0.9, 0), simulator: (0.4, 0)).limit.kind == .generator)
        #expect(rules(sender: (0.4, 0), simulator: (0.9, 0)).limit.kind == .simulator)
        #expect(rules(sender: (0.9, 0), simulator: (0.9, 0)).limit.kind == .processor)
        #expect(rules(sender: (0.9, 0), simulator: nil).limit.kind == .generator)
        #expect(rules(sender: (0.9, nil), simulator: (0.4, nil)).limit.kind == .generator)
    }

    @Test func `when neither was busy the connections were the limit, and being replaced is told`() {
        #expect(rules().limit.kind == .connections)
        #expect(rules().limit.evidence.hasSuffix("more connections or larger batches would keep more on its way"))
        var replaced = rules()
        replaced.replacing = 0.4
        #expect(replaced.limit.kind == .connections)
        #expect(replaced.limit.evidence.hasSuffix("connections were being replaced for 40 % of the time"))
    }

    @Test func `other programs that have the processors are not taken for connections that wait`() {
        let starved = rules(sender: (0.3, 0.4), simulator: (0.25, 0.5)).limit
        #expect(starved.kind == .processor)
        #expect(
            starved.evidence
                == "busiest sender loop 30 % and 40 % waiting for a processor, "
                + "busiest simulator loop 25 % and 50 % waiting for a processor; others had the processors")
        #expect(starved.senderQueued == 0.4 && starved.simulatorQueued == 0.5)
        #expect(rules(sender: (0.6, 0.3), simulator: (0.2, 0)).limit.kind == .processor)
        #expect(rules(sender: (0.3, 0.1), simulator: (0.3, 0.1)).limit.kind == .connections)
    }

    @Test func `an open loop that kept its schedule is bound by its rate unless a loop was at its end`() {
        var kept = rules(sender: (0.3, 0.1))
        kept.scheduleKept = true
        #expect(kept.limit.kind == .rate)
        kept.sender = LimitRules.Side(busy: 0.92, queued: 0)
        #expect(kept.limit.kind == .generator)
        kept.sender = LimitRules.Side(busy: 0.5, queued: 0.45)
        #expect(kept.limit.kind == .processor)
        var missed = rules(sender: (0.95, 0))
        missed.scheduleKept = false
        #expect(missed.limit.kind == .generator)
    }

    @Test func `windows and streams that held for half of the time are the limit while the loops had time`() {
        var held = rules()
        held.windows = [.init(name: "this window", share: 0.3), .init(name: "that window", share: 0.6)]
        #expect(held.limit.kind == .window)
        #expect(held.limit.evidence.hasSuffix("that window was full for 60 % of the time"))
        held.simulator = LimitRules.Side(busy: 0.95, queued: 0)
        #expect(held.limit.kind == .simulator, "windows are full because the simulator is")
        var streams = rules()
        streams.streams = 0.7
        #expect(streams.limit.kind == .streams)
        streams.streams = 0.4
        #expect(streams.limit.kind == .connections)
    }

    @Test func `C54 a run near the simulator's end is simulator-bound, whatever else was busy`() {
        #expect(rules(simulator: (0.81, 0)).limit.kind == .simulator)
        #expect(rules(simulator: (0.81, 0)).limit.simulatorBound == true)
        #expect(rules(simulator: (0.79, 0)).limit.simulatorBound == false)
        #expect(rules(sender: (0.99, 0), simulator: (0.99, 0)).limit.simulatorBound == true)
        #expect(rules(simulator: nil).limit.simulatorBound == nil)
        var near = rules()
        (near.acceptedPerSecond, near.ceilingPerSecond) = (8.1e6, 1e7)
        #expect(near.limit.kind == .simulator && near.limit.simulatorBound == true)
        #expect(near.limit.ceilingShare == 0.81 && near.limit.ceilingPerSecond == 1e7)
        near.acceptedPerSecond = 7.9e6
        #expect(near.limit.kind == .connections && near.limit.simulatorBound == false)
        near.acceptedPerSecond = nil
        #expect(near.limit.ceilingShare == nil && near.limit.simulatorBound == false)
    }

    @Test func `a schedule that was not kept, or a target that settled less than it got, is no rate`() {
        var kept = rules(sender: (0.3, 0.1))
        (kept.scheduleKept, kept.settled) = (true, 0.99)
        #expect(kept.limit.kind == .rate)
        kept.settled = 0.98
        #expect(kept.limit.kind == .connections)
        kept.settled = 0.4
        #expect(kept.limit.kind == .target)
        #expect(
            kept.limit.evidence.hasSuffix("the target was failing: it accepted or refused 40 % of what was written"))
        (kept.settled, kept.isCutShort) = (1, true)
        #expect(kept.limit.kind == .connections)
        kept.targetEnd = "the target was gone: the simulator's process ended"
        #expect(kept.limit.kind == .target)
    }

    @Test func `an outage is the target's, whatever the loops did in the rest of the time`() {
        var missed = rules(sender: (0.95, 0))
        (missed.scheduleKept, missed.miss) = (false, .init(reason: .noConnection, count: 60, total: 80))
        #expect(missed.limit.kind == .target)
        #expect(
            missed.limit.evidence.hasSuffix(
                "the target was unreachable: no connection stood when 60 of 80 late or missed notifications were due"))
        missed.scheduleKept = true
        #expect(missed.limit.kind == .generator, "an outage that was made up for is none")
        var away = rules()
        away.unreachable = 0.6
        #expect(away.limit.kind == .target)
    }

    @Test func `where the loops had time, a missed schedule tells itself what held it up`() {
        for (reason, kind) in [
            (ArrivalHold.windowFull, LimitRecord.Kind.window), (.streamsTaken, .streams), (.generatorLate, .generator),
        ] {
            var missed = rules()
            (missed.scheduleKept, missed.miss) = (false, .init(reason: reason, count: 60, total: 80))
            #expect(missed.limit.kind == kind && missed.limit.evidence.contains("60 of 80 late or missed"))
            missed.simulator = LimitRules.Side(busy: 0.95, queued: 0)
            #expect(missed.limit.kind == .simulator)
        }
    }

    @Test func `what the end of a run cut off is for the reason for which nobody took it then`() throws {
        var schedule = ScheduleRecord()
        #expect(LimitRules.Miss(schedule, heldFor: nil) == nil)
        (schedule.late.generatorLate, schedule.skipped.endOfRun) = (5, 300)
        #expect(try #require(LimitRules.Miss(schedule, heldFor: nil)).reason == .generatorLate)
        let held = try #require(LimitRules.Miss(schedule, heldFor: .noConnection))
        #expect(held.reason == .noConnection && held.count == 300 && held.total == 305)
    }

    @Test func `headroom is what the sender's busiest loop had left, never below nothing`() {
        #expect(rules(sender: (0.25, 0.5)).limit.headroom == 0.75)
        #expect(rules(sender: (1.1, 0)).limit.headroom == 0)
    }
}
