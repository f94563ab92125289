import Hummingbird
import MoyeoAPI
import WireFormat
import LiveLayers

/// What is done with whole layers over HTTP.
struct LayerRoutes: Sendable {
  let positions: PositionOperations

  var all: [RawRoute] {
    [
      RawRoute(
        "DeleteLayer", "DELETE", "/v1/layers/{layer}", nil, answers: "application/json"
      ) { parameters, request in try await delete(parameters, request) }
    ]
  }

  /// Answers `{"removed": 42}`: the live objects that went with the layer.
  private func delete(
    _ parameters: [(name: String, value: String)], _ request: Request
  ) async throws -> Response {
    guard request.uri.query?.isEmpty ?? true else {
      throw APIError(.unknownField, "this route takes no parameters")
    }
    let name = try positions.validation.layerName(parameters.first?.value)
    // There may be many: not on an event loop.
    let answer = try await positions.shared.onPool {
      [layers = positions.layers] _ throws(APIError) in
      do throws(LayerError) {
        var out = Array(#"{"removed":"#.utf8)
        JSONText.append(Int64(try layers.deleteLayer(name)), to: &out)
        return out + Array("}".utf8)
      } catch {
        throw APIError(error)
      }
    }
    return HTTPFrontend.json(answer)
  }
}
