import COpenSSL
import CShims

/// The TLS library that is linked.
public enum TLSLibrary {
    /// Its name and version as it tells them, such as "OpenSSL 3.0.19 27 Jan 2026".
    public static var version: String { String(cString: OpenSSL_version(0)) }

    /// Lets the library take its small blocks from those that each thread keeps; must come before all other uses of it.
    ///
    /// It asks for three blocks for each record that it writes, which is most of all requests in a run. False when the
    /// library was used before, and then it goes on with the allocator's.
    @discardableResult
    static func prepare() -> Bool { isPrepared }

    private static let isPrepared: Bool = {
        let takesBlocks = CRYPTO_set_mem_functions(shim_pooled_malloc, shim_pooled_realloc, shim_pooled_free) == 1
        // Event loops may still be at work when the process exits; the library must not take itself apart under them.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return takesBlocks
    }()

    /// The version whose headers this program was built with, in the same form.
    public static let headerVersion = OPENSSL_VERSION_TEXT

    /// Whether the linked library is of the headers' major and minor version, and no older than them, as its promise of
    /// compatibility asks.
    public static var matchesHeaders: Bool {
        OPENSSL_version_major() == OPENSSL_VERSION_MAJOR && OPENSSL_version_minor() == OPENSSL_VERSION_MINOR
            && OPENSSL_version_patch() >= OPENSSL_VERSION_PATCH
    }
}
