import CitySimulation
import MoyeoAPI
import MoyeoClient
import ObjectModel
import WireFormat

/// Sends a city's reports as they fall due, and says how fast.
struct CityMover<Sink: ReportSink> {
  /// Tries a second apart before an absent daemon ends the simulation.
  static var maximumTries: Int { 15 }
  /// Reports due for longer than this are left out: the next ones say more.
  static var maximumLagSeconds: Double { 5 }

  let sink: Sink
  private(set) var simulation: CitySimulation
  let layer: String
  let batchSize: Int
  let ttlSeconds: Double

  private(set) var accepted = 0
  private(set) var refused = 0
  private(set) var left = 0
  private var firstRefusal: String?
  private let clock = ContinuousClock()

  init(
    sink: Sink, simulation: CitySimulation, layer: String, batchSize: Int, ttlSeconds: Double
  ) {
    self.sink = sink
    self.simulation = simulation
    self.layer = layer
    self.batchSize = batchSize
    self.ttlSeconds = ttlSeconds
  }

  /// Everybody once, where they are at the start.
  mutating func loadEverybody(isStopped: () -> Bool) async throws {
    var progress = ProgressLine()
    let everybody = simulation.snapshot(at: simulation.start)
    var next = 0
    while next < everybody.count, !isStopped() {
      let end = min(everybody.count, next + batchSize)
      try await send(everybody[next..<end], isFirst: next == 0)
      next = end
      progress.update {
        "loading \(ProgressLine.bar(Double(next) / Double(everybody.count))) "
          + "\(NumberText.grouped(next)) people"
      }
    }
    let seconds = progress.elapsedSeconds
    progress.clear()
    Terminal.note(
      "loaded \(NumberText.grouped(accepted)) people in \(NumberText.duration(seconds)) "
        + "(\(rate(accepted, seconds)))" + refusalText)
  }

  /// Heartbeats until the duration ends or somebody stops it.
  ///
  /// - Parameters:
  ///   - speed: Simulated seconds a second.
  ///   - duration: Seconds to run; nil: until stopped.
  ///   - isStopped: Asked before each batch.
  /// - Returns: The seconds it took.
  /// - Throws: What reporting throws, once the daemon has been away for long.
  mutating func run(
    speed: Double, duration: Double?, isStopped: () -> Bool
  ) async throws -> Double {
    accepted = 0
    refused = 0
    let began = clock.now
    var progress = ProgressLine()
    var shownAt = 0.0
    var shownCount = 0
    let loadedSeconds = { [clock] in (clock.now - began) / Duration.seconds(1) }
    while !isStopped() {
      let seconds = loadedSeconds()
      if let duration, seconds >= duration { break }
      let moment = moment(at: seconds * speed)
      leaveOutTheOld(moment, speed: speed)
      var batch = simulation.step(to: moment, limit: batchSize)
      while !batch.isEmpty, !isStopped() {
        try await send(batch[...], isFirst: false)
        batch = simulation.step(to: moment, limit: batchSize)
      }
      if seconds - shownAt >= (Terminal.errorIsTerminal ? 1 : 10) {
        let text =
          "\(NumberText.duration(seconds)): \(NumberText.grouped(accepted)) reports, "
          + rate(accepted - shownCount, seconds - shownAt) + refusalText
        if Terminal.errorIsTerminal { progress.update { text } } else { Terminal.note(text) }
        shownAt = seconds
        shownCount = accepted
      }
      let rest = min(0.1, (duration ?? .infinity) - loadedSeconds())
      if rest > 0 { try await Task.sleep(for: .milliseconds(Int64(rest * 1000) + 1)) }
    }
    progress.clear()
    return loadedSeconds()
  }

  /// What ``run(speed:duration:isStopped:)`` did in `seconds`, on one line.
  func summary(_ seconds: Double) -> String {
    "\(NumberText.grouped(accepted)) reports in \(NumberText.duration(seconds)) "
      + "(\(rate(accepted, seconds)))" + refusalText
  }

  /// The same as JSON.
  func figures(_ seconds: Double) -> String {
    JSONPieces.object { text in
      text.string("layer", layer)
      text.integer("accepted", Int64(accepted))
      text.integer("refused", Int64(refused))
      if let firstRefusal { text.string("firstRefusal", firstRefusal) }
      text.integer("leftOut", Int64(left))
      text.number("seconds", seconds)
    }
  }

  private func moment(at simulatedSeconds: Double) -> Instant {
    simulation.start.advanced(milliseconds: Int64(simulatedSeconds * 1000))
  }

  private mutating func leaveOutTheOld(_ moment: Instant, speed: Double) {
    let horizon = moment.advanced(
      milliseconds: -Int64(Self.maximumLagSeconds * speed * 1000))
    let old = simulation.due(at: horizon)
    guard old > 0 else { return }
    simulation.skip(to: horizon)
    left += Int(old)
  }

  private var refusalText: String {
    var text = ""
    if refused > 0 {
      text += ", \(NumberText.grouped(refused)) refused (first: \(firstRefusal ?? "?"))"
    }
    if left > 0 { text += ", \(NumberText.grouped(left)) left out (the daemon is slower)" }
    return text
  }

  private func rate(_ count: Int, _ seconds: Double) -> String {
    "\(NumberText.grouped(seconds > 0 ? Int(Double(count) / seconds) : 0)) reports/s"
  }

  private mutating func send(_ reports: ArraySlice<CitySimulation.Report>, isFirst: Bool)
    async throws
  {
    var request = Moyeo_V1_ReportRequest()
    request.layer = layer
    request.positions = CityReports.positions(reports, of: simulation, ttlSeconds: ttlSeconds)
    var tries = 1
    while true {
      do {
        let answer = try await sink.report(request)
        accepted += Int(answer.accepted)
        refused += answer.rejections.count
        if firstRefusal == nil { firstRefusal = answer.rejections.first?.reason }
        return
      } catch {
        guard error.isRetryable, !isFirst, tries < Self.maximumTries else { throw error }
        tries += 1
        Terminal.note("\(error); trying again")
        try await Task.sleep(for: max(.seconds(1), error.refusal?.retryAfter ?? .zero))
      }
    }
  }
}
