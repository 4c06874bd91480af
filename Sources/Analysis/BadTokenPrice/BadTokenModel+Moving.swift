public import Primitives

extension BadTokenModel {
    /// The same setting at another share of bad tokens.
    public func with(badShare: Double) -> BadTokenModel {
        var other = self
        other.badShare = badShare
        return other
    }

    /// The same setting at a round trip that is longer by so much, or shorter if it is negative.
    ///
    /// A reply takes one round trip more, a reconnect two: one for TCP and one for TLS 1.3, or for TLS 1.2 that resumes a session (RFC 8446
    /// section 2, RFC 5246 section 7.3). A bounded number on their way then bounds a connection to as many in a round trip; if they
    /// are fewer than the machine takes, connections are the bound.
    ///
    /// - Parameters:
    ///   - change: by how much the round trip is longer.
    ///   - round: from the write of a notification to the moment at which it makes room for another one, at present.
    /// - Returns: the model there.
    public func moved(by change: Interval, round: Interval) -> BadTokenModel {
        var other = self
        other.reply = max(.zero, reply + change)
        other.replyMedian = replyMedian.map { max(.zero, $0 + change) }
        other.reconnect = max(.zero, reconnect + change * 2)
        guard let onWayMax else { return other }
        let longer = round + change
        guard longer > .zero else { return other }
        let most = Double(connections) * onWayMax / longer.seconds
        switch bound {
        case .connections:
            // What bounds them now is what they have on their way, or else they would not follow the round trip.
            guard round > .zero else { return other }
            other.errorFreePerSecond = errorFreePerSecond * (round.seconds / longer.seconds)
            other.load = load * (round.seconds / longer.seconds)
        case .machine where most < errorFreePerSecond:
            other.bound = .connections
            other.load = most / errorFreePerSecond
            other.errorFreePerSecond = most
        case .machine: break
        }
        return other
    }
}
