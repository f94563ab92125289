# Made by clients/python/scripts/generate; do not edit.

"""Each call of moyeo.v1: its path over gRPC, its route, what it changes."""

from moyeo._call import Call, Effect, Shape
from moyeo.v1 import (
    AcceptRideOfferRequest,
    ApproveJoinRequest,
    CancelCommuteRequest,
    CancelPartyRequest,
    CloseTicketRequest,
    CommuteListResponse,
    CommuteResponse,
    CreateCommuteRequest,
    CreatePartyRequest,
    DeclineJoinRequest,
    DeclineRideOfferRequest,
    DeleteLayerRequest,
    DeleteLayerResponse,
    DepartPartyRequest,
    EstimateFareRequest,
    EstimateFareResponse,
    Event,
    GetChildrenRequest,
    GetChildrenResponse,
    GetClustersRequest,
    GetClustersResponse,
    GetCommuteRequest,
    GetExpansionZoomRequest,
    GetExpansionZoomResponse,
    GetLeavesRequest,
    GetLeavesResponse,
    GetPartyRequest,
    GetPositionRequest,
    GetPositionResponse,
    GetRideOfferRequest,
    GetRideRequestRequest,
    GetTicketRequest,
    GetTileRequest,
    GetTileResponse,
    HeartbeatTicketRequest,
    JoinCommuteRequest,
    JoinPartyRequest,
    LeaveCommuteRequest,
    LeavePartyRequest,
    ListCommutesRequest,
    ListEventsRequest,
    ListEventsResponse,
    ListLayersRequest,
    ListLayersResponse,
    ListPartiesRequest,
    ListRideOffersRequest,
    ListRideRequestsRequest,
    ListTariffsRequest,
    ListTariffsResponse,
    MatchBatchRequest,
    MatchBatchResponse,
    MatchPartiesRequest,
    MatchPartiesResponse,
    NearbyBatchRequest,
    NearbyBatchResponse,
    NearbyRequest,
    NearbyResponse,
    OpenTicketRequest,
    OtherUserRequest,
    PartyListResponse,
    PartyResponse,
    PlanRouteRequest,
    PlanRouteResponse,
    PreviewJoinRequest,
    PreviewJoinResponse,
    ProposeRequest,
    RateUserRequest,
    RemovePositionRequest,
    RemovePositionResponse,
    RemoveRiderRequest,
    ReportRequest,
    ReportResponse,
    ReversePlacesRequest,
    ReversePlacesResponse,
    RideOfferListResponse,
    RideOfferResponse,
    RideRequestListResponse,
    RideRequestResponse,
    SearchPartiesRequest,
    SearchPlacesRequest,
    SearchPlacesResponse,
    SearchTicketsRequest,
    SearchTicketsResponse,
    SettlePartyRequest,
    SplitFareRequest,
    SplitFareResponse,
    StreamReportsRequest,
    StreamReportsResponse,
    TagHistogramRequest,
    TagHistogramResponse,
    TicketResponse,
    UpdateCommuteRequest,
    UpdatePartyRequest,
    WatchEventsRequest,
    WatchMatchesEvent,
    WatchMatchesRequest,
    WatchPartyRequest,
    WatchPositionsEvent,
    WatchPositionsRequest,
    WatchTicketRequest,
    WatchTilesEvent,
    WatchTilesRequest,
    WithdrawJoinRequest,
    WithdrawRideRequestRequest,
    WithinRequest,
    WithinResponse,
)

POSITIONS_REPORT = Call(
    "/moyeo.v1.PositionService/Report", "POST", "/v1/layers/{layer}/positions",
    ReportRequest, ReportResponse, Effect.SET, Shape.UNARY)

POSITIONS_GET = Call(
    "/moyeo.v1.PositionService/Get", "GET", "/v1/layers/{layer}/positions/{id}",
    GetPositionRequest, GetPositionResponse, Effect.READ, Shape.UNARY)

POSITIONS_REMOVE = Call(
    "/moyeo.v1.PositionService/Remove", "DELETE", "/v1/layers/{layer}/positions/{id}",
    RemovePositionRequest, RemovePositionResponse, Effect.SET, Shape.UNARY)

POSITIONS_NEARBY = Call(
    "/moyeo.v1.PositionService/Nearby", "POST", "/v1/layers/{layer}/nearby",
    NearbyRequest, NearbyResponse, Effect.READ, Shape.UNARY)

POSITIONS_NEARBY_BATCH = Call(
    "/moyeo.v1.PositionService/NearbyBatch", "POST", "/v1/layers/{layer}/nearby/batch",
    NearbyBatchRequest, NearbyBatchResponse, Effect.READ, Shape.UNARY)

POSITIONS_WITHIN = Call(
    "/moyeo.v1.PositionService/Within", "POST", "/v1/layers/{layer}/within",
    WithinRequest, WithinResponse, Effect.READ, Shape.UNARY)

POSITIONS_TAG_HISTOGRAM = Call(
    "/moyeo.v1.PositionService/TagHistogram", "GET", "/v1/layers/{layer}/tags",
    TagHistogramRequest, TagHistogramResponse, Effect.READ, Shape.UNARY)

POSITIONS_WATCH = Call(
    "/moyeo.v1.PositionService/Watch", "POST", "/v1/layers/{layer}/watch",
    WatchPositionsRequest, WatchPositionsEvent, Effect.READ, Shape.SOFT)

POSITIONS_LIST_LAYERS = Call(
    "/moyeo.v1.PositionService/ListLayers", "GET", "/v1/layers",
    ListLayersRequest, ListLayersResponse, Effect.READ, Shape.UNARY)

POSITIONS_DELETE_LAYER = Call(
    "/moyeo.v1.PositionService/DeleteLayer", "DELETE", "/v1/layers/{layer}",
    DeleteLayerRequest, DeleteLayerResponse, Effect.ONCE, Shape.UNARY)

CLUSTERS_GET_TILE = Call(
    "/moyeo.v1.ClusterService/GetTile", "GET", "/v1/layers/{layer}/tiles/{z}/{x}/{y}.mvt",
    GetTileRequest, GetTileResponse, Effect.READ, Shape.TILE)

CLUSTERS_GET_CLUSTERS = Call(
    "/moyeo.v1.ClusterService/GetClusters", "GET", "/v1/layers/{layer}/clusters",
    GetClustersRequest, GetClustersResponse, Effect.READ, Shape.UNARY)

CLUSTERS_GET_CHILDREN = Call(
    "/moyeo.v1.ClusterService/GetChildren", "GET", "/v1/layers/{layer}/clusters/{clusterId}/children",
    GetChildrenRequest, GetChildrenResponse, Effect.READ, Shape.UNARY)

CLUSTERS_GET_LEAVES = Call(
    "/moyeo.v1.ClusterService/GetLeaves", "GET", "/v1/layers/{layer}/clusters/{clusterId}/leaves",
    GetLeavesRequest, GetLeavesResponse, Effect.READ, Shape.UNARY)

CLUSTERS_GET_EXPANSION_ZOOM = Call(
    "/moyeo.v1.ClusterService/GetExpansionZoom", "GET", "/v1/layers/{layer}/clusters/{clusterId}/expansion-zoom",
    GetExpansionZoomRequest, GetExpansionZoomResponse, Effect.READ, Shape.UNARY)

CLUSTERS_WATCH_TILES = Call(
    "/moyeo.v1.ClusterService/WatchTiles", "GET", "/v1/layers/{layer}/tiles/watch",
    WatchTilesRequest, WatchTilesEvent, Effect.READ, Shape.SOFT)

FARES_ESTIMATE = Call(
    "/moyeo.v1.FareService/Estimate", "POST", "/v1/fares/estimate",
    EstimateFareRequest, EstimateFareResponse, Effect.READ, Shape.UNARY)

FARES_SPLIT = Call(
    "/moyeo.v1.FareService/Split", "POST", "/v1/fares/split",
    SplitFareRequest, SplitFareResponse, Effect.READ, Shape.UNARY)

FARES_LIST_TARIFFS = Call(
    "/moyeo.v1.FareService/ListTariffs", "GET", "/v1/tariffs",
    ListTariffsRequest, ListTariffsResponse, Effect.READ, Shape.UNARY)

PARTIES_CREATE = Call(
    "/moyeo.v1.PartyService/Create", "POST", "/v1/parties",
    CreatePartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_GET = Call(
    "/moyeo.v1.PartyService/Get", "GET", "/v1/parties/{id}",
    GetPartyRequest, PartyResponse, Effect.READ, Shape.UNARY)

PARTIES_LIST = Call(
    "/moyeo.v1.PartyService/List", "GET", "/v1/parties",
    ListPartiesRequest, PartyListResponse, Effect.READ, Shape.UNARY)

PARTIES_UPDATE = Call(
    "/moyeo.v1.PartyService/Update", "POST", "/v1/parties/{id}/update",
    UpdatePartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_DEPART = Call(
    "/moyeo.v1.PartyService/Depart", "POST", "/v1/parties/{id}/depart",
    DepartPartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_REMOVE_RIDER = Call(
    "/moyeo.v1.PartyService/RemoveRider", "POST", "/v1/parties/{id}/riders/{riderId}/remove",
    RemoveRiderRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_SETTLE = Call(
    "/moyeo.v1.PartyService/Settle", "POST", "/v1/parties/{id}/settle",
    SettlePartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_CANCEL = Call(
    "/moyeo.v1.PartyService/Cancel", "POST", "/v1/parties/{id}/cancel",
    CancelPartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_SEARCH = Call(
    "/moyeo.v1.PartyService/Search", "POST", "/v1/parties/search",
    SearchPartiesRequest, PartyListResponse, Effect.READ, Shape.UNARY)

PARTIES_MATCH = Call(
    "/moyeo.v1.PartyService/Match", "POST", "/v1/parties/match",
    MatchPartiesRequest, MatchPartiesResponse, Effect.READ, Shape.UNARY)

PARTIES_PREVIEW_JOIN = Call(
    "/moyeo.v1.PartyService/PreviewJoin", "POST", "/v1/parties/{id}/preview",
    PreviewJoinRequest, PreviewJoinResponse, Effect.READ, Shape.UNARY)

PARTIES_WATCH_MATCHES = Call(
    "/moyeo.v1.PartyService/WatchMatches", "POST", "/v1/parties/match/watch",
    WatchMatchesRequest, WatchMatchesEvent, Effect.KEYED, Shape.SOFT)

PARTIES_JOIN = Call(
    "/moyeo.v1.PartyService/Join", "POST", "/v1/parties/{id}/join",
    JoinPartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_APPROVE_JOIN = Call(
    "/moyeo.v1.PartyService/ApproveJoin", "POST", "/v1/parties/{id}/requests/{requestId}/approve",
    ApproveJoinRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_DECLINE_JOIN = Call(
    "/moyeo.v1.PartyService/DeclineJoin", "POST", "/v1/parties/{id}/requests/{requestId}/decline",
    DeclineJoinRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_WITHDRAW_JOIN = Call(
    "/moyeo.v1.PartyService/WithdrawJoin", "POST", "/v1/parties/{id}/requests/{requestId}/withdraw",
    WithdrawJoinRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_LEAVE = Call(
    "/moyeo.v1.PartyService/Leave", "POST", "/v1/parties/{id}/leave",
    LeavePartyRequest, PartyResponse, Effect.KEYED, Shape.UNARY)

PARTIES_WATCH = Call(
    "/moyeo.v1.PartyService/Watch", "GET", "/v1/parties/{id}/events",
    WatchPartyRequest, Event, Effect.READ, Shape.DURABLE)

PARTIES_MATCH_BATCH = Call(
    "/moyeo.v1.PartyService/MatchBatch", "POST", "/v1/parties/match-batch",
    MatchBatchRequest, MatchBatchResponse, Effect.READ, Shape.UNARY)

PARTIES_LIST_RIDE_REQUESTS = Call(
    "/moyeo.v1.PartyService/ListRideRequests", "GET", "/v1/ride-requests",
    ListRideRequestsRequest, RideRequestListResponse, Effect.READ, Shape.UNARY)

PARTIES_GET_RIDE_REQUEST = Call(
    "/moyeo.v1.PartyService/GetRideRequest", "GET", "/v1/ride-requests/{id}",
    GetRideRequestRequest, RideRequestResponse, Effect.READ, Shape.UNARY)

PARTIES_WITHDRAW_RIDE_REQUEST = Call(
    "/moyeo.v1.PartyService/WithdrawRideRequest", "POST", "/v1/ride-requests/{id}/withdraw",
    WithdrawRideRequestRequest, RideRequestResponse, Effect.KEYED, Shape.UNARY)

PARTIES_LIST_RIDE_OFFERS = Call(
    "/moyeo.v1.PartyService/ListRideOffers", "GET", "/v1/ride-offers",
    ListRideOffersRequest, RideOfferListResponse, Effect.READ, Shape.UNARY)

PARTIES_GET_RIDE_OFFER = Call(
    "/moyeo.v1.PartyService/GetRideOffer", "GET", "/v1/ride-offers/{id}",
    GetRideOfferRequest, RideOfferResponse, Effect.READ, Shape.UNARY)

PARTIES_ACCEPT_RIDE_OFFER = Call(
    "/moyeo.v1.PartyService/AcceptRideOffer", "POST", "/v1/ride-offers/{id}/accept",
    AcceptRideOfferRequest, RideOfferResponse, Effect.KEYED, Shape.UNARY)

PARTIES_DECLINE_RIDE_OFFER = Call(
    "/moyeo.v1.PartyService/DeclineRideOffer", "POST", "/v1/ride-offers/{id}/decline",
    DeclineRideOfferRequest, RideOfferResponse, Effect.KEYED, Shape.UNARY)

EVENTS_LIST = Call(
    "/moyeo.v1.EventService/List", "GET", "/v1/events",
    ListEventsRequest, ListEventsResponse, Effect.READ, Shape.UNARY)

EVENTS_WATCH = Call(
    "/moyeo.v1.EventService/Watch", "GET", "/v1/events",
    WatchEventsRequest, Event, Effect.READ, Shape.DURABLE)

COMMUTES_CREATE = Call(
    "/moyeo.v1.CommuteService/Create", "POST", "/v1/commutes",
    CreateCommuteRequest, CommuteResponse, Effect.KEYED, Shape.UNARY)

COMMUTES_GET = Call(
    "/moyeo.v1.CommuteService/Get", "GET", "/v1/commutes/{id}",
    GetCommuteRequest, CommuteResponse, Effect.READ, Shape.UNARY)

COMMUTES_LIST = Call(
    "/moyeo.v1.CommuteService/List", "GET", "/v1/commutes",
    ListCommutesRequest, CommuteListResponse, Effect.READ, Shape.UNARY)

COMMUTES_UPDATE = Call(
    "/moyeo.v1.CommuteService/Update", "POST", "/v1/commutes/{id}/update",
    UpdateCommuteRequest, CommuteResponse, Effect.KEYED, Shape.UNARY)

COMMUTES_CANCEL = Call(
    "/moyeo.v1.CommuteService/Cancel", "POST", "/v1/commutes/{id}/cancel",
    CancelCommuteRequest, CommuteResponse, Effect.KEYED, Shape.UNARY)

COMMUTES_JOIN = Call(
    "/moyeo.v1.CommuteService/Join", "POST", "/v1/commutes/{id}/join",
    JoinCommuteRequest, CommuteResponse, Effect.KEYED, Shape.UNARY)

COMMUTES_LEAVE = Call(
    "/moyeo.v1.CommuteService/Leave", "POST", "/v1/commutes/{id}/leave",
    LeaveCommuteRequest, CommuteResponse, Effect.KEYED, Shape.UNARY)

PLACES_SEARCH = Call(
    "/moyeo.v1.PlaceService/Search", "GET", "/v1/places/search",
    SearchPlacesRequest, SearchPlacesResponse, Effect.READ, Shape.UNARY)

PLACES_REVERSE = Call(
    "/moyeo.v1.PlaceService/Reverse", "GET", "/v1/places/reverse",
    ReversePlacesRequest, ReversePlacesResponse, Effect.READ, Shape.UNARY)

ROUTES_PLAN = Call(
    "/moyeo.v1.RouteService/Plan", "POST", "/v1/routes/plan",
    PlanRouteRequest, PlanRouteResponse, Effect.READ, Shape.UNARY)

TICKETS_OPEN = Call(
    "/moyeo.v1.TicketService/Open", "POST", "/v1/tickets",
    OpenTicketRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_CLOSE = Call(
    "/moyeo.v1.TicketService/Close", "DELETE", "/v1/tickets/{userId}",
    CloseTicketRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_GET = Call(
    "/moyeo.v1.TicketService/Get", "GET", "/v1/tickets/{userId}",
    GetTicketRequest, TicketResponse, Effect.READ, Shape.UNARY)

TICKETS_HEARTBEAT = Call(
    "/moyeo.v1.TicketService/Heartbeat", "POST", "/v1/tickets/{userId}/heartbeat",
    HeartbeatTicketRequest, TicketResponse, Effect.SET, Shape.UNARY)

TICKETS_SEARCH = Call(
    "/moyeo.v1.TicketService/Search", "POST", "/v1/tickets/search",
    SearchTicketsRequest, SearchTicketsResponse, Effect.READ, Shape.UNARY)

TICKETS_PROPOSE = Call(
    "/moyeo.v1.TicketService/Propose", "POST", "/v1/tickets/{userId}/propose",
    ProposeRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_WITHDRAW = Call(
    "/moyeo.v1.TicketService/Withdraw", "POST", "/v1/tickets/{userId}/withdraw",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_ACCEPT = Call(
    "/moyeo.v1.TicketService/Accept", "POST", "/v1/tickets/{userId}/accept",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_DECLINE = Call(
    "/moyeo.v1.TicketService/Decline", "POST", "/v1/tickets/{userId}/decline",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_DODGE = Call(
    "/moyeo.v1.TicketService/Dodge", "POST", "/v1/tickets/{userId}/dodge",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_RATE = Call(
    "/moyeo.v1.TicketService/Rate", "POST", "/v1/tickets/{userId}/rate",
    RateUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_REPORT_USER = Call(
    "/moyeo.v1.TicketService/ReportUser", "POST", "/v1/tickets/{userId}/report",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_BLOCK = Call(
    "/moyeo.v1.TicketService/Block", "POST", "/v1/tickets/{userId}/block",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_UNBLOCK = Call(
    "/moyeo.v1.TicketService/Unblock", "POST", "/v1/tickets/{userId}/unblock",
    OtherUserRequest, TicketResponse, Effect.KEYED, Shape.UNARY)

TICKETS_WATCH = Call(
    "/moyeo.v1.TicketService/Watch", "GET", "/v1/tickets/{userId}/events",
    WatchTicketRequest, Event, Effect.READ, Shape.DURABLE)
