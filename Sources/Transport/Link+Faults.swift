internal import Glibc
internal import Primitives
internal import SecureChannel

/// Handshakes that go wrong on purpose.
extension Link {
    /// Does what a fault does before anything was read.
    func beginFault(_ fault: HandshakeFault.Kind) {
        switch fault {
        case .closeAtOnce: finishLingering(.closedLocally)
        case .silence: setOwnDeadline(nil)
        case .closeAfterHello, .alert: break
        }
    }

    /// Does what a fault does when the client's first flight, or some of it, was read.
    func carryOut(_ fault: HandshakeFault.Kind) {
        switch fault {
        case .closeAtOnce, .silence: break
        case .closeAfterHello: finishLingering(.closedLocally)
        case .alert(let description):
            currentOutput.append(alert: description)
            finishLingering(.closedLocally)
        }
    }
}
