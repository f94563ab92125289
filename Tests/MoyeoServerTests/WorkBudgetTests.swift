import Foundation
import GeoMath
import GRPCCore
import MoyeoAPI
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import Synchronization
import Testing

@testable import MoyeoServer
import LiveLayers

/// Requests that cost their sender little and would keep a thread busy.
@Suite struct LongRequestTests {
  private static let count = 40_000
  private static let conditions: [Moyeo_V1_AttributeCondition] = [
    .with {
      $0.attribute = "seatsFree"
      $0.min = 1
    }
  ]

  private static func configuration(steps: Int? = nil) -> LayerRegistryConfiguration {
    var limits = LayerLimits()
    if let steps { limits.workPerRequest = steps }
    limits.reportBatch = 50_000
    return LayerRegistryConfiguration(limits: limits)
  }

  /// Objects with the attribute `seats_free`, over a few degrees.
  private static func fill(_ layers: LayerRegistry) throws {
    var random = SplitMix64(seed: 17)
    let operations = PositionOperations(services: RequestServices(layers: layers))
    _ = try operations.report(
      .with {
        $0.layer = "taxis"
        $0.positions = (0..<count).map { i in
          .with {
            $0.id = "taxi-\(i)"
            $0.latitude = 36 + 2 * random.unit()
            $0.longitude = 126 + 2 * random.unit()
            $0.tags = ["free"]
            $0.attributes = ["seats_free": 3]
          }
        }
      })
  }

  private static func nearby(
    _ fill: (inout Moyeo_V1_NearbyRequest) -> Void = { _ in }
  ) -> Moyeo_V1_NearbyRequest {
    .with {
      $0.layer = "taxis"
      $0.latitude = 37
      $0.longitude = 127
      fill(&$0)
    }
  }

  /// The event loop stops after the steps it may do, and the pool answers.
  @Test func whatIsLongLeavesTheEventLoop() async throws {
    let layers = LayerRegistry(
      configuration: Self.configuration(), clock: ManualClock(RunningDaemon.start), epoch: 1)
    try Self.fill(layers)
    let operations = PositionOperations(services: RequestServices(layers: layers))
    let long = Self.nearby { $0.where = Self.conditions }
    func isForPool(_ body: () throws(APIError) -> [UInt8]) -> Bool {
      do throws(APIError) {
        _ = try body()
        return false
      } catch {
        return error.isForPool
      }
    }
    #expect(isForPool { () throws(APIError) in try operations.nearby(long, .eventLoop) })
    #expect(!isForPool { () throws(APIError) in try operations.nearby(long, .pool(WorkCaller())) })
    #expect(
      !isForPool { () throws(APIError) in try operations.nearby(Self.nearby(), .eventLoop) })
    // Of a polygon the corners decide, before any of them is looked at.
    func within(_ corners: Int) -> Moyeo_V1_NearbyRequest {
      Self.nearby {
        $0.within.points = (0..<corners).map { i in
          let angle = 2 * Double.pi * Double(i) / Double(corners)
          return .with {
            $0.latitude = 37 + 0.05 * cos(angle)
            $0.longitude = 127 + 0.05 * sin(angle)
          }
        }
      }
    }
    let most = RequestServices.cornersOnEventLoop
    #expect(!isForPool { () throws(APIError) in try operations.nearby(within(12), .eventLoop) })
    #expect(
      isForPool { () throws(APIError) in try operations.nearby(within(most + 1), .eventLoop) })
    let batch = Moyeo_V1_NearbyBatchRequest.with {
      $0.layer = "taxis"
      $0.requests = [Self.nearby(), long]
    }
    #expect(isForPool { () throws(APIError) in try operations.nearbyBatch(batch, .eventLoop) })
    let tags = Moyeo_V1_TagHistogramRequest.with { $0.layer = "taxis" }
    #expect(isForPool { () throws(APIError) in try operations.tagHistogram(tags, .eventLoop) })
    let counted = try Moyeo_V1_TagHistogramResponse(
      serializedBytes: try await operations.tagHistogram(tags))
    #expect(counted.tags.map(\.count) == [Int32(Self.count)])
  }

  /// The same answer over both wires, from the pool.
  @Test func longRequestsAreAnswered() async throws {
    try await RunningDaemon.run(configuration: Self.configuration()) { daemon in
      try Self.fill(daemon.layers)
      let long = Self.nearby { $0.where = Self.conditions }
      #expect(try await daemon.positions.nearby(long).hits.isEmpty)
      let batch = try await daemon.positions.nearbyBatch(
        .with {
          $0.layer = "taxis"
          $0.requests = [long, Self.nearby { $0.limit = 3 }]
        })
      #expect(batch.responses.map(\.status) == [200, 200])
      #expect(batch.responses[1].body.hits.count == 3)
      let answer = try await daemon.post(
        "/v1/layers/taxis/nearby",
        #"{"latitude":37,"longitude":127,"where":[{"attribute":"seatsFree","min":1}]}"#)
      #expect(answer.status == 200 && answer.hits.isEmpty, "\(answer.text)")
    }
  }

  /// A budget that does not suffice is said with what to narrow; what is short is answered.
  @Test func tooMuchWorkIsRefused() async throws {
    try await RunningDaemon.run(configuration: Self.configuration(steps: 30_000)) { daemon in
      try Self.fill(daemon.layers)
      let long = Self.nearby { $0.where = Self.conditions }
      let refusal = try await GRPCRefusal.of { _ = try await daemon.positions.nearby(long) }
      #expect(refusal.reason == "too_much_work" && refusal.code == .resourceExhausted)
      #expect(refusal.fields == ["where"])
      #expect(try await daemon.positions.nearby(Self.nearby()).hits.count == 20)
      for (path, field) in [
        ("/v1/layers/taxis/tags", "west"),
        ("/v1/layers/taxis/tags?latitude=37&longitude=127&radiusMeters=900000", "radiusMeters"),
        (
          "/v1/layers/taxis/within?west=120&south=30&east=130&north=40&where="
            + "%7B%22attribute%22%3A%22seatsFree%22%2C%22min%22%3A1%7D", "where"
        ),
      ] {
        let answer = try await daemon.get(path)
        #expect(answer.status == 422 && answer.reason == "too_much_work", "\(answer.text)")
        #expect(answer.fields == [field])
      }
      // One budget for all of a batch: those that it suffices for are answered.
      let near = Self.nearby()
      let batch = try await daemon.positions.nearbyBatch(
        .with {
          $0.layer = "taxis"
          $0.requests = [near, long, near]
        })
      #expect(batch.responses.map(\.status) == [200, 422, 422])
      #expect(batch.responses[1].error.fields.map(\.field) == ["requests[1].where"])
    }
  }

  /// Every way of searching stops when its limit is passed.
  @Test(arguments: [0, 100, 5000])
  func searchesStopAtTheirLimit(limit: Int) throws {
    let layers = LayerRegistry(
      configuration: Self.configuration(), clock: ManualClock(RunningDaemon.start), epoch: 1)
    try Self.fill(layers)
    let index = try layers.layer("taxis").index
    let now = RunningDaemon.start
    var nobody = SearchFilter()
    nobody.payloadPredicate = { _ in false }
    for latitude in [37.0, 89.9] {
      var work = SearchWork(spending: WorkBudget(steps: limit))
      _ = index.nearest(
        NearestQuery(latitude: latitude, longitude: 127, limit: 10, filter: nobody), now: now,
        work: &work
      ) { _ in }
      #expect(work.mustEnd() && work.steps <= limit + 1000, "\(work)")
    }
    var work = SearchWork(spending: WorkBudget(steps: limit))
    _ = index.within(
      WithinQuery(area: .box(.world), limit: 10, filter: nobody), now: now, work: &work
    ) { _ in }
    #expect(work.mustEnd() && work.steps <= limit + 2000, "\(work)")
    work = SearchWork(spending: WorkBudget(steps: limit))
    _ = index.tagHistogram(area: nil, limit: 10, now: now, work: &work)
    #expect(work.mustEnd() && work.steps <= limit + 200, "\(work)")
  }

  /// Callers that leave in the middle of a search end it within some hundred steps, whichever way
  /// it searches.
  @Test(arguments: [0, 3, 11])
  func searchesEndWhenTheirCallerLeaves(looksBefore: Int) throws {
    let layers = LayerRegistry(
      configuration: Self.configuration(), clock: ManualClock(RunningDaemon.start), epoch: 1)
    try Self.fill(layers)
    let index = try layers.layer("taxis").index
    let now = RunningDaemon.start
    var nobody = SearchFilter()
    nobody.payloadPredicate = { _ in false }
    var tagged = nobody
    tagged.tags = ["free"]
    let atMost = (looksBefore + 1) * WorkBudget.stepsBetweenLooks + 2000
    func check(_ name: String, _ search: (inout SearchWork) -> Void) {
      let looks = Atomic(0)
      var work = SearchWork(
        spending: WorkBudget(steps: .max) {
          looks.add(1, ordering: .relaxed).oldValue >= looksBefore
        })
      search(&work)
      #expect(work.steps <= atMost, "\(name): \(work)")
      #expect(looks.load(ordering: .relaxed) == looksBefore + 1, "\(name)")
      #expect(throws: WorkBudget.Exhaustion.cancelled) { try work.finish() }
    }
    for latitude in [37.0, 89.9] {
      for filter in [nobody, tagged] {
        check("nearest from \(latitude)") { work in
          let query = NearestQuery(latitude: latitude, longitude: 127, limit: 10, filter: filter)
          _ = index.nearest(query, now: now, work: &work) { _ in }
        }
      }
    }
    check("within") { work in
      let query = WithinQuery(area: .box(.world), limit: 10, filter: nobody)
      _ = index.within(query, now: now, work: &work) { _ in }
    }
    check("histogram") { work in
      _ = index.tagHistogram(area: nil, limit: 10, now: now, work: &work)
    }
  }

  /// What waits for the pool, or runs there, ends with its caller; a deadline is the operator's.
  @Test func longRequestsEndWithTheirCaller() async throws {
    let layers = LayerRegistry(
      configuration: Self.configuration(), clock: ManualClock(RunningDaemon.start), epoch: 1)
    try Self.fill(layers)
    let operations = PositionOperations(layers: layers)
    let long = Self.nearby { $0.where = Self.conditions }
    func reason(_ caller: WorkCaller) -> Reason? {
      do throws(APIError) {
        _ = try operations.nearby(long, .pool(caller))
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(reason(WorkCaller()) == nil)
    #expect(reason(WorkCaller(isCancelled: { true })) == .deadlineExceeded)
    #expect(reason(WorkCaller(deadline: WorkDeadline(.now - .seconds(1)))) == .deadlineExceeded)
    let batch = Moyeo_V1_NearbyBatchRequest.with {
      $0.layer = "taxis"
      $0.requests = [long, Self.nearby()]
    }
    // Those that follow are refused for the same reason.
    let late = try Moyeo_V1_NearbyBatchResponse(
      serializedBytes: try operations.nearbyBatch(
        batch, .pool(WorkCaller(isCancelled: { true }))))
    #expect(late.responses.map(\.status) == [504, 504])
  }
}
