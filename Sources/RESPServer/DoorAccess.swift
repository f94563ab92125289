/// What a connection may do once it has said AUTH.
package struct DoorAccess: Sendable {
  package var mayRead: Bool
  /// Members are added and removed, keys end.
  package var mayReport: Bool
  /// Whether what vouched for the connection still does; asked before every command.
  package var holds: @Sendable () -> Bool

  package init(mayRead: Bool, mayReport: Bool, holds: @escaping @Sendable () -> Bool) {
    self.mayRead = mayRead
    self.mayReport = mayReport
    self.holds = holds
  }
}

extension CommandRefusal {
  static var notAuthenticated: CommandRefusal {
    CommandRefusal("NOAUTH Authentication required.", .notAuthenticated)
  }

  static var wrongPassword: CommandRefusal {
    CommandRefusal(
      "WRONGPASS invalid username-password pair or user is disabled.", .notAuthenticated)
  }

  static func notPermitted(_ name: String) -> CommandRefusal {
    CommandRefusal(
      "NOPERM this user has no permissions to run the '\(name)' command", .notPermitted)
  }
}

extension CommandRefusal {
  static func tooEarly(milliseconds: Int64) -> CommandRefusal {
    CommandRefusal("ERR the tenant's rate is spent: try again in \(milliseconds) ms", .rateLimited)
  }
}

extension CommandExecutor {
  /// Takes a command from what clients may ask in a second. One that waited for its turn has paid.
  mutating func charge(_ description: CommandDescription) throws(CommandRefusal) {
    guard let charge = services.configuration.charge, !description.needsNoPassword else { return }
    guard !hasPaid else {
      hasPaid = false
      return
    }
    if let wait = charge(description.isWrite) { throw .tooEarly(milliseconds: wait) }
  }

  /// Whether anybody must say who they are.
  var asksForPassword: Bool { services.configuration.authenticate != nil }

  /// Lets a command pass, or says what lacks.
  mutating func admit(
    _ description: CommandDescription, _ words: CommandWords
  ) throws(CommandRefusal) {
    if description.needsNoPassword { return }
    guard let access, access.holds() else {
      access = nil
      throw .notAuthenticated
    }
    let needsRead = description.isReadOnly || description.mayStore
    let needsReport =
      description.mayStore
      ? (0..<words.count).contains(where: words.isStoreOption) : description.isWrite
    guard access.mayRead || !needsRead, access.mayReport || !needsReport else {
      throw .notPermitted(description.name)
    }
  }

  /// AUTH password, or AUTH default password: the name is not looked at.
  mutating func authenticate(_ password: UnsafeRawBufferPointer) throws(CommandRefusal) {
    guard let verify = services.configuration.authenticate else {
      throw CommandRefusal(
        "ERR AUTH <password> called without any password configured for the default user. "
          + "Are you sure your configuration is correct?")
    }
    guard let text = String(validating: password, as: UTF8.self), let found = verify(text) else {
      throw .wrongPassword
    }
    access = found
  }
}

extension CommandWords {
  fileprivate func isStoreOption(_ index: Int) -> Bool {
    isOption(index, "store") || isOption(index, "storedist")
  }
}
