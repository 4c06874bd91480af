import GatewaySimulator
import RunRecords
import Transport

extension Link {
    /// Ends the link as a gateway's session wants it.
    func close(_ mode: CloseMode) {
        switch mode {
        case .graceful: close(.graceful(drain: GatewayLink.lingerTime))
        case .fin: close(LinkClosing.fin)
        case .abrupt: close(LinkClosing.abrupt)
        case .reset: close(LinkClosing.reset)
        case .halfClose: halfClose()
        case .never: break
        }
    }
}

extension CloseMode {
    /// A close by its name in profiles.
    init(_ mode: FaultSettings.CloseMode) {
        switch mode {
        case .graceful: self = .graceful
        case .fin: self = .fin
        case .abrupt: self = .abrupt
        case .reset: self = .reset
        case .halfClose: self = .halfClose
        case .never: self = .never
        }
    }
}
