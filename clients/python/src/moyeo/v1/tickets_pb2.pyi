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

class WantedAttribute(_message.Message):
    __slots__ = ("name", "values")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    name: str
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ...) -> None: ...

class Ticket(_message.Message):
    __slots__ = ("user_id", "version", "state", "here", "looking_at", "shown_at", "cell_meters", "tags", "attributes", "wanted", "proposals_from", "proposals_to", "matched_with", "match_id", "expires_at", "online", "last_seen_seconds", "dodged_by", "reviewed", "penalty_until", "banned_until", "blocked", "last_matched_with")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    HERE_FIELD_NUMBER: _ClassVar[int]
    LOOKING_AT_FIELD_NUMBER: _ClassVar[int]
    SHOWN_AT_FIELD_NUMBER: _ClassVar[int]
    CELL_METERS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    PROPOSALS_FROM_FIELD_NUMBER: _ClassVar[int]
    PROPOSALS_TO_FIELD_NUMBER: _ClassVar[int]
    MATCHED_WITH_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DODGED_BY_FIELD_NUMBER: _ClassVar[int]
    REVIEWED_FIELD_NUMBER: _ClassVar[int]
    PENALTY_UNTIL_FIELD_NUMBER: _ClassVar[int]
    BANNED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    LAST_MATCHED_WITH_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    version: str
    state: str
    here: _common_pb2.Point
    looking_at: _common_pb2.Point
    shown_at: _common_pb2.Point
    cell_meters: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    wanted: _containers.RepeatedCompositeFieldContainer[WantedAttribute]
    proposals_from: _containers.RepeatedScalarFieldContainer[str]
    proposals_to: _containers.RepeatedScalarFieldContainer[str]
    matched_with: str
    match_id: str
    expires_at: _timestamp_pb2.Timestamp
    online: bool
    last_seen_seconds: float
    dodged_by: str
    reviewed: bool
    penalty_until: _timestamp_pb2.Timestamp
    banned_until: _timestamp_pb2.Timestamp
    blocked: _containers.RepeatedScalarFieldContainer[str]
    last_matched_with: str
    def __init__(self, user_id: _Optional[str] = ..., version: _Optional[str] = ..., state: _Optional[str] = ..., here: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., looking_at: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., shown_at: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., cell_meters: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., wanted: _Optional[_Iterable[_Union[WantedAttribute, _Mapping]]] = ..., proposals_from: _Optional[_Iterable[str]] = ..., proposals_to: _Optional[_Iterable[str]] = ..., matched_with: _Optional[str] = ..., match_id: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., online: bool = ..., last_seen_seconds: _Optional[float] = ..., dodged_by: _Optional[str] = ..., reviewed: bool = ..., penalty_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., banned_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., blocked: _Optional[_Iterable[str]] = ..., last_matched_with: _Optional[str] = ...) -> None: ...

class TicketResponse(_message.Message):
    __slots__ = ("ticket", "version")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ticket: Ticket
    version: str
    def __init__(self, ticket: _Optional[_Union[Ticket, _Mapping]] = ..., version: _Optional[str] = ...) -> None: ...

class OpenTicketRequest(_message.Message):
    __slots__ = ("user_id", "here", "looking_at", "tags", "attributes", "wanted", "expires_in_seconds")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    HERE_FIELD_NUMBER: _ClassVar[int]
    LOOKING_AT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_IN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    here: _common_pb2.Point
    looking_at: _common_pb2.Point
    tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    wanted: _containers.RepeatedCompositeFieldContainer[WantedAttribute]
    expires_in_seconds: float
    def __init__(self, user_id: _Optional[str] = ..., here: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., looking_at: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., wanted: _Optional[_Iterable[_Union[WantedAttribute, _Mapping]]] = ..., expires_in_seconds: _Optional[float] = ...) -> None: ...

class CloseTicketRequest(_message.Message):
    __slots__ = ("user_id",)
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    def __init__(self, user_id: _Optional[str] = ...) -> None: ...

class GetTicketRequest(_message.Message):
    __slots__ = ("user_id", "after_version", "wait_seconds")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    WAIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    after_version: str
    wait_seconds: float
    def __init__(self, user_id: _Optional[str] = ..., after_version: _Optional[str] = ..., wait_seconds: _Optional[float] = ...) -> None: ...

class HeartbeatTicketRequest(_message.Message):
    __slots__ = ("user_id",)
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    def __init__(self, user_id: _Optional[str] = ...) -> None: ...

class OtherUserRequest(_message.Message):
    __slots__ = ("user_id", "other_id")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    OTHER_ID_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    other_id: str
    def __init__(self, user_id: _Optional[str] = ..., other_id: _Optional[str] = ...) -> None: ...

class ProposeRequest(_message.Message):
    __slots__ = ("user_id", "other_id", "match_if_asked")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    OTHER_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_IF_ASKED_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    other_id: str
    match_if_asked: bool
    def __init__(self, user_id: _Optional[str] = ..., other_id: _Optional[str] = ..., match_if_asked: bool = ...) -> None: ...

class RateUserRequest(_message.Message):
    __slots__ = ("user_id", "other_id", "stars", "reputation", "comment")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    OTHER_ID_FIELD_NUMBER: _ClassVar[int]
    STARS_FIELD_NUMBER: _ClassVar[int]
    REPUTATION_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    other_id: str
    stars: int
    reputation: _containers.RepeatedScalarFieldContainer[int]
    comment: str
    def __init__(self, user_id: _Optional[str] = ..., other_id: _Optional[str] = ..., stars: _Optional[int] = ..., reputation: _Optional[_Iterable[int]] = ..., comment: _Optional[str] = ...) -> None: ...

class TicketRanking(_message.Message):
    __slots__ = ("common_tags", "distance", "online", "rating", "last_seen")
    COMMON_TAGS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    common_tags: float
    distance: float
    online: float
    rating: float
    last_seen: float
    def __init__(self, common_tags: _Optional[float] = ..., distance: _Optional[float] = ..., online: _Optional[float] = ..., rating: _Optional[float] = ..., last_seen: _Optional[float] = ...) -> None: ...

class SearchTicketsRequest(_message.Message):
    __slots__ = ("user_id", "looking_at", "tags", "radius_meters", "limit", "cursor", "wanted", "online_only", "minimum_stars", "ranking", "explain")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    LOOKING_AT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    RADIUS_METERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    ONLINE_ONLY_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_STARS_FIELD_NUMBER: _ClassVar[int]
    RANKING_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    looking_at: _common_pb2.Point
    tags: _containers.RepeatedScalarFieldContainer[str]
    radius_meters: float
    limit: int
    cursor: str
    wanted: _containers.RepeatedCompositeFieldContainer[WantedAttribute]
    online_only: bool
    minimum_stars: float
    ranking: TicketRanking
    explain: bool
    def __init__(self, user_id: _Optional[str] = ..., looking_at: _Optional[_Union[_common_pb2.Point, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., radius_meters: _Optional[float] = ..., limit: _Optional[int] = ..., cursor: _Optional[str] = ..., wanted: _Optional[_Iterable[_Union[WantedAttribute, _Mapping]]] = ..., online_only: bool = ..., minimum_stars: _Optional[float] = ..., ranking: _Optional[_Union[TicketRanking, _Mapping]] = ..., explain: bool = ...) -> None: ...

class TicketScore(_message.Message):
    __slots__ = ("common_tags", "distance", "online", "rating", "last_seen", "total")
    COMMON_TAGS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    common_tags: float
    distance: float
    online: float
    rating: float
    last_seen: float
    total: float
    def __init__(self, common_tags: _Optional[float] = ..., distance: _Optional[float] = ..., online: _Optional[float] = ..., rating: _Optional[float] = ..., last_seen: _Optional[float] = ..., total: _Optional[float] = ...) -> None: ...

class TicketPerson(_message.Message):
    __slots__ = ("user_id", "latitude", "longitude", "cell_meters", "distance_meters", "tags", "common_tags", "attributes", "wanted", "online", "last_seen_seconds", "stars", "reputation", "comments", "asked", "score")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    CELL_METERS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    COMMON_TAGS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STARS_FIELD_NUMBER: _ClassVar[int]
    REPUTATION_FIELD_NUMBER: _ClassVar[int]
    COMMENTS_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    latitude: float
    longitude: float
    cell_meters: float
    distance_meters: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    common_tags: _containers.RepeatedScalarFieldContainer[str]
    attributes: _struct_pb2.Struct
    wanted: _containers.RepeatedCompositeFieldContainer[WantedAttribute]
    online: bool
    last_seen_seconds: float
    stars: float
    reputation: _containers.RepeatedScalarFieldContainer[int]
    comments: _containers.RepeatedScalarFieldContainer[str]
    asked: bool
    score: TicketScore
    def __init__(self, user_id: _Optional[str] = ..., latitude: _Optional[float] = ..., longitude: _Optional[float] = ..., cell_meters: _Optional[float] = ..., distance_meters: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., common_tags: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., wanted: _Optional[_Iterable[_Union[WantedAttribute, _Mapping]]] = ..., online: bool = ..., last_seen_seconds: _Optional[float] = ..., stars: _Optional[float] = ..., reputation: _Optional[_Iterable[int]] = ..., comments: _Optional[_Iterable[str]] = ..., asked: bool = ..., score: _Optional[_Union[TicketScore, _Mapping]] = ...) -> None: ...

class PopularTag(_message.Message):
    __slots__ = ("tag", "count")
    TAG_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    tag: str
    count: int
    def __init__(self, tag: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class TicketExplanation(_message.Message):
    __slots__ = ("considered", "removed", "matching")
    CONSIDERED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    MATCHING_FIELD_NUMBER: _ClassVar[int]
    considered: int
    removed: _struct_pb2.Struct
    matching: int
    def __init__(self, considered: _Optional[int] = ..., removed: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., matching: _Optional[int] = ...) -> None: ...

class SearchTicketsResponse(_message.Message):
    __slots__ = ("around", "asked_me", "popular_tags", "next_cursor", "explanation", "version")
    AROUND_FIELD_NUMBER: _ClassVar[int]
    ASKED_ME_FIELD_NUMBER: _ClassVar[int]
    POPULAR_TAGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    around: _containers.RepeatedCompositeFieldContainer[TicketPerson]
    asked_me: _containers.RepeatedCompositeFieldContainer[TicketPerson]
    popular_tags: _containers.RepeatedCompositeFieldContainer[PopularTag]
    next_cursor: str
    explanation: TicketExplanation
    version: str
    def __init__(self, around: _Optional[_Iterable[_Union[TicketPerson, _Mapping]]] = ..., asked_me: _Optional[_Iterable[_Union[TicketPerson, _Mapping]]] = ..., popular_tags: _Optional[_Iterable[_Union[PopularTag, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., explanation: _Optional[_Union[TicketExplanation, _Mapping]] = ..., version: _Optional[str] = ...) -> None: ...

class WatchTicketRequest(_message.Message):
    __slots__ = ("user_id", "resume_token", "after_version")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    resume_token: str
    after_version: str
    def __init__(self, user_id: _Optional[str] = ..., resume_token: _Optional[str] = ..., after_version: _Optional[str] = ...) -> None: ...
