// swift-tools-version: 6.3
import PackageDescription

/// Every Swift target gets the same settings, so that none can forget one.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

/// The module map of ARCHITECTURE.md: a name and the modules it may import.
let modules: [(name: String, imports: [String])] = [
    ("Primitives", []),
    ("PushWire", ["Primitives"]),
    ("Statistics", ["Primitives"]),
    ("Histograms", ["Primitives", "CZlib"]),
    ("Workload", ["Primitives", "PushWire"]),
    ("ProviderSessions", ["Primitives", "PushWire", "Workload"]),
    ("GatewaySimulator", ["Primitives", "PushWire", "Workload"]),
    ("SecureChannel", ["Primitives", "PushWire", "COpenSSL", "CShims"]),
    ("Transport", ["Primitives", "SecureChannel", "COpenSSL", "CShims"]),
    ("SimulatedTransport", ["Primitives", "PushWire", "Workload", "ProviderSessions", "GatewaySimulator"]),
    ("RunRecords", ["Primitives", "PushWire", "Histograms", "Workload"]),
    ("Analysis", ["Primitives", "RunRecords", "Histograms", "Statistics"]),
    ("Reports", ["Primitives", "RunRecords", "Analysis", "Histograms", "Statistics"]),
    (
        "Harness",
        [
            "Primitives", "PushWire", "Histograms", "Statistics", "Workload", "ProviderSessions", "GatewaySimulator",
            "SecureChannel", "Transport", "RunRecords", "CShims",
        ]
    ),
]

/// Only the programs are linked to jemalloc, not the tests: sanitizers bring an allocator of their own, and a program that is built for
/// one (`SANITIZE` in the environment) does without, too.
let allocator: [LinkerSetting] = Context.environment["SANITIZE"] == nil ? [.linkedLibrary("jemalloc")] : []

let package = Package(
    name: "pushbench",
    products: [.executable(name: "pushbench", targets: ["pushbench"])],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(name: "CShims"),
        .executableTarget(
            name: "pushbench",
            dependencies: [
                "Harness", "Reports", "Analysis", "Statistics", "RunRecords", "Histograms", "Workload",
                "GatewaySimulator",
                "ProviderSessions", "SecureChannel", "Transport", "PushWire", "Primitives", "CShims",
            ],
            linkerSettings: allocator),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Harness", "Analysis", "Statistics", "RunRecords", "Histograms", "Workload", "GatewaySimulator",
                "PushWire",
                "Primitives",
                "Transport", "SecureChannel", "CShims",
            ],
            path: "Benchmarks",
            linkerSettings: allocator),
        .testTarget(name: "PrimitivesTests", dependencies: ["Primitives"]),
        .testTarget(
            name: "PushWireTests", dependencies: ["PushWire", "GatewaySimulator", "Primitives", "CNghttp2"]),
        .testTarget(name: "StatisticsTests", dependencies: ["Statistics", "Primitives"]),
        .testTarget(name: "HistogramsTests", dependencies: ["Histograms", "Primitives"]),
        .testTarget(name: "WorkloadTests", dependencies: ["Workload", "PushWire", "Primitives"]),
        .testTarget(
            name: "SessionTests",
            dependencies: [
                "Analysis", "ProviderSessions", "GatewaySimulator", "SimulatedTransport", "Histograms", "Workload",
                "PushWire", "Primitives",
            ]),
        .testTarget(
            name: "ProviderAPITests",
            dependencies: [
                "GatewaySimulator", "ProviderSessions", "SecureChannel", "Histograms", "Workload", "PushWire",
                "Primitives",
            ]),
        .testTarget(
            name: "TransportTests", dependencies: ["Transport", "SecureChannel", "Primitives", "CShims"]),
        .testTarget(
            name: "RecordTests",
            dependencies: ["RunRecords", "Reports", "Analysis", "Statistics", "Histograms", "Workload", "Primitives"]),
        .testTarget(
            name: "HarnessTests",
            dependencies: [
                "Harness", "Analysis", "ProviderSessions", "RunRecords", "Histograms", "Statistics", "Workload",
                "Primitives",
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Harness", "Analysis", "Transport", "SecureChannel", "Reports", "RunRecords", "Histograms", "Workload",
                "GatewaySimulator", "SimulatedTransport", "PushWire", "Primitives", "CShims",
            ]),
        .testTarget(
            name: "InteropTests", dependencies: ["RunRecords", "Histograms", "Primitives"], exclude: ["Clients"]),
        .testTarget(name: "TidyTests", dependencies: ["RunRecords"]),
    ]
        + modules.map { module in
            .target(name: module.name, dependencies: module.imports.map { .init(stringLiteral: $0) })
        },
    swiftLanguageModes: [.v6]
)

for target in package.targets where ![.system, .binary].contains(target.type) && target.name != "CShims" {
    target.swiftSettings = settings
}
