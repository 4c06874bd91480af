/// What a run sends to.
public enum TargetSettings: Equatable, Sendable {
    /// The project's own simulator, started as a child process on the loopback address.
    case simulator(SimulatorSettings)
    /// A gateway at an address.
    case gateway(GatewaySettings)
}

/// A gateway that somebody else runs.
public struct GatewaySettings: Equatable, Sendable {
    /// Host name or address; no default. What may be named here, ``TargetPolicy`` decides.
    public var host = ""
    /// TCP port, 1 to 65,535. Default: 2195, the binary interface's.
    public var port = 2195
    /// The environment that the gateway serves. Default: sandbox.
    public var environment = EnvironmentName.sandbox
    /// How the connection is secured.
    public var tls = TLSSettings()

    /// Makes the settings of a gateway at a host.
    public init(host: String = "") { self.host = host }
}

/// Files and rules of the sender's TLS; files are named, never copied into a record.
public struct TLSSettings: Equatable, Sendable {
    /// PEM file of the authorities that the gateway's certificate must come from; nil for the system's.
    public var caFile: String?
    /// PEM file of the provider's certificate (and its chain); nil for none.
    public var certificateFile: String?
    /// PEM file of the certificate's private key; nil if it stands in ``certificateFile``.
    public var keyFile: String?
    /// PKCS#12 bundle of certificate, chain and key, instead of the PEM files; nil for none.
    public var pkcs12File: String?
    /// File whose first line is the passphrase of key or bundle; nil to take it from the environment variable
    /// `PUSHBENCH_PASSPHRASE`, if that is set.
    public var passphraseFile: String?
    /// Whether a certificate that has expired is shown nevertheless, to see what the gateway does. Default: false.
    public var allowExpired = false
    /// Name for SNI and verification; nil for the host.
    public var serverName: String?
    /// Whether the gateway's certificate and name are verified. Default: true.
    public var verify = true
    /// The lowest TLS version that is offered. Default: 1.2.
    public var minVersion = TLSVersion.tls12
    /// The highest TLS version that is offered. Default: 1.3.
    public var maxVersion = TLSVersion.tls13

    /// Makes the default: the system's authorities, verification on, no certificate.
    public init() {}
}
