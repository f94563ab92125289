import Foundation
import SwiftProtobuf

/// In which zone moments are told to people, which every moment then says.
struct LocalClock {
  let zone: TimeZone

  /// `2026-11-20 23:10 +09:00`.
  func text(_ stamp: Google_Protobuf_Timestamp) -> String {
    let offset = zone.secondsFromGMT(for: stamp.date)
    return TimeText.format(stamp, offsetSeconds: offset) + " " + TimeText.offset(offset)
  }
}
