import FareEstimation
import Foundation

/// Folders of JSON documents, each of which names what it holds.
enum NamedDocuments {
  /// Reads every `.json` file of the directories, in the order of their names; subdirectories are not
  /// entered. A later directory's document replaces an earlier one's of the same name; in one
  /// directory a name stands once.
  ///
  /// - Parameters:
  ///   - directories: Each must exist.
  ///   - name: Tells documents apart.
  ///   - read: Makes a value of a file's bytes; the second argument is the file, for messages.
  /// - Returns: The values, each name once.
  /// - Throws: ``PolicyLoadError`` with every problem of every file.
  static func load<Value>(
    directories: [String], name: (Value) -> String,
    read: (Data, String) throws(FileProblem) -> Value
  ) throws(PolicyLoadError) -> [Value] {
    var problems: [FileProblem] = []
    var values: [Value] = []
    for directory in directories {
      var files: [String: String] = [:]
      for file in documents(in: directory, &problems) {
        do throws(FileProblem) {
          guard let data = FileManager.default.contents(atPath: file) else {
            throw FileProblem(file: file, path: "", message: "cannot be read")
          }
          let value = try read(data, file)
          if let other = files.updateValue(file, forKey: name(value)) {
            throw FileProblem(file: file, path: "name", message: "\(other) has the same name")
          }
          values.removeAll { name($0) == name(value) }
          values.append(value)
        } catch {
          problems.append(error)
        }
      }
    }
    guard problems.isEmpty else { throw PolicyLoadError(problems: problems) }
    return values
  }

  private static func documents(
    in directory: String, _ problems: inout [FileProblem]
  ) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        .filter { !$0.hasPrefix(".") && $0.hasSuffix(".json") }
        .map { directory + "/" + $0 }
    } catch {
      problems.append(
        FileProblem(file: directory, path: "", message: "cannot be read as a directory"))
      return []
    }
  }
}
