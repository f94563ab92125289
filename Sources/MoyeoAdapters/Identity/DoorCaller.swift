import Identity
import MoyeoAPI
import MoyeoServer

/// What a token must say for a door: doors are for the people of one tenant, who read and change what
/// is their own.
enum DoorCaller {
  /// Whose token it is.
  ///
  /// - Throws: `unauthenticated` for another tenant's, which is no token here; `forbidden` for one
  ///   that lacks a scope, or is no person's.
  static func person(_ caller: Caller) throws(DoorRefusal) -> String {
    guard caller.tenant == Caller.defaultTenant else {
      throw DoorRefusal(.unauthenticated, "the token is no token of this service")
    }
    guard caller.scopes.isSuperset(of: [.read, .command]), let subject = caller.subject else {
      throw DoorRefusal(
        .forbidden, "this app's calls need a person's token with the scopes read and command")
    }
    return subject
  }
}
