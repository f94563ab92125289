import Foundation
import MoyeoAPI
import MoyeoServer

/// The JSON object of a taxi-party call; fields may be text or numbers.
struct TaxiBody {
  private let object: [String: Any]

  /// - Throws: ``TaxiRefusal`` for what is no JSON object.
  init(_ request: DoorRequest) throws(TaxiRefusal) {
    if let type = request.header("content-type")?.lowercased(), !type.contains("json") {
      throw TaxiRefusal(.unsupportedMediaType, "the body of this call is application/json")
    }
    // The decoder below guesses the encoding, by bytes of zero among others.
    guard !request.body.contains(0), String(validating: request.body, as: UTF8.self) != nil,
      let object = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
    else { throw TaxiRefusal(.malformedRequest, "the body is not a JSON object in UTF-8") }
    if let repeated = request.body.withUnsafeBytes({ JSONRepeatedName.first(in: $0) }) {
      throw TaxiRefusal(
        .malformedRequest, "the name \"\(repeated.prefix(64))\" stands twice in one object")
    }
    self.object = object
  }

  /// A text of at most so many bytes; nil where it is absent or null.
  func text(_ name: String, maximumBytes: Int) throws(TaxiRefusal) -> String? {
    let text: String
    switch object[name] {
    case nil, is NSNull: return nil
    case let value as String: text = value
    case let value as NSNumber: text = value.stringValue
    default: throw TaxiRefusal(.malformedRequest, "\(name) must be a text")
    }
    guard !text.utf8.contains(0) else {
      throw TaxiRefusal(.badValue, "\(name) holds the character NUL")
    }
    guard text.utf8.count <= maximumBytes else {
      throw TaxiRefusal(.badValue, "\(name) has at most \(maximumBytes) bytes")
    }
    return text
  }

  func required(_ name: String, maximumBytes: Int) throws(TaxiRefusal) -> String {
    guard let text = try text(name, maximumBytes: maximumBytes), !text.isEmpty else {
      throw TaxiRefusal(.missingField, "\(name) is missing")
    }
    return text
  }

  func bool(_ name: String) throws(TaxiRefusal) -> Bool {
    guard let value = object[name], !(value is NSNull) else {
      throw TaxiRefusal(.missingField, "\(name) is missing")
    }
    guard let flag = value as? Bool else {
      throw TaxiRefusal(.malformedRequest, "\(name) is true or false")
    }
    return flag
  }
}

/// The query of a taxi-party call.
struct TaxiQuery {
  let form: FormBody

  /// - Throws: ``TaxiRefusal`` for broken escapes.
  init(_ request: DoorRequest) throws(TaxiRefusal) {
    do throws(FormError) {
      form = try FormBody((request.query ?? "").utf8)
    } catch {
      throw TaxiRefusal(.malformedRequest, "the query is not percent-encoded UTF-8")
    }
  }

  func required(_ name: String) throws(TaxiRefusal) -> String {
    guard let text = form.scalar(name), !text.isEmpty else {
      throw TaxiRefusal(.missingField, "\(name) is missing, or there are several")
    }
    return text
  }

  func number(_ name: String) throws(TaxiRefusal) -> Double? {
    guard let text = form.scalar(name), !text.isEmpty else { return nil }
    guard let number = FormBody.number(text) else {
      throw TaxiRefusal(.malformedRequest, "\(name) is a number")
    }
    return number
  }

  /// Posts a page; the most is `maximum`.
  func limit(maximum: Int, standard: Int) throws(TaxiRefusal) -> Int {
    guard let text = form.scalar("limit"), !text.isEmpty else { return standard }
    guard let limit = Int(text), limit >= 1 else {
      throw TaxiRefusal(.limitOutOfRange, "limit is 1 to \(maximum)")
    }
    return min(limit, maximum)
  }

  /// Where the page before ended; nil for the first one.
  var cursor: String? { form.scalar("next").flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether the app asks beyond the last page.
  var isPastEnd: Bool { form.scalar("next") == PostMessage.lastPage }

  /// The product whose posts are meant; the later client calls it the category.
  var product: String? {
    let sent = form.scalar("product_id") ?? form.scalar("category")
    return sent.flatMap { $0.isEmpty ? nil : $0 }
  }
}
