/// Why bytes are not what their reader expects. One set of rules holds for every reader of this
/// package: requests, answers, stored objects and records.
@usableFromInline
package enum WireFormatError: Error, Hashable, Sendable {
  /// The bytes end inside a field, or a field has no form that the protobuf wire format knows, or
  /// another form than its number says. The offset counts from the start of the innermost message.
  case damaged(offset: Int)
  /// Messages are nested deeper than any of ours.
  case tooDeep
  /// A record was written by a newer daemon in a form that this one cannot read.
  case tooNew(version: UInt64)
  /// A field that must be there is not.
  case missing(field: String)
}
