import CitySimulation
import GeoMath
import MoyeoAPI
import ObjectModel
import SwiftProtobuf

/// What people of a simulated city send.
enum CityReports {
  static func positions(
    _ reports: some Sequence<CitySimulation.Report>, of city: CitySimulation, ttlSeconds: Double
  ) -> [Moyeo_V1_Position] {
    reports.map { report in
      let user = city.user(at: report.user)
      var position = Moyeo_V1_Position()
      position.id = user.id
      position.latitude = report.coordinate.latitude
      position.longitude = report.coordinate.longitude
      position.tags = user.tags
      position.attributes.fields = [
        "gender": Google_Protobuf_Value(stringValue: user.gender.rawValue),
        "level": Google_Protobuf_Value(numberValue: Double(user.level)),
      ]
      // Never `observedAt`: at another speed, or another time of day, it would not be now.
      position.ttlSeconds = ttlSeconds
      return position
    }
  }

  /// The JSON by which a party is created.
  static func party(_ plan: CityPartyPlan, of city: CitySimulation) -> Google_Protobuf_Struct {
    let host = city.user(at: plan.host)
    func place(_ stop: CityPartyPlan.Stop) -> Google_Protobuf_Value {
      .object([
        "name": Google_Protobuf_Value(stringValue: stop.name),
        "latitude": Google_Protobuf_Value(numberValue: stop.coordinate.latitude),
        "longitude": Google_Protobuf_Value(numberValue: stop.coordinate.longitude),
      ])
    }
    var departure = Google_Protobuf_Timestamp()
    departure.seconds = plan.departure.milliseconds / 1000
    var body = Google_Protobuf_Struct()
    body.fields = [
      "hostId": Google_Protobuf_Value(stringValue: host.id),
      "origin": place(plan.origin),
      "destination": place(plan.destination),
      "departureTime": Google_Protobuf_Value(
        stringValue: (try? departure.jsonString())?.filter { $0 != "\"" } ?? ""),
      "departureWindowSeconds": Google_Protobuf_Value(
        numberValue: Double(plan.departureWindowSeconds)),
      "seats": Google_Protobuf_Value(numberValue: Double(plan.seats)),
      "attributes": .object(["gender": Google_Protobuf_Value(stringValue: host.gender.rawValue)]),
    ]
    if plan.isSameGenderOnly {
      var list = Google_Protobuf_ListValue()
      list.values = [Google_Protobuf_Value(stringValue: "gender")]
      body.fields["policy"] = .object(["sameAttributes": Google_Protobuf_Value(listValue: list)])
    }
    return body
  }
}

extension Google_Protobuf_Value {
  static func object(_ fields: [String: Google_Protobuf_Value]) -> Google_Protobuf_Value {
    var object = Google_Protobuf_Struct()
    object.fields = fields
    return Google_Protobuf_Value(structValue: object)
  }
}
