import DurableCommands
import LiveLayers
import ObjectModel
import Parties
import QueryCoalescing
import SpatialIndexing
import Tickets
import WireFormat

/// What a tenant's layers, clusters and commits amount to, and what the daemon shares, as JSON.
struct AdminStatistics: Sendable {
  let room: TenantRoom
  let serving: ServingFigures
  /// Of the daemon. Nil: for an operator of one tenant, who sees no figures of all.
  let readiness: Readiness?

  func json() -> [UInt8] {
    JSONWriter.object { json in
      let parts = room.parts
      let now = parts.layers.clock.now()
      json.objects("layers", parts.layers.all.sorted { $0.name < $1.name }) { layer, json in
        let figures = layer.index.statistics()
        json.string("name", layer.name)
        json.integer("objects", Int64(figures.objectCount))
        json.integer("indexBytes", Int64(figures.totalBytes))
        json.bool("clusters", layer.settings.clusters)
        if layer.settings.clusters {
          json.integer(
            "clusterLagMilliseconds", Int64(layer.clusterLagMilliseconds(now: now)))
        }
      }
      json.object("coalescing", coalescing)
      if let parties = parts.parties { json.object("commits") { commits(parties, &$0) } }
      json.integer("parties", Int64(parts.parties?.partyCount ?? 0))
      json.integer("tickets", Int64(parts.tickets?.ticketCount ?? 0))
      guard let readiness else { return }
      json.bool("ready", readiness.isReady)
      json.bool("draining", readiness.isDraining)
      json.integer("streams", Int64(serving.pump.openCount))
      json.objects("connections", serving.connections.open) { listener, json in
        json.string("listener", listener.name)
        json.integer("open", Int64(listener.open))
      }
    }
  }

  private func coalescing(_ json: inout JSONWriter) {
    let flights = room.requestServices.shared.flightStatistics
    json.integer("asked", Int64(clamping: flights.arrivals))
    json.integer("workedOut", Int64(clamping: flights.started))
    json.integer("joined", Int64(clamping: flights.joined))
    let kept = room.requestServices.shared.cacheStatistics
    json.integer("keptHits", Int64(clamping: kept.hits))
    json.integer("keptMisses", Int64(clamping: kept.misses))
    guard let tiles = room.clusters.tileCache?.statistics else { return }
    json.integer("tileHits", Int64(clamping: tiles.hits))
    json.integer("tileMisses", Int64(clamping: tiles.misses))
  }

  private func commits(_ parties: PartyService, _ json: inout JSONWriter) {
    let figures = parties.commitStatistics
    json.integer("commands", Int64(figures.commands))
    json.integer("batches", Int64(figures.batches))
    json.integer("largestBatch", Int64(figures.largestBatch))
    json.integer("committed", Int64(figures.committedGroups))
    json.integer("conflicts", Int64(figures.conflicts))
    json.integer("duplicates", Int64(figures.duplicates))
    json.integer("refusedForLoad", Int64(figures.refusedForLoad))
    json.integer("missedDeadlines", Int64(figures.missedDeadlines))
    json.integer("waiting", Int64(figures.queued))
    if let reason = parties.readOnlyReason { json.string("readOnly", reason) }
  }
}
