import Webhooks

extension WebhookSettings {
  /// Reads `webhooks.*`.
  ///
  /// - Throws: ``SettingError``.
  static func read(_ values: Values) async throws -> WebhookSettings {
    var out = WebhookSettings()
    if let seconds = try await values.number("webhooks.timeoutSeconds", in: 0.1...60) {
      out.timeoutMilliseconds = Int64(seconds * 1000)
    }
    if let count = try await values.int("webhooks.maximumAttempts", in: 1...100) {
      out.maximumAttempts = count
    }
    if let count = try await values.int("webhooks.concurrency", in: 1...256) {
      out.concurrency = count
    }
    if let count = try await values.int("webhooks.maximumWaiting", in: 256...1_000_000) {
      out.maximumWaiting = count
    }
    if let hours = try await values.number("webhooks.outageHours", in: 0...168) {
      out.outageMilliseconds = Int64(hours * 3_600_000)
    }
    if let days = try await values.int("webhooks.letterDays", in: 1...36_500) {
      out.letterMilliseconds = Int64(days) * 86_400_000
    }
    out.allowsPrivateTargets = try await values.bool("webhooks.allowPrivateTargets") ?? false
    return out
  }
}
