import PositionProtection

/// `layers.<name>.protected…`: how far the positions of a layer are blurred.
enum ProtectedLayerSettings {
  /// Along the side of a cell.
  static let meters = 10...100_000
  /// In a cell.
  static let people = 1...1000
  private static let words: Set<String> = [
    "protected", "protectedCellMeters", "protectedMaximumMeters", "protectedPeople",
  ]

  static func covers(_ word: String) -> Bool { words.contains(word) }

  /// What a layer is set to; nil: its positions are shown as they come.
  static func read(
    flag: (_ word: String) -> Bool?, count: (_ word: String) -> Int?
  ) -> ProtectionSettings? {
    guard flag("protected") == true else { return nil }
    var settings = ProtectionSettings()
    if let side = count("protectedCellMeters"), meters.contains(side) {
      settings.cellMeters = Double(side)
    }
    if let side = count("protectedMaximumMeters"), meters.contains(side) {
      settings.maximumCellMeters = Double(side)
    }
    settings.maximumCellMeters = max(settings.maximumCellMeters, settings.cellMeters)
    if let number = count("protectedPeople"), people.contains(number) {
      settings.people = number
    }
    return settings
  }

  /// Checks one of them as a file has it.
  static func check(_ key: String, layer: String, word: String, _ value: Any) throws {
    // Their cells are part of the record, or of what riders must find.
    guard layer != "tickets" else {
      throw SettingError(key: key, problem: "is set by tickets.\(word)")
    }
    guard layer != "parties" else {
      throw SettingError(key: key, problem: "cannot be set: riders must find where a party meets")
    }
    guard word != "protected" else {
      guard value is Bool else { throw SettingError(key: key, problem: "must be true or false") }
      return
    }
    let allowed = word == "protectedPeople" ? people : meters
    guard let number = value as? Double, let whole = Int(exactly: number), allowed.contains(whole)
    else {
      throw SettingError(
        key: key,
        problem: "must be a whole number from \(allowed.lowerBound) to \(allowed.upperBound)")
    }
  }
}
