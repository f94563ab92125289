/// Why an evaluation cannot run.
enum EvaluationError: Error, CustomStringConvertible {
  case cannotRead(String)
  case empty(String)
  /// No column for something that is needed.
  case noColumn(String, tried: [String], option: String)
  case noTariff(String, known: [String])
  /// Nothing is left after cleaning.
  case noRows

  var description: String {
    switch self {
    case .cannotRead(let path): "cannot read \(path)"
    case .empty(let path): "\(path) is empty"
    case .noColumn(let what, let tried, let option):
      "no column for the \(what): tried \(tried.joined(separator: ", ")); name it with \(option)"
    case .noTariff(let id, let known):
      "no tariff \"\(id)\"; known are \(known.joined(separator: ", "))"
    case .noRows: "no row is left after cleaning"
    }
  }
}
