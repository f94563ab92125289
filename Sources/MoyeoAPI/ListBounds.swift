import WireFormat

/// How many elements the lists of a request may have, looked at before anything is decoded: a
/// message of many elements costs its sender little and a decoder much.
public struct ListBounds: Sendable {
  /// A list that is too long.
  public struct Violation: Hashable, Sendable {
    /// The list as a refusal names it, such as `positions[3].tags`.
    public let path: String
    /// JSON name of the list.
    public let name: String
    /// How many elements the list may have at its place, the slack inside items included.
    public let limit: Int
  }

  /// By JSON name; other lists have no bound but the size of the message.
  private let limits: [String: Int]
  /// What lists inside the items of a list may have, as a multiple of their limits: an item that
  /// is only a little too large is refused by itself, by those who read it.
  private let slackInside: Int

  /// Bounds the lists of the given JSON names.
  ///
  /// - Parameters:
  ///   - limits: The largest number of elements by JSON name; 0 allows none.
  ///   - slackInside: The factor by which limits grow for lists inside the items of a list.
  public init(_ limits: [String: Int], slackInside: Int = 4) {
    self.limits = limits
    self.slackInside = slackInside
  }

  /// Looks for the first list that is too long, without decoding the message.
  ///
  /// - Parameters:
  ///   - bytes: An encoded message.
  ///   - schema: The schema of that message.
  ///   - elementsRead: Grows by one for each element of a bounded list that was looked at.
  /// - Returns: The first list above its limit; `nil` when there is none before the end, or before
  ///   the place at which the bytes stop being a message.
  /// - Complexity: O(fields before the violation).
  public func violation(
    in bytes: UnsafeRawBufferPointer, of schema: MessageSchema, elementsRead: inout Int
  ) -> Violation? {
    var reader = ProtobufReader(bytes)
    return violation(&reader, schema, slack: 1, depth: 0, &elementsRead)
  }

  private func violation(
    _ reader: inout ProtobufReader, _ schema: MessageSchema, slack: Int, depth: Int,
    _ elementsRead: inout Int
  ) -> Violation? {
    var counts = [Int](repeating: 0, count: schema.fields.count)
    do throws(WireFormatError) {
      while !reader.isAtEnd {
        let (number, wireType) = try reader.readKey()
        guard wireType == 2, let index = schema.fieldIndex(number: number) else {
          try reader.skip(wireType: wireType)
          continue
        }
        let field = schema.fields[index]
        var place = field.jsonName
        if field.isRepeated {
          if let limit = limits[field.jsonName].map({ $0 * slack }) {
            elementsRead += 1
            if counts[index] >= limit {
              return Violation(path: field.jsonName, name: field.jsonName, limit: limit)
            }
          }
          place += "[\(counts[index])]"
          counts[index] += 1
        }
        var slice = try reader.readMessage()
        guard case .message(let name) = field.kind, depth < 100,
          let inner = MessageSchema.all[name],
          let found = violation(
            &slice, inner, slack: field.isRepeated ? slackInside : slack, depth: depth + 1,
            &elementsRead)
        else { continue }
        return Violation(
          path: place + "." + found.path, name: found.name, limit: found.limit)
      }
    } catch {
      // The decoder says what is wrong with it.
    }
    return nil
  }
}
