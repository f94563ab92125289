# Made by clients/python/scripts/generate; do not edit.

"""One method a call; its arguments are the fields of the request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from google.protobuf.timestamp_pb2 import Timestamp

from moyeo.v1 import (
    AgreedFare,
    AttributeCondition,
    BatchRequest,
    Box,
    CommuteListResponse,
    CommuteResponse,
    DeleteLayerResponse,
    EstimateFareResponse,
    Event,
    FareRider,
    Fence,
    GetChildrenResponse,
    GetClustersResponse,
    GetExpansionZoomResponse,
    GetLeavesResponse,
    GetPositionResponse,
    GetTileResponse,
    ListEventsResponse,
    ListLayersResponse,
    ListTariffsResponse,
    MatchBatchResponse,
    MatchPartiesResponse,
    NearbyBatchResponse,
    NearbyRequest,
    NearbyResponse,
    PartyListResponse,
    PartyPolicy,
    PartyResponse,
    PartyRider,
    Place,
    PlanRouteResponse,
    Point,
    Polygon,
    Position,
    PreviewJoinResponse,
    RemovePositionResponse,
    ReportResponse,
    ReversePlacesResponse,
    RideOfferListResponse,
    RideOfferResponse,
    RideRequestListResponse,
    RideRequestResponse,
    RouteSegment,
    RouteStop,
    SearchPlacesResponse,
    SearchTicketsResponse,
    SplitFareResponse,
    SplitLeg,
    SplitRider,
    TagHistogramResponse,
    TicketRanking,
    TicketResponse,
    WantedAttribute,
    WatchMatchesEvent,
    WatchPositionsEvent,
    WatchTilesEvent,
    WithinResponse,
)
from moyeo.v1.calls import (
    CLUSTERS_GET_CHILDREN,
    CLUSTERS_GET_CLUSTERS,
    CLUSTERS_GET_EXPANSION_ZOOM,
    CLUSTERS_GET_LEAVES,
    CLUSTERS_GET_TILE,
    CLUSTERS_WATCH_TILES,
    COMMUTES_CANCEL,
    COMMUTES_CREATE,
    COMMUTES_GET,
    COMMUTES_JOIN,
    COMMUTES_LEAVE,
    COMMUTES_LIST,
    COMMUTES_UPDATE,
    EVENTS_LIST,
    EVENTS_WATCH,
    FARES_ESTIMATE,
    FARES_LIST_TARIFFS,
    FARES_SPLIT,
    PARTIES_ACCEPT_RIDE_OFFER,
    PARTIES_APPROVE_JOIN,
    PARTIES_CANCEL,
    PARTIES_CREATE,
    PARTIES_DECLINE_JOIN,
    PARTIES_DECLINE_RIDE_OFFER,
    PARTIES_DEPART,
    PARTIES_GET,
    PARTIES_GET_RIDE_OFFER,
    PARTIES_GET_RIDE_REQUEST,
    PARTIES_JOIN,
    PARTIES_LEAVE,
    PARTIES_LIST,
    PARTIES_LIST_RIDE_OFFERS,
    PARTIES_LIST_RIDE_REQUESTS,
    PARTIES_MATCH,
    PARTIES_MATCH_BATCH,
    PARTIES_PREVIEW_JOIN,
    PARTIES_REMOVE_RIDER,
    PARTIES_SEARCH,
    PARTIES_SETTLE,
    PARTIES_UPDATE,
    PARTIES_WATCH,
    PARTIES_WATCH_MATCHES,
    PARTIES_WITHDRAW_JOIN,
    PARTIES_WITHDRAW_RIDE_REQUEST,
    PLACES_REVERSE,
    PLACES_SEARCH,
    POSITIONS_DELETE_LAYER,
    POSITIONS_GET,
    POSITIONS_LIST_LAYERS,
    POSITIONS_NEARBY,
    POSITIONS_NEARBY_BATCH,
    POSITIONS_REMOVE,
    POSITIONS_REPORT,
    POSITIONS_TAG_HISTOGRAM,
    POSITIONS_WATCH,
    POSITIONS_WITHIN,
    ROUTES_PLAN,
    TICKETS_ACCEPT,
    TICKETS_BLOCK,
    TICKETS_CLOSE,
    TICKETS_DECLINE,
    TICKETS_DODGE,
    TICKETS_GET,
    TICKETS_HEARTBEAT,
    TICKETS_OPEN,
    TICKETS_PROPOSE,
    TICKETS_RATE,
    TICKETS_REPORT_USER,
    TICKETS_SEARCH,
    TICKETS_UNBLOCK,
    TICKETS_WATCH,
    TICKETS_WITHDRAW,
)

if TYPE_CHECKING:
    from moyeo._async import AsyncCaller
    from moyeo._streams import AsyncStream


class PositionCalls:
    """Calls of ``moyeo.v1.PositionService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def report(
        self, *,
        layer: str | None = None,
        positions: Iterable[Position | Mapping[str, object]] | None = None,
        timeout: float | None = None,
    ) -> ReportResponse:
        """``PositionService.Report``, ``POST /v1/layers/{layer}/positions``."""
        return await self._caller.unary(POSITIONS_REPORT, {
            "layer": layer,
            "positions": positions,
        }, None, timeout)

    async def get(
        self, *,
        layer: str | None = None,
        id: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> GetPositionResponse:
        """``PositionService.Get``, ``GET /v1/layers/{layer}/positions/{id}``."""
        return await self._caller.unary(POSITIONS_GET, {
            "layer": layer,
            "id": id,
            "min_version": min_version,
        }, None, timeout)

    async def remove(
        self, *,
        layer: str | None = None,
        id: str | None = None,
        timeout: float | None = None,
    ) -> RemovePositionResponse:
        """``PositionService.Remove``, ``DELETE /v1/layers/{layer}/positions/{id}``."""
        return await self._caller.unary(POSITIONS_REMOVE, {
            "layer": layer,
            "id": id,
        }, None, timeout)

    async def nearby(
        self, *,
        layer: str | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        limit: int | None = None,
        radius_meters: float | None = None,
        tags: Iterable[str] | None = None,
        tag_match: str | None = None,
        not_tags: Iterable[str] | None = None,
        exclude_ids: Iterable[str] | None = None,
        within: Polygon | Mapping[str, object] | None = None,
        where: Iterable[AttributeCondition | Mapping[str, object]] | None = None,
        max_age_seconds: float | None = None,
        cursor: str | None = None,
        min_version: str | None = None,
        max_staleness_seconds: float | None = None,
        timeout: float | None = None,
    ) -> NearbyResponse:
        """``PositionService.Nearby``, ``POST /v1/layers/{layer}/nearby``."""
        return await self._caller.unary(POSITIONS_NEARBY, {
            "layer": layer,
            "latitude": latitude,
            "longitude": longitude,
            "limit": limit,
            "radius_meters": radius_meters,
            "tags": tags,
            "tag_match": tag_match,
            "not_tags": not_tags,
            "exclude_ids": exclude_ids,
            "within": within,
            "where": where,
            "max_age_seconds": max_age_seconds,
            "cursor": cursor,
            "min_version": min_version,
            "max_staleness_seconds": max_staleness_seconds,
        }, None, timeout)

    async def nearby_batch(
        self, *,
        layer: str | None = None,
        requests: Iterable[NearbyRequest | Mapping[str, object]] | None = None,
        timeout: float | None = None,
    ) -> NearbyBatchResponse:
        """``PositionService.NearbyBatch``, ``POST /v1/layers/{layer}/nearby/batch``."""
        return await self._caller.unary(POSITIONS_NEARBY_BATCH, {
            "layer": layer,
            "requests": requests,
        }, None, timeout)

    async def within(
        self, *,
        layer: str | None = None,
        west: float | None = None,
        south: float | None = None,
        east: float | None = None,
        north: float | None = None,
        polygon: Polygon | Mapping[str, object] | None = None,
        limit: int | None = None,
        tags: Iterable[str] | None = None,
        tag_match: str | None = None,
        not_tags: Iterable[str] | None = None,
        exclude_ids: Iterable[str] | None = None,
        where: Iterable[AttributeCondition | Mapping[str, object]] | None = None,
        max_age_seconds: float | None = None,
        cursor: str | None = None,
        min_version: str | None = None,
        within: Polygon | Mapping[str, object] | None = None,
        max_staleness_seconds: float | None = None,
        timeout: float | None = None,
    ) -> WithinResponse:
        """``PositionService.Within``, ``POST /v1/layers/{layer}/within``."""
        return await self._caller.unary(POSITIONS_WITHIN, {
            "layer": layer,
            "west": west,
            "south": south,
            "east": east,
            "north": north,
            "polygon": polygon,
            "limit": limit,
            "tags": tags,
            "tag_match": tag_match,
            "not_tags": not_tags,
            "exclude_ids": exclude_ids,
            "where": where,
            "max_age_seconds": max_age_seconds,
            "cursor": cursor,
            "min_version": min_version,
            "within": within,
            "max_staleness_seconds": max_staleness_seconds,
        }, None, timeout)

    async def tag_histogram(
        self, *,
        layer: str | None = None,
        west: float | None = None,
        south: float | None = None,
        east: float | None = None,
        north: float | None = None,
        within: Polygon | Mapping[str, object] | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_meters: float | None = None,
        limit: int | None = None,
        max_age_seconds: float | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> TagHistogramResponse:
        """``PositionService.TagHistogram``, ``GET /v1/layers/{layer}/tags``."""
        return await self._caller.unary(POSITIONS_TAG_HISTOGRAM, {
            "layer": layer,
            "west": west,
            "south": south,
            "east": east,
            "north": north,
            "within": within,
            "latitude": latitude,
            "longitude": longitude,
            "radius_meters": radius_meters,
            "limit": limit,
            "max_age_seconds": max_age_seconds,
            "min_version": min_version,
        }, None, timeout)

    def watch(
        self, *,
        layer: str | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_meters: float | None = None,
        west: float | None = None,
        south: float | None = None,
        east: float | None = None,
        north: float | None = None,
        within: Polygon | Mapping[str, object] | None = None,
        tags: Iterable[str] | None = None,
        tag_match: str | None = None,
        not_tags: Iterable[str] | None = None,
        exclude_ids: Iterable[str] | None = None,
        where: Iterable[AttributeCondition | Mapping[str, object]] | None = None,
        kinds: Iterable[str] | None = None,
        interval_milliseconds: int | None = None,
        resume_token: str | None = None,
        fences: Iterable[Fence | Mapping[str, object]] | None = None,
    ) -> AsyncStream[WatchPositionsEvent]:
        """``PositionService.Watch``, ``POST /v1/layers/{layer}/watch``."""
        return self._caller.stream(POSITIONS_WATCH, {
            "layer": layer,
            "latitude": latitude,
            "longitude": longitude,
            "radius_meters": radius_meters,
            "west": west,
            "south": south,
            "east": east,
            "north": north,
            "within": within,
            "tags": tags,
            "tag_match": tag_match,
            "not_tags": not_tags,
            "exclude_ids": exclude_ids,
            "where": where,
            "kinds": kinds,
            "interval_milliseconds": interval_milliseconds,
            "resume_token": resume_token,
            "fences": fences,
        }, None)

    async def list_layers(
        self, *,
        timeout: float | None = None,
    ) -> ListLayersResponse:
        """``PositionService.ListLayers``, ``GET /v1/layers``."""
        return await self._caller.unary(POSITIONS_LIST_LAYERS, {}, None, timeout)

    async def delete_layer(
        self, *,
        layer: str | None = None,
        timeout: float | None = None,
    ) -> DeleteLayerResponse:
        """``PositionService.DeleteLayer``, ``DELETE /v1/layers/{layer}``."""
        return await self._caller.unary(POSITIONS_DELETE_LAYER, {
            "layer": layer,
        }, None, timeout)

class ClusterCalls:
    """Calls of ``moyeo.v1.ClusterService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get_tile(
        self, *,
        layer: str | None = None,
        zoom: int | None = None,
        x: int | None = None,
        y: int | None = None,
        format: str | None = None,
        tags: Iterable[str] | None = None,
        tag_match: str | None = None,
        not_tags: Iterable[str] | None = None,
        where: Iterable[AttributeCondition | Mapping[str, object]] | None = None,
        if_none_match: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> GetTileResponse:
        """``ClusterService.GetTile``, ``GET /v1/layers/{layer}/tiles/{z}/{x}/{y}.mvt``."""
        return await self._caller.unary(CLUSTERS_GET_TILE, {
            "layer": layer,
            "zoom": zoom,
            "x": x,
            "y": y,
            "format": format,
            "tags": tags,
            "tag_match": tag_match,
            "not_tags": not_tags,
            "where": where,
            "if_none_match": if_none_match,
            "min_version": min_version,
        }, None, timeout)

    async def get_clusters(
        self, *,
        layer: str | None = None,
        west: float | None = None,
        south: float | None = None,
        east: float | None = None,
        north: float | None = None,
        zoom: float | None = None,
        meters_per_pixel: float | None = None,
        tags: Iterable[str] | None = None,
        tag_match: str | None = None,
        not_tags: Iterable[str] | None = None,
        where: Iterable[AttributeCondition | Mapping[str, object]] | None = None,
        min_version: str | None = None,
        limit: int | None = None,
        max_staleness_seconds: float | None = None,
        timeout: float | None = None,
    ) -> GetClustersResponse:
        """``ClusterService.GetClusters``, ``GET /v1/layers/{layer}/clusters``."""
        return await self._caller.unary(CLUSTERS_GET_CLUSTERS, {
            "layer": layer,
            "west": west,
            "south": south,
            "east": east,
            "north": north,
            "zoom": zoom,
            "meters_per_pixel": meters_per_pixel,
            "tags": tags,
            "tag_match": tag_match,
            "not_tags": not_tags,
            "where": where,
            "min_version": min_version,
            "limit": limit,
            "max_staleness_seconds": max_staleness_seconds,
        }, None, timeout)

    async def get_children(
        self, *,
        layer: str | None = None,
        cluster_id: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> GetChildrenResponse:
        """``ClusterService.GetChildren``, ``GET /v1/layers/{layer}/clusters/{clusterId}/children``."""
        return await self._caller.unary(CLUSTERS_GET_CHILDREN, {
            "layer": layer,
            "cluster_id": cluster_id,
            "min_version": min_version,
        }, None, timeout)

    async def get_leaves(
        self, *,
        layer: str | None = None,
        cluster_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> GetLeavesResponse:
        """``ClusterService.GetLeaves``, ``GET /v1/layers/{layer}/clusters/{clusterId}/leaves``."""
        return await self._caller.unary(CLUSTERS_GET_LEAVES, {
            "layer": layer,
            "cluster_id": cluster_id,
            "limit": limit,
            "cursor": cursor,
            "min_version": min_version,
        }, None, timeout)

    async def get_expansion_zoom(
        self, *,
        layer: str | None = None,
        cluster_id: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> GetExpansionZoomResponse:
        """``ClusterService.GetExpansionZoom``, ``GET /v1/layers/{layer}/clusters/{clusterId}/expansion-zoom``."""
        return await self._caller.unary(CLUSTERS_GET_EXPANSION_ZOOM, {
            "layer": layer,
            "cluster_id": cluster_id,
            "min_version": min_version,
        }, None, timeout)

    def watch_tiles(
        self, *,
        layer: str | None = None,
        west: float | None = None,
        south: float | None = None,
        east: float | None = None,
        north: float | None = None,
        zoom: float | None = None,
        interval_milliseconds: int | None = None,
        resume_token: str | None = None,
    ) -> AsyncStream[WatchTilesEvent]:
        """``ClusterService.WatchTiles``, ``GET /v1/layers/{layer}/tiles/watch``."""
        return self._caller.stream(CLUSTERS_WATCH_TILES, {
            "layer": layer,
            "west": west,
            "south": south,
            "east": east,
            "north": north,
            "zoom": zoom,
            "interval_milliseconds": interval_milliseconds,
            "resume_token": resume_token,
        }, None)

class FareCalls:
    """Calls of ``moyeo.v1.FareService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def estimate(
        self, *,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        segments: Iterable[RouteSegment | Mapping[str, object]] | None = None,
        distance_meters: float | None = None,
        duration_seconds: float | None = None,
        departure_time: datetime | Timestamp | None = None,
        tariff_id: str | None = None,
        vehicle_class: str | None = None,
        rider_count: int | None = None,
        riders: Iterable[FareRider | Mapping[str, object]] | None = None,
        split_rule: str | None = None,
        tolls: int | None = None,
        flat_trip: str | None = None,
        slow_seconds: float | None = None,
        called: bool | None = None,
        out_of_area: bool | None = None,
        host_id: str | None = None,
        seats: int | None = None,
        seed: int | None = None,
        timeout: float | None = None,
    ) -> EstimateFareResponse:
        """``FareService.Estimate``, ``POST /v1/fares/estimate``."""
        return await self._caller.unary(FARES_ESTIMATE, {
            "origin": origin,
            "destination": destination,
            "segments": segments,
            "distance_meters": distance_meters,
            "duration_seconds": duration_seconds,
            "departure_time": departure_time,
            "tariff_id": tariff_id,
            "vehicle_class": vehicle_class,
            "rider_count": rider_count,
            "riders": riders,
            "split_rule": split_rule,
            "tolls": tolls,
            "flat_trip": flat_trip,
            "slow_seconds": slow_seconds,
            "called": called,
            "out_of_area": out_of_area,
            "host_id": host_id,
            "seats": seats,
            "seed": seed,
        }, None, timeout)

    async def split(
        self, *,
        amount: int | None = None,
        currency: str | None = None,
        rule: str | None = None,
        riders: Iterable[SplitRider | Mapping[str, object]] | None = None,
        legs: Iterable[SplitLeg | Mapping[str, object]] | None = None,
        tolls: int | None = None,
        seed: int | None = None,
        host_id: str | None = None,
        timeout: float | None = None,
    ) -> SplitFareResponse:
        """``FareService.Split``, ``POST /v1/fares/split``."""
        return await self._caller.unary(FARES_SPLIT, {
            "amount": amount,
            "currency": currency,
            "rule": rule,
            "riders": riders,
            "legs": legs,
            "tolls": tolls,
            "seed": seed,
            "host_id": host_id,
        }, None, timeout)

    async def list_tariffs(
        self, *,
        area: str | None = None,
        tariff_id: str | None = None,
        at: datetime | Timestamp | None = None,
        timeout: float | None = None,
    ) -> ListTariffsResponse:
        """``FareService.ListTariffs``, ``GET /v1/tariffs``."""
        return await self._caller.unary(FARES_LIST_TARIFFS, {
            "area": area,
            "tariff_id": tariff_id,
            "at": at,
        }, None, timeout)

class PartyCalls:
    """Calls of ``moyeo.v1.PartyService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *,
        host_id: str | None = None,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        seats: int | None = None,
        host_seats: int | None = None,
        riders: Iterable[PartyRider | Mapping[str, object]] | None = None,
        max_detour_ratio: float | None = None,
        max_walk_meters: float | None = None,
        tags: Iterable[str] | None = None,
        policy: PartyPolicy | Mapping[str, object] | None = None,
        split_rule: str | None = None,
        attributes: Mapping[str, object] | None = None,
        tariff_id: str | None = None,
        vehicle_class: str | None = None,
        called: bool | None = None,
        allow_raised_shares: bool | None = None,
        weight: float | None = None,
        policy_pack: str | None = None,
        min_shared_ratio: float | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        arrive_by: datetime | Timestamp | None = None,
        agreed_fare: AgreedFare | Mapping[str, object] | None = None,
        approval: str | None = None,
        hold_seats: bool | None = None,
        origin_precision: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Create``, ``POST /v1/parties``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_CREATE, {
            "host_id": host_id,
            "origin": origin,
            "destination": destination,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "seats": seats,
            "host_seats": host_seats,
            "riders": riders,
            "max_detour_ratio": max_detour_ratio,
            "max_walk_meters": max_walk_meters,
            "tags": tags,
            "policy": policy,
            "split_rule": split_rule,
            "attributes": attributes,
            "tariff_id": tariff_id,
            "vehicle_class": vehicle_class,
            "called": called,
            "allow_raised_shares": allow_raised_shares,
            "weight": weight,
            "policy_pack": policy_pack,
            "min_shared_ratio": min_shared_ratio,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "arrive_by": arrive_by,
            "agreed_fare": agreed_fare,
            "approval": approval,
            "hold_seats": hold_seats,
            "origin_precision": origin_precision,
        }, idempotency_key, timeout)

    async def get(
        self, *,
        id: str | None = None,
        min_version: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Get``, ``GET /v1/parties/{id}``."""
        return await self._caller.unary(PARTIES_GET, {
            "id": id,
            "min_version": min_version,
        }, None, timeout)

    async def list(
        self, *,
        rider_id: str | None = None,
        host_id: str | None = None,
        state: Iterable[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        requester_id: str | None = None,
        timeout: float | None = None,
    ) -> PartyListResponse:
        """``PartyService.List``, ``GET /v1/parties``."""
        return await self._caller.unary(PARTIES_LIST, {
            "rider_id": rider_id,
            "host_id": host_id,
            "state": state,
            "limit": limit,
            "cursor": cursor,
            "requester_id": requester_id,
        }, None, timeout)

    async def update(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        seats: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Update``, ``POST /v1/parties/{id}/update``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_UPDATE, {
            "id": id,
            "rider_id": rider_id,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "seats": seats,
        }, idempotency_key, timeout)

    async def depart(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Depart``, ``POST /v1/parties/{id}/depart``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_DEPART, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

    async def remove_rider(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        reason: str | None = None,
        host_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.RemoveRider``, ``POST /v1/parties/{id}/riders/{riderId}/remove``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_REMOVE_RIDER, {
            "id": id,
            "rider_id": rider_id,
            "reason": reason,
            "host_id": host_id,
        }, idempotency_key, timeout)

    async def settle(
        self, *,
        id: str | None = None,
        payer_id: str | None = None,
        amount: int | None = None,
        tolls: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Settle``, ``POST /v1/parties/{id}/settle``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_SETTLE, {
            "id": id,
            "payer_id": payer_id,
            "amount": amount,
            "tolls": tolls,
        }, idempotency_key, timeout)

    async def cancel(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Cancel``, ``POST /v1/parties/{id}/cancel``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_CANCEL, {
            "id": id,
            "rider_id": rider_id,
            "reason": reason,
        }, idempotency_key, timeout)

    async def search(
        self, *,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_meters: float | None = None,
        box: Box | Mapping[str, object] | None = None,
        destination: Point | Mapping[str, object] | None = None,
        destination_radius_meters: float | None = None,
        from_: datetime | Timestamp | None = None,
        to: datetime | Timestamp | None = None,
        seats: int | None = None,
        tags: Iterable[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        tag_match: str | None = None,
        min_version: str | None = None,
        max_staleness_seconds: float | None = None,
        timeout: float | None = None,
    ) -> PartyListResponse:
        """``PartyService.Search``, ``POST /v1/parties/search``."""
        return await self._caller.unary(PARTIES_SEARCH, {
            "latitude": latitude,
            "longitude": longitude,
            "radius_meters": radius_meters,
            "box": box,
            "destination": destination,
            "destination_radius_meters": destination_radius_meters,
            "from": from_,
            "to": to,
            "seats": seats,
            "tags": tags,
            "limit": limit,
            "cursor": cursor,
            "tag_match": tag_match,
            "min_version": min_version,
            "max_staleness_seconds": max_staleness_seconds,
        }, None, timeout)

    async def match(
        self, *,
        rider_id: str | None = None,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        min_shared_ratio: float | None = None,
        attributes: Mapping[str, object] | None = None,
        seats: int | None = None,
        limit: int | None = None,
        explain: bool | None = None,
        tags: Iterable[str] | None = None,
        max_share: int | None = None,
        min_version: str | None = None,
        max_staleness_seconds: float | None = None,
        allows_overlap: bool | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        arrive_by: datetime | Timestamp | None = None,
        timeout: float | None = None,
    ) -> MatchPartiesResponse:
        """``PartyService.Match``, ``POST /v1/parties/match``."""
        return await self._caller.unary(PARTIES_MATCH, {
            "rider_id": rider_id,
            "origin": origin,
            "destination": destination,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "min_shared_ratio": min_shared_ratio,
            "attributes": attributes,
            "seats": seats,
            "limit": limit,
            "explain": explain,
            "tags": tags,
            "max_share": max_share,
            "min_version": min_version,
            "max_staleness_seconds": max_staleness_seconds,
            "allows_overlap": allows_overlap,
            "boarding": boarding,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "arrive_by": arrive_by,
        }, None, timeout)

    async def preview_join(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        destination: Place | Mapping[str, object] | None = None,
        attributes: Mapping[str, object] | None = None,
        seats: int | None = None,
        origin: Place | Mapping[str, object] | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        max_share: int | None = None,
        weight: float | None = None,
        min_shared_ratio: float | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        arrive_by: datetime | Timestamp | None = None,
        timeout: float | None = None,
    ) -> PreviewJoinResponse:
        """``PartyService.PreviewJoin``, ``POST /v1/parties/{id}/preview``."""
        return await self._caller.unary(PARTIES_PREVIEW_JOIN, {
            "id": id,
            "rider_id": rider_id,
            "destination": destination,
            "attributes": attributes,
            "seats": seats,
            "origin": origin,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "max_share": max_share,
            "weight": weight,
            "min_shared_ratio": min_shared_ratio,
            "boarding": boarding,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "arrive_by": arrive_by,
        }, None, timeout)

    def watch_matches(
        self, *,
        rider_id: str | None = None,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        min_shared_ratio: float | None = None,
        attributes: Mapping[str, object] | None = None,
        seats: int | None = None,
        limit: int | None = None,
        tags: Iterable[str] | None = None,
        max_share: int | None = None,
        allows_overlap: bool | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        arrive_by: datetime | Timestamp | None = None,
        store: bool | None = None,
        resume_token: str | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncStream[WatchMatchesEvent]:
        """``PartyService.WatchMatches``, ``POST /v1/parties/match/watch``.

        The key is made here and kept over the retries, unless one is given.
        """
        return self._caller.stream(PARTIES_WATCH_MATCHES, {
            "rider_id": rider_id,
            "origin": origin,
            "destination": destination,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "min_shared_ratio": min_shared_ratio,
            "attributes": attributes,
            "seats": seats,
            "limit": limit,
            "tags": tags,
            "max_share": max_share,
            "allows_overlap": allows_overlap,
            "boarding": boarding,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "arrive_by": arrive_by,
            "store": store,
            "resume_token": resume_token,
        }, idempotency_key)

    async def join(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        destination: Place | Mapping[str, object] | None = None,
        attributes: Mapping[str, object] | None = None,
        seats: int | None = None,
        max_share: int | None = None,
        origin: Place | Mapping[str, object] | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        weight: float | None = None,
        min_shared_ratio: float | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        departure_time: datetime | Timestamp | None = None,
        departure_window_seconds: float | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        arrive_by: datetime | Timestamp | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Join``, ``POST /v1/parties/{id}/join``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_JOIN, {
            "id": id,
            "rider_id": rider_id,
            "destination": destination,
            "attributes": attributes,
            "seats": seats,
            "max_share": max_share,
            "origin": origin,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "weight": weight,
            "min_shared_ratio": min_shared_ratio,
            "boarding": boarding,
            "departure_time": departure_time,
            "departure_window_seconds": departure_window_seconds,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "arrive_by": arrive_by,
        }, idempotency_key, timeout)

    async def approve_join(
        self, *,
        id: str | None = None,
        request_id: str | None = None,
        host_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.ApproveJoin``, ``POST /v1/parties/{id}/requests/{requestId}/approve``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_APPROVE_JOIN, {
            "id": id,
            "request_id": request_id,
            "host_id": host_id,
        }, idempotency_key, timeout)

    async def decline_join(
        self, *,
        id: str | None = None,
        request_id: str | None = None,
        host_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.DeclineJoin``, ``POST /v1/parties/{id}/requests/{requestId}/decline``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_DECLINE_JOIN, {
            "id": id,
            "request_id": request_id,
            "host_id": host_id,
        }, idempotency_key, timeout)

    async def withdraw_join(
        self, *,
        id: str | None = None,
        request_id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.WithdrawJoin``, ``POST /v1/parties/{id}/requests/{requestId}/withdraw``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_WITHDRAW_JOIN, {
            "id": id,
            "request_id": request_id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

    async def leave(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> PartyResponse:
        """``PartyService.Leave``, ``POST /v1/parties/{id}/leave``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_LEAVE, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

    def watch(
        self, *,
        id: str | None = None,
        resume_token: str | None = None,
        after_version: str | None = None,
    ) -> AsyncStream[Event]:
        """``PartyService.Watch``, ``GET /v1/parties/{id}/events``."""
        return self._caller.stream(PARTIES_WATCH, {
            "id": id,
            "resume_token": resume_token,
            "after_version": after_version,
        }, None)

    async def match_batch(
        self, *,
        requests: Iterable[BatchRequest | Mapping[str, object]] | None = None,
        max_seats: int | None = None,
        seed: int | None = None,
        iterations: int | None = None,
        time_budget_milliseconds: int | None = None,
        policy: PartyPolicy | Mapping[str, object] | None = None,
        tariff_id: str | None = None,
        timeout: float | None = None,
    ) -> MatchBatchResponse:
        """``PartyService.MatchBatch``, ``POST /v1/parties/match-batch``."""
        return await self._caller.unary(PARTIES_MATCH_BATCH, {
            "requests": requests,
            "max_seats": max_seats,
            "seed": seed,
            "iterations": iterations,
            "time_budget_milliseconds": time_budget_milliseconds,
            "policy": policy,
            "tariff_id": tariff_id,
        }, None, timeout)

    async def list_ride_requests(
        self, *,
        rider_id: str | None = None,
        timeout: float | None = None,
    ) -> RideRequestListResponse:
        """``PartyService.ListRideRequests``, ``GET /v1/ride-requests``."""
        return await self._caller.unary(PARTIES_LIST_RIDE_REQUESTS, {
            "rider_id": rider_id,
        }, None, timeout)

    async def get_ride_request(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        timeout: float | None = None,
    ) -> RideRequestResponse:
        """``PartyService.GetRideRequest``, ``GET /v1/ride-requests/{id}``."""
        return await self._caller.unary(PARTIES_GET_RIDE_REQUEST, {
            "id": id,
            "rider_id": rider_id,
        }, None, timeout)

    async def withdraw_ride_request(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RideRequestResponse:
        """``PartyService.WithdrawRideRequest``, ``POST /v1/ride-requests/{id}/withdraw``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_WITHDRAW_RIDE_REQUEST, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

    async def list_ride_offers(
        self, *,
        rider_id: str | None = None,
        timeout: float | None = None,
    ) -> RideOfferListResponse:
        """``PartyService.ListRideOffers``, ``GET /v1/ride-offers``."""
        return await self._caller.unary(PARTIES_LIST_RIDE_OFFERS, {
            "rider_id": rider_id,
        }, None, timeout)

    async def get_ride_offer(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        timeout: float | None = None,
    ) -> RideOfferResponse:
        """``PartyService.GetRideOffer``, ``GET /v1/ride-offers/{id}``."""
        return await self._caller.unary(PARTIES_GET_RIDE_OFFER, {
            "id": id,
            "rider_id": rider_id,
        }, None, timeout)

    async def accept_ride_offer(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RideOfferResponse:
        """``PartyService.AcceptRideOffer``, ``POST /v1/ride-offers/{id}/accept``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_ACCEPT_RIDE_OFFER, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

    async def decline_ride_offer(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> RideOfferResponse:
        """``PartyService.DeclineRideOffer``, ``POST /v1/ride-offers/{id}/decline``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(PARTIES_DECLINE_RIDE_OFFER, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

class EventCalls:
    """Calls of ``moyeo.v1.EventService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self, *,
        after: int | None = None,
        kinds: Iterable[str] | None = None,
        wait_seconds: float | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> ListEventsResponse:
        """``EventService.List``, ``GET /v1/events``."""
        return await self._caller.unary(EVENTS_LIST, {
            "after": after,
            "kinds": kinds,
            "wait_seconds": wait_seconds,
            "limit": limit,
        }, None, timeout)

    def watch(
        self, *,
        after: int | None = None,
        kinds: Iterable[str] | None = None,
        resume_token: str | None = None,
    ) -> AsyncStream[Event]:
        """``EventService.Watch``, ``GET /v1/events``."""
        return self._caller.stream(EVENTS_WATCH, {
            "after": after,
            "kinds": kinds,
            "resume_token": resume_token,
        }, None)

class CommuteCalls:
    """Calls of ``moyeo.v1.CommuteService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *,
        host_id: str | None = None,
        rider_id: str | None = None,
        weekdays: Iterable[str] | None = None,
        local_time: str | None = None,
        time_zone: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        added: Iterable[str] | None = None,
        removed: Iterable[str] | None = None,
        holidays: str | None = None,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        departure_window_seconds: float | None = None,
        seats: int | None = None,
        host_seats: int | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        min_shared_ratio: float | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        tags: Iterable[str] | None = None,
        attributes: Mapping[str, object] | None = None,
        policy: PartyPolicy | Mapping[str, object] | None = None,
        policy_pack: str | None = None,
        split_rule: str | None = None,
        allow_raised_shares: bool | None = None,
        called: bool | None = None,
        tariff_id: str | None = None,
        vehicle_class: str | None = None,
        weight: float | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        max_share: int | None = None,
        allows_overlap: bool | None = None,
        agreed_fare: AgreedFare | Mapping[str, object] | None = None,
        approval: str | None = None,
        hold_seats: bool | None = None,
        arrive_by: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Create``, ``POST /v1/commutes``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(COMMUTES_CREATE, {
            "host_id": host_id,
            "rider_id": rider_id,
            "weekdays": weekdays,
            "local_time": local_time,
            "time_zone": time_zone,
            "from": from_,
            "to": to,
            "added": added,
            "removed": removed,
            "holidays": holidays,
            "origin": origin,
            "destination": destination,
            "departure_window_seconds": departure_window_seconds,
            "seats": seats,
            "host_seats": host_seats,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "min_shared_ratio": min_shared_ratio,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "tags": tags,
            "attributes": attributes,
            "policy": policy,
            "policy_pack": policy_pack,
            "split_rule": split_rule,
            "allow_raised_shares": allow_raised_shares,
            "called": called,
            "tariff_id": tariff_id,
            "vehicle_class": vehicle_class,
            "weight": weight,
            "boarding": boarding,
            "max_share": max_share,
            "allows_overlap": allows_overlap,
            "agreed_fare": agreed_fare,
            "approval": approval,
            "hold_seats": hold_seats,
            "arrive_by": arrive_by,
        }, idempotency_key, timeout)

    async def get(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        days: int | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Get``, ``GET /v1/commutes/{id}``."""
        return await self._caller.unary(COMMUTES_GET, {
            "id": id,
            "rider_id": rider_id,
            "days": days,
        }, None, timeout)

    async def list(
        self, *,
        rider_id: str | None = None,
        host_id: str | None = None,
        timeout: float | None = None,
    ) -> CommuteListResponse:
        """``CommuteService.List``, ``GET /v1/commutes``."""
        return await self._caller.unary(COMMUTES_LIST, {
            "rider_id": rider_id,
            "host_id": host_id,
        }, None, timeout)

    async def update(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        weekdays: Iterable[str] | None = None,
        local_time: str | None = None,
        time_zone: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        added: Iterable[str] | None = None,
        removed: Iterable[str] | None = None,
        restored: Iterable[str] | None = None,
        holidays: str | None = None,
        departure_window_seconds: float | None = None,
        seats: int | None = None,
        include_appeared: bool | None = None,
        arrive_by: str | None = None,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        min_shared_ratio: float | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        tags: Iterable[str] | None = None,
        attributes: Mapping[str, object] | None = None,
        host_seats: int | None = None,
        policy: PartyPolicy | Mapping[str, object] | None = None,
        policy_pack: str | None = None,
        split_rule: str | None = None,
        allow_raised_shares: bool | None = None,
        called: bool | None = None,
        tariff_id: str | None = None,
        vehicle_class: str | None = None,
        weight: float | None = None,
        agreed_fare: AgreedFare | Mapping[str, object] | None = None,
        approval: str | None = None,
        hold_seats: bool | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        max_share: int | None = None,
        allows_overlap: bool | None = None,
        cleared: Iterable[str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Update``, ``POST /v1/commutes/{id}/update``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(COMMUTES_UPDATE, {
            "id": id,
            "rider_id": rider_id,
            "weekdays": weekdays,
            "local_time": local_time,
            "time_zone": time_zone,
            "from": from_,
            "to": to,
            "added": added,
            "removed": removed,
            "restored": restored,
            "holidays": holidays,
            "departure_window_seconds": departure_window_seconds,
            "seats": seats,
            "include_appeared": include_appeared,
            "arrive_by": arrive_by,
            "origin": origin,
            "destination": destination,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "min_shared_ratio": min_shared_ratio,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
            "tags": tags,
            "attributes": attributes,
            "host_seats": host_seats,
            "policy": policy,
            "policy_pack": policy_pack,
            "split_rule": split_rule,
            "allow_raised_shares": allow_raised_shares,
            "called": called,
            "tariff_id": tariff_id,
            "vehicle_class": vehicle_class,
            "weight": weight,
            "agreed_fare": agreed_fare,
            "approval": approval,
            "hold_seats": hold_seats,
            "boarding": boarding,
            "max_share": max_share,
            "allows_overlap": allows_overlap,
            "cleared": cleared,
        }, idempotency_key, timeout)

    async def cancel(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        reason: str | None = None,
        include_appeared: bool | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Cancel``, ``POST /v1/commutes/{id}/cancel``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(COMMUTES_CANCEL, {
            "id": id,
            "rider_id": rider_id,
            "reason": reason,
            "include_appeared": include_appeared,
        }, idempotency_key, timeout)

    async def join(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        destination: Place | Mapping[str, object] | None = None,
        attributes: Mapping[str, object] | None = None,
        seats: int | None = None,
        max_share: int | None = None,
        origin: Place | Mapping[str, object] | None = None,
        max_walk_meters: float | None = None,
        max_detour_ratio: float | None = None,
        weight: float | None = None,
        min_shared_ratio: float | None = None,
        boarding: Place | Mapping[str, object] | None = None,
        max_ride_seconds: float | None = None,
        max_detour_seconds: float | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Join``, ``POST /v1/commutes/{id}/join``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(COMMUTES_JOIN, {
            "id": id,
            "rider_id": rider_id,
            "destination": destination,
            "attributes": attributes,
            "seats": seats,
            "max_share": max_share,
            "origin": origin,
            "max_walk_meters": max_walk_meters,
            "max_detour_ratio": max_detour_ratio,
            "weight": weight,
            "min_shared_ratio": min_shared_ratio,
            "boarding": boarding,
            "max_ride_seconds": max_ride_seconds,
            "max_detour_seconds": max_detour_seconds,
        }, idempotency_key, timeout)

    async def leave(
        self, *,
        id: str | None = None,
        rider_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> CommuteResponse:
        """``CommuteService.Leave``, ``POST /v1/commutes/{id}/leave``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(COMMUTES_LEAVE, {
            "id": id,
            "rider_id": rider_id,
        }, idempotency_key, timeout)

class PlaceCalls:
    """Calls of ``moyeo.v1.PlaceService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def search(
        self, *,
        q: str | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_meters: float | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> SearchPlacesResponse:
        """``PlaceService.Search``, ``GET /v1/places/search``."""
        return await self._caller.unary(PLACES_SEARCH, {
            "q": q,
            "latitude": latitude,
            "longitude": longitude,
            "radius_meters": radius_meters,
            "limit": limit,
        }, None, timeout)

    async def reverse(
        self, *,
        latitude: float | None = None,
        longitude: float | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> ReversePlacesResponse:
        """``PlaceService.Reverse``, ``GET /v1/places/reverse``."""
        return await self._caller.unary(PLACES_REVERSE, {
            "latitude": latitude,
            "longitude": longitude,
            "limit": limit,
        }, None, timeout)

class RouteCalls:
    """Calls of ``moyeo.v1.RouteService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def plan(
        self, *,
        origin: Place | Mapping[str, object] | None = None,
        destination: Place | Mapping[str, object] | None = None,
        stops: Iterable[RouteStop | Mapping[str, object]] | None = None,
        departure_time: datetime | Timestamp | None = None,
        keep_order: bool | None = None,
        timeout: float | None = None,
    ) -> PlanRouteResponse:
        """``RouteService.Plan``, ``POST /v1/routes/plan``."""
        return await self._caller.unary(ROUTES_PLAN, {
            "origin": origin,
            "destination": destination,
            "stops": stops,
            "departure_time": departure_time,
            "keep_order": keep_order,
        }, None, timeout)

class TicketCalls:
    """Calls of ``moyeo.v1.TicketService``."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def open(
        self, *,
        user_id: str | None = None,
        here: Point | Mapping[str, object] | None = None,
        looking_at: Point | Mapping[str, object] | None = None,
        tags: Iterable[str] | None = None,
        attributes: Mapping[str, object] | None = None,
        wanted: Iterable[WantedAttribute | Mapping[str, object]] | None = None,
        expires_in_seconds: float | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Open``, ``POST /v1/tickets``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_OPEN, {
            "user_id": user_id,
            "here": here,
            "looking_at": looking_at,
            "tags": tags,
            "attributes": attributes,
            "wanted": wanted,
            "expires_in_seconds": expires_in_seconds,
        }, idempotency_key, timeout)

    async def close(
        self, *,
        user_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Close``, ``DELETE /v1/tickets/{userId}``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_CLOSE, {
            "user_id": user_id,
        }, idempotency_key, timeout)

    async def get(
        self, *,
        user_id: str | None = None,
        after_version: str | None = None,
        wait_seconds: float | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Get``, ``GET /v1/tickets/{userId}``."""
        return await self._caller.unary(TICKETS_GET, {
            "user_id": user_id,
            "after_version": after_version,
            "wait_seconds": wait_seconds,
        }, None, timeout)

    async def heartbeat(
        self, *,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Heartbeat``, ``POST /v1/tickets/{userId}/heartbeat``."""
        return await self._caller.unary(TICKETS_HEARTBEAT, {
            "user_id": user_id,
        }, None, timeout)

    async def search(
        self, *,
        user_id: str | None = None,
        looking_at: Point | Mapping[str, object] | None = None,
        tags: Iterable[str] | None = None,
        radius_meters: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        wanted: Iterable[WantedAttribute | Mapping[str, object]] | None = None,
        online_only: bool | None = None,
        minimum_stars: float | None = None,
        ranking: TicketRanking | Mapping[str, object] | None = None,
        explain: bool | None = None,
        timeout: float | None = None,
    ) -> SearchTicketsResponse:
        """``TicketService.Search``, ``POST /v1/tickets/search``."""
        return await self._caller.unary(TICKETS_SEARCH, {
            "user_id": user_id,
            "looking_at": looking_at,
            "tags": tags,
            "radius_meters": radius_meters,
            "limit": limit,
            "cursor": cursor,
            "wanted": wanted,
            "online_only": online_only,
            "minimum_stars": minimum_stars,
            "ranking": ranking,
            "explain": explain,
        }, None, timeout)

    async def propose(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        match_if_asked: bool | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Propose``, ``POST /v1/tickets/{userId}/propose``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_PROPOSE, {
            "user_id": user_id,
            "other_id": other_id,
            "match_if_asked": match_if_asked,
        }, idempotency_key, timeout)

    async def withdraw(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Withdraw``, ``POST /v1/tickets/{userId}/withdraw``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_WITHDRAW, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def accept(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Accept``, ``POST /v1/tickets/{userId}/accept``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_ACCEPT, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def decline(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Decline``, ``POST /v1/tickets/{userId}/decline``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_DECLINE, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def dodge(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Dodge``, ``POST /v1/tickets/{userId}/dodge``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_DODGE, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def rate(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        stars: int | None = None,
        reputation: Iterable[int] | None = None,
        comment: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Rate``, ``POST /v1/tickets/{userId}/rate``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_RATE, {
            "user_id": user_id,
            "other_id": other_id,
            "stars": stars,
            "reputation": reputation,
            "comment": comment,
        }, idempotency_key, timeout)

    async def report_user(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.ReportUser``, ``POST /v1/tickets/{userId}/report``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_REPORT_USER, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def block(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Block``, ``POST /v1/tickets/{userId}/block``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_BLOCK, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    async def unblock(
        self, *,
        user_id: str | None = None,
        other_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> TicketResponse:
        """``TicketService.Unblock``, ``POST /v1/tickets/{userId}/unblock``.

        The key is made here and kept over the retries, unless one is given.
        """
        return await self._caller.unary(TICKETS_UNBLOCK, {
            "user_id": user_id,
            "other_id": other_id,
        }, idempotency_key, timeout)

    def watch(
        self, *,
        user_id: str | None = None,
        resume_token: str | None = None,
        after_version: str | None = None,
    ) -> AsyncStream[Event]:
        """``TicketService.Watch``, ``GET /v1/tickets/{userId}/events``."""
        return self._caller.stream(TICKETS_WATCH, {
            "user_id": user_id,
            "resume_token": resume_token,
            "after_version": after_version,
        }, None)
