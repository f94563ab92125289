import Foundation
import ObjectModel
package import TaxiFares
import WireFormat

/// Tariffs, slow-time models and areas read from directories.
///
///     tariffs/*.json             one document a version of a tariff
///     tariffs/slow-time/*.json   slow-time models that documents may name
///     areas/*.geojson            outlines, see ``AreaMap``
package struct TariffLibrary: Sendable {
  package let catalog: TariffCatalog
  package let areas: AreaMap

  package init(catalog: TariffCatalog, areas: AreaMap) {
    self.catalog = catalog
    self.areas = areas
  }

  /// Reads the shipped directories and those of the user, if any.
  ///
  /// - Parameters:
  ///   - tariffDirectories: Each must exist; documents of all of them form one catalog.
  ///   - areaDirectories: A later directory's area replaces an earlier one of the same id.
  /// - Returns: The catalog of all tariffs, and the areas.
  /// - Throws: ``TariffLoadError`` with every problem of every file.
  package static func load(
    tariffDirectories: [String], areaDirectories: [String]
  ) throws(TariffLoadError) -> TariffLibrary {
    var problems: [FileProblem] = []
    var tariffs: [Tariff] = []
    var files: [String: String] = [:]
    for directory in tariffDirectories {
      let models = readModels(directory + "/slow-time", &problems)
      for file in jsonFiles(directory, suffixes: [".json"], &problems) {
        do {
          let tariff = try TariffDocument.read(
            try contents(file), file: file, slowTimeModels: models)
          let key = "\(tariff.id) \(tariff.effective.milliseconds)"
          if let other = files[key] {
            problems.append(
              FileProblem(
                file: file, path: "effective",
                message: "\(other) is the same tariff with the same effective moment"))
            continue
          }
          files[key] = file
          tariffs.append(tariff)
        } catch {
          problems.append(error)
        }
      }
    }
    var areas = AreaMap(areas: [])
    for directory in areaDirectories {
      for file in jsonFiles(directory, suffixes: [".geojson"], &problems) {
        do {
          areas = areas.replacing(with: try AreaMap.read(try contents(file), file: file))
        } catch {
          problems.append(error)
        }
      }
    }
    guard problems.isEmpty else { throw TariffLoadError(problems: problems) }
    do {
      return TariffLibrary(catalog: try TariffCatalog(tariffs), areas: areas)
    } catch {
      throw TariffLoadError(problems: [problem(of: error, tariffs, files)])
    }
  }

  private static func problem(
    of conflict: TariffConflict, _ tariffs: [Tariff], _ files: [String: String]
  ) -> FileProblem {
    func file(_ id: String) -> String {
      let all = tariffs.filter { $0.id == id }.sorted { $0.effective < $1.effective }
      return all.last.flatMap { files["\($0.id) \($0.effective.milliseconds)"] } ?? id
    }
    switch conflict {
    case .duplicate(let id, let effective):
      return FileProblem(
        file: file(id), path: "effective",
        message: "\(id) has two versions from \(RFC3339.utc(effective))")
    case .overlap(let id, let other, let area, let from) where id == other:
      return FileProblem(
        file: file(id), path: "until",
        message: "\(id) in \(area) has a newer version from \(RFC3339.utc(from)) already")
    case .overlap(let id, let other, let area, let from):
      return FileProblem(
        file: file(id), path: "vehicleClasses",
        message: "\(id) and \(other) price the same class (or are both the default) in \(area)"
          + " from \(RFC3339.utc(from))")
    }
  }

  private static func readModels(
    _ directory: String, _ problems: inout [FileProblem]
  ) -> [String: SlowTimeModel] {
    guard FileManager.default.fileExists(atPath: directory) else { return [:] }
    var models: [String: SlowTimeModel] = [:]
    for file in jsonFiles(directory, suffixes: [".json"], &problems) {
      do {
        let tree = try JSONTree.parse(try contents(file), file: file)
        let model = try TariffDocument.slowTimeModel(tree, file: file)
        models[model.name] = model
      } catch {
        problems.append(error)
      }
    }
    return models
  }

  /// Files of a directory in the order of their names; subdirectories are not entered.
  private static func jsonFiles(
    _ directory: String, suffixes: [String], _ problems: inout [FileProblem]
  ) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        .filter { name in !name.hasPrefix(".") && suffixes.contains { name.hasSuffix($0) } }
        .map { directory + "/" + $0 }
    } catch {
      problems.append(
        FileProblem(file: directory, path: "", message: "cannot be read as a directory"))
      return []
    }
  }

  private static func contents(_ file: String) throws(FileProblem) -> Data {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw FileProblem(file: file, path: "", message: "cannot be read")
    }
    return data
  }
}

/// Everything that is wrong with the files of a ``TariffLibrary``.
package struct TariffLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  package let problems: [FileProblem]

  package init(problems: [FileProblem]) { self.problems = problems }

  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
