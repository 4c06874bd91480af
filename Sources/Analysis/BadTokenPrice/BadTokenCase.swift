import Primitives
public import RunRecords
import Statistics

/// The runs of one setting, those of the same setting with other shares of bad tokens, and the model that all together make.
struct BadTokenCase {
    let cell: Int
    /// Complete runs with bad tokens.
    let runs: [SweepRunRecord]
    /// Complete runs of the same setting without; may be empty.
    let errorFree: [SweepRunRecord]
    /// Complete runs of the same setting with any share of bad tokens, these ones among them.
    private let siblings: [BadTokenRun]
    private let details: [BadTokenRun]
    private let setting: BadTokenSetting

    /// Nil if nothing was refused, and for the provider API.
    init?(cell: Int, runs: [SweepRunRecord], sameSetting: [SweepRunRecord] = []) {
        let details = runs.compactMap(\.badTokens)
        guard let first = details.first, details.count == runs.count, details.contains(where: { $0.errors > 0 }),
            first.setting.isPossible
        else { return nil }
        self.cell = cell
        self.runs = runs
        errorFree = sameSetting.filter { $0.acceptedPerSecond != nil && $0.badTokens?.errors == 0 }
        siblings = sameSetting.compactMap(\.badTokens).filter { $0.errors > 0 }
        self.details = details
        setting = first.setting
    }

    var errors: Int64 { Int64(sum(\.errors)) }
    var badShare: Double { min(1, sum(\.errors) / max(1, sum(\.judged))) }

    /// A sum that records which anybody may have edited cannot make overflow.
    private func sum(_ count: (BadTokenRun) -> Int64) -> Double {
        min(1e18, details.reduce(0) { $0 + Double(count($1)) })
    }

    /// The price, with what repeated runs scatter.
    func price(scatter: Double) -> BadTokenPrice {
        let rate = median(runs.compactMap(\.acceptedPerSecond))
        var price = BadTokenPrice(
            cell: cell, badShare: badShare, roundTripNs: setting.roundTripNs, errors: errors,
            replyNs: middle { $0.replyMeanNs.map(Double.init) },
            reconnectNs: middle { $0.reconnectMeanNs.map(Double.init) },
            measured: BadTokenFigures(
                acceptedPerSecond: rate, inFlight: median(runs.compactMap { $0.inFlightAtErrorP50.map(Double.init) }),
                resent: median(runs.compactMap(\.resentPerReconnect)), lost: median(runs.compactMap(\.lostPerReconnect))
            ))
        price.lostStandardError = middle(\.lostStandardError)
        if let rate, rate > 0, badShare < 1, let free = median(errorFree.compactMap(\.acceptedPerSecond)) {
            let ratio = free * (1 - badShare) / rate
            price.measured.lost = (ratio - 1) / badShare
            price.lostStandardError =
                scatter * (1 / Double(runs.count) + 1 / Double(errorFree.count)).squareRoot() * ratio / badShare
        }
        do throws(BadTokenObstacle) {
            let (model, basis) = try model()
            price.errorFreePerSecond = model.errorFreePerSecond
            price.errorFreeBy = basis
            price.bound = model.bound
            price.model = try model.figures()
        } catch {
            price.obstacle = "\(error)"
        }
        if errors >= BadTokenPrice.errorsMin, let model = price.model {
            price.modelError = model.errors(against: price.measured)
            if !price.isLossClear { price.modelError?.lost = nil }
        }
        return price
    }

    private func middle(_ figure: (BadTokenRun) -> Double?) -> Double? { median(details.compactMap(figure)) }

    // MARK: - Model

    /// The model that these runs make, and what its rate without errors rests on.
    func model() throws(BadTokenObstacle) -> (model: BadTokenModel, errorFreeBy: BadTokenPrice.Basis) {
        guard setting.hasIdentifiers else { throw .noIdentifiers }
        guard !setting.isOpenLoop else { throw .offeredRate }
        if let fault = setting.otherFault { throw .otherFaults(fault) }
        let reconnects = Int64(min(1e18, runs.reduce(0) { $0 + Double($1.reconnects) }))
        // The last error of a connection at the end of a run needs no successor; hardly any other end is to be expected.
        guard reconnects <= errors + max(2, errors / 10) else {
            throw .otherEnds(reconnects: reconnects, errors: errors)
        }
        guard let reply = middle({ $0.replyMeanNs.map(Double.init) }),
            let reconnect = middle({ $0.reconnectMeanNs.map(Double.init) })
        else { throw .timesUnknown }
        let free = try errorFreeRate()
        var model = BadTokenModel(
            badShare: badShare, connections: setting.connections, errorFreePerSecond: free.perSecond, bound: free.bound,
            reply: Interval(nanoseconds: Int64(reply)), reconnect: Interval(nanoseconds: Int64(reconnect)))
        model.replyMedian = middle { $0.replyMedianNs.map(Double.init) }.map { Interval(nanoseconds: Int64($0)) }
        model.onWayMax = onWayMax
        model.writesInBursts = waits
        if !model.writesInBursts { model.keptMax = Double(setting.window) }
        model.attemptsPerSecond = setting.attemptsPerSecond
        model.load = median(errorFree.compactMap { $0.badTokens?.load }) ?? 0
        addHandshakes(to: &model, limit: free.limit)
        return (model, free.by)
    }

    /// From the write of a notification to the moment at which it makes room for another one.
    func round(of model: BadTokenModel) -> Interval {
        if model.bound == .connections, let onWayMax = model.onWayMax {
            let seconds = onWayMax * Double(model.connections) / model.errorFreePerSecond
            return Interval(nanoseconds: Int64(min(seconds, 3_600) * 1e9))
        }
        let measured = middle { $0.roundTripMeanNs.map(Double.init) } ?? Double(setting.roundTripNs)
        return Interval(nanoseconds: setting.silenceNs ?? Int64(measured))
    }

    private struct ErrorFreeRate {
        var perSecond: Double
        var by: BadTokenPrice.Basis
        var bound: BadTokenModel.Bound
        var limit: LimitRecord.Kind?
    }

    private func errorFreeRate() throws(BadTokenObstacle) -> ErrorFreeRate {
        if let rate = median(errorFree.compactMap(\.acceptedPerSecond)) {
            let limit = SweepCell.limit(of: errorFree)
            let bound: BadTokenModel.Bound
            switch limit {
            case .generator, .simulator, .processor: bound = .machine
            case .window: bound = .connections
            case .connections, nil: bound = waits || isBoundByItsWay(rate) ? .connections : .machine
            case .streams, .rate, .target: throw .otherLimit(limit ?? .target)
            }
            return ErrorFreeRate(perSecond: rate, by: .errorFreeCell, bound: bound, limit: limit)
        }
        let limit = SweepCell.limit(of: runs)
        if waits {
            let perRound = onWayMax.map { $0 * Double(setting.connections) }
            let wait = middle { $0.roundTripMeanNs.map(Double.init) }
            guard setting.mode == SenderSettings.Mode.windowed.rawValue, let perRound,
                let round = setting.silenceNs.map(Double.init) ?? wait, round > 0
            else { throw .errorFreeRateUnknown }
            return ErrorFreeRate(perSecond: perRound * 1e9 / round, by: .window, bound: .connections, limit: limit)
        }
        guard let quiet = middle(\.quietPerSecond), quiet > 0 else { throw .errorFreeRateUnknown }
        return ErrorFreeRate(
            perSecond: quiet, by: .quietTime, bound: isBoundByItsWay(quiet) ? .connections : .machine, limit: limit)
    }

    /// Whether connections wait between notifications.
    private var waits: Bool { setting.mode != SenderSettings.Mode.pipelined.rawValue }

    /// Whether pipelined connections, which nothing but the simulated way bounds, carry half of what that lets through or more.
    private func isBoundByItsWay(_ perSecond: Double) -> Bool {
        guard let onWayMax, setting.roundTripNs > 0 else { return false }
        return perSecond >= 0.5e9 * onWayMax * Double(setting.connections) / Double(setting.roundTripNs)
    }

    /// The most notifications that a connection has on their way: by the sender's window, or by the simulated way's.
    private var onWayMax: Double? {
        let frame = middle(\.frameBytes)
        switch SenderSettings.Mode(rawValue: setting.mode) {
        case .waitEach?: return 1
        case .windowed?:
            // A batch waits until there is room for as many as it may have, even if its bytes hold fewer.
            let inBatch = frame.map { min(setting.batchNotifications, max(1, Int(Double(setting.batchBytes) / $0))) }
            let batch = inBatch ?? setting.batchNotifications
            return Double(batch * ((setting.window - setting.batchNotifications) / batch + 1))
        case .pipelined?, nil:
            guard let window = setting.roundTripWindow, let frame, frame > 0 else { return nil }
            return max(1, Double(window) / frame)
        }
    }

    /// For how long a reconnect keeps whatever the limit was from other work.
    private func addHandshakes(to model: inout BadTokenModel, limit: LimitRecord.Kind?) {
        let sender = work(ofReconnect: { Double($0.senderCPUNs) }, handshake: \.senderHandshakeNs)
        let simulator = work(
            ofReconnect: { $0.simulatorCPUNs.map(Double.init) }, handshake: \.simulatorHandshakeNs)
        let senderLoops = max(1, details[0].senderLoops)
        let simulatorLoops = max(1, details[0].simulatorLoops ?? 1)
        let time: Double
        if model.bound == .connections {
            time = max(sender / Double(senderLoops), simulator / Double(simulatorLoops))
        } else if limit == .generator {
            time = sender
            model.parts = min(senderLoops, setting.connections)
        } else if limit == .simulator {
            time = simulator
            model.parts = min(simulatorLoops, setting.connections)
        } else {
            time = (sender + simulator) / Double(max(1, details[0].cores))
        }
        model.handshake = Interval(nanoseconds: Int64(min(time, 1e15)))
    }

    /// One side's processor time for a reconnect: what runs with errors used beyond what as many notifications take without, whatever
    /// the share of bad tokens was; at least what the TLS library took.
    private func work(ofReconnect used: (BadTokenRun) -> Double?, handshake: (BadTokenRun) -> Double?) -> Double {
        let least = middle(handshake) ?? 0
        let free = errorFree.compactMap(\.badTokens)
        func total(_ runs: [BadTokenRun], _ figure: (BadTokenRun) -> Double?) -> Double {
            runs.reduce(0) { $0 + (figure($1) ?? 0) }
        }
        let (freeWritten, reconnects) = (
            total(free) { Double($0.written) }, total(siblings) { Double($0.reconnects) }
        )
        guard freeWritten > 0, reconnects >= Double(BadTokenPrice.errorsMin) else { return least }
        let written = total(siblings) { Double($0.written) }
        return max(least, (total(siblings, used) - total(free, used) / freeWritten * written) / reconnects)
    }
}

extension BadTokenPrice {
    /// What a bad token costs in one run by itself, whose rate without errors is taken from the run, too; nil if there was none, over
    /// HTTP/2, and for runs that did not finish.
    public init?(_ record: RunRecord) {
        let run = SweepRunRecord(cell: 0, record)
        guard run.isComplete, let own = BadTokenCase(cell: 0, runs: [run]) else { return nil }
        self = own.price(scatter: 0)
    }
}
