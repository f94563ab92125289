import LiveLayers
import MoyeoAPI
import SwiftProtobuf

/// An answer, or an event of a stream, in which objects stand with where they are.
protocol ShowsObjects: Message {
  /// The layer of the objects where the request names none; nil: the request does.
  static var layerOfShown: String? { get }
  /// The ids of the objects.
  var shownIDs: [String] { get }
}

extension ShowsObjects {
  static var layerOfShown: String? { nil }
}

/// Finds the objects in encoded answers.
///
/// Tiles are not in the table: who is shown what of them is noted where they are read
/// (``ClusterOperations/lookUpTile(_:acceptsGzip:caller:)``).
enum ShownObjects {
  private static let types: [any ShowsObjects.Type] = [
    Moyeo_V1_GetPositionResponse.self, Moyeo_V1_NearbyResponse.self,
    Moyeo_V1_NearbyBatchResponse.self, Moyeo_V1_WithinResponse.self,
    Moyeo_V1_WatchPositionsEvent.self, Moyeo_V1_GetClustersResponse.self,
    Moyeo_V1_GetChildrenResponse.self, Moyeo_V1_GetLeavesResponse.self,
    Moyeo_V1_SearchTicketsResponse.self, Moyeo_V1_PartyListResponse.self,
    Moyeo_V1_PartyResponse.self, Moyeo_V1_MatchPartiesResponse.self,
    Moyeo_V1_WatchMatchesEvent.self,
  ]

  private static let byName = Dictionary(
    uniqueKeysWithValues: types.map { ($0.protoMessageName, $0) })

  /// What answers of a kind show; nil where they show no object.
  static func reader(of message: MessageSchema) -> Reader? {
    byName[message.name].map { Reader(type: $0) }
  }

  /// Reads one kind of answers.
  struct Reader: Sendable {
    let type: any ShowsObjects.Type

    /// The layer of which answers of this kind are; nil where the request says so.
    var layer: String? { type.layerOfShown }

    /// The ids of the objects in an encoded answer.
    ///
    /// - Throws: `internal_error` for bytes that are no such answer.
    func ids(in answer: [UInt8]) throws(APIError) -> [String] {
      guard let message = try? type.init(serializedBytes: answer) else {
        throw APIError(.internalError, "the answer cannot be read again")
      }
      return message.shownIDs
    }
  }
}

extension Moyeo_V1_GetPositionResponse: ShowsObjects {
  var shownIDs: [String] { hasPosition ? [position.id] : [] }
}

extension Moyeo_V1_NearbyResponse: ShowsObjects {
  var shownIDs: [String] { hits.map(\.id) }
}

extension Moyeo_V1_NearbyBatchResponse: ShowsObjects {
  var shownIDs: [String] { responses.flatMap { $0.hasBody ? $0.body.shownIDs : [] } }
}

extension Moyeo_V1_WithinResponse: ShowsObjects {
  var shownIDs: [String] { hits.map(\.id) }
}

extension Moyeo_V1_WatchPositionsEvent: ShowsObjects {
  var shownIDs: [String] { hasLatitude ? [id] : [] }
}

extension Moyeo_V1_Cluster {
  /// The object itself, or those of a cluster that it names: they are about where it is.
  fileprivate var shownIDs: [String] { pointCount == 1 ? [id] : sampleIds }
}

extension Moyeo_V1_GetClustersResponse: ShowsObjects {
  var shownIDs: [String] { clusters.flatMap(\.shownIDs) }
}

extension Moyeo_V1_GetChildrenResponse: ShowsObjects {
  var shownIDs: [String] { clusters.flatMap(\.shownIDs) }
}

extension Moyeo_V1_GetLeavesResponse: ShowsObjects {
  var shownIDs: [String] { hits.map(\.id) }
}

extension Moyeo_V1_SearchTicketsResponse: ShowsObjects {
  static var layerOfShown: String? { LayerName.tickets }
  var shownIDs: [String] { (around + askedMe).map(\.userID) }
}

extension Moyeo_V1_PartyListResponse: ShowsObjects {
  static var layerOfShown: String? { LayerName.parties }
  var shownIDs: [String] { parties.map(\.id) }
}

extension Moyeo_V1_PartyResponse: ShowsObjects {
  static var layerOfShown: String? { LayerName.parties }
  var shownIDs: [String] { hasParty ? [party.id] : [] }
}

extension Moyeo_V1_MatchPartiesResponse: ShowsObjects {
  static var layerOfShown: String? { LayerName.parties }
  var shownIDs: [String] { candidates.map(\.party.id) }
}

extension Moyeo_V1_WatchMatchesEvent: ShowsObjects {
  static var layerOfShown: String? { LayerName.parties }
  var shownIDs: [String] { candidates.map(\.party.id) }
}
