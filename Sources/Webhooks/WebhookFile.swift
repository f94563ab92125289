import Foundation
package import LockedFiles

/// The webhooks of a data directory, in `webhooks.json`.
package struct WebhookFile: Sendable {
  package static let fileName = "webhooks.json"
  /// Of all tenants together.
  package static let maximumCount = 1000

  private struct Document: Codable, Sendable {
    var webhooks: [Record]
  }

  private struct Record: Codable, Sendable {
    var id: String
    var tenant: String
    var url: String
    var kinds: [String]
    var secrets: [String]
    var startsAtOldest: Bool?
  }

  private let document: LockedDocument<Document>

  package var path: String { document.path }

  package init(directory: String) { document = LockedDocument(Self.fileName, in: directory) }

  /// What changes with every change of the file.
  package var stamp: FileStamp? { FileStamp(path) }

  /// All webhooks, in the order in which they were made.
  ///
  /// - Throws: ``WebhookFileError``.
  package func webhooks() throws(WebhookFileError) -> [Webhook] {
    do throws(LockedDocumentError) {
      return try document.read()?.webhooks.compactMap(Self.webhook) ?? []
    } catch {
      throw WebhookFileError(error)
    }
  }

  /// Makes a webhook.
  ///
  /// - Parameters:
  ///   - tenant: Whose events.
  ///   - url: Where to.
  ///   - kinds: Of the events; empty: all.
  ///   - startsAtOldest: Whether earlier events are delivered as well.
  /// - Returns: The webhook with its id and secret.
  /// - Throws: ``WebhookFileError``.
  package func create(
    tenant: String, url: WebhookURL, kinds: Set<String>, startsAtOldest: Bool
  ) throws(WebhookFileError) -> Webhook {
    var random = SystemRandomNumberGenerator()
    let number = String(UInt64.random(in: 0 ... .max, using: &random), radix: 16)
    let webhook = Webhook(
      id: "wh_" + number, tenant: tenant, url: url.text, kinds: kinds,
      secrets: [WebhookSecret(using: &random)], startsAtOldest: startsAtOldest)
    try change { (records: inout [Record]) throws(WebhookFileError) in
      guard records.count < Self.maximumCount else { throw .tooMany }
      records.append(Self.record(webhook))
    }
    return webhook
  }

  /// Ends a webhook; what waits for it is forgotten.
  ///
  /// - Throws: ``WebhookFileError/unknown(id:)``.
  package func delete(_ id: String) throws(WebhookFileError) {
    try change { (records: inout [Record]) throws(WebhookFileError) in
      guard let index = records.firstIndex(where: { $0.id == id }) else { throw .unknown(id: id) }
      records.remove(at: index)
    }
  }

  /// Gives a webhook a new secret; the newest of its earlier ones signs as well, until the next
  /// rotation.
  ///
  /// - Throws: ``WebhookFileError/unknown(id:)``.
  package func rotate(_ id: String) throws(WebhookFileError) -> WebhookSecret {
    var random = SystemRandomNumberGenerator()
    let secret = WebhookSecret(using: &random)
    try change { (records: inout [Record]) throws(WebhookFileError) in
      guard let index = records.firstIndex(where: { $0.id == id }) else { throw .unknown(id: id) }
      records[index].secrets = [secret.text] + records[index].secrets.prefix(1)
    }
    return secret
  }

  private func change(
    _ body: (inout [Record]) throws(WebhookFileError) -> Void
  ) throws(WebhookFileError) {
    do {
      try document.change { earlier in
        var records = earlier?.webhooks ?? []
        try body(&records)
        return Document(webhooks: records)
      }
    } catch let error as WebhookFileError {
      throw error
    } catch let error as LockedDocumentError {
      throw WebhookFileError(error)
    } catch {
      throw .file("\(path) cannot be written: \(error)")
    }
  }

  private static func webhook(_ record: Record) -> Webhook? {
    let secrets = record.secrets.compactMap(WebhookSecret.init)
    // A line that somebody wrote by hand and that is no webhook has no effect.
    guard !record.tenant.isEmpty, let url = WebhookURL(record.url), !secrets.isEmpty,
      !record.id.isEmpty
    else { return nil }
    return Webhook(
      id: record.id, tenant: record.tenant, url: url.text, kinds: Set(record.kinds),
      secrets: secrets, startsAtOldest: record.startsAtOldest ?? false)
  }

  private static func record(_ webhook: Webhook) -> Record {
    Record(
      id: webhook.id, tenant: webhook.tenant, url: webhook.url, kinds: webhook.kinds.sorted(),
      secrets: webhook.secrets.map(\.text), startsAtOldest: webhook.startsAtOldest)
  }
}

/// Why the webhooks of a data directory cannot be read or changed.
package enum WebhookFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case file(String)
  case unknown(id: String)
  case tooMany

  package var description: String {
    switch self {
    case .file(let reason): reason
    case .unknown(let id): "there is no webhook \(id): moyeo webhooks list shows them"
    case .tooMany: "there are \(WebhookFile.maximumCount) webhooks already"
    }
  }

  init(_ error: LockedDocumentError) { self = .file(error.description) }
}
