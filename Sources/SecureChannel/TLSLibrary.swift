import COpenSSL

/// The TLS library that is linked.
public enum TLSLibrary {
    /// Its name and version as it tells them, such as "OpenSSL 3.0.19 27 Jan 2026".
    public static var version: String { String(cString: OpenSSL_version(0)) }
}
