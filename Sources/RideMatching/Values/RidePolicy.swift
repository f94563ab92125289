/// Who may ride together, as data.
public struct RidePolicy: Hashable, Sendable {
  /// Attributes that must be the same for everyone aboard, such as `gender`. A rider for whom one
  /// is unknown is refused.
  public var sameAttributes: [String]

  public static let none = RidePolicy()

  public init(sameAttributes: [String] = []) { self.sameAttributes = sameAttributes }
}
