/// A line in the coordinates of a tile, cut to what the tile shows.
public enum TileLine {
  /// A corner, in units of 1/extent of the tile's side.
  public struct Corner: Hashable, Sendable {
    /// Units from the tile's left edge to the right.
    public var x: Int64
    /// Units from the tile's upper edge downwards.
    public var y: Int64

    /// Names a corner.
    public init(x: Int64, y: Int64) {
      self.x = x
      self.y = y
    }
  }

  /// The pieces of a line within a square, corners that follow each other being different.
  ///
  /// Each segment is cut by Liang and Barsky's rule (ACM Transactions on Graphics 3, 1984); pieces that
  /// meet stay one line.
  ///
  /// - Parameters:
  ///   - line: Corners of the line.
  ///   - range: Of both axes, edges included.
  /// - Returns: Lines of two or more corners, in the order in which the line has them.
  /// - Complexity: O(corners).
  public static func pieces(of line: [Corner], in range: ClosedRange<Int64>) -> [[Corner]] {
    var out: [[Corner]] = []
    var piece: [Corner] = []
    func end(_ piece: inout [Corner]) {
      if piece.count > 1 { out.append(piece) }
      piece = []
    }
    for (from, to) in zip(line, line.dropFirst()) where from != to {
      guard let (start, stop) = cut(from, to, range) else {
        end(&piece)
        continue
      }
      if piece.last != start {
        end(&piece)
        piece = [start]
      }
      if stop != start { piece.append(stop) }
      // It leaves the square here.
      if stop != to { end(&piece) }
    }
    end(&piece)
    return out
  }

  private static func cut(
    _ from: Corner, _ to: Corner, _ range: ClosedRange<Int64>
  ) -> (Corner, Corner)? {
    let (dx, dy) = (Double(to.x - from.x), Double(to.y - from.y))
    let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
    var (enter, leave) = (0.0, 1.0)
    for (step, room) in [
      (-dx, Double(from.x) - low), (dx, high - Double(from.x)),
      (-dy, Double(from.y) - low), (dy, high - Double(from.y)),
    ] {
      if step == 0 {
        if room < 0 { return nil }
      } else if step < 0 {
        enter = max(enter, room / step)
      } else {
        leave = min(leave, room / step)
      }
    }
    guard enter <= leave else { return nil }
    func at(_ share: Double) -> Corner {
      Corner(
        x: from.x + Int64((dx * share).rounded()), y: from.y + Int64((dy * share).rounded()))
    }
    return (enter == 0 ? from : at(enter), leave == 1 ? to : at(leave))
  }
}
