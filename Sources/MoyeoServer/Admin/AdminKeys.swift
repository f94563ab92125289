import Foundation
import Identity
import ObjectModel
import WireFormat

/// The API keys that open something, as JSON: what the record has of them but for their hashes.
struct AdminKeys: Sendable {
  let records: [KeyRecord]
  /// Nil: of all tenants.
  let tenant: String?

  /// Keys in one answer, the newest ones.
  static let maximumCount = 1000

  func json() -> [UInt8] {
    let own = records.filter { tenant == nil || $0.tenant == tenant }
      .sorted { ($0.createdMilliseconds, $0.id) > ($1.createdMilliseconds, $1.id) }
    return JSONWriter.object { json in
      json.objects("keys", Array(own.prefix(Self.maximumCount))) { key, json in
        json.string("id", key.id)
        json.string("tenant", key.tenant)
        json.strings("scopes", key.scopes)
        if let name = key.name { json.string("name", name) }
        json.string("createdAt", Self.moment(key.createdMilliseconds))
        if let end = key.expiresMilliseconds { json.string("expiresAt", Self.moment(end)) }
      }
      json.bool("moreKeys", own.count > Self.maximumCount)
    }
  }

  private static func moment(_ milliseconds: Int64) -> String {
    RFC3339.utc(Instant(milliseconds: milliseconds))
  }
}
