/// One condition of `where`: equality with a scalar, or a closed range of numbers.
package struct AttributeCondition: Hashable, Sendable {
  package enum Test: Hashable, Sendable {
    case equals(AttributeValue)
    /// The value is a number of the range, both ends included.
    case range(minimum: Double, maximum: Double)
  }

  package let attribute: String
  package let test: Test

  package init(attribute: String, test: Test) {
    self.attribute = attribute
    self.test = test
  }

  /// Returns whether an attribute's value meets the condition; an absent value never does.
  package func holds(for value: AttributeValue?) -> Bool {
    switch (test, value) {
    case (_, nil): false
    case (.equals(let wanted), .some(let value)): wanted == value
    case (.range(let low, let high), .number(let number)): number >= low && number <= high
    case (.range, .some): false
    }
  }
}
