import GeoMath
import ObjectModel

@testable import MoyeoAdapters

/// What apps send that speak another dialect: forms, the texts of posts and paths.
enum DoorTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    if let form = try? FormBody(bytes) { read(form) }
    guard let text = bytes.text else { return }
    _ = StudyCall.match(method: "POST", path: text)
    _ = TaxiCall.match(method: "GET", path: text)
    if let place = try? PostText.place(text) {
      let again = PostText.text(name: place.name, place.coordinate)
      let found = try? PostText.place(again)
      hold(
        found?.name == place.name && found?.coordinate == place.coordinate,
        "\(again) is another place when it is read back")
    }
    _ = try? PostText.longitudeLatitude(text)
    if let time = try? PostText.time(text), (0...4_000_000_000_000).contains(time.milliseconds) {
      let again = PostText.text(time, offsetSeconds: 9 * 3600)
      hold(
        (try? PostText.time(again))?.milliseconds == time.milliseconds / 1000 * 1000,
        "\(again) is another time when it is read back")
    }
  }

  /// Reading fields of a form throws or answers, and tags keep to their limits.
  private static func read(_ form: FormBody) {
    let fields = StudyFields(form: form)
    if let tags = try? fields.tags() {
      hold(tags.count <= StudyFields.maximumTags, "\(tags.count) tags")
      for tag in tags {
        hold(StudyFields.tagCharacters.contains(tag.count), "a tag of \(tag.count)")
      }
    }
    if let place = try? fields.place() { hold(!place.isNullIsland, "0, 0 came through") }
    _ = try? fields.wanted()
    _ = try? fields.otherID()
    _ = try? fields.rating()
  }
}
