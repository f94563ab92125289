import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from moyeo.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RouteSegment(_message.Message):
    __slots__ = ("distance_meters", "duration_seconds")
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    distance_meters: float
    duration_seconds: float
    def __init__(self, distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ...) -> None: ...

class FareRider(_message.Message):
    __slots__ = ("rider_id", "drop_off", "seats", "weight")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    DROP_OFF_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    drop_off: _common_pb2.Place
    seats: int
    weight: float
    def __init__(self, rider_id: _Optional[str] = ..., drop_off: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., seats: _Optional[int] = ..., weight: _Optional[float] = ...) -> None: ...

class EstimateFareRequest(_message.Message):
    __slots__ = ("origin", "destination", "segments", "distance_meters", "duration_seconds", "departure_time", "tariff_id", "vehicle_class", "rider_count", "riders", "split_rule", "tolls", "flat_trip", "slow_seconds", "called", "out_of_area", "host_id", "seats", "seed")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASS_FIELD_NUMBER: _ClassVar[int]
    RIDER_COUNT_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    SPLIT_RULE_FIELD_NUMBER: _ClassVar[int]
    TOLLS_FIELD_NUMBER: _ClassVar[int]
    FLAT_TRIP_FIELD_NUMBER: _ClassVar[int]
    SLOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    OUT_OF_AREA_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    segments: _containers.RepeatedCompositeFieldContainer[RouteSegment]
    distance_meters: float
    duration_seconds: float
    departure_time: _timestamp_pb2.Timestamp
    tariff_id: str
    vehicle_class: str
    rider_count: int
    riders: _containers.RepeatedCompositeFieldContainer[FareRider]
    split_rule: str
    tolls: int
    flat_trip: str
    slow_seconds: float
    called: bool
    out_of_area: bool
    host_id: str
    seats: int
    seed: int
    def __init__(self, origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., segments: _Optional[_Iterable[_Union[RouteSegment, _Mapping]]] = ..., distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tariff_id: _Optional[str] = ..., vehicle_class: _Optional[str] = ..., rider_count: _Optional[int] = ..., riders: _Optional[_Iterable[_Union[FareRider, _Mapping]]] = ..., split_rule: _Optional[str] = ..., tolls: _Optional[int] = ..., flat_trip: _Optional[str] = ..., slow_seconds: _Optional[float] = ..., called: bool = ..., out_of_area: bool = ..., host_id: _Optional[str] = ..., seats: _Optional[int] = ..., seed: _Optional[int] = ...) -> None: ...

class FareLine(_message.Message):
    __slots__ = ("kind", "amount", "quantity", "rule")
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    amount: int
    quantity: float
    rule: str
    def __init__(self, kind: _Optional[str] = ..., amount: _Optional[int] = ..., quantity: _Optional[float] = ..., rule: _Optional[str] = ...) -> None: ...

class FareShare(_message.Message):
    __slots__ = ("rider_id", "amount", "solo_fare", "saving", "exceeds_solo_because")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARE_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    EXCEEDS_SOLO_BECAUSE_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    amount: int
    solo_fare: int
    saving: int
    exceeds_solo_because: str
    def __init__(self, rider_id: _Optional[str] = ..., amount: _Optional[int] = ..., solo_fare: _Optional[int] = ..., saving: _Optional[int] = ..., exceeds_solo_because: _Optional[str] = ...) -> None: ...

class Fare(_message.Message):
    __slots__ = ("currency", "expected", "low", "high", "tariff_id", "tariff_effective", "distance_meters", "duration_seconds", "lines", "shares", "source", "unverified", "minor_unit_digits", "fallback_reason", "per_person_now", "per_person_if_full", "tariff_name", "tariff_source", "departure_time", "stop_order")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    TARIFF_EFFECTIVE_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    MINOR_UNIT_DIGITS_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_REASON_FIELD_NUMBER: _ClassVar[int]
    PER_PERSON_NOW_FIELD_NUMBER: _ClassVar[int]
    PER_PERSON_IF_FULL_FIELD_NUMBER: _ClassVar[int]
    TARIFF_NAME_FIELD_NUMBER: _ClassVar[int]
    TARIFF_SOURCE_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    STOP_ORDER_FIELD_NUMBER: _ClassVar[int]
    currency: str
    expected: int
    low: int
    high: int
    tariff_id: str
    tariff_effective: _timestamp_pb2.Timestamp
    distance_meters: float
    duration_seconds: float
    lines: _containers.RepeatedCompositeFieldContainer[FareLine]
    shares: _containers.RepeatedCompositeFieldContainer[FareShare]
    source: str
    unverified: _containers.RepeatedScalarFieldContainer[str]
    minor_unit_digits: int
    fallback_reason: str
    per_person_now: int
    per_person_if_full: int
    tariff_name: str
    tariff_source: str
    departure_time: _timestamp_pb2.Timestamp
    stop_order: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, currency: _Optional[str] = ..., expected: _Optional[int] = ..., low: _Optional[int] = ..., high: _Optional[int] = ..., tariff_id: _Optional[str] = ..., tariff_effective: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ..., lines: _Optional[_Iterable[_Union[FareLine, _Mapping]]] = ..., shares: _Optional[_Iterable[_Union[FareShare, _Mapping]]] = ..., source: _Optional[str] = ..., unverified: _Optional[_Iterable[str]] = ..., minor_unit_digits: _Optional[int] = ..., fallback_reason: _Optional[str] = ..., per_person_now: _Optional[int] = ..., per_person_if_full: _Optional[int] = ..., tariff_name: _Optional[str] = ..., tariff_source: _Optional[str] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., stop_order: _Optional[_Iterable[str]] = ...) -> None: ...

class EstimateFareResponse(_message.Message):
    __slots__ = ("fare",)
    FARE_FIELD_NUMBER: _ClassVar[int]
    fare: Fare
    def __init__(self, fare: _Optional[_Union[Fare, _Mapping]] = ...) -> None: ...

class SplitRider(_message.Message):
    __slots__ = ("rider_id", "solo_fare", "distance_meters", "weight", "seats")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    SOLO_FARE_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    solo_fare: int
    distance_meters: float
    weight: float
    seats: int
    def __init__(self, rider_id: _Optional[str] = ..., solo_fare: _Optional[int] = ..., distance_meters: _Optional[float] = ..., weight: _Optional[float] = ..., seats: _Optional[int] = ...) -> None: ...

class SplitLeg(_message.Message):
    __slots__ = ("amount", "aboard")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    ABOARD_FIELD_NUMBER: _ClassVar[int]
    amount: int
    aboard: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, amount: _Optional[int] = ..., aboard: _Optional[_Iterable[str]] = ...) -> None: ...

class SplitFareRequest(_message.Message):
    __slots__ = ("amount", "currency", "rule", "riders", "legs", "tolls", "seed", "host_id")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    RIDERS_FIELD_NUMBER: _ClassVar[int]
    LEGS_FIELD_NUMBER: _ClassVar[int]
    TOLLS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    HOST_ID_FIELD_NUMBER: _ClassVar[int]
    amount: int
    currency: str
    rule: str
    riders: _containers.RepeatedCompositeFieldContainer[SplitRider]
    legs: _containers.RepeatedCompositeFieldContainer[SplitLeg]
    tolls: int
    seed: int
    host_id: str
    def __init__(self, amount: _Optional[int] = ..., currency: _Optional[str] = ..., rule: _Optional[str] = ..., riders: _Optional[_Iterable[_Union[SplitRider, _Mapping]]] = ..., legs: _Optional[_Iterable[_Union[SplitLeg, _Mapping]]] = ..., tolls: _Optional[int] = ..., seed: _Optional[int] = ..., host_id: _Optional[str] = ...) -> None: ...

class SplitFareResponse(_message.Message):
    __slots__ = ("shares", "currency")
    SHARES_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    shares: _containers.RepeatedCompositeFieldContainer[FareShare]
    currency: str
    def __init__(self, shares: _Optional[_Iterable[_Union[FareShare, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class ListTariffsRequest(_message.Message):
    __slots__ = ("area", "tariff_id", "at")
    AREA_FIELD_NUMBER: _ClassVar[int]
    TARIFF_ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    area: str
    tariff_id: str
    at: _timestamp_pb2.Timestamp
    def __init__(self, area: _Optional[str] = ..., tariff_id: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Tariff(_message.Message):
    __slots__ = ("id", "name", "area", "vehicle_classes", "currency", "effective", "superseded", "source", "verified", "unverified_fields", "time_zone")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_CLASSES_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    UNVERIFIED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    area: str
    vehicle_classes: _containers.RepeatedScalarFieldContainer[str]
    currency: str
    effective: _timestamp_pb2.Timestamp
    superseded: _timestamp_pb2.Timestamp
    source: str
    verified: bool
    unverified_fields: _containers.RepeatedScalarFieldContainer[str]
    time_zone: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., area: _Optional[str] = ..., vehicle_classes: _Optional[_Iterable[str]] = ..., currency: _Optional[str] = ..., effective: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., superseded: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., source: _Optional[str] = ..., verified: bool = ..., unverified_fields: _Optional[_Iterable[str]] = ..., time_zone: _Optional[str] = ...) -> None: ...

class ListTariffsResponse(_message.Message):
    __slots__ = ("tariffs",)
    TARIFFS_FIELD_NUMBER: _ClassVar[int]
    tariffs: _containers.RepeatedCompositeFieldContainer[Tariff]
    def __init__(self, tariffs: _Optional[_Iterable[_Union[Tariff, _Mapping]]] = ...) -> None: ...
