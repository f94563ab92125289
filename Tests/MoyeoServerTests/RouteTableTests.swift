import MoyeoAPI
import LiveLayers
import ObjectModel
import Testing

@testable import MoyeoServer

@Suite struct RouteTableTests {
  private let table = RouteTable(
    PositionOperations(layers: LayerRegistry(clock: ManualClock(RunningDaemon.start), epoch: 1)).all
  )

  private func match(_ method: String, _ path: String) throws -> (rpc: String, [String: String]) {
    let match = try table.match(method: method, path: path)
    guard case .operation(let operation) = match.target else { return ("raw", [:]) }
    return (
      operation.rpc,
      Dictionary(match.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    )
  }

  @Test(arguments: [
    ("POST", "/v1/layers/users/positions", "Report"),
    ("GET", "/v1/layers/users/positions/a", "Get"),
    ("DELETE", "/v1/layers/users/positions/a", "Remove"),
    ("GET", "/v1/layers/users/nearby", "Nearby"), ("POST", "/v1/layers/users/nearby", "Nearby"),
    ("POST", "/v1/layers/users/nearby/batch", "NearbyBatch"),
    ("GET", "/v1/layers/users/within", "Within"), ("POST", "/v1/layers/users/within", "Within"),
    ("GET", "/v1/layers/users/tags", "TagHistogram"), ("GET", "/v1/layers", "ListLayers"),
  ])
  func theRoutesOfTheAPI(method: String, path: String, rpc: String) throws {
    let (found, parameters) = try match(method, path)
    #expect(found == rpc)
    if path != "/v1/layers" { #expect(parameters["layer"] == "users") }
  }

  @Test(arguments: [
    ("a%2Fb", "a/b"), ("%EB%AF%BC%EC%95%84", "민아"), ("a+b", "a+b"), ("a%20b", "a b"),
    ("100%25", "100%"), ("%00", "\0"), (".", "."), ("민아", "민아"), ("a%2fb%2Fc", "a/b/c"),
  ])
  func pathSegmentsAreDecodedOnce(raw: String, id: String) throws {
    let (rpc, parameters) = try match("GET", "/v1/layers/users/positions/\(raw)")
    #expect(rpc == "Get")
    #expect(parameters["id"] == id)
  }

  @Test(arguments: ["%", "%2", "%zz", "a%F", "%FF", "%C3%28", "%ED%A0%80"])
  func brokenEscapesAreRefused(raw: String) {
    let error = #expect(throws: APIError.self) {
      try table.match(method: "GET", path: "/v1/layers/users/positions/\(raw)")
    }
    #expect(error?.reason == .malformedRequest)
  }

  @Test(arguments: [
    "/", "", "/v1", "/v1/", "/v1/layers/", "/v1/layers/users/", "/v1/layers/users/nearby/",
    "/v1/layers//nearby", "/v1/layers/users/positions/", "/v1/layers/a/b/nearby", "/v2/layers",
    "//v1/layers", "/v1/Layers", "v1/layers", "xv1/layers", "?/v1/layers",
  ])
  func whatIsNoRouteIsUnknown(path: String) {
    let error = #expect(throws: APIError.self) { try table.match(method: "GET", path: path) }
    #expect(error?.reason == .unknownRoute)
  }

  @Test(arguments: [
    ("PUT", "/v1/layers/users/positions", "POST"), ("GET", "/v1/layers/users/positions", "POST"),
    ("POST", "/v1/layers/users/positions/a", "DELETE, GET"),
    ("DELETE", "/v1/layers/users/nearby", "GET, POST"), ("get", "/v1/layers", "GET"),
    ("GET", "/v1/layers/users", "DELETE"),
  ])
  func aKnownPathNamesItsMethods(method: String, path: String, allowed: String) {
    let error = #expect(throws: APIError.self) { try table.match(method: method, path: path) }
    #expect(error?.reason == .methodNotAllowed)
    #expect(error?.message.contains(allowed) == true)
  }
}
