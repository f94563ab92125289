import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from moyeo.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RouteStop(_message.Message):
    __slots__ = ("rider_id", "latitude", "longitude", "kind")
    RIDER_ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    rider_id: str
    latitude: float
    longitude: float
    kind: str
    def __init__(self, rider_id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., kind: _Optional[str] = ...) -> None: ...

class PlanRouteRequest(_message.Message):
    __slots__ = ("origin", "destination", "stops", "departure_time", "keep_order")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    STOPS_FIELD_NUMBER: _ClassVar[int]
    DEPARTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    KEEP_ORDER_FIELD_NUMBER: _ClassVar[int]
    origin: _common_pb2.Place
    destination: _common_pb2.Place
    stops: _containers.RepeatedCompositeFieldContainer[RouteStop]
    departure_time: _timestamp_pb2.Timestamp
    keep_order: bool
    def __init__(self, origin: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., destination: _Optional[_Union[_common_pb2.Place, _Mapping]] = ..., stops: _Optional[_Iterable[_Union[RouteStop, _Mapping]]] = ..., departure_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., keep_order: bool = ...) -> None: ...

class RouteLeg(_message.Message):
    __slots__ = ("distance_meters", "duration_seconds")
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    distance_meters: float
    duration_seconds: float
    def __init__(self, distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ...) -> None: ...

class PlanRouteResponse(_message.Message):
    __slots__ = ("distance_meters", "duration_seconds", "path", "stop_order", "source", "legs", "fallback_reason", "low_duration_seconds", "high_duration_seconds")
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    STOP_ORDER_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LEGS_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_REASON_FIELD_NUMBER: _ClassVar[int]
    LOW_DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    HIGH_DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    distance_meters: float
    duration_seconds: float
    path: _containers.RepeatedCompositeFieldContainer[_struct_pb2.ListValue]
    stop_order: _containers.RepeatedScalarFieldContainer[int]
    source: str
    legs: _containers.RepeatedCompositeFieldContainer[RouteLeg]
    fallback_reason: str
    low_duration_seconds: float
    high_duration_seconds: float
    def __init__(self, distance_meters: _Optional[float] = ..., duration_seconds: _Optional[float] = ..., path: _Optional[_Iterable[_Union[_struct_pb2.ListValue, _Mapping]]] = ..., stop_order: _Optional[_Iterable[int]] = ..., source: _Optional[str] = ..., legs: _Optional[_Iterable[_Union[RouteLeg, _Mapping]]] = ..., fallback_reason: _Optional[str] = ..., low_duration_seconds: _Optional[float] = ..., high_duration_seconds: _Optional[float] = ...) -> None: ...
