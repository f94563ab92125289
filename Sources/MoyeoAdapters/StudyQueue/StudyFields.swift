import GeoMath
import MoyeoAPI
import MoyeoServer
import ObjectModel
import PeerMatching

/// Fields of the study-mate queue, read and checked once for both dialects.
struct StudyFields {
  static let maximumTags = 8
  static let tagCharacters = 1...8
  /// Matches everything, both ways; so does no tag at all.
  static let anything = "anything"
  /// UTF-8 bytes of an id.
  static let maximumIDBytes = 128
  /// Repeated values of one field that are looked at.
  private static let maximumValues = 64

  let form: FormBody

  init(form: FormBody) { self.form = form }

  /// - Throws: ``DoorRefusal`` for what is no form.
  init(_ request: DoorRequest) throws(DoorRefusal) {
    if let type = request.header("content-type"), !request.body.isEmpty,
      !type.lowercased().hasPrefix("application/x-www-form-urlencoded")
    {
      throw DoorRefusal(
        .unsupportedMediaType, "the body of this call is application/x-www-form-urlencoded")
    }
    do throws(FormError) {
      form = try FormBody(request.body)
    } catch {
      switch error {
      case .badEncoding:
        throw DoorRefusal(.malformedRequest, "the form is not percent-encoded UTF-8")
      case .tooManyPairs:
        throw DoorRefusal(
          .tooManyItems, "a form has at most \(FormBody.maximumPairs) pairs of name and value")
      case .namelessValue: throw DoorRefusal(.malformedRequest, "a value of the form has no name")
      }
    }
  }

  /// Whether only the older dialect sends this. It names tags `hf` and the gender looked for `type`.
  var isOlderDialect: Bool { ["hf", "type", "region"].contains { form.contains($0) } }

  /// `lat` and `long`; a region is never looked at, since clients compute it in several ways.
  func place() throws(DoorRefusal) -> Coordinate {
    let (latitude, longitude) = (try number("lat"), try number("long"))
    let place: Coordinate
    do throws(CoordinateError) {
      place = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      switch error {
      case .latitudeOutOfRange:
        throw DoorRefusal(.latitudeOutOfRange, "lat is a number from -90 to 90")
      case .longitudeOutOfRange:
        throw DoorRefusal(.longitudeOutOfRange, "long is a number from -180 to 180")
      }
    }
    guard !place.isNullIsland else {
      throw DoorRefusal(.nullIsland, "0, 0 is what the app sends before it knows a position")
    }
    return place
  }

  private func number(_ name: String) throws(DoorRefusal) -> Double {
    guard form.contains(name) else { throw DoorRefusal(.missingField, "\(name) is missing") }
    guard let number = form.number(name) else {
      throw DoorRefusal(.malformedRequest, "\(name) is one number in degrees")
    }
    return number
  }

  /// Tags of either dialect, normalised; none for `anything`.
  func tags() throws(DoorRefusal) -> [String] {
    let sent = form.list("studylist") + form.list("hf")
    guard sent.count <= Self.maximumValues else {
      throw DoorRefusal(.badTag, "at most \(Self.maximumTags) tags; got \(sent.count)")
    }
    var tags: [String] = []
    for text in sent {
      // What is this long cannot become short enough.
      guard text.utf8.count <= 256 else { throw Self.badTag }
      let tag = TagNormalization.normalize(text)
      if tag.isEmpty, text.isEmpty { continue }
      if tag == Self.anything { return [] }
      guard Self.tagCharacters.contains(tag.count) else { throw Self.badTag }
      if !tags.contains(tag) { tags.append(tag) }
    }
    guard tags.count <= Self.maximumTags else {
      throw DoorRefusal(.badTag, "at most \(Self.maximumTags) tags; got \(tags.count)")
    }
    return tags
  }

  private static let badTag = DoorRefusal(
    .badTag,
    "a tag has \(tagCharacters.lowerBound) to \(tagCharacters.upperBound) characters")

  /// The gender looked for, as a wish; none for either.
  func wanted() throws(DoorRefusal) -> [WantedAttribute] {
    guard form.contains("type") else { return [] }
    switch form.scalar("type") {
    case "0": return [WantedAttribute(name: "gender", values: ["0"])]
    case "1": return [WantedAttribute(name: "gender", values: ["1"])]
    case "2", "": return []
    default: throw DoorRefusal(.badValue, "type is 0 (women), 1 (men) or 2 (either)")
    }
  }

  /// The person that a call is about.
  func otherID(inPath pathID: String? = nil) throws(DoorRefusal) -> String {
    let sent = form.scalar("otheruid")
    if form.contains("otheruid"), sent == nil {
      throw DoorRefusal(.malformedRequest, "otheruid is given more than once")
    }
    if let pathID, let sent, !sent.isEmpty, sent != pathID {
      throw DoorRefusal(.conflictingFields, "otheruid and the path name different people")
    }
    guard let id = pathID ?? sent, !id.isEmpty else {
      throw DoorRefusal(.missingField, "otheruid is missing")
    }
    guard id.utf8.count <= Self.maximumIDBytes else {
      throw DoorRefusal(.badID, "otheruid has at most \(Self.maximumIDBytes) bytes")
    }
    return id
  }

  /// The app's words, chosen (1) or not (0), and a comment.
  func rating() throws(DoorRefusal) -> RateUser {
    var words: [Int] = []
    for text in form.list("reputation") where !text.isEmpty {
      guard let word = Int(text), words.count < Self.maximumValues else {
        throw DoorRefusal(.malformedRequest, "reputation is a list of 0 and 1")
      }
      words.append(word)
    }
    return RateUser(reputation: words, comment: form.scalar("comment") ?? "")
  }
}
