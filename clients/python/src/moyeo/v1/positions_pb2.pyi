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

class Position(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "tags", "attributes", "ttl_seconds", "observed_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    ttl_seconds: float
    observed_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., ttl_seconds: _Optional[float] = ..., observed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ReportRequest(_message.Message):
    __slots__ = ("layer", "positions")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    layer: str
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    def __init__(self, layer: _Optional[str] = ..., positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ...) -> None: ...

class Rejection(_message.Message):
    __slots__ = ("index", "id", "field", "reason", "message")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    id: str
    field: str
    reason: str
    message: str
    def __init__(self, index: _Optional[int] = ..., id: _Optional[str] = ..., field: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class ReportResponse(_message.Message):
    __slots__ = ("accepted", "rejections", "version")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTIONS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    accepted: int
    rejections: _containers.RepeatedCompositeFieldContainer[Rejection]
    version: str
    def __init__(self, accepted: _Optional[int] = ..., rejections: _Optional[_Iterable[_Union[Rejection, _Mapping]]] = ..., version: _Optional[str] = ...) -> None: ...

class StreamReportsRequest(_message.Message):
    __slots__ = ("layer", "positions", "register", "packed", "sequence")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    REGISTER_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    layer: str
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    register: RegisterHandles
    packed: PackedReports
    sequence: int
    def __init__(self, layer: _Optional[str] = ..., positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ..., register: _Optional[_Union[RegisterHandles, _Mapping]] = ..., packed: _Optional[_Union[PackedReports, _Mapping]] = ..., sequence: _Optional[int] = ...) -> None: ...

class RegisterHandles(_message.Message):
    __slots__ = ("ids",)
    IDS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, ids: _Optional[_Iterable[str]] = ...) -> None: ...

class PackedReports(_message.Message):
    __slots__ = ("handles", "latitude_e7", "longitude_e7", "observed_at_milliseconds", "ttl_seconds")
    HANDLES_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_E7_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_E7_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_AT_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    handles: _containers.RepeatedScalarFieldContainer[int]
    latitude_e7: _containers.RepeatedScalarFieldContainer[int]
    longitude_e7: _containers.RepeatedScalarFieldContainer[int]
    observed_at_milliseconds: int
    ttl_seconds: float
    def __init__(self, handles: _Optional[_Iterable[int]] = ..., latitude_e7: _Optional[_Iterable[int]] = ..., longitude_e7: _Optional[_Iterable[int]] = ..., observed_at_milliseconds: _Optional[int] = ..., ttl_seconds: _Optional[float] = ...) -> None: ...

class StreamReportsResponse(_message.Message):
    __slots__ = ("accepted", "rejections", "handles", "version", "sequence")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REJECTIONS_FIELD_NUMBER: _ClassVar[int]
    HANDLES_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    accepted: int
    rejections: _containers.RepeatedCompositeFieldContainer[Rejection]
    handles: _containers.RepeatedScalarFieldContainer[int]
    version: str
    sequence: int
    def __init__(self, accepted: _Optional[int] = ..., rejections: _Optional[_Iterable[_Union[Rejection, _Mapping]]] = ..., handles: _Optional[_Iterable[int]] = ..., version: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class GetPositionRequest(_message.Message):
    __slots__ = ("layer", "id", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    id: str
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., id: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class StoredPosition(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "age_seconds", "tags", "attributes", "observed_at", "expires_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    age_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    observed_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., age_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., observed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetPositionResponse(_message.Message):
    __slots__ = ("position", "version")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    position: StoredPosition
    version: str
    def __init__(self, position: _Optional[_Union[StoredPosition, _Mapping]] = ..., version: _Optional[str] = ...) -> None: ...

class RemovePositionRequest(_message.Message):
    __slots__ = ("layer", "id")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    layer: str
    id: str
    def __init__(self, layer: _Optional[str] = ..., id: _Optional[str] = ...) -> None: ...

class RemovePositionResponse(_message.Message):
    __slots__ = ("removed", "version")
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    version: str
    def __init__(self, removed: bool = ..., version: _Optional[str] = ...) -> None: ...

class AttributeCondition(_message.Message):
    __slots__ = ("attribute", "equals", "min", "max")
    ATTRIBUTE_FIELD_NUMBER: _ClassVar[int]
    EQUALS_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    attribute: str
    equals: _struct_pb2.Value
    min: float
    max: float
    def __init__(self, attribute: _Optional[str] = ..., equals: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., min: _Optional[float] = ..., max: _Optional[float] = ...) -> None: ...

class NearbyRequest(_message.Message):
    __slots__ = ("layer", "latitude", "longitude", "limit", "radius_meters", "tags", "tag_match", "not_tags", "exclude_ids", "within", "where", "max_age_seconds", "cursor", "min_version", "max_staleness_seconds")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    NOT_TAGS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_IDS_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    layer: str
    latitude: float
    longitude: float
    limit: int
    radius_meters: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    tag_match: str
    not_tags: _containers.RepeatedScalarFieldContainer[str]
    exclude_ids: _containers.RepeatedScalarFieldContainer[str]
    within: _common_pb2.Polygon
    where: _containers.RepeatedCompositeFieldContainer[AttributeCondition]
    max_age_seconds: float
    cursor: str
    min_version: str
    max_staleness_seconds: float
    def __init__(self, layer: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., limit: _Optional[int] = ..., radius_meters: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., tag_match: _Optional[str] = ..., not_tags: _Optional[_Iterable[str]] = ..., exclude_ids: _Optional[_Iterable[str]] = ..., within: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ..., where: _Optional[_Iterable[_Union[AttributeCondition, _Mapping]]] = ..., max_age_seconds: _Optional[float] = ..., cursor: _Optional[str] = ..., min_version: _Optional[str] = ..., max_staleness_seconds: _Optional[float] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "distance_meters", "bearing_degrees", "age_seconds", "tags", "attributes")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    BEARING_DEGREES_FIELD_NUMBER: _ClassVar[int]
    AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    distance_meters: float
    bearing_degrees: float
    age_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., distance_meters: _Optional[float] = ..., bearing_degrees: _Optional[float] = ..., age_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class NearbyResponse(_message.Message):
    __slots__ = ("hits", "next_cursor", "version", "age", "coalesced", "unknown_attributes")
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    COALESCED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    next_cursor: str
    version: str
    age: float
    coalesced: bool
    unknown_attributes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., version: _Optional[str] = ..., age: _Optional[float] = ..., coalesced: bool = ..., unknown_attributes: _Optional[_Iterable[str]] = ...) -> None: ...

class NearbyBatchRequest(_message.Message):
    __slots__ = ("layer", "requests")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    layer: str
    requests: _containers.RepeatedCompositeFieldContainer[NearbyRequest]
    def __init__(self, layer: _Optional[str] = ..., requests: _Optional[_Iterable[_Union[NearbyRequest, _Mapping]]] = ...) -> None: ...

class NearbyBatchResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[NearbyBatchItem]
    def __init__(self, responses: _Optional[_Iterable[_Union[NearbyBatchItem, _Mapping]]] = ...) -> None: ...

class NearbyBatchItem(_message.Message):
    __slots__ = ("status", "body", "error")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    status: int
    body: NearbyResponse
    error: Error
    def __init__(self, status: _Optional[int] = ..., body: _Optional[_Union[NearbyResponse, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "reason", "message", "fields", "retry_after_milliseconds")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    code: str
    reason: str
    message: str
    fields: _containers.RepeatedCompositeFieldContainer[FieldError]
    retry_after_milliseconds: int
    def __init__(self, code: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[FieldError, _Mapping]]] = ..., retry_after_milliseconds: _Optional[int] = ...) -> None: ...

class FieldError(_message.Message):
    __slots__ = ("field", "reason", "message")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    field: str
    reason: str
    message: str
    def __init__(self, field: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class WithinRequest(_message.Message):
    __slots__ = ("layer", "west", "south", "east", "north", "polygon", "limit", "tags", "tag_match", "not_tags", "exclude_ids", "where", "max_age_seconds", "cursor", "min_version", "within", "max_staleness_seconds")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    WEST_FIELD_NUMBER: _ClassVar[int]
    SOUTH_FIELD_NUMBER: _ClassVar[int]
    EAST_FIELD_NUMBER: _ClassVar[int]
    NORTH_FIELD_NUMBER: _ClassVar[int]
    POLYGON_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    NOT_TAGS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_IDS_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    layer: str
    west: float
    south: float
    east: float
    north: float
    polygon: _common_pb2.Polygon
    limit: int
    tags: _containers.RepeatedScalarFieldContainer[str]
    tag_match: str
    not_tags: _containers.RepeatedScalarFieldContainer[str]
    exclude_ids: _containers.RepeatedScalarFieldContainer[str]
    where: _containers.RepeatedCompositeFieldContainer[AttributeCondition]
    max_age_seconds: float
    cursor: str
    min_version: str
    within: _common_pb2.Polygon
    max_staleness_seconds: float
    def __init__(self, layer: _Optional[str] = ..., west: _Optional[float] = ..., south: _Optional[float] = ..., east: _Optional[float] = ..., north: _Optional[float] = ..., polygon: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ..., limit: _Optional[int] = ..., tags: _Optional[_Iterable[str]] = ..., tag_match: _Optional[str] = ..., not_tags: _Optional[_Iterable[str]] = ..., exclude_ids: _Optional[_Iterable[str]] = ..., where: _Optional[_Iterable[_Union[AttributeCondition, _Mapping]]] = ..., max_age_seconds: _Optional[float] = ..., cursor: _Optional[str] = ..., min_version: _Optional[str] = ..., within: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ..., max_staleness_seconds: _Optional[float] = ...) -> None: ...

class WithinResponse(_message.Message):
    __slots__ = ("hits", "next_cursor", "version", "age", "coalesced", "unknown_attributes")
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    COALESCED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    next_cursor: str
    version: str
    age: float
    coalesced: bool
    unknown_attributes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., version: _Optional[str] = ..., age: _Optional[float] = ..., coalesced: bool = ..., unknown_attributes: _Optional[_Iterable[str]] = ...) -> None: ...

class TagHistogramRequest(_message.Message):
    __slots__ = ("layer", "west", "south", "east", "north", "within", "latitude", "longitude", "radius_meters", "limit", "max_age_seconds", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    WEST_FIELD_NUMBER: _ClassVar[int]
    SOUTH_FIELD_NUMBER: _ClassVar[int]
    EAST_FIELD_NUMBER: _ClassVar[int]
    NORTH_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    west: float
    south: float
    east: float
    north: float
    within: _common_pb2.Polygon
    latitude: float
    longitude: float
    radius_meters: float
    limit: int
    max_age_seconds: float
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., west: _Optional[float] = ..., south: _Optional[float] = ..., east: _Optional[float] = ..., north: _Optional[float] = ..., within: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., radius_meters: _Optional[float] = ..., limit: _Optional[int] = ..., max_age_seconds: _Optional[float] = ..., min_version: _Optional[str] = ...) -> None: ...

class TagCount(_message.Message):
    __slots__ = ("tag", "count")
    TAG_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    tag: str
    count: int
    def __init__(self, tag: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class TagHistogramResponse(_message.Message):
    __slots__ = ("tags", "version")
    TAGS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    tags: _containers.RepeatedCompositeFieldContainer[TagCount]
    version: str
    def __init__(self, tags: _Optional[_Iterable[_Union[TagCount, _Mapping]]] = ..., version: _Optional[str] = ...) -> None: ...

class Fence(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "radius_meters", "box", "within")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    radius_meters: float
    box: _common_pb2.Box
    within: _common_pb2.Polygon
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., radius_meters: _Optional[float] = ..., box: _Optional[_Union[_common_pb2.Box, _Mapping]] = ..., within: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ...) -> None: ...

class WatchPositionsRequest(_message.Message):
    __slots__ = ("layer", "latitude", "longitude", "radius_meters", "west", "south", "east", "north", "within", "tags", "tag_match", "not_tags", "exclude_ids", "where", "kinds", "interval_milliseconds", "resume_token", "fences")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    WEST_FIELD_NUMBER: _ClassVar[int]
    SOUTH_FIELD_NUMBER: _ClassVar[int]
    EAST_FIELD_NUMBER: _ClassVar[int]
    NORTH_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    NOT_TAGS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_IDS_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FENCES_FIELD_NUMBER: _ClassVar[int]
    layer: str
    latitude: float
    longitude: float
    radius_meters: float
    west: float
    south: float
    east: float
    north: float
    within: _common_pb2.Polygon
    tags: _containers.RepeatedScalarFieldContainer[str]
    tag_match: str
    not_tags: _containers.RepeatedScalarFieldContainer[str]
    exclude_ids: _containers.RepeatedScalarFieldContainer[str]
    where: _containers.RepeatedCompositeFieldContainer[AttributeCondition]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    interval_milliseconds: int
    resume_token: str
    fences: _containers.RepeatedCompositeFieldContainer[Fence]
    def __init__(self, layer: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., radius_meters: _Optional[float] = ..., west: _Optional[float] = ..., south: _Optional[float] = ..., east: _Optional[float] = ..., north: _Optional[float] = ..., within: _Optional[_Union[_common_pb2.Polygon, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., tag_match: _Optional[str] = ..., not_tags: _Optional[_Iterable[str]] = ..., exclude_ids: _Optional[_Iterable[str]] = ..., where: _Optional[_Iterable[_Union[AttributeCondition, _Mapping]]] = ..., kinds: _Optional[_Iterable[str]] = ..., interval_milliseconds: _Optional[int] = ..., resume_token: _Optional[str] = ..., fences: _Optional[_Iterable[_Union[Fence, _Mapping]]] = ...) -> None: ...

class WatchPositionsEvent(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "distance_meters", "age_seconds", "tags", "attributes", "kind", "fence_id", "snapshot", "resume_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    FENCE_ID_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    distance_meters: float
    age_seconds: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    kind: str
    fence_id: str
    snapshot: bool
    resume_token: str
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., distance_meters: _Optional[float] = ..., age_seconds: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., kind: _Optional[str] = ..., fence_id: _Optional[str] = ..., snapshot: bool = ..., resume_token: _Optional[str] = ...) -> None: ...

class ListLayersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DeleteLayerRequest(_message.Message):
    __slots__ = ("layer",)
    LAYER_FIELD_NUMBER: _ClassVar[int]
    layer: str
    def __init__(self, layer: _Optional[str] = ...) -> None: ...

class DeleteLayerResponse(_message.Message):
    __slots__ = ("removed",)
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    removed: int
    def __init__(self, removed: _Optional[int] = ...) -> None: ...

class LayerSummary(_message.Message):
    __slots__ = ("name", "object_count", "clusters", "columns")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OBJECT_COUNT_FIELD_NUMBER: _ClassVar[int]
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    name: str
    object_count: int
    clusters: bool
    columns: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., object_count: _Optional[int] = ..., clusters: bool = ..., columns: _Optional[_Iterable[str]] = ...) -> None: ...

class ListLayersResponse(_message.Message):
    __slots__ = ("layers",)
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    layers: _containers.RepeatedCompositeFieldContainer[LayerSummary]
    def __init__(self, layers: _Optional[_Iterable[_Union[LayerSummary, _Mapping]]] = ...) -> None: ...
