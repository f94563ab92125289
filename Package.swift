// swift-tools-version:6.2
import PackageDescription

// The house: arrows point down only (see Decisions/0001-modules-point-down.md). The build checks it with
// `swift build --explicit-target-dependency-import-check error`.

let houseSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  // A stranger with a newer toolchain, which may warn of more, still gets a build.
  + (Context.environment["MOYEO_WARNINGS_ARE_ERRORS"] == "1"
    ? [.treatAllWarnings(as: .error)] : [])

/// For modules that hold pointers.
let pointerSettings: [SwiftSetting] = houseSettings + [.strictMemorySafety()]

func coreTarget(
  _ name: String, _ dependencies: [Target.Dependency] = [], pointers: Bool = false
) -> Target {
  .target(
    name: name, dependencies: dependencies,
    swiftSettings: pointers ? pointerSettings : houseSettings)
}

func houseTests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: houseSettings)
}

let grpcCore: Target.Dependency = .product(name: "GRPCCore", package: "grpc-swift-2")
let grpcProtobuf: Target.Dependency = .product(
  name: "GRPCProtobuf", package: "grpc-swift-protobuf")
let grpcTransport: Target.Dependency = .product(
  name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport")
let swiftProtobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioConcurrencyHelpers: Target.Dependency = .product(
  name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let instrumentation: Target.Dependency = .product(
  name: "Instrumentation", package: "swift-distributed-tracing")
let dequeModule: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heapModule: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")

/// The one dependency of the algorithm modules.
let collections: Package.Dependency = .package(
  url: "https://github.com/apple/swift-collections.git", .upToNextMinor(from: "1.6.0"))

/// What the gRPC transport is made of.
let transportPackages: [Package.Dependency] = [
  .package(url: "https://github.com/grpc/grpc-swift-2.git", .upToNextMinor(from: "2.4.3")),
  .package(url: "https://github.com/apple/swift-nio.git", .upToNextMinor(from: "2.101.2")),
  .package(url: "https://github.com/apple/swift-nio-http2.git", .upToNextMinor(from: "1.46.0")),
  .package(url: "https://github.com/apple/swift-nio-ssl.git", .upToNextMinor(from: "2.37.6")),
  .package(
    url: "https://github.com/apple/swift-distributed-tracing.git", .upToNextMinor(from: "1.7.3")),
]

let coreModules = [
  "GeoMath", "ObjectModel", "Threading", "QueryCoalescing", "SpatialIndexing", "TaxiFares",
  "RoutePlanning", "PointClustering", "CitySimulation", "RideMatching",
  "PositionProtection", "PeerMatching",
]
/// What a daemon does without its wire and its store.
let serviceModules = [
  "WireFormat", "LiveLayers", "FareEstimation", "DurableCommands", "Parties", "Tickets",
  "Places",
]

let package = Package(
  name: "moyeo",
  products: [
    .library(name: "MoyeoCore", targets: coreModules),
    .library(name: "VectorTiles", targets: ["VectorTiles", "GzipCoding"]),
    .library(name: "MoyeoClient", targets: ["MoyeoClient", "MoyeoAPI"]),
    .executable(name: "moyeod", targets: ["moyeod"]),
    .executable(name: "moyeo", targets: ["moyeo"]),
  ],
  dependencies: transportPackages + [
    collections,
    .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
    .package(
      url: "https://github.com/grpc/grpc-swift-nio-transport.git", .upToNextMinor(from: "2.9.2")),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf.git", .upToNextMinor(from: "2.4.1")),
    .package(
      url: "https://github.com/apple/swift-protobuf.git", .upToNextMinor(from: "1.39.0"), traits: []
    ),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
    .package(
      url: "https://github.com/apple/swift-configuration.git", .upToNextMinor(from: "1.4.0")),
    .package(
      url: "https://github.com/apple/swift-argument-parser.git", .upToNextMinor(from: "1.8.2")),
    .package(url: "https://github.com/apple/swift-metrics.git", .upToNextMinor(from: "2.13.0")),
    .package(url: "https://github.com/apple/swift-http-types.git", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-log.git", .upToNextMinor(from: "1.16.2")),
    .package(url: "https://github.com/apple/swift-system.git", .upToNextMinor(from: "1.8.1")),
    .package(url: "https://github.com/apple/swift-nio-extras.git", .upToNextMinor(from: "1.35.2")),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle.git",
      .upToNextMinor(from: "2.13.0")),
    .package(
      url: "https://github.com/swift-server/async-http-client.git", .upToNextMinor(from: "1.37.0")),
    .package(url: "https://github.com/vapor/jwt-kit.git", .upToNextMinor(from: "5.7.1")),
    .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
    .package(
      url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", .upToNextMinor(from: "0.2.0")),
  ],
  targets: [
    // Tier 0
    coreTarget("GeoMath"),
    coreTarget("ObjectModel"),
    coreTarget("WireFormat", ["ObjectModel"]),
    // Threads with names, which glibc declares for C alone.
    .target(name: "CThreads"),
    coreTarget("Threading", ["CThreads", dequeModule]),
    coreTarget("QueryCoalescing", ["Threading", heapModule]),
    // Tier 1
    // Prefetch instructions, which Swift has no words for (Decisions/0008).
    .target(name: "CMemoryHints"),
    coreTarget(
      "SpatialIndexing", ["CMemoryHints", "GeoMath", "ObjectModel", "Threading"], pointers: true),
    coreTarget("TaxiFares", ["ObjectModel"]),
    coreTarget("RoutePlanning", ["GeoMath", "ObjectModel"]),
    // Tier 2
    coreTarget(
      "PointClustering", ["GeoMath", "ObjectModel", "Threading", heapModule], pointers: true),
    coreTarget("CitySimulation", ["GeoMath", "ObjectModel"]),
    coreTarget(
      "RideMatching",
      ["CMemoryHints", "GeoMath", "ObjectModel", "TaxiFares", "RoutePlanning", heapModule]),
    coreTarget("PositionProtection", ["GeoMath", "ObjectModel"]),
    coreTarget(
      "PeerMatching", ["CMemoryHints", "PositionProtection", "GeoMath", "ObjectModel"],
      pointers: true),
    // Tier 3
    coreTarget(
      "LiveLayers",
      [
        "GeoMath", "ObjectModel", "Threading", "WireFormat", "SpatialIndexing",
        "PointClustering", "PositionProtection",
      ]),
    coreTarget(
      "FareEstimation", ["GeoMath", "ObjectModel", "WireFormat", "TaxiFares", "RoutePlanning"]),
    coreTarget(
      "DurableCommands", ["GeoMath", "ObjectModel", "Threading", dequeModule, heapModule]),
    // Small files that the daemon reads and a command line changes.
    .target(name: "LockedFiles", swiftSettings: houseSettings),
    // Who calls: tokens and API keys.
    .target(
      name: "Identity",
      dependencies: [
        "ObjectModel", "Threading", "WireFormat", "LockedFiles",
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Crypto", package: "swift-crypto"),
      ], swiftSettings: houseSettings),
    // Tier 4
    .target(
      name: "Webhooks",
      dependencies: [
        "DurableCommands", "ObjectModel", "LockedFiles", dequeModule, heapModule,
        .product(name: "Crypto", package: "swift-crypto"),
      ], swiftSettings: houseSettings),
    coreTarget(
      "Parties",
      [
        "LiveLayers", "FareEstimation", "DurableCommands", "RideMatching", "TaxiFares",
        "RoutePlanning", "PointClustering", "SpatialIndexing", "GeoMath", "ObjectModel",
        "Threading", "WireFormat",
      ]),
    coreTarget(
      "Tickets",
      [
        "LiveLayers", "DurableCommands", "PeerMatching", "PositionProtection", "QueryCoalescing",
        "PointClustering", "GeoMath", "ObjectModel", "Threading", "WireFormat",
      ]),
    coreTarget(
      "Places",
      ["LiveLayers", "SpatialIndexing", "GeoMath", "ObjectModel", "Threading", heapModule]),
    // Tier 5
    .systemLibrary(
      name: "CSpatiaLite", pkgConfig: "spatialite", providers: [.apt(["libspatialite-dev"])]),
    .target(
      name: "MoyeoStorage",
      dependencies: [
        "WireFormat", "DurableCommands", "LiveLayers", "Parties", "Tickets", "GeoMath",
        "ObjectModel", "RoutePlanning", "Webhooks",
        "Threading", "CSpatiaLite",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: houseSettings),
    // The record in PostgreSQL (Decisions/0020-postgresql-keeps-the-record.md).
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "MoyeoCluster",
      dependencies: [
        "DurableCommands", "LiveLayers", "Threading", "GeoMath", "ObjectModel", "CPostgres",
        nioCore, nioPosix, nioSSL, .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: houseSettings),
    .systemLibrary(
      name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .target(
      name: "GzipCoding", dependencies: ["Threading", "CDeflate"], swiftSettings: houseSettings),
    .target(
      name: "VectorTiles", dependencies: ["GeoMath", "WireFormat", swiftProtobuf],
      exclude: ["Proto"], swiftSettings: houseSettings),
    .target(
      name: "RouteProviders",
      dependencies: [
        "GeoMath", "ObjectModel", "Threading", "QueryCoalescing", "RoutePlanning", "Places",
        nioCore,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        nioHTTP1,
      ],
      swiftSettings: houseSettings),
    .target(
      name: "MoyeoAPI", dependencies: ["WireFormat", swiftProtobuf, grpcCore, grpcProtobuf],
      swiftSettings: houseSettings),
    // Identifiers, traces and spans of calls (Decisions/0019-traces.md).
    coreTarget("CallTracing", ["Threading", tracing, instrumentation]),
    // gRPC over HTTP/2 for servers; knows nothing of ours.
    .target(
      name: "GRPCServerTransport",
      dependencies: [
        "CallTracing", "GzipCoding", "Threading", grpcCore, nioCore, nioPosix, nioSSL, nioTLS,
        heapModule,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
      ],
      swiftSettings: houseSettings),
    // Tier 6
    .target(
      name: "MoyeoServer",
      dependencies: [
        "CallTracing", "GRPCServerTransport", "MoyeoAPI", "Identity", "LiveLayers",
        "FareEstimation", "DurableCommands", "Parties", "Tickets", "Places", "PeerMatching",
        "PositionProtection", "Threading", "WireFormat",
        "GeoMath", "ObjectModel", "QueryCoalescing", "SpatialIndexing", "PointClustering",
        "VectorTiles", "GzipCoding", "TaxiFares", "RoutePlanning",
        "RideMatching",
        grpcCore, grpcProtobuf, swiftProtobuf, hummingbird,
        nioCore, nioPosix, nioHTTP1, logging, tracing, instrumentation,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: houseSettings),
    // Doors for apps that speak another dialect (Decisions/0015-doors-for-dialects.md).
    .target(
      name: "MoyeoAdapters",
      dependencies: [
        "MoyeoServer", "MoyeoAPI", "Identity", "Tickets", "PeerMatching", "Parties",
        "RideMatching", "FareEstimation", "RoutePlanning", "LiveLayers", "Places",
        "SpatialIndexing", "DurableCommands", "WireFormat", "Threading", "GeoMath", "ObjectModel",
      ],
      swiftSettings: houseSettings),
    // GEO commands of Redis over RESP (Decisions/0017-a-door-for-redis.md).
    .target(
      name: "RESPServer",
      dependencies: [
        "GRPCServerTransport", "LiveLayers", "SpatialIndexing", "Threading", "GeoMath",
        "ObjectModel", nioCore, nioPosix,
      ],
      swiftSettings: houseSettings),
    .target(
      name: "MoyeoClient",
      dependencies: [
        "MoyeoAPI", "WireFormat", grpcCore, grpcProtobuf, grpcTransport, swiftProtobuf, nioCore,
        nioConcurrencyHelpers, nioPosix, nioHTTP1, nioSSL,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      swiftSettings: houseSettings),
    // Tier 7
    .executableTarget(
      name: "moyeod",
      dependencies: [
        "CallTracing", "MoyeoAdapters", "RESPServer", "MoyeoServer", "GRPCServerTransport",
        "Identity", "LiveLayers", "FareEstimation", "DurableCommands", "LockedFiles", "Webhooks",
        "Parties", "Tickets", "Places", "PeerMatching", "PositionProtection", "Threading",
        "CitySimulation", "GeoMath", "ObjectModel",
        "MoyeoStorage", "MoyeoCluster", "RideMatching", "RoutePlanning", "RouteProviders",
        "TaxiFares", logging,
        nioCore, nioHTTP1, nioPosix, tracing, instrumentation,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: houseSettings),
    .executableTarget(
      name: "moyeo",
      dependencies: [
        "MoyeoClient", "MoyeoAPI", "Identity", "LiveLayers", "FareEstimation", "DurableCommands",
        "WireFormat", "Webhooks", "MoyeoStorage", "MoyeoCluster", "CitySimulation", "GeoMath",
        "Threading",
        "ObjectModel", "RideMatching", "RoutePlanning", "TaxiFares", swiftProtobuf, nioCore,
        nioPosix, nioHTTP1,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      swiftSettings: houseSettings),
    // Claims a second with their disk, a backup and moves beside them; apart from Benchmarks/, which
    // builds the core alone.
    .executableTarget(
      name: "JoinBenchmark",
      dependencies: [
        "LiveLayers", "FareEstimation", "DurableCommands", "Parties", "Tickets", "MoyeoStorage",
        "PeerMatching", "GeoMath", "ObjectModel", "RideMatching", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Sources/JoinBenchmark", swiftSettings: houseSettings),
    // Places by name and names by place, with the text index of the store.
    .executableTarget(
      name: "PlaceBenchmark",
      dependencies: [
        "Places", "LiveLayers", "GeoMath", "ObjectModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Sources/PlaceBenchmark", swiftSettings: houseSettings),
    // What it costs to know who calls.
    .executableTarget(
      name: "IdentityBenchmark",
      dependencies: [
        "Identity", "ObjectModel", .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Sources/IdentityBenchmark", swiftSettings: houseSettings),
    // An example for each group of calls (docs/clients.md).
    .executableTarget(
      name: "ClientExamples", dependencies: ["MoyeoClient", "MoyeoAPI", swiftProtobuf],
      path: "clients/swift/examples", swiftSettings: houseSettings),

    // Tests
    // What test targets share: seeded numbers, shared data, fares to test with.
    .target(
      name: "TestSupport",
      dependencies: ["DurableCommands", "FareEstimation", "TaxiFares", "GeoMath", "ObjectModel"],
      path: "Tests/TestSupport", swiftSettings: houseSettings),
    houseTests("GeoMathTests", ["GeoMath", "ObjectModel", "TestSupport", "CSpatiaLite"]),
    houseTests("ObjectModelTests", ["ObjectModel"]),
    houseTests("QueryCoalescingTests", ["Threading", "ObjectModel", "QueryCoalescing"]),
    // Counts allocations by standing in for malloc in the test binary.
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    houseTests(
      "SpatialIndexingTests",
      ["SpatialIndexing", "GeoMath", "ObjectModel", "CAllocationCounter"]),
    houseTests("TaxiFaresTests", ["TaxiFares", "ObjectModel", "TestSupport"]),
    houseTests("RoutePlanningTests", ["RoutePlanning", "GeoMath", "ObjectModel", "TestSupport"]),
    houseTests(
      "PointClusteringTests", ["PointClustering", "GeoMath", "ObjectModel", "TestSupport"]),
    houseTests("CitySimulationTests", ["CitySimulation", "GeoMath", "ObjectModel", "TestSupport"]),
    houseTests(
      "RideMatchingTests",
      ["RideMatching", "RoutePlanning", "TaxiFares", "GeoMath", "ObjectModel", "TestSupport"]),
    houseTests(
      "PeerMatchingTests", ["PeerMatching", "PositionProtection", "GeoMath", "ObjectModel"]),
    houseTests("VectorTilesTests", ["VectorTiles", "GzipCoding", "GeoMath", swiftProtobuf]),
    houseTests(
      "RouteProvidersTests",
      [
        "Threading", "QueryCoalescing", "RouteProviders", "RoutePlanning", "Places", "GeoMath",
        "ObjectModel", nioCore,
        nioPosix, nioHTTP1,
      ]),
    .target(
      name: "CFaultyFiles", path: "Tests/CFaultyFiles",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    // Lets waits by the wall clock take as long as they do when somebody sets it back.
    .target(name: "CWallClock", path: "Tests/CWallClock"),
    houseTests(
      "MoyeoStorageTests",
      [
        "MoyeoStorage", "MoyeoCluster", "LiveLayers", "DurableCommands", "Parties",
        "RoutePlanning", "GeoMath", "Webhooks", "ObjectModel", "Threading", "CSpatiaLite",
        "CFaultyFiles", "CWallClock", "TestSupport",
        nioCore,
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    houseTests("WireFormatTests", ["WireFormat", "ObjectModel"]),
    houseTests("ThreadingTests", ["Threading", "ObjectModel"]),
    houseTests(
      "LiveLayersTests",
      [
        "LiveLayers", "Threading", "SpatialIndexing", "PointClustering", "PositionProtection",
        "DurableCommands", "GeoMath", "ObjectModel", swiftProtobuf,
      ]),
    houseTests(
      "FareEstimationTests",
      [
        "FareEstimation", "TaxiFares", "RoutePlanning", "WireFormat", "GeoMath",
        "ObjectModel", "TestSupport",
      ], exclude: ["Fixtures"]),
    houseTests(
      "IdentityTests",
      ["Identity", "ObjectModel", .product(name: "JWTKit", package: "jwt-kit")]),
    houseTests(
      "WebhooksTests",
      ["Webhooks", "LockedFiles", "DurableCommands", "Threading", "ObjectModel", "TestSupport"]),
    houseTests(
      "DurableCommandsTests",
      ["DurableCommands", "Threading", "GeoMath", "ObjectModel", "TestSupport"]),
    houseTests(
      "PartiesTests",
      [
        "Threading", "LiveLayers", "FareEstimation", "DurableCommands", "Parties", "Tickets",
        "WireFormat", "SpatialIndexing", "TaxiFares", "RideMatching", "RoutePlanning",
        "PeerMatching", "GeoMath", "ObjectModel", "TestSupport",
      ]),
    houseTests(
      "TicketsTests",
      [
        "Tickets", "LiveLayers", "DurableCommands", "PeerMatching", "PositionProtection",
        "QueryCoalescing", "SpatialIndexing", "GeoMath", "ObjectModel", "TestSupport",
      ]),
    houseTests(
      "PlacesTests",
      [
        "Places", "LiveLayers", "SpatialIndexing", "GeoMath", "ObjectModel", "Threading",
        "TestSupport",
      ]),
    houseTests("MoyeoAPITests", ["ObjectModel", "WireFormat", "MoyeoAPI", swiftProtobuf]),
    houseTests("CallTracingTests", ["CallTracing", "Threading", tracing, instrumentation]),
    houseTests(
      "GRPCServerTransportTests",
      [
        "CallTracing", "GRPCServerTransport", "GzipCoding", "ObjectModel", "Threading", grpcCore,
        nioCore, nioPosix, nioSSL,
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
      ]),
    houseTests(
      "MoyeoServerTests",
      [
        "CallTracing", "WireFormat", "MoyeoServer", "MoyeoAPI", "MoyeoClient", "Identity",
        "LiveLayers", "FareEstimation", "DurableCommands", "Parties", "Tickets", "Places",
        "PeerMatching",
        "Threading", "GeoMath", "ObjectModel", "TestSupport",
        "SpatialIndexing", "PointClustering", "GRPCServerTransport", "QueryCoalescing",
        "VectorTiles", grpcCore, hummingbird,
        grpcProtobuf, grpcTransport, swiftProtobuf, nioCore, nioPosix, nioHTTP1, logging,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ]),
    houseTests(
      "RESPServerTests",
      [
        "RESPServer", "LiveLayers", "GeoMath", "ObjectModel", nioCore,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    houseTests(
      "MoyeoAdaptersTests",
      [
        "MoyeoAdapters", "MoyeoServer", "MoyeoAPI", "Identity", "Tickets", "PeerMatching",
        "Parties", "RideMatching", "FareEstimation", "RoutePlanning", "LiveLayers",
        "DurableCommands", "Threading", "GeoMath", "ObjectModel", "TestSupport",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ]),
    houseTests(
      "MoyeoClientTests",
      [
        "MoyeoClient", "MoyeoAPI", swiftProtobuf, grpcCore, grpcProtobuf, grpcTransport, nioCore,
        nioConcurrencyHelpers, nioPosix, nioHTTP1,
      ]),
    houseTests(
      "MoyeoCommandTests",
      [
        "moyeo", "FareEstimation", "GeoMath", "LiveLayers", "MoyeoAPI", "MoyeoClient",
        "MoyeoStorage", "ObjectModel", "RideMatching", "RoutePlanning", "TaxiFares", "Threading",
        swiftProtobuf,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// Some of the modules with their tests alone, for builds of another kind (optimised, for the thread
// sanitizer), which so do without what the rest depends on. `MOYEO_PART` says how far up the tiers they go:
// `algorithms`, `services` (what a daemon does without its wire and its store), `transport` (gRPC's), or
// `server` (all but the stores, the doors and the programs).
if let part = Context.environment["MOYEO_PART"] {
  let parts: [(name: String, tested: [String], untested: [String])] = [
    // The services are what the fares to test with are made by.
    ("algorithms", coreModules, ["WireFormat", "FareEstimation", "DurableCommands"]),
    ("services", serviceModules, []),
    ("transport", ["CallTracing", "GRPCServerTransport"], ["GzipCoding", "CDeflate"]),
    (
      "server", ["LockedFiles", "Identity", "Webhooks", "MoyeoServer"],
      ["MoyeoAPI", "MoyeoClient", "VectorTiles"]
    ),
  ]
  guard let last = parts.firstIndex(where: { $0.name == part }) else {
    fatalError("MOYEO_PART is one of \(parts.map(\.name).joined(separator: ", "))")
  }
  let chosen = parts[...last]
  let kept = Set(
    chosen.flatMap(\.tested).flatMap { [$0, $0 + "Tests"] } + chosen.flatMap(\.untested)
      + ["CAllocationCounter", "CMemoryHints", "CThreads", "CSpatiaLite", "TestSupport"])
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { $0.name != "MoyeoCore" }
  if part == "algorithms" || part == "services" {
    package.dependencies = [collections]
    for target in package.targets {
      target.dependencies.removeAll {
        if case .productItem(_, let package, _, _) = $0 {
          package != "swift-collections"
        } else {
          false
        }
      }
    }
  }
}

// Coverage-guided fuzzing (Tests/fuzz, make fuzz-smoke): our modules instrumented for libFuzzer, in a
// build of its own, without what no decoder needs.
if Context.environment["MOYEO_FUZZ"] == "1" {
  package.products = [.executable(name: "moyeo-fuzz", targets: ["MoyeoFuzz"])]
  package.targets.removeAll {
    $0.type == .test || $0.path?.hasPrefix("Tests/") == true
      || [
        "moyeod", "moyeo", "ClientExamples", "JoinBenchmark", "PlaceBenchmark", "IdentityBenchmark",
        "MoyeoClient", "RouteProviders",
      ].contains($0.name)
  }
  package.targets += [
    // The readers of import, without the program around them.
    .target(
      name: "moyeo",
      dependencies: ["MoyeoAPI", "MoyeoStorage", "ObjectModel", "WireFormat", swiftProtobuf],
      sources: [
        "CSV", "Import/CSVImport.swift", "Import/ColumnDetection.swift",
        "Import/ExportedPosition.swift", "Import/FeatureMapping.swift",
        "Import/FeatureScanner.swift", "Import/GeoJSONImport.swift", "Import/ImportItem.swift",
        "Import/NDJSONImport.swift", "Text/AttributeText.swift", "Text/DisplayWidth.swift",
        "Text/JSONOutput.swift", "Text/JSONPieces.swift", "Text/NumberText.swift",
        "Text/Terminal.swift", "Text/TextTable.swift", "Text/TimeText.swift",
      ], swiftSettings: houseSettings),
    // What providers answer, without the client that fetches it.
    .target(
      name: "RouteProviders",
      dependencies: [
        "GeoMath", "ObjectModel", "Threading", "QueryCoalescing", "RoutePlanning", "Places",
      ],
      exclude: ["HTTPClientTransport.swift", "RouteEngine.swift"], swiftSettings: houseSettings),
    .target(name: "CFuzzer", path: "Tests/fuzz/CFuzzer"),
    .executableTarget(
      name: "MoyeoFuzz",
      dependencies: [
        "CFuzzer", "CallTracing", "WireFormat", "MoyeoAPI", "MoyeoServer", "MoyeoAdapters",
        "GRPCServerTransport", "RESPServer", "MoyeoCluster", "SpatialIndexing", "Threading",
        "LiveLayers", "Parties", "FareEstimation", "RouteProviders", "RoutePlanning", "Places",
        "moyeo", "GeoMath", "ObjectModel", swiftProtobuf, grpcCore, nioCore,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ], path: "Tests/fuzz/Sources", swiftSettings: houseSettings),
  ]
  for target in package.targets where target.swiftSettings != nil {
    target.swiftSettings? += [.unsafeFlags(["-sanitize=fuzzer"])]
  }
}
