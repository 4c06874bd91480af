import Histograms

/// The latency series of a run; those behind ``reconnect`` come into being with their first value.
enum Series: Int, CaseIterable {
    case residence, errorReply, connectTCP, connectTLS, reconnect
    case reconnectDetect, reconnectWait, reconnectTCP, reconnectTLSFull, reconnectTLSResumed, reconnectWrite
    case firstAcceptance
    case scheduleLag, sendGap, response, responseBound, serviceBound
    /// From the request to the end of its response, of those accepted and of those refused; what the gateway kept waiting.
    case service, serviceRefused, blocked
    /// From when a refused request was meant to begin to the end of its response.
    case responseRefused
    /// By how much idle timers were late.
    case timerLag

    /// The name in records and thresholds.
    var name: String { "\(self)" }

    /// The name in interval logs: the series' own in the measured part, else with the phase before it.
    func tag(in phase: RunPhase) -> String { phase == .measure ? name : "\(phase.rawValue)/\(name)" }
}

/// What series hold, by phase.
typealias SeriesSnapshots = [RunPhase: [Series: HistogramSnapshot]]

/// The latency series of one event loop.
///
/// A value is recorded once, into the present interval; when that ends it is added to those before it. So the intervals of a run
/// add up to its totals to the last bit.
struct SeriesBook {
    private var measured = Series.allCases.map { $0.rawValue <= Series.reconnect.rawValue ? Histogram() : nil }
    private var others: [RunPhase: [Series: Histogram]] = [:]
    /// What was taken as intervals.
    private var earlier: [RunPhase: [Series: Histogram]] = [:]

    /// Where a series of a phase is recorded at present.
    subscript(_ name: Series, _ phase: RunPhase) -> Histogram {
        mutating get {
            if phase == .measure {
                if let histogram = measured[name.rawValue] { return histogram }
                let histogram = Histogram()
                measured[name.rawValue] = histogram
                return histogram
            }
            if let histogram = others[phase]?[name] { return histogram }
            let histogram = Histogram()
            others[phase, default: [:]][name] = histogram
            return histogram
        }
    }

    /// Everything that was recorded in the series that came into being.
    var snapshots: SeriesSnapshots {
        var all: SeriesSnapshots = [:]
        for (phase, name, histogram) in present {
            guard let sum = earlier[phase]?[name]?.copy() else {
                all[phase, default: [:]][name] = histogram.snapshot()
                continue
            }
            sum.addOrStop(histogram.snapshot())
            all[phase, default: [:]][name] = sum.snapshot()
        }
        return all
    }

    /// Ends the interval of some series, and returns what was recorded in it; empty ones are left out.
    mutating func takeInterval(of names: Set<Series>) -> SeriesSnapshots {
        var taken: SeriesSnapshots = [:]
        for (phase, name, histogram) in present where names.contains(name) {
            let snapshot = histogram.takeSnapshot()
            guard snapshot.totals.count > 0 || snapshot.totals.invalidCount > 0 else { continue }
            let sum = earlier[phase]?[name] ?? Histogram()
            sum.addOrStop(snapshot)
            earlier[phase, default: [:]][name] = sum
            taken[phase, default: [:]][name] = snapshot
        }
        return taken
    }

    private var present: [(RunPhase, Series, Histogram)] {
        var all: [(RunPhase, Series, Histogram)] = []
        for name in Series.allCases {
            if let histogram = measured[name.rawValue] { all.append((.measure, name, histogram)) }
        }
        for (phase, series) in others { all += series.map { (phase, $0.key, $0.value) } }
        return all
    }
}

extension Histogram {
    /// Adds a part of the same run.
    func addOrStop(_ part: HistogramSnapshot) {
        do throws(HistogramError) {
            try add(part)
        } catch {
            preconditionFailure("all series of a run have one geometry, and fewer values than a count holds")
        }
    }
}
