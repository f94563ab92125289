// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that the product does not depend on the benchmark tools.
// Needs Debian's libboost-dev and libnanoflann-dev.

let houseSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let core: Target.Dependency = .product(name: "MoyeoCore", package: "moyeo")

let package = Package(
  name: "moyeo-benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "IndexSuite", targets: ["IndexSuite"])],
  dependencies: [
    .package(name: "moyeo", path: ".."),
    .package(
      url: "https://github.com/ordo-one/benchmark.git", .upToNextMinor(from: "1.38.1"), traits: []),
  ],
  targets: [
    // The seeded workload: a synthetic Seoul.
    .target(name: "SeoulWorkload", swiftSettings: houseSettings),
    // boost rtree and nanoflann behind a C interface.
    .target(
      name: "BaselineTrees",
      cxxSettings: [.unsafeFlags(["-O3", "-std=c++17", "-w"])]),
    // All figures of one run as JSON.
    .executableTarget(
      name: "IndexSuite", dependencies: [core, "SeoulWorkload", "BaselineTrees"],
      swiftSettings: houseSettings),
    // Bulk loads, moves and encoded tiles.
    .executableTarget(
      name: "ClusterBenchmarks",
      dependencies: [core, .product(name: "VectorTiles", package: "moyeo")],
      swiftSettings: houseSettings),
    // Batch matching against known optima; one rider against many open parties.
    .executableTarget(
      name: "MatchingBenchmarks", dependencies: [core], swiftSettings: houseSettings),
    .executableTarget(
      name: "PartyMatchBenchmarks", dependencies: [core], swiftSettings: houseSettings),
    // One person's search among 100,000 who wait.
    .executableTarget(
      name: "TicketSearchBenchmarks", dependencies: [core], swiftSettings: houseSettings),
    // The same work under ordo-one's harness.
    .executableTarget(
      name: "IndexBenchmarks",
      dependencies: [
        core, "SeoulWorkload", .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/IndexBenchmarks",
      swiftSettings: houseSettings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  cxxLanguageStandard: .cxx17
)
