// swift-tools-version:6.2
import PackageDescription

// The house: arrows point down only (see Decisions/0001-modules-point-down.md). The build checks it with
// `swift build --explicit-target-dependency-import-check error`.

let houseSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

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
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")

let coreModules = [
  "GeoMath", "ObjectModel", "QueryCoalescing", "SpatialIndexing", "TaxiFares", "RoutePlanning",
  "PointClustering", "CitySimulation", "RideMatching",
]

let package = Package(
  name: "moyeo",
  products: [
    .library(name: "MoyeoCore", targets: coreModules),
    .library(name: "VectorTiles", targets: ["VectorTiles"]),
    .library(name: "MoyeoClient", targets: ["MoyeoClient", "MoyeoAPI"]),
    .executable(name: "moyeod", targets: ["moyeod"]),
    .executable(name: "moyeo", targets: ["moyeo"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf.git", from: "2.4.1"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
  ],
  targets: [
    // Tier 0
    coreTarget("GeoMath"),
    coreTarget("ObjectModel"),
    coreTarget("QueryCoalescing"),
    // Tier 1
    // Prefetch instructions, which Swift has no words for (Decisions/0008).
    .target(name: "CMemoryHints"),
    coreTarget("SpatialIndexing", ["CMemoryHints", "GeoMath", "ObjectModel"], pointers: true),
    coreTarget("TaxiFares", ["GeoMath", "ObjectModel"]),
    coreTarget("RoutePlanning", ["GeoMath", "ObjectModel"]),
    // Tier 2
    coreTarget("PointClustering", ["GeoMath", "ObjectModel"], pointers: true),
    coreTarget("CitySimulation", ["GeoMath", "ObjectModel"]),
    coreTarget(
      "RideMatching",
      ["GeoMath", "ObjectModel", "SpatialIndexing", "TaxiFares", "RoutePlanning"]),
    // Tier 3
    coreTarget(
      "MoyeoEngine",
      [
        "GeoMath", "ObjectModel", "QueryCoalescing", "SpatialIndexing", "PointClustering",
        "TaxiFares", "RoutePlanning", "RideMatching",
      ]),
    // Tier 4
    .systemLibrary(
      name: "CSpatiaLite", pkgConfig: "spatialite", providers: [.apt(["libspatialite-dev"])]),
    .target(
      name: "MoyeoStorage",
      dependencies: [
        "MoyeoEngine", "GeoMath", "ObjectModel", "RoutePlanning", "CSpatiaLite",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: houseSettings),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "VectorTiles", dependencies: ["GeoMath", "CZlib", swiftProtobuf],
      exclude: ["Proto"], swiftSettings: houseSettings),
    .target(
      name: "RouteProviders",
      dependencies: [
        "GeoMath", "ObjectModel", "QueryCoalescing", "RoutePlanning", nioCore,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        nioHTTP1,
      ],
      swiftSettings: houseSettings),
    .target(
      name: "MoyeoAPI", dependencies: [swiftProtobuf, grpcCore, grpcProtobuf],
      swiftSettings: houseSettings),
    // Tier 5
    .target(
      name: "MoyeoServer",
      dependencies: [
        "MoyeoAPI", "MoyeoEngine", "GeoMath", "ObjectModel", "QueryCoalescing",
        "SpatialIndexing", "PointClustering", "VectorTiles", "TaxiFares", "RoutePlanning",
        "RideMatching",
        grpcCore, grpcProtobuf, swiftProtobuf, hummingbird,
        nioCore, nioPosix, logging,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: houseSettings),
    .target(
      name: "MoyeoClient",
      dependencies: [
        "MoyeoAPI", grpcCore, grpcProtobuf, grpcTransport, swiftProtobuf, nioCore, nioPosix,
        nioHTTP1, .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      swiftSettings: houseSettings),
    // Tier 6
    .executableTarget(
      name: "moyeod",
      dependencies: [
        "MoyeoServer", "MoyeoEngine", "CitySimulation", "GeoMath", "ObjectModel",
        "MoyeoStorage", "RideMatching", "RoutePlanning", "RouteProviders", "TaxiFares", logging,
        nioPosix,
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
        "MoyeoClient", "MoyeoAPI", "MoyeoEngine", "MoyeoStorage", "CitySimulation", "GeoMath",
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
        "MoyeoEngine", "MoyeoStorage", "GeoMath", "ObjectModel", "RideMatching",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Sources/JoinBenchmark", swiftSettings: houseSettings),

    // Tests
    houseTests("GeoMathTests", ["GeoMath", "CSpatiaLite"]),
    houseTests("ObjectModelTests", ["ObjectModel"]),
    houseTests("QueryCoalescingTests", ["QueryCoalescing"]),
    // Counts allocations by standing in for malloc in the test binary.
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    houseTests(
      "SpatialIndexingTests",
      ["SpatialIndexing", "GeoMath", "ObjectModel", "CAllocationCounter"]),
    houseTests("TaxiFaresTests", ["TaxiFares", "ObjectModel"]),
    houseTests("RoutePlanningTests", ["RoutePlanning", "GeoMath", "ObjectModel"]),
    houseTests("PointClusteringTests", ["PointClustering", "GeoMath", "ObjectModel"]),
    houseTests("CitySimulationTests", ["CitySimulation", "GeoMath", "ObjectModel"]),
    houseTests(
      "RideMatchingTests",
      ["RideMatching", "RoutePlanning", "TaxiFares", "GeoMath", "ObjectModel"]),
    houseTests("VectorTilesTests", ["VectorTiles", "GeoMath", swiftProtobuf]),
    houseTests(
      "RouteProvidersTests",
      [
        "RouteProviders", "RoutePlanning", "QueryCoalescing", "GeoMath", "ObjectModel", nioCore,
        nioPosix, nioHTTP1,
      ]),
    .target(
      name: "CFaultyFiles", path: "Tests/CFaultyFiles",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    houseTests(
      "MoyeoStorageTests",
      [
        "MoyeoStorage", "MoyeoEngine", "RoutePlanning", "GeoMath", "ObjectModel", "CSpatiaLite",
        "CFaultyFiles",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    houseTests(
      "MoyeoEngineTests",
      [
        "MoyeoEngine", "QueryCoalescing", "SpatialIndexing", "PointClustering", "TaxiFares",
        "RideMatching", "RoutePlanning", "GeoMath", "ObjectModel", swiftProtobuf,
      ], exclude: ["Fares/Fixtures"]),
    houseTests("MoyeoAPITests", ["MoyeoAPI", swiftProtobuf]),
    houseTests(
      "MoyeoServerTests",
      [
        "MoyeoServer", "MoyeoAPI", "MoyeoEngine", "GeoMath", "ObjectModel", "QueryCoalescing",
        "SpatialIndexing", "PointClustering", "TaxiFares", "RoutePlanning", "RideMatching",
        "VectorTiles", grpcCore,
        grpcProtobuf, grpcTransport, swiftProtobuf, nioCore, nioPosix, nioHTTP1, logging,
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ]),
    houseTests(
      "MoyeoClientTests",
      [
        "MoyeoClient", "MoyeoAPI", swiftProtobuf, grpcCore, grpcProtobuf, grpcTransport, nioCore,
        nioPosix, nioHTTP1,
      ]),
    houseTests(
      "MoyeoCommandTests", ["moyeo", "MoyeoAPI", "MoyeoClient", swiftProtobuf]),
  ]
)

// The algorithm modules, the engine and their tests alone, without the wire's dependencies: what
// the thread sanitizer and release-mode test runs build (a minute or two instead of six).
if Context.environment["MOYEO_CORE_ONLY"] == "1" {
  let kept = Set(
    (coreModules + ["MoyeoEngine"]).flatMap { [$0, $0 + "Tests"] }
      + ["CAllocationCounter", "CMemoryHints", "CSpatiaLite"])
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { $0.name != "MoyeoCore" }
  package.dependencies = []
  for target in package.targets {
    target.dependencies.removeAll {
      if case .productItem = $0 { true } else { false }
    }
  }
}
