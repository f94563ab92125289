import Foundation

/// A body for each call that takes one, for /openapi.json; a test asks the daemon about each.
enum RequestExamples {
  /// - Parameter call: The service without its package and the call, such as `PartyService.Join`.
  /// - Returns: A JSON object, without the fields that stand in the path; nil: none is written.
  static func body(of call: String) -> Any? {
    bodies[call].flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
  }

  private static let sinchon =
    #"{"name":"Sinchon Station","latitude":37.5551,"longitude":126.9368}"#
  private static let gangnam =
    #"{"name":"Gangnam Station","latitude":37.4979,"longitude":127.0276}"#
  private static let trip = #""origin":\#(sinchon),"destination":\#(gangnam)"#
  private static let polygon =
    #"{"points":[{"latitude":37.49,"longitude":127.02},{"latitude":37.49,"longitude":127.04},"#
    + #"{"latitude":37.51,"longitude":127.03}]}"#
  private static let gender = #""attributes":{"gender":"female"}"#
  private static let other = #"{"otherId":"ben"}"#

  private static let bodies = [
    "PositionService.Report":
      #"{"positions":[{"id":"ann","latitude":37.4979,"longitude":127.0276,"#
      + #""tags":["swift","coffee"],"attributes":{"level":3},"ttlSeconds":600}]}"#,
    "PositionService.Nearby":
      #"{"latitude":37.498,"longitude":127.0277,"radiusMeters":1500,"limit":20,"#
      + #""tags":["swift","kotlin"],"tagMatch":"any","where":[{"attribute":"level","min":2}]}"#,
    "PositionService.NearbyBatch":
      #"{"requests":[{"latitude":37.498,"longitude":127.0277,"limit":3},"#
      + #"{"latitude":37.5551,"longitude":126.9368,"radiusMeters":500}]}"#,
    "PositionService.Within": #"{"within":\#(polygon),"limit":100}"#,
    "PositionService.Watch":
      #"{"latitude":37.498,"longitude":127.0277,"radiusMeters":1000,"kinds":["enter","exit"]}"#,
    "FareService.Estimate":
      #"{\#(trip),"departureTime":"2030-05-22T23:30:00+09:00","riders":[{"riderId":"ann"},"#
      + #"{"riderId":"ben","dropOff":{"latitude":37.5045,"longitude":127.0246}}],"#
      + #""splitRule":"bySoloFare"}"#,
    "FareService.Split":
      #"{"amount":14800,"currency":"KRW","rule":"byDistance","riders":["#
      + #"{"riderId":"ann","distanceMeters":12400},{"riderId":"ben","distanceMeters":8100}]}"#,
    "PartyService.Create":
      #"{"hostId":"ann",\#(trip),"departureTime":"2030-05-22T18:00:00+09:00","#
      + #""departureWindowSeconds":600,"seats":4,"tags":["quiet"],\#(gender),"#
      + #""policy":{"sameAttributes":["gender"]}}"#,
    "PartyService.Update": #"{"riderId":"ann","departureWindowSeconds":900,"seats":3}"#,
    "PartyService.Depart": #"{"riderId":"ann"}"#,
    "PartyService.RemoveRider": #"{"hostId":"ann","reason":"no_show"}"#,
    "PartyService.Settle": #"{"payerId":"ann","amount":14800,"tolls":0}"#,
    "PartyService.Cancel": #"{"riderId":"ann","reason":"rain"}"#,
    "PartyService.Search":
      #"{"latitude":37.5551,"longitude":126.9368,"radiusMeters":1000,"seats":1}"#,
    "PartyService.Match":
      #"{"riderId":"ben",\#(trip),"departureTime":"2030-05-22T18:05:00+09:00","#
      + #""maxWalkMeters":500,\#(gender),"explain":true}"#,
    "PartyService.PreviewJoin":
      #"{"riderId":"ben","destination":\#(gangnam),\#(gender)}"#,
    "PartyService.WatchMatches":
      #"{"riderId":"ben",\#(trip),"departureTime":"2030-05-22T18:05:00+09:00","store":true}"#,
    "PartyService.Join":
      #"{"riderId":"ben","destination":\#(gangnam),"maxShare":9000,\#(gender)}"#,
    "PartyService.ApproveJoin": #"{"hostId":"ann"}"#,
    "PartyService.DeclineJoin": #"{"hostId":"ann"}"#,
    "PartyService.WithdrawJoin": #"{"riderId":"ben"}"#,
    "PartyService.Leave": #"{"riderId":"ben"}"#,
    "PartyService.MatchBatch":
      #"{"requests":[{"riderId":"ann",\#(trip),"departureTime":"2030-05-22T18:00:00+09:00"},"#
      + #"{"riderId":"ben",\#(trip),"departureTime":"2030-05-22T18:05:00+09:00"}],"seed":1}"#,
    "PartyService.WithdrawRideRequest": #"{"riderId":"ben"}"#,
    "PartyService.AcceptRideOffer": #"{"riderId":"ben"}"#,
    "PartyService.DeclineRideOffer": #"{"riderId":"ben"}"#,
    "CommuteService.Create":
      #"{"hostId":"ann",\#(trip),"weekdays":["MON","TUE","WED","THU","FRI"],"#
      + #""localTime":"07:45","timeZone":"Asia/Seoul","to":"2027-06-30","holidays":"kr-public","#
      + #""removed":["2027-01-04"],"seats":4,\#(gender)}"#,
    "CommuteService.Update":
      #"{"riderId":"ann","localTime":"08:00","removed":["2027-01-05"],"includeAppeared":true}"#,
    "CommuteService.Cancel": #"{"riderId":"ann","reason":"moved","includeAppeared":true}"#,
    "CommuteService.Join": #"{"riderId":"ben","destination":\#(gangnam),"maxShare":9000}"#,
    "CommuteService.Leave": #"{"riderId":"ben"}"#,
    "RouteService.Plan":
      #"{\#(trip),"stops":[{"riderId":"ben","latitude":37.5045,"longitude":127.0246,"#
      + #""kind":"drop_off"}]}"#,
    "TicketService.Open":
      #"{"userId":"ann","here":{"latitude":37.4979,"longitude":127.0276},"#
      + #""tags":["swift","coffee"],"expiresInSeconds":3600}"#,
    "TicketService.Heartbeat": "{}",
    "TicketService.Search": #"{"userId":"ann","tags":["swift"],"limit":10}"#,
    "TicketService.Propose": other, "TicketService.Withdraw": other,
    "TicketService.Accept": other, "TicketService.Decline": other,
    "TicketService.Dodge": other, "TicketService.ReportUser": other,
    "TicketService.Block": other, "TicketService.Unblock": other,
    "TicketService.Rate": #"{"otherId":"ben","stars":5,"comment":"Knows a lot."}"#,
    "Batch.Reads":
      #"{"requests":[{"method":"GET","path":"/v1/layers"},"#
      + #"{"method":"POST","path":"/v1/layers/users/nearby","#
      + #""body":{"latitude":37.498,"longitude":127.0277}}]}"#,
  ]
}
