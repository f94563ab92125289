import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from moyeo.v1 import common_pb2 as _common_pb2
from moyeo.v1 import fares_pb2 as _fares_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PartyPolicy(_message.Message):
    __slots__ = ("same_attributes", "pack", "max_walk_meters", "max_detour_ratio", "max_detour_seconds", "min_shared_ratio")
    SAME_ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    PACK_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    same_attributes: _containers.RepeatedScalarFieldContainer[str]
    pack: str
    max_walk_meters: float
    max_detour_ratio: float
    max_detour_seconds: float
    min_shared_ratio: float
    def __init__(self, same_attributes: _Optional[_Iterable[str]] = ..., pack: _Optional[str] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ...) -> None: ...

class PartyRider(_message.Message):
    __slots__ = ("rider_id", "joined_at", "drop_off", "seats", "share", "accepted_share", "solo_fare", "saving", "ride_seconds", "detour_seconds", "attributes", "weight", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "origin", "max_share", "boarding", "boarding_time", "walk_meters", "max_ride_seconds", "max_detour_seconds", "arrive_by")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    DROP_OFF_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_SHARE_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARE_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    BOARDING_TIME_FIELD_NUMBER: _ClassVar[int]
    WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    joined_at: _timestamp_pb2.Timestamp
    drop_off: _common_pb2.Place
    seats: int
    share: int
    accepted_share: int
    solo_fare: int
    saving: int
    ride_seconds: float
    detour_seconds: float
    attributes: _struct_pb2.Struct
    weight: float
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    origin: _common_pb2.Place
    max_share: int
    boarding: _common_pb2.Place
    boarding_time: _timestamp_pb2.Timestamp
    walk_meters: float
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    def __init__(self, rider_id: _Optional[str] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., drop_off: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., seats: _Optional[int] = ..., share: _Optional[int] = ..., accepted_share: _Optional[int] = ..., solo_fare: _Optional[int] = ..., saving: _Optional[int] = ..., ride_seconds: _Optional[float] = ..., detour_seconds: _Optional[float] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., weight: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_share: _Optional[int] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., walk_meters: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PartyStop(_message.Message):
    __slots__ = ("rider_id", "kind", "distance_meters", "duration_seconds")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    kind: str
    distance_meters: float
    duration_seconds: float
    def __init__(self, rider_id: _Optional[str] = ..., kind: _Optional[str] = ..., distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ...) -> None: ...

class PartyRoute(_message.Message):
    __slots__ = ("distance_meters", "duration_seconds", "path", "stop_order", "source", "stops")
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    STOP_ORDER_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STOPS_FIELD_NUMBER: _ClassVar[int]
    distance_meters: float
    duration_seconds: float
    path: _containers.RepeatedCompositeFieldContainer[_struct_pb2.ListValue]
    stop_order: _containers.RepeatedScalarFieldContainer[str]
    source: str
    stops: _containers.RepeatedCompositeFieldContainer[PartyStop]
    def __init__(self, distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ..., path: _Optional[_Iterable[_Union[_struct_pb2.ListValue, _Mapping]]] = ..., stop_order: _Optional[_Iterable[str]] = ..., source: _Optional[str] = ..., stops: _Optional[_Iterable[_Union[PartyStop, _Mapping]]] = ...) -> None: ...

class PartyFare(_message.Message):
    __slots__ = ("currency", "expected", "low", "high", "tariff_id", "source", "minor_unit_digits", "shares", "distance_meters", "duration_seconds")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    MINOR_UNIT_DIGITS_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    currency: str
    expected: int
    low: int
    high: int
    tariff_id: str
    source: str
    minor_unit_digits: int
    shares: _containers.RepeatedCompositeFieldContainer[_fares_pb2.FareShare]
    distance_meters: float
    duration_seconds: float
    def __init__(self, currency: _Optional[str] = ..., expected: _Optional[int] = ..., low: _Optional[int] = ..., high: _Optional[int] = ..., tariff_id: _Optional[str] = ..., source: _Optional[str] = ..., minor_unit_digits: _Optional[int] = ..., shares: _Optional[_Iterable[_Union[_fares_pb2.FareShare, _Mapping]]] = ..., distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ...) -> None: ...

class AgreedFare(_message.Message):
    __slots__ = ("amount", "currency")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    amount: int
    currency: str
    def __init__(self, amount: _Optional[int] = ..., currency: _Optional[str] = ...) -> None: ...

class JoinRequest(_message.Message):
    __slots__ = ("id", "rider_id", "state", "expires_at", "created_at", "ended_at", "end_reason", "seats", "drop_off", "boarding", "max_share", "share")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DROP_OFF_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    state: str
    expires_at: _timestamp_pb2.Timestamp
    created_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    end_reason: str
    seats: int
    drop_off: _common_pb2.Place
    boarding: _common_pb2.Place
    max_share: int
    share: int
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., state: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_reason: _Optional[str] = ..., seats: _Optional[int] = ..., drop_off: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_share: _Optional[int] = ..., share: _Optional[int] = ...) -> None: ...

class PartySettlement(_message.Message):
    __slots__ = ("payer_id", "amount", "tolls", "at", "shares")
    PAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    TOLLS_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    payer_id: str
    amount: int
    tolls: int
    at: _timestamp_pb2.Timestamp
    shares: _containers.RepeatedCompositeFieldContainer[_fares_pb2.FareShare]
    def __init__(self, payer_id: _Optional[str] = ..., amount: _Optional[int] = ..., tolls: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., shares: _Optional[_Iterable[_Union[_fares_pb2.FareShare, _Mapping]]] = ...) -> None: ...

class Party(_message.Message):
    __slots__ = ("id", "version", "state", "host_id", "riders", "seats", "seats_free", "origin", "destination", "departure_time", "departure_window_seconds", "max_detour_ratio", "max_walk_meters", "tags", "policy", "route", "fare", "per_person_now", "per_person_if_full", "split_rule", "allow_raised_shares", "called", "created_at", "settlement", "end_reason", "rider_count", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "agreed_fare", "approval", "hold_seats", "join_requests", "pending_requests", "origin_precision", "snapped_origin", "commute_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FREE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    FARE_FIELD_NUMBER: _ClassVar[int]
    PER_PERSON_NOW_FIELD_NUMBER: _ClassVar[int]
    PER_PERSON_IF_FULL_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_RAISED_SHARES_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    RIDER_COUNT_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    AGREED_FARE_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    HOLD_SEATS_FIELD_NUMBER: _ClassVar[int]
    JOIN_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    PENDING_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_PRECISION_FIELD_NUMBER: _ClassVar[int]
    SNAPPED_ORIGIN_FIELD_NUMBER: _ClassVar[int]
    COMMUTE_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: str
    state: str
    host_id: str
    riders: _containers.RepeatedCompositeFieldContainer[PartyRider]
    seats: int
    seats_free: int
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_detour_ratio: float
    max_walk_meters: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    policy: PartyPolicy
    route: PartyRoute
    fare: PartyFare
    per_person_now: int
    per_person_if_full: int
    split_rule: str
    allow_raised_shares: bool
    called: bool
    created_at: _timestamp_pb2.Timestamp
    settlement: PartySettlement
    end_reason: str
    rider_count: int
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    agreed_fare: AgreedFare
    approval: str
    hold_seats: bool
    join_requests: _containers.RepeatedCompositeFieldContainer[JoinRequest]
    pending_requests: int
    origin_precision: str
    snapped_origin: _common_pb2.Place
    commute_id: str
    def __init__(self, id: _Optional[str] = ..., version: _Optional[str] = ..., state: _Optional[str] = ..., host_id: _Optional[str] = ..., riders: _Optional[_Iterable[_Union[PartyRider, _Mapping]]] = ..., seats: _Optional[int] = ..., seats_free: _Optional[int] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., policy: _Optional[_Union[PartyPolicy, _Mapping]] = ..., route: _Optional[_Union[PartyRoute, _Mapping]] = ..., fare: _Optional[_Union[PartyFare, _Mapping]] = ..., per_person_now: _Optional[int] = ..., per_person_if_full: _Optional[int] = ..., split_rule: _Optional[str] = ..., allow_raised_shares: bool = ..., called: bool = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., settlement: _Optional[_Union[PartySettlement, _Mapping]] = ..., end_reason: _Optional[str] = ..., rider_count: _Optional[int] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., agreed_fare: _Optional[_Union[AgreedFare, _Mapping]] = ..., approval: _Optional[str] = ..., hold_seats: bool = ..., join_requests: _Optional[_Iterable[_Union[JoinRequest, _Mapping]]] = ..., pending_requests: _Optional[int] = ..., origin_precision: _Optional[str] = ..., snapped_origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., commute_id: _Optional[str] = ...) -> None: ...

class PartyResponse(_message.Message):
    __slots__ = ("party", "version", "join_request")
    PARTY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    JOIN_REQUEST_FIELD_NUMBER: _ClassVar[int]
    party: Party
    version: str
    join_request: JoinRequest
    def __init__(self, party: _Optional[_Union[Party, _Mapping]] = ..., version: _Optional[str] = ..., join_request: _Optional[_Union[JoinRequest, _Mapping]] = ...) -> None: ...

class CreatePartyRequest(_message.Message):
    __slots__ = ("host_id", "origin", "destination", "departure_time", "departure_window_seconds", "seats", "host_seats", "riders", "max_detour_ratio", "max_walk_meters", "tags", "policy", "split_rule", "attributes", "tariff_id", "vehicle_class", "called", "allow_raised_shares", "weight", "policy_pack", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "arrive_by", "agreed_fare", "approval", "hold_seats", "origin_precision")
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    HOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    ALLOW_RAISED_SHARES_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    POLICY_PACK_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    AGREED_FARE_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    HOLD_SEATS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_PRECISION_FIELD_NUMBER: _ClassVar[int]
    host_id: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    seats: int
    host_seats: int
    riders: _containers.RepeatedCompositeFieldContainer[PartyRider]
    max_detour_ratio: float
    max_walk_meters: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    policy: PartyPolicy
    split_rule: str
    attributes: _struct_pb2.Struct
    tariff_id: str
    vehicle_class: str
    called: bool
    allow_raised_shares: bool
    weight: float
    policy_pack: str
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    agreed_fare: AgreedFare
    approval: str
    hold_seats: bool
    origin_precision: str
    def __init__(self, host_id: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., seats: _Optional[int] = ..., host_seats: _Optional[int] = ..., riders: _Optional[_Iterable[_Union[PartyRider, _Mapping]]] = ..., max_detour_ratio: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., policy: _Optional[_Union[PartyPolicy, _Mapping]] = ..., split_rule: _Optional[str] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., tariff_id: _Optional[str] = ..., vehicle_class: _Optional[str] = ..., called: bool = ..., allow_raised_shares: bool = ..., weight: _Optional[float] = ..., policy_pack: _Optional[str] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., agreed_fare: _Optional[_Union[AgreedFare, _Mapping]] = ..., approval: _Optional[str] = ..., hold_seats: bool = ..., origin_precision: _Optional[str] = ...) -> None: ...

class GetPartyRequest(_message.Message):
    __slots__ = ("id", "min_version")
    ID_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    id: str
    min_version: str
    def __init__(self, id: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class ListPartiesRequest(_message.Message):
    __slots__ = ("rider_id", "host_id", "state", "limit", "cursor", "requester_id")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    REQUESTER_ID_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    host_id: str
    state: _containers.RepeatedScalarFieldContainer[str]
    limit: int
    cursor: str
    requester_id: str
    def __init__(self, rider_id: _Optional[str] = ..., host_id: _Optional[str] = ..., state: _Optional[_Iterable[str]] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ..., requester_id: _Optional[str] = ...) -> None: ...

class PartyListResponse(_message.Message):
    __slots__ = ("parties", "next_cursor", "version", "age", "coalesced")
    PARTIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    COALESCED_FIELD_NUMBER: _ClassVar[int]
    parties: _containers.RepeatedCompositeFieldContainer[Party]
    next_cursor: str
    version: str
    age: float
    coalesced: bool
    def __init__(self, parties: _Optional[_Iterable[_Union[Party, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., version: _Optional[str] = ..., age: _Optional[float] = ..., coalesced: bool = ...) -> None: ...

class UpdatePartyRequest(_message.Message):
    __slots__ = ("id", "rider_id", "departure_time", "departure_window_seconds", "seats")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    seats: int
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., seats: _Optional[int] = ...) -> None: ...

class DepartPartyRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class RemoveRiderRequest(_message.Message):
    __slots__ = ("id", "rider_id", "reason", "host_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    reason: str
    host_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., reason: _Optional[str] = ..., host_id: _Optional[str] = ...) -> None: ...

class SettlePartyRequest(_message.Message):
    __slots__ = ("id", "payer_id", "amount", "tolls")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    TOLLS_FIELD_NUMBER: _ClassVar[int]
    id: str
    payer_id: str
    amount: int
    tolls: int
    def __init__(self, id: _Optional[str] = ..., payer_id: _Optional[str] = ..., amount: _Optional[int] = ..., tolls: _Optional[int] = ...) -> None: ...

class CancelPartyRequest(_message.Message):
    __slots__ = ("id", "rider_id", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class JoinPartyRequest(_message.Message):
    __slots__ = ("id", "rider_id", "destination", "attributes", "seats", "max_share", "origin", "max_walk_meters", "max_detour_ratio", "weight", "min_shared_ratio", "boarding", "departure_time", "departure_window_seconds", "max_ride_seconds", "max_detour_seconds", "arrive_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    destination: _common_pb2.Place
    attributes: _struct_pb2.Struct
    seats: int
    max_share: int
    origin: _common_pb2.Place
    max_walk_meters: float
    max_detour_ratio: float
    weight: float
    min_shared_ratio: float
    boarding: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seats: _Optional[int] = ..., max_share: _Optional[int] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., weight: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ApproveJoinRequest(_message.Message):
    __slots__ = ("id", "request_id", "host_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    request_id: str
    host_id: str
    def __init__(self, id: _Optional[str] = ..., request_id: _Optional[str] = ..., host_id: _Optional[str] = ...) -> None: ...

class DeclineJoinRequest(_message.Message):
    __slots__ = ("id", "request_id", "host_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    request_id: str
    host_id: str
    def __init__(self, id: _Optional[str] = ..., request_id: _Optional[str] = ..., host_id: _Optional[str] = ...) -> None: ...

class WithdrawJoinRequest(_message.Message):
    __slots__ = ("id", "request_id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    request_id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., request_id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class LeavePartyRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class SearchPartiesRequest(_message.Message):
    __slots__ = ("latitude", "longitude", "radius_meters", "box", "destination", "destination_radius_meters", "to", "seats", "tags", "limit", "cursor", "tag_match", "min_version", "max_staleness_seconds")
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    latitude: float
    longitude: float
    radius_meters: float
    box: _common_pb2.Box
    destination: _common_pb2.Point
    destination_radius_meters: float
    to: _timestamp_pb2.Timestamp
    seats: int
    tags: _containers.RepeatedScalarFieldContainer[str]
    limit: int
    cursor: str
    tag_match: str
    min_version: str
    max_staleness_seconds: float
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., radius_meters: _Optional[float] = ..., box: _Optional[_Union[_common_pb2.Box, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., destination_radius_meters: _Optional[float] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seats: _Optional[int] = ..., tags: _Optional[_Iterable[str]] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ..., tag_match: _Optional[str] = ..., min_version: _Optional[str] = ..., max_staleness_seconds: _Optional[float] = ..., **kwargs) -> None: ...

class MatchPartiesRequest(_message.Message):
    __slots__ = ("rider_id", "origin", "destination", "departure_time", "departure_window_seconds", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "attributes", "seats", "limit", "explain", "tags", "max_share", "min_version", "max_staleness_seconds", "allows_overlap", "boarding", "max_ride_seconds", "max_detour_seconds", "arrive_by")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    attributes: _struct_pb2.Struct
    seats: int
    limit: int
    explain: bool
    tags: _containers.RepeatedScalarFieldContainer[str]
    max_share: int
    min_version: str
    max_staleness_seconds: float
    allows_overlap: bool
    boarding: _common_pb2.Place
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    def __init__(self, rider_id: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seats: _Optional[int] = ..., limit: _Optional[int] = ..., explain: bool = ..., tags: _Optional[_Iterable[str]] = ..., max_share: _Optional[int] = ..., min_version: _Optional[str] = ..., max_staleness_seconds: _Optional[float] = ..., allows_overlap: bool = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchCandidate(_message.Message):
    __slots__ = ("party", "walk_meters", "detour_seconds", "shared_ratio", "stop_order", "route", "your_fare", "your_saving", "time_gap_seconds", "boarding", "boarding_time")
    PARTY_FIELD_NUMBER: _ClassVar[int]
    WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    STOP_ORDER_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    YOUR_FARE_FIELD_NUMBER: _ClassVar[int]
    YOUR_SAVING_FIELD_NUMBER: _ClassVar[int]
    TIME_GAP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    BOARDING_TIME_FIELD_NUMBER: _ClassVar[int]
    party: Party
    walk_meters: float
    detour_seconds: float
    shared_ratio: float
    stop_order: _containers.RepeatedScalarFieldContainer[str]
    route: PartyRoute
    your_fare: int
    your_saving: int
    time_gap_seconds: float
    boarding: _common_pb2.Place
    boarding_time: _timestamp_pb2.Timestamp
    def __init__(self, party: _Optional[_Union[Party, _Mapping]] = ..., walk_meters: _Optional[float] = ..., detour_seconds: _Optional[float] = ..., shared_ratio: _Optional[float] = ..., stop_order: _Optional[_Iterable[str]] = ..., route: _Optional[_Union[PartyRoute, _Mapping]] = ..., your_fare: _Optional[int] = ..., your_saving: _Optional[int] = ..., time_gap_seconds: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchRelaxation(_message.Message):
    __slots__ = ("rule", "field", "value", "party_id", "message", "amount", "boarding")
    RULE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    rule: str
    field: str
    value: float
    party_id: str
    message: str
    amount: float
    boarding: _common_pb2.Place
    def __init__(self, rule: _Optional[str] = ..., field: _Optional[str] = ..., value: _Optional[float] = ..., party_id: _Optional[str] = ..., message: _Optional[str] = ..., amount: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ...) -> None: ...

class MatchExplanation(_message.Message):
    __slots__ = ("considered", "removed", "relaxation", "matched", "relaxations")
    CONSIDERED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    RELAXATION_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    RELAXATIONS_FIELD_NUMBER: _ClassVar[int]
    considered: int
    removed: _struct_pb2.Struct
    relaxation: MatchRelaxation
    matched: int
    relaxations: _containers.RepeatedCompositeFieldContainer[MatchRelaxation]
    def __init__(self, considered: _Optional[int] = ..., removed: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., relaxation: _Optional[_Union[MatchRelaxation, _Mapping]] = ..., matched: _Optional[int] = ..., relaxations: _Optional[_Iterable[_Union[MatchRelaxation, _Mapping]]] = ...) -> None: ...

class MatchPartiesResponse(_message.Message):
    __slots__ = ("candidates", "explanation", "version", "age", "coalesced")
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    COALESCED_FIELD_NUMBER: _ClassVar[int]
    candidates: _containers.RepeatedCompositeFieldContainer[MatchCandidate]
    explanation: MatchExplanation
    version: str
    age: float
    coalesced: bool
    def __init__(self, candidates: _Optional[_Iterable[_Union[MatchCandidate, _Mapping]]] = ..., explanation: _Optional[_Union[MatchExplanation, _Mapping]] = ..., version: _Optional[str] = ..., age: _Optional[float] = ..., coalesced: bool = ...) -> None: ...

class PreviewJoinRequest(_message.Message):
    __slots__ = ("id", "rider_id", "destination", "attributes", "seats", "origin", "max_walk_meters", "max_detour_ratio", "max_share", "weight", "min_shared_ratio", "boarding", "departure_time", "departure_window_seconds", "max_ride_seconds", "max_detour_seconds", "arrive_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    destination: _common_pb2.Place
    attributes: _struct_pb2.Struct
    seats: int
    origin: _common_pb2.Place
    max_walk_meters: float
    max_detour_ratio: float
    max_share: int
    weight: float
    min_shared_ratio: float
    boarding: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seats: _Optional[int] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., max_share: _Optional[int] = ..., weight: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PreviewShare(_message.Message):
    __slots__ = ("rider_id", "share", "ride_seconds", "detour_seconds", "solo_fare", "saving", "shared_ratio")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARE_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    share: int
    ride_seconds: float
    detour_seconds: float
    solo_fare: int
    saving: int
    shared_ratio: float
    def __init__(self, rider_id: _Optional[str] = ..., share: _Optional[int] = ..., ride_seconds: _Optional[float] = ..., detour_seconds: _Optional[float] = ..., solo_fare: _Optional[int] = ..., saving: _Optional[int] = ..., shared_ratio: _Optional[float] = ...) -> None: ...

class PreviewJoinResponse(_message.Message):
    __slots__ = ("now", "if_full", "route", "fare", "refusal", "refusal_message", "version", "boarding", "boarding_time", "walk_meters")
    NOW_FIELD_NUMBER: _ClassVar[int]
    IF_FULL_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    FARE_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    BOARDING_TIME_FIELD_NUMBER: _ClassVar[int]
    WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    now: _containers.RepeatedCompositeFieldContainer[PreviewShare]
    if_full: _containers.RepeatedCompositeFieldContainer[PreviewShare]
    route: PartyRoute
    fare: PartyFare
    refusal: str
    refusal_message: str
    version: str
    boarding: _common_pb2.Place
    boarding_time: _timestamp_pb2.Timestamp
    walk_meters: float
    def __init__(self, now: _Optional[_Iterable[_Union[PreviewShare, _Mapping]]] = ..., if_full: _Optional[_Iterable[_Union[PreviewShare, _Mapping]]] = ..., route: _Optional[_Union[PartyRoute, _Mapping]] = ..., fare: _Optional[_Union[PartyFare, _Mapping]] = ..., refusal: _Optional[str] = ..., refusal_message: _Optional[str] = ..., version: _Optional[str] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., walk_meters: _Optional[float] = ...) -> None: ...

class WatchMatchesRequest(_message.Message):
    __slots__ = ("rider_id", "origin", "destination", "departure_time", "departure_window_seconds", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "attributes", "seats", "limit", "tags", "max_share", "allows_overlap", "boarding", "max_ride_seconds", "max_detour_seconds", "arrive_by", "store", "resume_token")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    attributes: _struct_pb2.Struct
    seats: int
    limit: int
    tags: _containers.RepeatedScalarFieldContainer[str]
    max_share: int
    allows_overlap: bool
    boarding: _common_pb2.Place
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    store: bool
    resume_token: str
    def __init__(self, rider_id: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seats: _Optional[int] = ..., limit: _Optional[int] = ..., tags: _Optional[_Iterable[str]] = ..., max_share: _Optional[int] = ..., allows_overlap: bool = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., store: bool = ..., resume_token: _Optional[str] = ...) -> None: ...

class WatchMatchesEvent(_message.Message):
    __slots__ = ("kind", "candidates", "party_id", "match_id", "resume_token", "offer")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    kind: str
    candidates: _containers.RepeatedCompositeFieldContainer[MatchCandidate]
    party_id: str
    match_id: str
    resume_token: str
    offer: RideOffer
    def __init__(self, kind: _Optional[str] = ..., candidates: _Optional[_Iterable[_Union[MatchCandidate, _Mapping]]] = ..., party_id: _Optional[str] = ..., match_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., offer: _Optional[_Union[RideOffer, _Mapping]] = ...) -> None: ...

class BatchRequest(_message.Message):
    __slots__ = ("rider_id", "origin", "destination", "departure_time", "departure_window_seconds", "max_walk_meters", "max_detour_ratio", "seats", "attributes", "min_shared_ratio", "boarding", "max_ride_seconds", "max_detour_seconds", "arrive_by")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_walk_meters: float
    max_detour_ratio: float
    seats: int
    attributes: _struct_pb2.Struct
    min_shared_ratio: float
    boarding: _common_pb2.Place
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    def __init__(self, rider_id: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., seats: _Optional[int] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., min_shared_ratio: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchBatchRequest(_message.Message):
    __slots__ = ("requests", "max_seats", "seed", "iterations", "time_budget_milliseconds", "policy", "tariff_id")
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    TIME_BUDGET_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[BatchRequest]
    max_seats: int
    seed: int
    iterations: int
    time_budget_milliseconds: int
    policy: PartyPolicy
    tariff_id: str
    def __init__(self, requests: _Optional[_Iterable[_Union[BatchRequest, _Mapping]]] = ..., max_seats: _Optional[int] = ..., seed: _Optional[int] = ..., iterations: _Optional[int] = ..., time_budget_milliseconds: _Optional[int] = ..., policy: _Optional[_Union[PartyPolicy, _Mapping]] = ..., tariff_id: _Optional[str] = ...) -> None: ...

class BatchBoarding(_message.Message):
    __slots__ = ("rider_id", "boarding", "boarding_time", "walk_meters")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    BOARDING_TIME_FIELD_NUMBER: _ClassVar[int]
    WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    boarding: _common_pb2.Place
    boarding_time: _timestamp_pb2.Timestamp
    walk_meters: float
    def __init__(self, rider_id: _Optional[str] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., walk_meters: _Optional[float] = ...) -> None: ...

class BatchGroup(_message.Message):
    __slots__ = ("rider_ids", "pick_up", "departure_time", "stop_order", "distance_meters", "duration_seconds", "fare", "saving", "shares", "currency", "departure_window_seconds", "tariff_id", "solo_fares", "boardings")
    RIDER_IDS_FIELD_NUMBER: _ClassVar[int]
    PICK_UP_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    STOP_ORDER_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FARE_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARES_FIELD_NUMBER: _ClassVar[int]
    BOARDINGS_FIELD_NUMBER: _ClassVar[int]
    rider_ids: _containers.RepeatedScalarFieldContainer[str]
    pick_up: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    stop_order: _containers.RepeatedScalarFieldContainer[str]
    distance_meters: float
    duration_seconds: float
    fare: int
    saving: int
    shares: _containers.RepeatedCompositeFieldContainer[_fares_pb2.FareShare]
    currency: str
    departure_window_seconds: float
    tariff_id: str
    solo_fares: int
    boardings: _containers.RepeatedCompositeFieldContainer[BatchBoarding]
    def __init__(self, rider_ids: _Optional[_Iterable[str]] = ..., pick_up: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., stop_order: _Optional[_Iterable[str]] = ..., distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ..., fare: _Optional[int] = ..., saving: _Optional[int] = ..., shares: _Optional[_Iterable[_Union[_fares_pb2.FareShare, _Mapping]]] = ..., currency: _Optional[str] = ..., departure_window_seconds: _Optional[float] = ..., tariff_id: _Optional[str] = ..., solo_fares: _Optional[int] = ..., boardings: _Optional[_Iterable[_Union[BatchBoarding, _Mapping]]] = ...) -> None: ...

class MatchBatchResponse(_message.Message):
    __slots__ = ("groups", "unmatched", "saving", "iterations", "currency", "end")
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    UNMATCHED_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[BatchGroup]
    unmatched: _containers.RepeatedScalarFieldContainer[str]
    saving: int
    iterations: int
    currency: str
    end: str
    def __init__(self, groups: _Optional[_Iterable[_Union[BatchGroup, _Mapping]]] = ..., unmatched: _Optional[_Iterable[str]] = ..., saving: _Optional[int] = ..., iterations: _Optional[int] = ..., currency: _Optional[str] = ..., end: _Optional[str] = ...) -> None: ...

class RideRequest(_message.Message):
    __slots__ = ("id", "rider_id", "state", "origin", "destination", "boarding", "departure_time", "departure_window_seconds", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "arrive_by", "seats", "tags", "max_share", "allows_overlap", "created_at", "found_party_ids", "offer_id", "commute_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    FOUND_PARTY_IDS_FIELD_NUMBER: _ClassVar[int]
    OFFER_ID_FIELD_NUMBER: _ClassVar[int]
    COMMUTE_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    state: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    boarding: _common_pb2.Place
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    arrive_by: _timestamp_pb2.Timestamp
    seats: int
    tags: _containers.RepeatedScalarFieldContainer[str]
    max_share: int
    allows_overlap: bool
    created_at: _timestamp_pb2.Timestamp
    found_party_ids: _containers.RepeatedScalarFieldContainer[str]
    offer_id: str
    commute_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., state: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., arrive_by: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seats: _Optional[int] = ..., tags: _Optional[_Iterable[str]] = ..., max_share: _Optional[int] = ..., allows_overlap: bool = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., found_party_ids: _Optional[_Iterable[str]] = ..., offer_id: _Optional[str] = ..., commute_id: _Optional[str] = ...) -> None: ...

class ListRideRequestsRequest(_message.Message):
    __slots__ = ("rider_id",)
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    def __init__(self, rider_id: _Optional[str] = ...) -> None: ...

class RideRequestListResponse(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[RideRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[RideRequest, _Mapping]]] = ...) -> None: ...

class GetRideRequestRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class RideRequestResponse(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: RideRequest
    def __init__(self, request: _Optional[_Union[RideRequest, _Mapping]] = ...) -> None: ...

class WithdrawRideRequestRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class RideOffer(_message.Message):
    __slots__ = ("id", "request_id", "rider_id", "state", "answer", "created_at", "expires_at", "ended_at", "end_reason", "party_id", "riders", "accepted", "departure_time", "departure_window_seconds", "origin", "boarding", "share", "solo_fare", "fare", "currency", "walk_meters", "ride_seconds", "detour_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARE_FIELD_NUMBER: _ClassVar[int]
    FARE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    request_id: str
    rider_id: str
    state: str
    answer: str
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    end_reason: str
    party_id: str
    riders: int
    accepted: int
    departure_time: _timestamp_pb2.Timestamp
    departure_window_seconds: float
    origin: _common_pb2.Place
    boarding: _common_pb2.Place
    share: int
    solo_fare: int
    fare: int
    currency: str
    walk_meters: float
    ride_seconds: float
    detour_seconds: float
    def __init__(self, id: _Optional[str] = ..., request_id: _Optional[str] = ..., rider_id: _Optional[str] = ..., state: _Optional[str] = ..., answer: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_reason: _Optional[str] = ..., party_id: _Optional[str] = ..., riders: _Optional[int] = ..., accepted: _Optional[int] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., share: _Optional[int] = ..., solo_fare: _Optional[int] = ..., fare: _Optional[int] = ..., currency: _Optional[str] = ..., walk_meters: _Optional[float] = ..., ride_seconds: _Optional[float] = ..., detour_seconds: _Optional[float] = ...) -> None: ...

class ListRideOffersRequest(_message.Message):
    __slots__ = ("rider_id",)
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    def __init__(self, rider_id: _Optional[str] = ...) -> None: ...

class RideOfferListResponse(_message.Message):
    __slots__ = ("offers",)
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    offers: _containers.RepeatedCompositeFieldContainer[RideOffer]
    def __init__(self, offers: _Optional[_Iterable[_Union[RideOffer, _Mapping]]] = ...) -> None: ...

class GetRideOfferRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class RideOfferResponse(_message.Message):
    __slots__ = ("offer",)
    OFFER_FIELD_NUMBER: _ClassVar[int]
    offer: RideOffer
    def __init__(self, offer: _Optional[_Union[RideOffer, _Mapping]] = ...) -> None: ...

class AcceptRideOfferRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class DeclineRideOfferRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...

class WatchPartyRequest(_message.Message):
    __slots__ = ("id", "resume_token", "after_version")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    id: str
    resume_token: str
    after_version: str
    def __init__(self, id: _Optional[str] = ..., resume_token: _Optional[str] = ..., after_version: _Optional[str] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("sequence", "kind", "at", "party_id", "match_id", "user_ids", "version", "body", "resume_token", "commute_id", "ride_offer_id")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    USER_IDS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    COMMUTE_ID_FIELD_NUMBER: _ClassVar[int]
    RIDE_OFFER_ID_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    kind: str
    at: _timestamp_pb2.Timestamp
    party_id: str
    match_id: str
    user_ids: _containers.RepeatedScalarFieldContainer[str]
    version: str
    body: _struct_pb2.Struct
    resume_token: str
    commute_id: str
    ride_offer_id: str
    def __init__(self, sequence: _Optional[int] = ..., kind: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., party_id: _Optional[str] = ..., match_id: _Optional[str] = ..., user_ids: _Optional[_Iterable[str]] = ..., version: _Optional[str] = ..., body: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., resume_token: _Optional[str] = ..., commute_id: _Optional[str] = ..., ride_offer_id: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("after", "kinds", "wait_seconds", "limit")
    AFTER_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    WAIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    after: int
    kinds: _containers.RepeatedScalarFieldContainer[str]
    wait_seconds: float
    limit: int
    def __init__(self, after: _Optional[int] = ..., kinds: _Optional[_Iterable[str]] = ..., wait_seconds: _Optional[float] = ..., limit: _Optional[int] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    next: int
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., next: _Optional[int] = ...) -> None: ...

class WatchEventsRequest(_message.Message):
    __slots__ = ("after", "kinds", "resume_token")
    AFTER_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    after: int
    kinds: _containers.RepeatedScalarFieldContainer[str]
    resume_token: str
    def __init__(self, after: _Optional[int] = ..., kinds: _Optional[_Iterable[str]] = ..., resume_token: _Optional[str] = ...) -> None: ...
