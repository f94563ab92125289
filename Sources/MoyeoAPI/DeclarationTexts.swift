/// What the comments of moyeo.v1 say, for people who read the API's description.
public enum DeclarationTexts {
  private static let all: [Substring: Substring] = Dictionary(
    uniqueKeysWithValues: schemaTextLines.split(separator: "\n").compactMap { line in
      guard let space = line.firstIndex(of: " ") else { return nil }
      return (line[..<space], line[line.index(after: space)...])
    })

  /// The text of a message, of a field as JSON calls it, or of a call.
  ///
  /// - Parameter name: Without the package: `Hit`, `Hit.distanceMeters` or `PositionService.Nearby`.
  /// - Returns: One or more whole sentences or phrases; `nil` where the comments say nothing.
  public static func text(of name: String) -> String? {
    all[name[...]].map(String.init)
  }
}
