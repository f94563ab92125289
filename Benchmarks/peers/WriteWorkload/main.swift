// Writes the benchmark workload as CSV files that Moyeo, Redis and PostGIS are loaded and asked
// from: points.csv and moves.csv (id,latitude,longitude,tags; tags joined by `;`) and queries.csv
// (latitude,longitude). Compiled together with SeoulWorkload.swift, or as a target beside it.
//
//     write-workload FOLDER POINTS [QUERIES] [MOVES]
import Glibc

#if canImport(SeoulWorkload)
  import SeoulWorkload
#endif

func fail(_ message: String) -> Never {
  fputs("write-workload: \(message)\n", stderr)
  exit(2)
}

/// A text file written in pieces of a megabyte.
struct TextFile {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var text = ""

  init(_ path: String) {
    guard let file = fopen(path, "w") else { fail("\(path) cannot be written") }
    self.path = path
    self.file = file
  }

  mutating func append(_ line: String) {
    text += line
    text += "\n"
    if text.utf8.count > 1 << 20 { flush() }
  }

  private mutating func flush() {
    let count = text.utf8.count
    let written = text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) }
    guard written == count else { fail("\(path) cannot be written") }
    text = ""
  }

  mutating func close() {
    flush()
    guard fclose(file) == 0 else { fail("\(path) cannot be written") }
  }
}

func row(_ i: Int, _ place: Place) -> String {
  "\(SeoulWorkload.identifier(i)),\(place.latitude),\(place.longitude),"
    + SeoulWorkload.tags(i).joined(separator: ";")
}

let arguments = CommandLine.arguments
let numbers = arguments.dropFirst(2).map { Int($0) ?? -1 }
guard (1...3).contains(numbers.count), numbers.allSatisfy({ (1...100_000_000).contains($0) })
else { fail("usage: write-workload FOLDER POINTS [QUERIES] [MOVES]") }
let folder = arguments[1]
let pointCount = numbers[0]
let queryCount = numbers.count > 1 ? numbers[1] : 10_000
let moveCount = numbers.count > 2 ? numbers[2] : 200_000

// Seeds as in the in-process suite: hot spots 1, points 2, queries 3; moves 4.
let workload = SeoulWorkload()
var places = workload.places(pointCount, seed: 2)
var points = TextFile(folder + "/points.csv")
points.append("id,latitude,longitude,tags")
for (i, place) in places.enumerated() { points.append(row(i, place)) }
points.close()

var queries = TextFile(folder + "/queries.csv")
queries.append("latitude,longitude")
for place in workload.places(queryCount, seed: 3) {
  queries.append("\(place.latitude),\(place.longitude)")
}
queries.close()

// Each move is 50 m from where the object was before.
var moves = TextFile(folder + "/moves.csv")
moves.append("id,latitude,longitude,tags")
var g = WorkloadGenerator(seed: 4)
for _ in 0..<moveCount {
  let i = Int(g.next() % UInt64(pointCount))
  places[i] = SeoulWorkload.moved(places[i], meters: 50, &g)
  moves.append(row(i, places[i]))
}
moves.close()
