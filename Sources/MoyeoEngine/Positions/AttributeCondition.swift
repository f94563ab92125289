/// One condition of `where`: equality with a scalar, or a closed range of numbers.
public struct AttributeCondition: Hashable, Sendable {
  public enum Test: Hashable, Sendable {
    case equals(AttributeValue)
    /// Ends included.
    case range(minimum: Double, maximum: Double)
  }

  public let attribute: String
  public let test: Test

  public init(attribute: String, test: Test) {
    self.attribute = attribute
    self.test = test
  }

  /// Whether an attribute's value meets the condition; an absent one never does.
  public func holds(for value: AttributeValue?) -> Bool {
    switch (test, value) {
    case (_, nil): false
    case (.equals(let wanted), .some(let value)): wanted == value
    case (.range(let low, let high), .number(let number)): number >= low && number <= high
    case (.range, .some): false
    }
  }
}
