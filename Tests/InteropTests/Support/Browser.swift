import Foundation
import Glibc

/// A headless Chromium of Debian's packages, which `scripts/interop-setup` installs where it may.
enum Browser {
    /// Its path; nil if there is none.
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium"]
        return names.flatMap { name in folders.map { "\($0)/\(name)" } }.first { access($0, X_OK) == 0 }
    }()

    /// Whether tests fail without one, as in continuous integration.
    static var isRequired: Bool { ProcessInfo.processInfo.environment["REQUIRE_BROWSER"] == "1" }
}
