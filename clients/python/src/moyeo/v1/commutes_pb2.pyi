import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from moyeo.v1 import common_pb2 as _common_pb2
from moyeo.v1 import parties_pb2 as _parties_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CommuteRider(_message.Message):
    __slots__ = ("rider_id", "joined_at", "destination", "boarding", "seats", "max_share")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    joined_at: _timestamp_pb2.Timestamp
    destination: _common_pb2.Place
    boarding: _common_pb2.Place
    seats: int
    max_share: int
    def __init__(self, rider_id: _Optional[str] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., seats: _Optional[int] = ..., max_share: _Optional[int] = ...) -> None: ...

class CommuteOccurrence(_message.Message):
    __slots__ = ("date", "departure_time", "state", "party_id", "request_id", "reason", "clock_change")
    DATE_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PARTY_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CLOCK_CHANGE_FIELD_NUMBER: _ClassVar[int]
    date: str
    departure_time: _timestamp_pb2.Timestamp
    state: str
    party_id: str
    request_id: str
    reason: str
    clock_change: str
    def __init__(self, date: _Optional[str] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[str] = ..., party_id: _Optional[str] = ..., request_id: _Optional[str] = ..., reason: _Optional[str] = ..., clock_change: _Optional[str] = ...) -> None: ...

class Commute(_message.Message):
    __slots__ = ("id", "version", "state", "host_id", "rider_id", "weekdays", "local_time", "time_zone", "to", "added", "removed", "holidays", "origin", "destination", "departure_window_seconds", "seats", "host_seats", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "tags", "policy", "policy_pack", "split_rule", "allow_raised_shares", "called", "tariff_id", "vehicle_class", "boarding", "max_share", "allows_overlap", "created_at", "riders", "rider_count", "occurrences", "end_reason", "agreed_fare", "approval", "hold_seats", "arrive_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    WEEKDAYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_TIME_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    HOLIDAYS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    HOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_PACK_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_RAISED_SHARES_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    RIDER_COUNT_FIELD_NUMBER: _ClassVar[int]
    OCCURRENCES_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    AGREED_FARE_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    HOLD_SEATS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: str
    state: str
    host_id: str
    rider_id: str
    weekdays: _containers.RepeatedScalarFieldContainer[str]
    local_time: str
    time_zone: str
    to: str
    added: _containers.RepeatedScalarFieldContainer[str]
    removed: _containers.RepeatedScalarFieldContainer[str]
    holidays: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_window_seconds: float
    seats: int
    host_seats: int
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    policy: _parties_pb2.PartyPolicy
    policy_pack: str
    split_rule: str
    allow_raised_shares: bool
    called: bool
    tariff_id: str
    vehicle_class: str
    boarding: _common_pb2.Place
    max_share: int
    allows_overlap: bool
    created_at: _timestamp_pb2.Timestamp
    riders: _containers.RepeatedCompositeFieldContainer[CommuteRider]
    rider_count: int
    occurrences: _containers.RepeatedCompositeFieldContainer[CommuteOccurrence]
    end_reason: str
    agreed_fare: _parties_pb2.AgreedFare
    approval: str
    hold_seats: bool
    arrive_by: str
    def __init__(self, id: _Optional[str] = ..., version: _Optional[str] = ..., state: _Optional[str] = ..., host_id: _Optional[str] = ..., rider_id: _Optional[str] = ..., weekdays: _Optional[_Iterable[str]] = ..., local_time: _Optional[str] = ..., time_zone: _Optional[str] = ..., to: _Optional[str] = ..., added: _Optional[_Iterable[str]] = ..., removed: _Optional[_Iterable[str]] = ..., holidays: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., seats: _Optional[int] = ..., host_seats: _Optional[int] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., policy: _Optional[_Union[_parties_pb2.PartyPolicy, _Mapping]] = ..., policy_pack: _Optional[str] = ..., split_rule: _Optional[str] = ..., allow_raised_shares: bool = ..., called: bool = ..., tariff_id: _Optional[str] = ..., vehicle_class: _Optional[str] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_share: _Optional[int] = ..., allows_overlap: bool = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., riders: _Optional[_Iterable[_Union[CommuteRider, _Mapping]]] = ..., rider_count: _Optional[int] = ..., occurrences: _Optional[_Iterable[_Union[CommuteOccurrence, _Mapping]]] = ..., end_reason: _Optional[str] = ..., agreed_fare: _Optional[_Union[_parties_pb2.AgreedFare, _Mapping]] = ..., approval: _Optional[str] = ..., hold_seats: bool = ..., arrive_by: _Optional[str] = ..., **kwargs) -> None: ...

class CommuteResponse(_message.Message):
    __slots__ = ("commute",)
    COMMUTE_FIELD_NUMBER: _ClassVar[int]
    commute: Commute
    def __init__(self, commute: _Optional[_Union[Commute, _Mapping]] = ...) -> None: ...

class CommuteListResponse(_message.Message):
    __slots__ = ("commutes",)
    COMMUTES_FIELD_NUMBER: _ClassVar[int]
    commutes: _containers.RepeatedCompositeFieldContainer[Commute]
    def __init__(self, commutes: _Optional[_Iterable[_Union[Commute, _Mapping]]] = ...) -> None: ...

class CreateCommuteRequest(_message.Message):
    __slots__ = ("host_id", "rider_id", "weekdays", "local_time", "time_zone", "to", "added", "removed", "holidays", "origin", "destination", "departure_window_seconds", "seats", "host_seats", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "tags", "attributes", "policy", "policy_pack", "split_rule", "allow_raised_shares", "called", "tariff_id", "vehicle_class", "weight", "boarding", "max_share", "allows_overlap", "agreed_fare", "approval", "hold_seats", "arrive_by")
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    WEEKDAYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_TIME_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    HOLIDAYS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    HOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_PACK_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_RAISED_SHARES_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    AGREED_FARE_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    HOLD_SEATS_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    host_id: str
    rider_id: str
    weekdays: _containers.RepeatedScalarFieldContainer[str]
    local_time: str
    time_zone: str
    to: str
    added: _containers.RepeatedScalarFieldContainer[str]
    removed: _containers.RepeatedScalarFieldContainer[str]
    holidays: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    departure_window_seconds: float
    seats: int
    host_seats: int
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    policy: _parties_pb2.PartyPolicy
    policy_pack: str
    split_rule: str
    allow_raised_shares: bool
    called: bool
    tariff_id: str
    vehicle_class: str
    weight: float
    boarding: _common_pb2.Place
    max_share: int
    allows_overlap: bool
    agreed_fare: _parties_pb2.AgreedFare
    approval: str
    hold_seats: bool
    arrive_by: str
    def __init__(self, host_id: _Optional[str] = ..., rider_id: _Optional[str] = ..., weekdays: _Optional[_Iterable[str]] = ..., local_time: _Optional[str] = ..., time_zone: _Optional[str] = ..., to: _Optional[str] = ..., added: _Optional[_Iterable[str]] = ..., removed: _Optional[_Iterable[str]] = ..., holidays: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., departure_window_seconds: _Optional[float] = ..., seats: _Optional[int] = ..., host_seats: _Optional[int] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., policy: _Optional[_Union[_parties_pb2.PartyPolicy, _Mapping]] = ..., policy_pack: _Optional[str] = ..., split_rule: _Optional[str] = ..., allow_raised_shares: bool = ..., called: bool = ..., tariff_id: _Optional[str] = ..., vehicle_class: _Optional[str] = ..., weight: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_share: _Optional[int] = ..., allows_overlap: bool = ..., agreed_fare: _Optional[_Union[_parties_pb2.AgreedFare, _Mapping]] = ..., approval: _Optional[str] = ..., hold_seats: bool = ..., arrive_by: _Optional[str] = ..., **kwargs) -> None: ...

class GetCommuteRequest(_message.Message):
    __slots__ = ("id", "rider_id", "days")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    days: int
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., days: _Optional[int] = ...) -> None: ...

class ListCommutesRequest(_message.Message):
    __slots__ = ("rider_id", "host_id")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    host_id: str
    def __init__(self, rider_id: _Optional[str] = ..., host_id: _Optional[str] = ...) -> None: ...

class UpdateCommuteRequest(_message.Message):
    __slots__ = ("id", "rider_id", "weekdays", "local_time", "time_zone", "to", "added", "removed", "restored", "holidays", "departure_window_seconds", "seats", "include_appeared", "arrive_by", "origin", "destination", "max_walk_meters", "max_detour_ratio", "min_shared_ratio", "max_ride_seconds", "max_detour_seconds", "tags", "attributes", "host_seats", "policy", "policy_pack", "split_rule", "allow_raised_shares", "called", "tariff_id", "vehicle_class", "weight", "agreed_fare", "approval", "hold_seats", "boarding", "max_share", "allows_overlap", "cleared")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    WEEKDAYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_TIME_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    HOLIDAYS_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_APPEARED_FIELD_NUMBER: _ClassVar[int]
    ARRIVE_BY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    MAX_WALK_METERS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_RATIO_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    HOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_PACK_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_RAISED_SHARES_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    AGREED_FARE_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    HOLD_SEATS_FIELD_NUMBER: _ClassVar[int]
    BOARDING_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARE_FIELD_NUMBER: _ClassVar[int]
    ALLOWS_OVERLAP_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    weekdays: _containers.RepeatedScalarFieldContainer[str]
    local_time: str
    time_zone: str
    to: str
    added: _containers.RepeatedScalarFieldContainer[str]
    removed: _containers.RepeatedScalarFieldContainer[str]
    restored: _containers.RepeatedScalarFieldContainer[str]
    holidays: str
    departure_window_seconds: float
    seats: int
    include_appeared: bool
    arrive_by: str
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    max_walk_meters: float
    max_detour_ratio: float
    min_shared_ratio: float
    max_ride_seconds: float
    max_detour_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    host_seats: int
    policy: _parties_pb2.PartyPolicy
    policy_pack: str
    split_rule: str
    allow_raised_shares: bool
    called: bool
    tariff_id: str
    vehicle_class: str
    weight: float
    agreed_fare: _parties_pb2.AgreedFare
    approval: str
    hold_seats: bool
    boarding: _common_pb2.Place
    max_share: int
    allows_overlap: bool
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., weekdays: _Optional[_Iterable[str]] = ..., local_time: _Optional[str] = ..., time_zone: _Optional[str] = ..., to: _Optional[str] = ..., added: _Optional[_Iterable[str]] = ..., removed: _Optional[_Iterable[str]] = ..., restored: _Optional[_Iterable[str]] = ..., holidays: _Optional[str] = ..., departure_window_seconds: _Optional[float] = ..., seats: _Optional[int] = ..., include_appeared: bool = ..., arrive_by: _Optional[str] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., host_seats: _Optional[int] = ..., policy: _Optional[_Union[_parties_pb2.PartyPolicy, _Mapping]] = ..., policy_pack: _Optional[str] = ..., split_rule: _Optional[str] = ..., allow_raised_shares: bool = ..., called: bool = ..., tariff_id: _Optional[str] = ..., vehicle_class: _Optional[str] = ..., weight: _Optional[float] = ..., agreed_fare: _Optional[_Union[_parties_pb2.AgreedFare, _Mapping]] = ..., approval: _Optional[str] = ..., hold_seats: bool = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_share: _Optional[int] = ..., allows_overlap: bool = ..., cleared: _Optional[_Iterable[str]] = ..., **kwargs) -> None: ...

class CancelCommuteRequest(_message.Message):
    __slots__ = ("id", "rider_id", "reason", "include_appeared")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_APPEARED_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    reason: str
    include_appeared: bool
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., reason: _Optional[str] = ..., include_appeared: bool = ...) -> None: ...

class JoinCommuteRequest(_message.Message):
    __slots__ = ("id", "rider_id", "destination", "attributes", "seats", "max_share", "origin", "max_walk_meters", "max_detour_ratio", "weight", "min_shared_ratio", "boarding", "max_ride_seconds", "max_detour_seconds")
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
    MAX_RIDE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MAX_DETOUR_SECONDS_FIELD_NUMBER: _ClassVar[int]
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
    max_ride_seconds: float
    max_detour_seconds: float
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seats: _Optional[int] = ..., max_share: _Optional[int] = ..., origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_walk_meters: _Optional[float] = ..., max_detour_ratio: _Optional[float] = ..., weight: _Optional[float] = ..., min_shared_ratio: _Optional[float] = ..., boarding: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., max_ride_seconds: _Optional[float] = ..., max_detour_seconds: _Optional[float] = ...) -> None: ...

class LeaveCommuteRequest(_message.Message):
    __slots__ = ("id", "rider_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    rider_id: str
    def __init__(self, id: _Optional[str] = ..., rider_id: _Optional[str] = ...) -> None: ...
