from google.protobuf import struct_pb2 as _struct_pb2
from moyeo.v1 import common_pb2 as _common_pb2
from moyeo.v1 import positions_pb2 as _positions_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetTileRequest(_message.Message):
    __slots__ = ("layer", "zoom", "x", "y", "format", "tags", "tag_match", "not_tags", "where", "if_none_match", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    NOT_TAGS_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    IF_NONE_MATCH_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    zoom: int
    x: int
    y: int
    format: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    tag_match: str
    not_tags: _containers.RepeatedScalarFieldContainer[str]
    where: _containers.RepeatedCompositeFieldContainer[_positions_pb2.AttributeCondition]
    if_none_match: str
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., zoom: _Optional[int] = ..., x: _Optional[int] = ..., y: _Optional[int] = ..., format: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., tag_match: _Optional[str] = ..., not_tags: _Optional[_Iterable[str]] = ..., where: _Optional[_Iterable[_Union[_positions_pb2.AttributeCondition, _Mapping]]] = ..., if_none_match: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class GetTileResponse(_message.Message):
    __slots__ = ("tile", "content_type", "etag", "not_modified", "version", "lag_milliseconds", "truncated")
    TILE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LAG_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    tile: bytes
    content_type: str
    etag: str
    not_modified: bool
    version: str
    lag_milliseconds: int
    truncated: bool
    def __init__(self, tile: _Optional[bytes] = ..., content_type: _Optional[str] = ..., etag: _Optional[str] = ..., not_modified: bool = ..., version: _Optional[str] = ..., lag_milliseconds: _Optional[int] = ..., truncated: bool = ...) -> None: ...

class GetClustersRequest(_message.Message):
    __slots__ = ("layer", "west", "south", "east", "north", "zoom", "meters_per_pixel", "tags", "tag_match", "not_tags", "where", "min_version", "limit", "max_staleness_seconds")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    WEST_FIELD_NUMBER: _ClassVar[int]
    SOUTH_FIELD_NUMBER: _ClassVar[int]
    EAST_FIELD_NUMBER: _ClassVar[int]
    NORTH_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    METERS_PER_PIXEL_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    TAG_MATCH_FIELD_NUMBER: _ClassVar[int]
    NOT_TAGS_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    layer: str
    west: float
    south: float
    east: float
    north: float
    zoom: float
    meters_per_pixel: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    tag_match: str
    not_tags: _containers.RepeatedScalarFieldContainer[str]
    where: _containers.RepeatedCompositeFieldContainer[_positions_pb2.AttributeCondition]
    min_version: str
    limit: int
    max_staleness_seconds: float
    def __init__(self, layer: _Optional[str] = ..., west: _Optional[float] = ..., south: _Optional[float] = ..., east: _Optional[float] = ..., north: _Optional[float] = ..., zoom: _Optional[float] = ..., meters_per_pixel: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., tag_match: _Optional[str] = ..., not_tags: _Optional[_Iterable[str]] = ..., where: _Optional[_Iterable[_Union[_positions_pb2.AttributeCondition, _Mapping]]] = ..., min_version: _Optional[str] = ..., limit: _Optional[int] = ..., max_staleness_seconds: _Optional[float] = ...) -> None: ...

class Cluster(_message.Message):
    __slots__ = ("id", "latitude", "longitude", "point_count", "expansion_zoom", "bounds", "aggregates", "coincident", "sample_ids", "tags", "attributes")
    ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    POINT_COUNT_FIELD_NUMBER: _ClassVar[int]
    EXPANSION_ZOOM_FIELD_NUMBER: _ClassVar[int]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    AGGREGATES_FIELD_NUMBER: _ClassVar[int]
    COINCIDENT_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_IDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    id: str
    latitude: float
    longitude: float
    point_count: int
    expansion_zoom: int
    bounds: _common_pb2.Box
    aggregates: _struct_pb2.Struct
    coincident: bool
    sample_ids: _containers.RepeatedScalarFieldContainer[str]
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    def __init__(self, id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., point_count: _Optional[int] = ..., expansion_zoom: _Optional[int] = ..., bounds: _Optional[_Union[_common_pb2.Box, _Mapping]] = ..., aggregates: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., coincident: bool = ..., sample_ids: _Optional[_Iterable[str]] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class GetClustersResponse(_message.Message):
    __slots__ = ("clusters", "version", "lag_milliseconds", "zoom", "truncated", "age", "coalesced")
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LAG_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    COALESCED_FIELD_NUMBER: _ClassVar[int]
    clusters: _containers.RepeatedCompositeFieldContainer[Cluster]
    version: str
    lag_milliseconds: int
    zoom: int
    truncated: bool
    age: float
    coalesced: bool
    def __init__(self, clusters: _Optional[_Iterable[_Union[Cluster, _Mapping]]] = ..., version: _Optional[str] = ..., lag_milliseconds: _Optional[int] = ..., zoom: _Optional[int] = ..., truncated: bool = ..., age: _Optional[float] = ..., coalesced: bool = ...) -> None: ...

class GetChildrenRequest(_message.Message):
    __slots__ = ("layer", "cluster_id", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    cluster_id: str
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., cluster_id: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class GetChildrenResponse(_message.Message):
    __slots__ = ("clusters", "version")
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    clusters: _containers.RepeatedCompositeFieldContainer[Cluster]
    version: str
    def __init__(self, clusters: _Optional[_Iterable[_Union[Cluster, _Mapping]]] = ..., version: _Optional[str] = ...) -> None: ...

class GetLeavesRequest(_message.Message):
    __slots__ = ("layer", "cluster_id", "limit", "cursor", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    cluster_id: str
    limit: int
    cursor: str
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., cluster_id: _Optional[str] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class GetLeavesResponse(_message.Message):
    __slots__ = ("hits", "next_cursor", "version")
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[_positions_pb2.Hit]
    next_cursor: str
    version: str
    def __init__(self, hits: _Optional[_Iterable[_Union[_positions_pb2.Hit, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class GetExpansionZoomRequest(_message.Message):
    __slots__ = ("layer", "cluster_id", "min_version")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_VERSION_FIELD_NUMBER: _ClassVar[int]
    layer: str
    cluster_id: str
    min_version: str
    def __init__(self, layer: _Optional[str] = ..., cluster_id: _Optional[str] = ..., min_version: _Optional[str] = ...) -> None: ...

class GetExpansionZoomResponse(_message.Message):
    __slots__ = ("expansion_zoom", "version")
    EXPANSION_ZOOM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    expansion_zoom: int
    version: str
    def __init__(self, expansion_zoom: _Optional[int] = ..., version: _Optional[str] = ...) -> None: ...

class WatchTilesRequest(_message.Message):
    __slots__ = ("layer", "west", "south", "east", "north", "zoom", "interval_milliseconds", "resume_token")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    WEST_FIELD_NUMBER: _ClassVar[int]
    SOUTH_FIELD_NUMBER: _ClassVar[int]
    EAST_FIELD_NUMBER: _ClassVar[int]
    NORTH_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_MILLISECONDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    layer: str
    west: float
    south: float
    east: float
    north: float
    zoom: float
    interval_milliseconds: int
    resume_token: str
    def __init__(self, layer: _Optional[str] = ..., west: _Optional[float] = ..., south: _Optional[float] = ..., east: _Optional[float] = ..., north: _Optional[float] = ..., zoom: _Optional[float] = ..., interval_milliseconds: _Optional[int] = ..., resume_token: _Optional[str] = ...) -> None: ...

class TileRef(_message.Message):
    __slots__ = ("zoom", "x", "y")
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    zoom: int
    x: int
    y: int
    def __init__(self, zoom: _Optional[int] = ..., x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class WatchTilesEvent(_message.Message):
    __slots__ = ("kind", "tiles", "resume_token")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    kind: str
    tiles: _containers.RepeatedCompositeFieldContainer[TileRef]
    resume_token: str
    def __init__(self, kind: _Optional[str] = ..., tiles: _Optional[_Iterable[_Union[TileRef, _Mapping]]] = ..., resume_token: _Optional[str] = ...) -> None: ...
