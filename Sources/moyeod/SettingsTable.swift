/// Every setting there is: its key, default and meaning. Keys not listed here are refused.
enum SettingsTable {
  struct Row: Sendable {
    let key: String
    let standard: String
    let meaning: String
  }

  static let rows: [Row] = [
    Row(key: "host", standard: "127.0.0.1", meaning: "Address to listen on."),
    Row(
      key: "auth.mode", standard: "open",
      meaning: "open: everybody may do everything, on loopback only; tokens: callers say who."),
    Row(
      key: "auth.jwks", standard: "",
      meaning: "File or URL of the keys that sign tokens (JSON Web Key Set); none: API keys alone."),
    Row(key: "auth.issuer", standard: "", meaning: "What a token's iss must be."),
    Row(key: "auth.audience", standard: "", meaning: "What a token's aud must be, or list."),
    Row(
      key: "auth.developmentAlgorithms", standard: "false",
      meaning: "Take HS256, whose secret signs and verifies; for development."),
    Row(
      key: "auth.clockSkewSeconds", standard: "30",
      meaning: "How far the issuer's clock may be off; 0-300."),
    Row(
      key: "auth.jwksRefreshSeconds", standard: "300",
      meaning: "How often the keys of a URL are fetched; 10-86400. A file is read when it changes."),
    Row(
      key: "auth.cachedTokens", standard: "100000",
      meaning: "Verified tokens remembered; 32-10000000."),
    Row(
      key: "auth.maximumTenants", standard: "64",
      meaning: "Tenants served at once; one more is quota_exceeded; 1-1000."),
    Row(
      key: "webhooks.timeoutSeconds", standard: "10",
      meaning: "Time of one attempt to deliver an event; 0.1-60."),
    Row(
      key: "webhooks.maximumAttempts", standard: "12",
      meaning: "Attempts before an event that others overtake is a dead letter; 1-100."),
    Row(
      key: "webhooks.concurrency", standard: "16",
      meaning: "Attempts at once to one webhook; 1-256."),
    Row(
      key: "webhooks.maximumWaiting", standard: "10000",
      meaning: "Events that wait for their next attempt, of one webhook; 256-1000000."),
    Row(
      key: "webhooks.outageHours", standard: "72",
      meaning: "How long events wait for a receiver that takes nothing; 0-168."),
    Row(
      key: "webhooks.letterDays", standard: "90",
      meaning: "How long dead letters stay to be replayed; 1-36500."),
    Row(
      key: "webhooks.allowPrivateTargets", standard: "false",
      meaning: "Let webhooks lead to this machine and to private networks."),
    Row(
      key: "cluster.postgres", standard: "",
      meaning:
        "Connection string of the PostgreSQL that keeps the record, several hosts included; none: a file of the data directory."
    ),
    Row(
      key: "cluster.redis", standard: "",
      meaning:
        "host:port of some servers of the Redis Cluster that daemons share positions through, with commas between; none: positions are this daemon's own."
    ),
    Row(
      key: "cluster.redisUser", standard: "", meaning: "User of that cluster; none: its default."),
    Row(
      key: "cluster.redisPassword", standard: "",
      meaning: "Password of that cluster; best given in the environment."),
    Row(
      key: "cluster.redisTLS", standard: "false", meaning: "Connect to that cluster with TLS."),
    Row(
      key: "cluster.redisAuthority", standard: "",
      meaning: "File of the certificates that its servers are verified by; none: the system's."),
    Row(key: "http.port", standard: "8080", meaning: "Port for HTTP/JSON; 0 picks a free one."),
    Row(key: "http.corsOrigins", standard: "", meaning: "Origins whose pages may call, * for all."),
    Row(
      key: "http.hosts", standard: "",
      meaning: "Names under which HTTP answers, beside loopback's and host; * for all."),
    Row(
      key: "http.idleSeconds", standard: "60",
      meaning: "A connection that asks nothing for so long is closed; 0.1-3600."),
    Row(
      key: "http.headSeconds", standard: "15",
      meaning: "How long the headers of a request may take to arrive."),
    Row(
      key: "http.bodySeconds", standard: "30",
      meaning: "How long a body may take, and a second more for each 16 KiB that have come."),
    Row(
      key: "http.fastPath", standard: "true",
      meaning: "Answer short calls in front of the HTTP framework: half of the CPU a call."),
    Row(key: "grpc.port", standard: "50051", meaning: "Port for gRPC; 0 picks a free one."),
    Row(
      key: "grpc.maximumStreamsPerConnection", standard: "1000",
      meaning: "Calls open at once on one connection; one more is refused, to be tried again."),
    Row(
      key: "grpc.maximumLongStreamsPerConnection", standard: "100",
      meaning: "Watches and other calls that are not unary among them; one more: quota_exceeded."),
    Row(
      key: "grpc.resetBurst", standard: "2000",
      meaning: "Calls a connection may cancel ahead of those it is answered; 100/s come back."),
    Row(
      key: "grpc.prefaceSeconds", standard: "10",
      meaning: "A connection that sends no HTTP/2 preface in this time is closed."),
    Row(
      key: "grpc.requestSeconds", standard: "30",
      meaning: "A request that does not arrive in this time is dropped."),
    Row(
      key: "grpc.fastPath", standard: "true",
      meaning: "Answer short calls in front of the gRPC framework: a fifth of the CPU a call."),
    Row(
      key: "grpc.reflection", standard: "true",
      meaning: "Describe calls and messages to who asks, such as grpcurl (gRPC server reflection)."),
    Row(
      key: "admin.port", standard: "",
      meaning: "Port for the operator's calls (docs/admin.md); 0 picks a free one; unset: none."),
    Row(
      key: "admin.host", standard: "127.0.0.1",
      meaning: "Address of the operator's port; another than loopback's needs auth.mode tokens."),
    Row(
      key: "resp.port", standard: "",
      meaning: "Port for clients of Redis (docs/redis.md); 0 picks a free one; unset: none."),
    Row(key: "resp.arguments", standard: "65536", meaning: "Words of one command."),
    Row(key: "resp.commandBytes", standard: "1048576", meaning: "Bytes of one command."),
    Row(
      key: "resp.unreadBytes", standard: "1048576",
      meaning: "Bytes of answers a client may leave unread before nothing more is read from it."),
    Row(
      key: "resp.replyBytes", standard: "67108864",
      meaning: "Bytes of one answer, roughly; a larger one is refused."),
    Row(
      key: "resp.idleSeconds", standard: "300",
      meaning: "A connection on which nothing happens for so long is closed."),
    Row(
      key: "resp.connections", standard: "1000",
      meaning: "Connections of clients of Redis open at once, beside limits.connections."),
    Row(
      key: "tls.certificate", standard: "",
      meaning: "PEM file of the certificate and its chain, for all ports; without: no TLS."),
    Row(key: "tls.key", standard: "", meaning: "PEM file of its private key."),
    Row(
      key: "tls.clientAuthority", standard: "",
      meaning: "PEM file of who signs clients' certificates; a client without one is refused."),
    Row(
      key: "tls.checkSeconds", standard: "10",
      meaning: "How often these files are looked at for a new certificate; SIGHUP does so at once."),
    Row(key: "threads", standard: "one a core", meaning: "Event loops."),
    Row(
      key: "heavy.threads", standard: "half the cores",
      meaning: "Threads for reads too long for an event loop; as many again match batches."),
    Row(
      key: "heavy.queueMilliseconds", standard: "100",
      meaning: "Long reads that wait longer, one and all, are overloaded early; 0: they wait."),
    Row(
      key: "streams.heartbeatSeconds", standard: "15",
      meaning: "A quiet stream says that often that it lives; 0.1-3600."),
    Row(
      key: "streams.stallSeconds", standard: "30",
      meaning: "A reader this slow to take a batch hears too_slow_consumer, and its stream ends."),
    Row(
      key: "streams.dropSeconds", standard: "60",
      meaning: "A reader that takes nothing for so long is dropped; at least the stall's."),
    Row(
      key: "streams.maximumOpen", standard: "10000",
      meaning: "Streams open at once; one more is quota_exceeded."),
    Row(
      key: "streams.maximumPerTenant", standard: "3/4 of all",
      meaning: "The same of one tenant; in open mode nobody is told apart."),
    Row(key: "streams.maximumPerCaller", standard: "100", meaning: "The same of one person."),
    Row(
      key: "sessions.intervalSeconds", standard: "0.8",
      meaning: "One request an interval for each X-Moyeo-Session; 0 throttles nobody."),
    Row(
      key: "sessions.burst", standard: "1",
      meaning: "Requests that a rested session may run at once."),
    Row(
      key: "sessions.maximumSessions", standard: "200000",
      meaning: "Sessions remembered; those of more run unthrottled."),
    Row(
      key: "coalescing.enabled", standard: "true",
      meaning: "Work out once what callers ask at the same time; the answers are the same."),
    Row(
      key: "coalescing.cacheBytes", standard: "67108864",
      meaning: "Bytes of answers kept for callers who allow staleness; 0 keeps none."),
    Row(
      key: "coalescing.maximumStalenessSeconds", standard: "60",
      meaning: "The most of maxStalenessSeconds (or max-age) that counts."),
    Row(
      key: "coalescing.longReadMilliseconds", standard: "5000",
      meaning: "A long read that waits and works for longer is deadline_exceeded; 10-600000."),
    Row(key: "data.directory", standard: "./moyeo-data", meaning: "Where state is kept."),
    Row(
      key: "resources.directory", standard: "found",
      meaning: "Folder of shipped files; the nearest parent that holds data/ and page/."),
    Row(
      key: "map.leafletDirectory", standard: "/usr/share/javascript/leaflet",
      meaning: "Leaflet, as Debian's libjs-leaflet installs it."),
    Row(
      key: "map.baseMapURL", standard: "",
      meaning: "Raster tiles under the map page, e.g. https://tiles.example/{z}/{x}/{y}.png."),
    Row(key: "map.attribution", standard: "", meaning: "Whose base map it is."),
    Row(
      key: "fares.tariffDirectories", standard: "",
      meaning: "Folders of tariffs beside the shipped data/tariffs."),
    Row(
      key: "fares.areaDirectories", standard: "",
      meaning: "Folders of tariff areas beside the shipped data/areas."),
    Row(
      key: "routes.provider", standard: "estimate",
      meaning: "Who is asked for routes: estimate, osrm, valhalla, naver, kakao or network."),
    Row(key: "routes.url", standard: "", meaning: "Where the provider answers."),
    Row(key: "routes.keyId", standard: "", meaning: "Naver's key id."),
    Row(key: "routes.key", standard: "", meaning: "Naver's or Kakao's key."),
    Row(
      key: "routes.network", standard: "",
      meaning: "Road database made by `moyeo prepare-roads`, for network."),
    Row(
      key: "routes.timeoutMilliseconds", standard: "3000",
      meaning: "How long a route may take, retries included, before it is estimated."),
    Row(
      key: "places.layers", standard: "places",
      meaning: "Layers whose objects are places, by their attributes name, address, category."),
    Row(
      key: "places.provider", standard: "none",
      meaning: "Who is asked for places that they lack: none, naver, kakao, nominatim, photon."),
    Row(key: "places.url", standard: "", meaning: "Where the provider of places answers."),
    Row(key: "places.keyId", standard: "", meaning: "Naver Cloud Platform's key id."),
    Row(key: "places.key", standard: "", meaning: "Its key, or Kakao's."),
    Row(
      key: "places.searchKeyId", standard: "",
      meaning: "Client id of Naver's search API; without one only addresses are found."),
    Row(key: "places.searchKey", standard: "", meaning: "Its client secret."),
    Row(
      key: "places.timeoutMilliseconds", standard: "1500",
      meaning: "How long the provider of places may take, retries included."),
    Row(
      key: "demo.city", standard: "", meaning: "Fills the layer users with a living city: seoul."),
    Row(key: "demo.users", standard: "20000", meaning: "People in the demo city."),
    Row(key: "demo.seed", standard: "1", meaning: "Same seed, same city."),
    Row(
      key: "demo.parties", standard: "300",
      meaning: "Taxi parties that the demo keeps alive; hosts are its people."),
    Row(
      key: "demo.tickets", standard: "300",
      meaning: "People of the demo who wait for a study mate."),
    Row(
      key: "parties.enabled", standard: "true",
      meaning: "Serve parties and events, kept in moyeo.sqlite in the data directory."),
    Row(key: "parties.minimumSeats", standard: "2", meaning: "Fewest seats of a party."),
    Row(key: "parties.maximumSeats", standard: "4", meaning: "Most seats of a party; at most 8."),
    Row(
      key: "parties.defaultSeats", standard: "4", meaning: "Seats of a party that names none."),
    Row(
      key: "parties.overlapping", standard: "1",
      meaning: "Parties that one person may be in at one time."),
    Row(
      key: "parties.activePerHost", standard: "100",
      meaning: "Parties under way that one person may host; one more is quota_exceeded."),
    Row(
      key: "parties.storedRequests", standard: "100000",
      meaning: "Ride requests that are kept; one more is quota_exceeded."),
    Row(
      key: "parties.storedRequestsPerRider", standard: "20",
      meaning: "Of one rider; one more is quota_exceeded."),
    Row(
      key: "parties.batchSeconds", standard: "60",
      meaning: "How often ride requests are matched with one another; 0: never."),
    Row(
      key: "parties.offerSeconds", standard: "120",
      meaning: "How long riders have to accept a ride that was put together for them."),
    Row(
      key: "parties.offerAheadSeconds", standard: "900",
      meaning:
        "How long before it leaves a taxi with seats free is offered; sorted anew until then."),
    Row(
      key: "parties.refusedOffers", standard: "3",
      meaning: "Offers declined or let pass, after which a request gets no more of them."),
    Row(
      key: "parties.joinRequestSeconds", standard: "600",
      meaning: "How long a host has to decide on a request to join; never past the departure."),
    Row(
      key: "parties.pendingJoinRequests", standard: "20",
      meaning: "Requests to join one party that wait at one time; one more is quota_exceeded."),
    Row(
      key: "parties.pendingJoinRequestsPerRider", standard: "10",
      meaning: "Of one rider, in all parties; one more is quota_exceeded."),
    Row(
      key: "parties.joinRequestsOfRider", standard: "5",
      meaning: "Requests of one rider to one party, ended ones too; one more is quota_exceeded."),
    Row(
      key: "parties.matchWatchers", standard: "10000",
      meaning: "Streams of matches open at once; one more is quota_exceeded."),
    Row(
      key: "parties.departingSeconds", standard: "900",
      meaning: "How long before the departure party.departing is told."),
    Row(
      key: "parties.retentionDays", standard: "90",
      meaning: "How long ended and cancelled parties stay readable."),
    Row(
      key: "parties.sameAttributes", standard: "",
      meaning: "Attributes that must be the same in every party, e.g. gender; cannot be weakened."),
    Row(
      key: "parties.policyPack", standard: "",
      meaning: "A pack of rules in force in every party: kr-small-taxi is the one that ships."),
    Row(
      key: "parties.policyDirectories", standard: "",
      meaning: "Folders of policy packs beside the shipped data/policies; of one name the last."),
    Row(
      key: "commutes.aheadHours", standard: "48",
      meaning: "How long before its departure a day's party or request appears, in hours."),
    Row(
      key: "commutes.maximum", standard: "100000",
      meaning: "Commutes under way; one more is quota_exceeded."),
    Row(
      key: "commutes.perPerson", standard: "20",
      meaning: "Of one host or rider; one more is quota_exceeded."),
    Row(
      key: "commutes.maximumDays", standard: "366",
      meaning: "Days from the first date of a commute to the last."),
    Row(
      key: "commutes.maximumDates", standard: "100",
      meaning: "Added dates of a commute, and as many removed ones; one more is quota_exceeded."),
    Row(
      key: "commutes.maximumRiders", standard: "16",
      meaning: "Riders who join each day of a commute; one more is quota_exceeded."),
    Row(
      key: "commutes.calendarDirectories", standard: "",
      meaning: "Folders of holidays beside the shipped data/calendars; of one name the last."),
    Row(
      key: "parties.routeMilliseconds", standard: "1500",
      meaning: "How long routes.provider may take at Create and Join before the estimate stands."),
    Row(
      key: "tickets.enabled", standard: "true",
      meaning: "Serve tickets, kept in moyeo.sqlite; only together with parties.enabled."),
    Row(
      key: "tickets.openSeconds", standard: "3600",
      meaning: "How long somebody waits who says nothing else."),
    Row(
      key: "tickets.proposalSeconds", standard: "0",
      meaning: "How long a proposal stands; 0: as long as the one who made it waits."),
    Row(
      key: "tickets.leaseSeconds", standard: "60",
      meaning: "How long after a sign of life somebody counts as online."),
    Row(
      key: "tickets.reportsForBan", standard: "3",
      meaning: "People who must report somebody within 30 days for a ban."),
    Row(key: "tickets.banDays", standard: "7", meaning: "How long a ban lasts."),
    Row(
      key: "tickets.requiredAttributes", standard: "",
      meaning: "Attributes without which nobody may wait, e.g. gender."),
    Row(
      key: "tickets.recommendedTags", standard: "",
      meaning: "Interests told where people around share too few."),
    Row(
      key: "tickets.protected", standard: "true",
      meaning: "Show people at the middle of a cell instead of where they are."),
    Row(
      key: "tickets.protectedCellMeters", standard: "250",
      meaning: "Side of the smallest cell."),
    Row(
      key: "tickets.protectedMaximumMeters", standard: "2000",
      meaning: "Side of the largest cell, by doublings of the smallest."),
    Row(
      key: "tickets.protectedPeople", standard: "5",
      meaning: "A cell is doubled until it holds so many people."),
    Row(
      key: "adapters", standard: "",
      meaning: "Apps that are spoken to in their own dialect: study-queue, taxi-party, messenger."),
    Row(
      key: "dialects.profileLayer", standard: "users",
      meaning: "Layer whose attributes (nick, gender, ...) are the profiles that adapters show."),
    Row(
      key: "dialects.serviceKey", standard: "",
      meaning: "What the header SesacKey of taxi-party must carry; any other is answered 420."),
    Row(
      key: "dialects.developmentTokens", standard: "false",
      meaning: "Take unsigned tokens that expire (docs/adapters.md), for tests of an app."),
    Row(
      key: "dialects.messengerAlways", standard: "false",
      meaning: "Refuse in the messenger dialect without the header X-Moyeo-Dialect, too."),
    Row(
      key: "events.retentionDays", standard: "7", meaning: "How long durable events are kept."),
    Row(
      key: "idempotency.hours", standard: "24",
      meaning: "How long the outcome of a command with an Idempotency-Key is answered again."),
    Row(
      key: "positions.keep", standard: "true",
      meaning: "Keep the last positions in positions.sqlite, so that a restart begins warm."),
    Row(
      key: "positions.writeBehindSeconds", standard: "5",
      meaning: "Between two rounds of writing them; what is newer is lost with a crash."),
    Row(
      key: "shutdown.graceSeconds", standard: "5",
      meaning: "How long SIGTERM waits for calls in flight; 4 s later the process ends anyway."),
    Row(
      key: "commits.queueLimit", standard: "4096",
      meaning: "Commands that wait to be committed; one more is refused as overloaded."),
    Row(
      key: "commits.batchLimit", standard: "64", meaning: "Commands of one transaction."),
    Row(key: "log.level", standard: "info", meaning: "trace, debug, info, notice, warning, error."),
    Row(key: "log.format", standard: "text", meaning: "text (key=value) or json, a line an event."),
    Row(
      key: "disclosures.layers", standard: "",
      meaning: "Layers of which it is kept who was shown whose position, for moyeo disclosures."),
    Row(
      key: "disclosures.windowSeconds", standard: "60",
      meaning: "A caller's looks at one object within so long are one entry; 0-3600, 0: each is."),
    Row(
      key: "disclosures.retentionDays", standard: "190",
      meaning: "How long entries stay; 1-36500."),
    Row(
      key: "disclosures.waitingBytes", standard: "16777216",
      meaning: "Entries that wait for the disk; beyond them reads of these layers are overloaded."),
    Row(
      key: "tracing.endpoint", standard: "",
      meaning: "Collector that spans are sent to (OTLP over HTTP, JSON); none: no call is recorded."
    ),
    Row(
      key: "tracing.sampleRatio", standard: "0.01",
      meaning: "Calls recorded of those whose caller names no trace; 0-1."),
    Row(
      key: "tracing.maximumWaiting", standard: "8192",
      meaning: "Spans that wait to be sent; one more is dropped and counted; 512-1000000."),
    Row(
      key: "rates.reads", standard: "0",
      meaning: "Reads a second of one tenant; what is more is rate_limited; 0 is no limit."),
    Row(
      key: "rates.reports", standard: "0", meaning: "Its reports, and messages of their streams."),
    Row(key: "rates.commands", standard: "0", meaning: "Its calls that change parties or tickets."),
    Row(
      key: "rates.callerReads", standard: "1000",
      meaning: "Reads a second of one person, by their token; 0 is no limit."),
    Row(key: "rates.callerReports", standard: "500", meaning: "Their reports."),
    Row(key: "rates.callerCommands", standard: "200", meaning: "Their commands."),
    Row(
      key: "rates.calls.<call>", standard: "0",
      meaning: "Of one call a second of one tenant, by its name in /metrics, such as PartyMatch."),
    Row(
      key: "rates.callerCalls.<call>", standard: "0", meaning: "The same of one person."),
    Row(
      key: "rates.burstSeconds", standard: "10",
      meaning: "So many seconds' worth of calls may come at once after a rest; 0.1-3600."),
    Row(
      key: "rates.rememberedCallers", standard: "20000",
      meaning: "People of one tenant whose calls are counted at a time; 100-10000000."),
    Row(
      key: "tenants.<name>.reads", standard: "rates.reads",
      meaning: "What one tenant may, where it differs; set under its name, as all of tenants."),
    Row(key: "tenants.<name>.reports", standard: "rates.reports", meaning: "The same of reports."),
    Row(key: "tenants.<name>.commands", standard: "rates.commands", meaning: "Of commands."),
    Row(
      key: "tenants.<name>.callerReads", standard: "rates.callerReads",
      meaning: "What each of its people may."),
    Row(
      key: "tenants.<name>.callerReports", standard: "rates.callerReports",
      meaning: "The same of reports."),
    Row(
      key: "tenants.<name>.callerCommands", standard: "rates.callerCommands",
      meaning: "Of commands."),
    Row(
      key: "tenants.<name>.calls.<call>", standard: "rates.calls.<call>",
      meaning: "Of one call."),
    Row(
      key: "tenants.<name>.callerCalls.<call>", standard: "rates.callerCalls.<call>",
      meaning: "Of one call of each of its people."),
    Row(key: "tenants.<name>.layers", standard: "limits.layers", meaning: "Its layers."),
    Row(key: "tenants.<name>.objects", standard: "limits.objects", meaning: "Its objects."),
    Row(
      key: "tenants.<name>.objectBytes", standard: "limits.objectBytes",
      meaning: "Bytes of their ids, tags and attributes."),
    Row(
      key: "tenants.<name>.streams", standard: "streams.maximumPerTenant",
      meaning: "Its streams open at once."),
    Row(key: "limits.idBytes", standard: "128", meaning: "UTF-8 bytes of an id."),
    Row(key: "limits.tagsPerObject", standard: "32", meaning: "Tags of an object or query."),
    Row(key: "limits.tagBytes", standard: "64", meaning: "UTF-8 bytes of a normalised tag."),
    Row(key: "limits.attributeBytes", standard: "2048", meaning: "Encoded attributes."),
    Row(key: "limits.hits", standard: "1000", meaning: "Hits in one answer."),
    Row(key: "limits.polygonCorners", standard: "1000", meaning: "Points of a polygon."),
    Row(key: "limits.reportBatch", standard: "1000", meaning: "Positions in one Report."),
    Row(key: "limits.nearbyBatch", standard: "100", meaning: "Queries in one NearbyBatch."),
    Row(key: "limits.batchRequests", standard: "20", meaning: "Reads in one /v1/batch."),
    Row(
      key: "limits.layers", standard: "64",
      meaning: "Layers that callers begin; those of the service do not count."),
    Row(
      key: "limits.objectsPerLayer", standard: "4194304",
      meaning: "Objects of one layer; 6 KB of address space (not memory) are reserved for each."),
    Row(
      key: "limits.objects", standard: "16777216",
      meaning: "Objects of all layers that callers begin; one more is quota_exceeded."),
    Row(
      key: "limits.objectBytes", standard: "4294967296",
      meaning: "Bytes of their ids, tags and attributes; the index takes as much again."),
    Row(
      key: "limits.emptyLayerSeconds", standard: "3600",
      meaning: "A layer without objects and watches ends after so long."),
    Row(
      key: "limits.connections", standard: "10000",
      meaning: "Connections open at once, half of them a port; below the limit of descriptors."),
    Row(
      key: "limits.connectionsPerPeer", standard: "3/4 of a port",
      meaning: "Of one IPv4 address or one /64 of IPv6, on one port."),
    Row(
      key: "limits.requestBytesPerConnection", standard: "33554432",
      meaning: "Bytes of gRPC requests half arrived on one connection."),
    Row(
      key: "limits.requestBytes", standard: "268435456",
      meaning: "The same on all connections together."),
    Row(key: "limits.fences", standard: "10000", meaning: "Fences in one Watch."),
    Row(
      key: "limits.watchedAreas", standard: "100000",
      meaning: "Areas watched in one layer, those of watches that wait for their reader included."),
    Row(
      key: "limits.clustersPerAnswer", standard: "10000",
      meaning: "Features of one tile or viewport; what is cut says truncated."),
    Row(key: "limits.excludedIds", standard: "1000", meaning: "excludeIds of one query."),
    Row(key: "limits.conditions", standard: "16", meaning: "where conditions of one query."),
    Row(
      key: "limits.workPerRequest", standard: "10000000",
      meaning: "Counted steps of one request's searches; what takes more is too_much_work."),
    Row(key: "limits.minimumTTLSeconds", standard: "1", meaning: "Shortest time to live."),
    Row(key: "limits.maximumTTLSeconds", standard: "86400", meaning: "Longest time to live."),
    Row(
      key: "layers.<name>.ttlSeconds", standard: "60",
      meaning: "Time to live of a report that names none; 0 is for ever."),
    Row(
      key: "layers.<name>.columns", standard: "",
      meaning: "Up to 4 numeric attributes indexed for `where`."),
    Row(
      key: "layers.<name>.allowNullIsland", standard: "false",
      meaning: "Whether 0, 0 is a position in this layer."),
    Row(
      key: "layers.<name>.clusters", standard: "true",
      meaning: "Whether clusters and tiles are kept."
    ),
    Row(
      key: "layers.<name>.emptyTileIsNoContent", standard: "false",
      meaning: "Answer an empty tile 204 instead of 200."),
    Row(
      key: "layers.<name>.protected", standard: "false",
      meaning: "Whether reported positions are shown at the middle of a cell (docs/privacy.md)."),
    Row(
      key: "layers.<name>.protectedCellMeters", standard: "250",
      meaning: "The side of the smallest cell."),
    Row(
      key: "layers.<name>.protectedMaximumMeters", standard: "2000",
      meaning: "The side of the largest cell, a multiple of the smallest by a power of two."),
    Row(
      key: "layers.<name>.protectedPeople", standard: "5",
      meaning: "A cell is doubled until it holds so many objects."),
  ]

  /// Groups whose settings stand under a name.
  private static let named: Set<Substring> = ["layers", "tenants"]

  /// Whether a key of a file is in the table; a layer's or tenant's name stands for `<name>`.
  static func knows(_ key: String) -> Bool {
    if rows.contains(where: { $0.key == key }) { return true }
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    if let own = TenantSettings.setting(of: key) { return knows(own) }
    if QuotaSettings.isRateOfCall(key) { return true }
    guard parts.count == 3, named.contains(parts[0]) else { return false }
    return rows.contains { $0.key == "\(parts[0]).<name>.\(parts[2])" }
  }

  /// Whether settings of a file may stand under a key, such as `http` or `layers.users`.
  static func knowsGroup(_ key: String) -> Bool {
    if rows.contains(where: { $0.key.hasPrefix(key + ".") }) { return true }
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    if TenantSettings.isGroup(key) { return true }
    if let own = TenantSettings.setting(of: key) { return knowsGroup(own) }
    if QuotaSettings.isGroupOfCalls(parts.map(String.init)) { return true }
    return parts.count == 2 && named.contains(parts[0])
  }

  static func text() -> String {
    let width = rows.map(\.key.count).max() ?? 0
    let standardWidth = rows.map(\.standard.count).max() ?? 0
    return rows.map { row in
      let key = row.key.padding(to: width)
      return "\(key)  \(row.standard.padding(to: standardWidth))  \(row.meaning)"
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
