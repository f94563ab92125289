import RideMatching

extension PartyRecord {
  /// Reads what a stored party's riders agreed to pay for the whole ride, in the smallest unit of its
  /// currency; nil for one that a tariff prices or nothing, or that cannot be read.
  package static func agreedAmount(record: [UInt8]) -> Int64? {
    (try? decode(record))?.agreedFare?.amount
  }
}
