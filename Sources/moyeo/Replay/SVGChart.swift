/// A small chart as SVG: lines or bars over a labelled grid, with a legend. No fonts, scripts or
/// links, so that it shows anywhere.
struct SVGChart {
  struct Series {
    var name: String
    /// By x, ascending.
    var points: [(x: Double, y: Double)]
  }

  enum Style { case lines, bars }

  var title: String
  var xLabel: String
  var yLabel: String
  var style: Style
  var series: [Series]
  /// Marks of the x axis; empty: five equal steps.
  var xMarks: [(at: Double, text: String)] = []
  /// Decimal places at the y axis.
  var yDigits = 0

  private static let width = 640.0
  private static let height = 360.0
  private static let left = 64.0
  private static let right = 16.0
  private static let top = 40.0
  private static let bottom = 56.0
  private static let colors = ["#1f6fb2", "#d1701a", "#3a8a3a", "#8a3a8a"]

  var svg: String {
    var out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" width=\"640\" "
      + "height=\"360\" font-family=\"sans-serif\" font-size=\"12\">\n"
      + "<rect width=\"640\" height=\"360\" fill=\"#ffffff\"/>\n"
    out += text(Self.width / 2, 20, title, anchor: "middle", size: 15)
    out += grid()
    for (index, entry) in series.enumerated() {
      let color = Self.colors[index % Self.colors.count]
      out += style == .lines ? line(entry, color) : bars(entry, index, color)
      let x = Self.left + 8 + Double(index) * 110
      out += "<rect x=\"\(f(x))\" y=\"28\" width=\"10\" height=\"10\" fill=\"\(color)\"/>\n"
      out += text(x + 14, 37, entry.name)
    }
    return out + "</svg>\n"
  }

  private var xRange: (low: Double, high: Double) {
    let all = series.flatMap { $0.points.map(\.x) } + xMarks.map(\.at)
    var low = all.min() ?? 0
    var high = all.max() ?? 1
    if style == .bars {
      low -= 0.5
      high += 0.5
    }
    return high > low ? (low, high) : (low, low + 1)
  }

  /// From 0 to a round number.
  private var yTop: Double {
    let most = series.flatMap { $0.points.map(\.y) }.max() ?? 0
    guard most > 0 else { return 1 }
    var step = 1.0
    while step * 10 <= most { step *= 10 }
    while step > most { step /= 10 }
    for factor in [1.0, 2, 2.5, 5, 10] where step * factor >= most { return step * factor }
    return step * 10
  }

  private func xPixel(_ x: Double) -> Double {
    let range = xRange
    return Self.left + (x - range.low) / (range.high - range.low)
      * (Self.width - Self.left - Self.right)
  }

  private func yPixel(_ y: Double) -> Double {
    Self.height - Self.bottom - y / yTop * (Self.height - Self.top - Self.bottom)
  }

  private func grid() -> String {
    var out = ""
    for step in 0...5 {
      let value = yTop * Double(step) / 5
      let y = yPixel(value)
      out +=
        "<line x1=\"\(f(Self.left))\" x2=\"\(f(Self.width - Self.right))\" y1=\"\(f(y))\" "
        + "y2=\"\(f(y))\" stroke=\"#dddddd\"/>\n"
      out += text(
        Self.left - 6, y + 4, ReplayReport.fixed(value, yTop < 5 ? 2 : yDigits), anchor: "end")
    }
    let range = xRange
    let marks =
      xMarks.isEmpty
      ? (0...5).map { step in
        let at = range.low + (range.high - range.low) * Double(step) / 5
        return (at: at, text: ReplayReport.fixed(at, 0))
      } : xMarks
    for mark in marks {
      out += text(xPixel(mark.at), Self.height - Self.bottom + 18, mark.text, anchor: "middle")
    }
    out += text(
      (Self.left + Self.width - Self.right) / 2, Self.height - 12, xLabel, anchor: "middle")
    return out
      + "<text transform=\"translate(14 \(f((Self.top + Self.height - Self.bottom) / 2))) "
      + "rotate(-90)\" text-anchor=\"middle\">\(Self.escaped(yLabel))</text>\n"
  }

  private func line(_ series: Series, _ color: String) -> String {
    let points = series.points.map { "\(f(xPixel($0.x))),\(f(yPixel($0.y)))" }
    return "<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\" points=\""
      + points.joined(separator: " ") + "\"/>\n"
  }

  private func bars(_ entry: Series, _ index: Int, _ color: String) -> String {
    let range = xRange
    let slot = (Self.width - Self.left - Self.right) / (range.high - range.low) * 0.8
    let width = slot / Double(max(1, series.count))
    return entry.points.map { point in
      let x = xPixel(point.x) - slot / 2 + Double(index) * width
      let y = yPixel(point.y)
      return "<rect x=\"\(f(x))\" y=\"\(f(y))\" width=\"\(f(width - 2))\" "
        + "height=\"\(f(yPixel(0) - y))\" fill=\"\(color)\"/>\n"
    }.joined()
  }

  private func text(
    _ x: Double, _ y: Double, _ content: String, anchor: String = "start", size: Int = 12
  ) -> String {
    "<text x=\"\(f(x))\" y=\"\(f(y))\" text-anchor=\"\(anchor)\" font-size=\"\(size)\">"
      + Self.escaped(content) + "</text>\n"
  }

  private func f(_ value: Double) -> String { ReplayReport.fixed(value, 1) }

  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      default: out.append(character)
      }
    }
    return out
  }
}
