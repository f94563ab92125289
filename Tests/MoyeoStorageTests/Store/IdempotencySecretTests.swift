import Foundation
import GRDB
import ObjectModel
import Testing

@testable import MoyeoStorage
import DurableCommands

/// The secret is never replaced while the record holds replies that need it.
@Suite struct IdempotencySecretTests {
  private static func path(_ directory: ScratchDirectory) -> String {
    directory.path + "/" + IdempotencySecret.fileName
  }

  /// With one reply in the record, and the secret that it was made with.
  private static func used() throws -> (ScratchDirectory, Data) {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    defer { store.close() }
    _ = try IdempotencySecret.load(directory: directory.path, store: store)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0, reply: reply(1))])
        == [.committed(firstSequence: 0)])
    return (directory, try Data(contentsOf: URL(fileURLWithPath: path(directory))))
  }

  @Test func itIsMadeOnceForItsOwnerAlone() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let made = try IdempotencySecret.load(directory: directory.path, store: store)
    let path = Self.path(directory)
    #expect(FileManager.default.contents(atPath: path)?.count == 33)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
    #expect(try IdempotencySecret.load(directory: directory.path, store: store) == made)
    #expect(try store.secretState().fingerprint == made.fingerprint)
    // Gone before there was a reply: nothing depends on it.
    try FileManager.default.removeItem(atPath: path)
    let other = try IdempotencySecret.load(directory: directory.path, store: store)
    #expect(other != made)
  }

  /// What a disk, an operator or a restore may make of the file.
  enum Harm: String, CaseIterable, Sendable {
    case missing, empty, short, flipped, notText, otherSecret, directory, pipe
  }

  @Test(arguments: Harm.allCases)
  func whatIsNotTheRecordsSecretIsRefusedAndLeftAsItIs(harm: Harm) throws {
    let (directory, original) = try Self.used()
    let path = Self.path(directory)
    try FileManager.default.removeItem(atPath: path)
    var left: Data? = Data()
    switch harm {
    case .missing: left = nil
    case .empty: break
    case .short: left = original.prefix(20)
    case .flipped:
      left = original
      left?[5] ^= 1 << 6
    case .notText:
      left = original
      left?[3] = 0xFF
    case .otherSecret: left = Data("0123456789abcdef0123456789abcdef\n".utf8)
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      left = nil
    case .pipe:
      #expect(mkfifo(path, 0o600) == 0)
      left = nil
    }
    if let left { try left.write(to: URL(fileURLWithPath: path)) }
    let store = try SQLiteStore(directory: directory.path)
    let refusal = #expect(throws: StorageError.self) {
      try IdempotencySecret.load(directory: directory.path, store: store)
    }
    guard case .secretUnusable(path, _, let remedy) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(remedy.contains("--forget-idempotency-keys"))
    if let left { #expect(FileManager.default.contents(atPath: path) == left) }
    #expect(FileManager.default.fileExists(atPath: path) == (harm != .missing))
    #expect(try store.reply(tenant: "t", key: IdempotencyHash(high: 0, low: 0)) == nil)
    store.close()
    // And the doctor sees it.
    let finding = StoreDoctor.examine(dataDirectory: directory.path).first {
      $0.subject == "secret"
    }
    #expect(finding?.grade == .wrong, "\(String(describing: finding))")
    // With the original back all is as before.
    try? FileManager.default.removeItem(atPath: path)
    try original.write(to: URL(fileURLWithPath: path))
    let again = try SQLiteStore(directory: directory.path)
    _ = try IdempotencySecret.load(directory: directory.path, store: again)
    #expect(
      StoreDoctor.examine(dataDirectory: directory.path).contains {
        $0.subject == "secret" && $0.grade == .fine
      })
  }

  @Test func onRequestTheKeysAreForgottenAndTheFileIsKept() throws {
    let (directory, original) = try Self.used()
    let path = Self.path(directory)
    var damaged = original
    damaged[0] = 0x7A
    try damaged.write(to: URL(fileURLWithPath: path))
    let store = try SQLiteStore(directory: directory.path)
    let made = try IdempotencySecret.load(
      directory: directory.path, store: store, forgetsKeys: true)
    #expect(FileManager.default.contents(atPath: path + ".aside-1") == damaged)
    #expect(try !store.secretState().hasReplies)
    #expect(try store.secretState().fingerprint == made.fingerprint)
    #expect(try store.all().count == 1)
    // New replies are taken, also in the hour of the old ones.
    let next = group(party("q", version: 1), expecting: 0, reply: reply(1, "q"))
    #expect(store.commit([next]) == [.committed(firstSequence: 0)])
    #expect(try store.reply(tenant: "t", key: reply(1).key)?.aggregateID == "q")
    // Where nothing is wrong, the request changes nothing.
    let same = try IdempotencySecret.load(
      directory: directory.path, store: store, forgetsKeys: true)
    #expect(same == made)
    #expect(try store.reply(tenant: "t", key: reply(1).key)?.aggregateID == "q")
  }

  /// A directory of the release before knows no fingerprint yet.
  @Test func theSecretOfAnEarlierReleaseIsNoted() throws {
    let directory = try ScratchDirectory()
    let queue = try DatabaseQueue(
      path: directory.databasePath, configuration: spatialConfiguration())
    try queue.write { try $0.execute(sql: firstSchema) }
    try queue.close()
    let path = Self.path(directory)
    try Data("00000000000000010000000000000002\n".utf8).write(to: URL(fileURLWithPath: path))
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.secretState() == (nil, true))
    let secret = try IdempotencySecret.load(directory: directory.path, store: store)
    #expect(secret.high == 1 && secret.low == 2)
    #expect(try store.secretState() == (secret.fingerprint, true))
  }

  /// The vectors of the authors' own `vectors.h`: key 00 01 … 0f, input 00 01 ….
  @Test func fingerprintsAreSipHash() {
    let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(SipHash.hash([], key: key) == 0x726f_db47_dd0e_0e31)
    #expect(SipHash.hash([0], key: key) == 0x74f8_39c5_93dc_67fd)
    #expect(SipHash.hash(Array(0..<15), key: key) == 0xa129_ca61_49be_45e5)
  }
}
