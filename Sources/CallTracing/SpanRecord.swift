/// One piece of work that has ended, as a collector is told of it.
package struct SpanRecord: Hashable, Sendable {
  /// What the work was, in the numbers of OTLP.
  package enum Kind: Int, Sendable {
    case internalWork = 1
    /// A call that was answered.
    case server = 2
    /// A call that was made.
    case client = 3
  }

  package enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// From a table of the program, never from a request.
  package let name: String
  package let kind: Kind
  package let identity: TraceParent
  /// The span that caused it; 0 for none.
  package let parent: UInt64
  /// As the caller gave it.
  package let traceState: String?
  /// Nanoseconds since 1970.
  package let start: UInt64
  package let end: UInt64
  package let attributes: [Attribute]
  /// Why it failed; `nil` when it did not.
  package let failure: String?

  package init(
    name: String, kind: Kind, identity: TraceParent, parent: UInt64, traceState: String? = nil,
    start: UInt64, end: UInt64, attributes: [Attribute] = [], failure: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.identity = identity
    self.parent = parent
    self.traceState = traceState
    self.start = start
    self.end = max(start, end)
    self.attributes = attributes
    self.failure = failure
  }
}
