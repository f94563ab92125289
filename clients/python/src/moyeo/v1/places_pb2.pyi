from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NamedPlace(_message.Message):
    __slots__ = ("id", "name", "address", "category", "latitude", "longitude", "distance_meters", "source")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    address: str
    category: str
    latitude: float
    longitude: float
    distance_meters: float
    source: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., address: _Optional[str] = ..., category: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., distance_meters: _Optional[float] = ..., source: _Optional[str] = ...) -> None: ...

class SearchPlacesRequest(_message.Message):
    __slots__ = ("q", "latitude", "longitude", "radius_meters", "limit")
    Q_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    q: str
    latitude: float
    longitude: float
    radius_meters: float
    limit: int
    def __init__(self, q: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., radius_meters: _Optional[float] = ..., limit: _Optional[int] = ...) -> None: ...

class SearchPlacesResponse(_message.Message):
    __slots__ = ("places",)
    PLACES_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedCompositeFieldContainer[NamedPlace]
    def __init__(self, places: _Optional[_Iterable[_Union[NamedPlace, _Mapping]]] = ...) -> None: ...

class ReversePlacesRequest(_message.Message):
    __slots__ = ("latitude", "longitude", "limit")
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    latitude: float
    longitude: float
    limit: int
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., limit: _Optional[int] = ...) -> None: ...

class ReversePlacesResponse(_message.Message):
    __slots__ = ("places",)
    PLACES_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedCompositeFieldContainer[NamedPlace]
    def __init__(self, places: _Optional[_Iterable[_Union[NamedPlace, _Mapping]]] = ...) -> None: ...
