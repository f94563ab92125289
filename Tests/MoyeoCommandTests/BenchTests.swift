import Foundation
import Testing

@testable import moyeo

@Suite("load test")
struct BenchTests {
  @Test("made points depend on the seed alone and lie on the map")
  func workload() throws {
    let a = BenchWorkload.generated(points: 20_000, queries: 100, seed: 7)
    let b = BenchWorkload.generated(points: 20_000, queries: 100, seed: 7)
    let c = BenchWorkload.generated(points: 10, queries: 1, seed: 8)
    #expect(a.points.map(\.latitude) == b.points.map(\.latitude))
    #expect(a.points[0].latitude != c.points[0].latitude)
    #expect(Set(a.points.map(\.id)).count == 20_000)
    #expect(a.points.allSatisfy { $0.id.utf8.count == 36 })
    #expect(a.points.allSatisfy { (36.9...38.2).contains($0.latitude) })
    #expect(a.points.allSatisfy { (126.2...127.8).contains($0.longitude) })
    let tenth = a.points.count { $0.tags.contains("tenth") }
    #expect((1_700...2_300).contains(tenth))
    #expect((120...290).contains(a.points.count { $0.tags.contains("hundredth") }))
  }

  @Test(
    "a report moves a point by no more than its step, never off the map",
    arguments: [0.0, 50, 5000])
  func moves(step: Double) throws {
    let workload = BenchWorkload(
      points: [
        .init(id: "a", latitude: 37.5, longitude: 127, tags: []),
        .init(id: "b", latitude: 90, longitude: 180, tags: []),
      ], queries: [])
    for round in 0..<200 as Range<UInt64> {
      let (latitude, longitude) = workload.moved(0, round: round, stepMeters: step)
      #expect(abs(latitude - 37.5) <= step / 111_195 && abs(longitude - 127) <= step / 50_000)
      let (north, east) = workload.moved(1, round: round, stepMeters: step)
      #expect((-90...90).contains(north) && (-180...180).contains(east))
    }
  }

  @Test(
    "no point stands twice in a batch, and batches go round all points",
    arguments: [1, 2, 100, 7919, 10_000, 15_838])
  func indices(count: Int) {
    var seen = Set<Int>()
    for number in 0..<(count / 50 + 2) {
      let batch = BenchRequests.indices(number, 100, count)
      #expect(Set(batch).count == batch.count && batch.count == min(100, count))
      #expect(batch.allSatisfy { (0..<count).contains($0) })
      seen.formUnion(batch)
    }
    #expect(seen.count == count)
  }

  @Test("rates are numbers or shares of the peak")
  func rates() {
    #expect(RateText(argument: "1500")?.value == 1500)
    #expect(RateText(argument: "25%")?.value == 0.25)
    #expect(RateText(argument: "25%")?.isShareOfPeak == true)
    for bad in ["0", "-1", "x", "%", "", "1e99"] {
      #expect(RateText(argument: bad) == nil, "\(bad)")
    }
  }

  @Test("percentiles are those of what was recorded")
  func latencies() {
    var recorder = LatencyRecorder()
    for i in 1...1000 { recorder.record(nanoseconds: Int64(i) * 1_000_000) }
    recorder.record(nanoseconds: -5)
    let latencies = recorder.latencies
    #expect(latencies.count == 1001)
    #expect(abs(latencies.p50 - 500_000) < 1000 && abs(latencies.p99 - 990_000) < 2000)
    #expect(abs(latencies.maximum - 1_000_000) < 1000)
    #expect(LatencyRecorder().latencies == Latencies())
  }

  @Test("a run is void when its figures are not the service's")
  func void() {
    var outcome = LoadGenerator.Outcome(
      pace: .open(requestsPerSecond: 10, maximumInFlight: 1), seconds: 1, ownSeconds: 0)
    outcome.requests = 10
    outcome.latencies = [.read: Latencies(count: 10, p99: 1000)]
    outcome.lateness = Latencies(count: 10, p99: 99)
    outcome.foreignShare = 0.15
    #expect(BenchReport.voidReasons(outcome).isEmpty)
    outcome.lateness?.p99 = 101
    #expect(BenchReport.voidReasons(outcome).count == 1)
    outcome.foreignShare = 0.16
    outcome.failures = ["overloaded": 1]
    outcome.unsent = 1
    #expect(BenchReport.voidReasons(outcome).count == 4)
  }

  @Test("queries of a file carry their own limits, radii and tags")
  func queryFile() throws {
    let path = FileManager.default.temporaryDirectory.path + "/queries-\(UUID().uuidString).csv"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "lat,lon,limit,radius,tags\n1,2,5,100,a;b\n3,4,,,\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    let queries = try BenchFiles.queries(path)
    #expect(queries.map(\.limit) == [5, nil] && queries.map(\.radiusMeters) == [100, nil])
    #expect(queries.map(\.tags) == [["a", "b"], []])
    try "lat,lon\nx,2\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: CommandFailure.self) { try BenchFiles.queries(path) }
  }

  @Test("the processor time of a process is read")
  func processorTimes() throws {
    let id = ProcessInfo.processInfo.processIdentifier
    let read = try #require(ProcessorTimes.ofProcess(id))
    let own = ProcessorTimes.now(serverID: id).own
    #expect(abs(read - own) < 1)
    #expect(ProcessorTimes.ofProcess(Int32.max) == nil)
  }
}
