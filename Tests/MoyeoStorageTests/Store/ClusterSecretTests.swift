import Foundation
import ObjectModel
import Testing

@testable import MoyeoStorage

/// The key of cluster ids outlives the process, and a start does not depend on it.
struct ClusterSecretTests {
  private static func path(_ directory: String) -> String {
    directory + "/" + ClusterSecret.fileName
  }

  @Test func aKeyIsMadeOnceForItsOwnerAlone() throws {
    let scratch = try ScratchDirectory()
    // The data directory is made together with the key.
    let directory = scratch.path + "/data"
    let made = try ClusterSecret.loadOrMake(directory: directory)
    #expect(made.unreadablePath == nil)
    let path = Self.path(directory)
    #expect(FileManager.default.contents(atPath: path)?.count == 16)
    for (path, rights) in [(path, 0o600), (directory, 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == rights)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory) == [ClusterSecret.fileName])
    let again = try ClusterSecret.loadOrMake(directory: directory)
    #expect(again.key == made.key)
    #expect(again.unreadablePath == nil)
    #expect(try ClusterSecret.loadOrMake(directory: scratch.path + "/other").key != made.key)
  }

  /// The file's bytes are the halves of the key, little-endian: earlier releases wrote it so.
  @Test func theFileHoldsTheHalvesLittleEndian() throws {
    let scratch = try ScratchDirectory()
    let bytes = Data((0..<16).map { UInt8($0) })
    #expect(FileManager.default.createFile(atPath: Self.path(scratch.path), contents: bytes))
    let read = try ClusterSecret.loadOrMake(directory: scratch.path)
    #expect(read.key == HashKey(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    #expect(read.unreadablePath == nil)
  }

  @Test(arguments: [0, 15, 17])
  func aFileOfAnotherLengthIsNamedAndLeftAsItIs(byteCount: Int) throws {
    let scratch = try ScratchDirectory()
    let path = Self.path(scratch.path)
    let bytes = Data(repeating: 7, count: byteCount)
    #expect(FileManager.default.createFile(atPath: path, contents: bytes))
    let secret = try ClusterSecret.loadOrMake(directory: scratch.path)
    #expect(secret.unreadablePath == path)
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  @Test func aDirectoryThatCannotBeMadeIsAnError() throws {
    let scratch = try ScratchDirectory()
    let file = scratch.path + "/file"
    #expect(FileManager.default.createFile(atPath: file, contents: Data()))
    #expect(throws: StorageError.self) {
      try ClusterSecret.loadOrMake(directory: file + "/data")
    }
  }
}
