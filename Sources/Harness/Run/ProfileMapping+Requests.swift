import Primitives
import ProviderSessions
import PushWire
import RunRecords
import SecureChannel
import Transport

extension Profile {
    /// What requests of the provider API carry and how long they may take; nil for other protocols. `host` is the target's name, which
    /// stands in `:authority` unless the profile has another one.
    func requestPlan(host: String) -> RequestPlan? {
        guard protocolName == .http2 else { return nil }
        let http2 = sender.http2
        var fields = RequestFields(authority: http2.authority ?? host)
        fields.authorizationIndexing = http2.authorizationIndexing == .indexed ? .indexed : .literal
        fields.topic = http2.topic
        fields.pushType = http2.pushType
        fields.priority = sender.priority
        fields.expiration = UInt64(sessionPlan().expiry)
        fields.collapseID = http2.collapseID
        var plan = RequestPlan(fields: fields, ids: NotificationIDSpace(seed: workload.seed))
        plan.streams = sender.streams
        plan.provesAuthorization = http2.authentication == .token
        plan.requestTimeout = http2.requestTimeout
        plan.pingAfter = http2.pingAfter
        plan.pingTimeout = http2.pingTimeout
        plan.refusedLimit = UInt16(http2.retry.refusedStream)
        plan.retries.otherConnectionLimit = UInt8(http2.retry.otherConnection)
        plan.retries.laterLimit = UInt8(http2.retry.later)
        plan.retries.laterDelay = http2.retry.laterDelay
        plan.retries.backoffLimit = UInt8(http2.retry.backoff)
        plan.retries.backoffDelay = http2.retry.backoffDelay
        return plan
    }

    /// Who signs the provider tokens of the run; nil if there are none. `simulated` is the key that the simulator believes, for a profile
    /// that names none.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` for a file without a key that can be used.
    func authorization(simulated: ProviderSigningKey?) throws(HarnessError) -> Authorization? {
        let http2 = sender.http2
        guard protocolName == .http2, http2.authentication == .token else { return nil }
        let name = http2.keyFile ?? "the simulator's key"
        let pem: [UInt8]
        if let file = http2.keyFile {
            pem = try readFile(file)
        } else if let simulated {
            pem = Array(simulated.keyPEM.utf8)
        } else {
            throw .invalidInput(
                "sender.http2.keyFile: provider tokens need a key, where the target is not the simulator or "
                    + "believes keys of files only")
        }
        do throws(TLSFailure) {
            let key = try SigningKey(pem: pem)
            let count = http2.tokens == .perConnection ? sender.connections : 1
            return Authorization(
                (0..<count).map { _ in
                    ProviderTokenSource(
                        key: key, keyID: http2.keyID ?? simulated?.keyID ?? "",
                        teamID: http2.teamID ?? simulated?.teamID ?? "", renewal: http2.renewal,
                        unixOffset: UnixClock.offset)
                })
        } catch {
            throw .invalidInput("\(name): \(error)")
        }
    }
}
