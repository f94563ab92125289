# Moyeo. `make run` and `make test` do all the set-up on a fresh Debian 12 with Swift 6.3.

SWIFT ?= swift
# What a build links or the daemon serves, and what only the tests need.
RUN_PACKAGES = libjs-leaflet libdeflate-dev zlib1g-dev pkg-config libsqlite3-dev libspatialite-dev \
  libproj-dev libpq-dev
TEST_PACKAGES = $(RUN_PACKAGES) curl python3 python3-venv chromium chromium-driver golang-go \
  golang-google-grpc-dev nghttp2-client redis-server redis-tools systemd binutils openssl \
  postgresql haproxy nodejs node-typescript groff-base gdal-bin
BENCH_PACKAGES = $(RUN_PACKAGES) libboost-dev libnanoflann-dev python3 python3-venv
# With all tests at once on two cores, those that talk to a server wait in line for a core until their
# deadlines pass: two at a time take no longer.
WIDTH = --experimental-maximum-parallelization-width 2
IMPORT_CHECK = --explicit-target-dependency-import-check error
# Further flags of what is built to be tested. CI leaves debug information out: a tenth of the time.
BUILD_FLAGS ?= $(MOYEO_BUILD_FLAGS)
# Calls into the standard library that go through the dynamic linker cost a twelfth of a call's CPU, and checks
# of exclusive access as much again: what is tested has them (Decisions 0021, 0029).
RELEASE = -c release --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked
ARGS ?= --demo seoul

.PHONY: run cluster build man test test-build test-swift test-packages gate-packages test-programs \
  test-daemon test-daemon-calls test-daemon-callers test-findings test-browser test-cluster torture-cluster \
  test-daemon-postgres test-overload screenshots measure-frames test-thread test-release test-clients-long \
  fuzz fuzz-smoke simulate torture \
  torture-smoke bench bench-smoke bench-matching bench-boarding bench-replay \
  bench-joins bench-places bench-identity bench-instructions bench-peers bench-wire \
  bench-tls bench-app bench-cluster bench-overload bench-neighbours format lint proto client-code docs \
  clean packages

# Builds the daemon and the command line, then starts a living demo city with its map page.
run: build
	.build/release/moyeod $(ARGS)

# Three daemons on a PostgreSQL with a synchronous standby and a Redis Cluster, behind haproxy, with the demo city.
cluster: build
	@scripts/system-packages python3 postgresql haproxy redis-server redis-tools
	MOYEOD=$(CURDIR)/.build/release/moyeod MOYEO=$(CURDIR)/.build/release/moyeo scripts/cluster

build: packages
	$(SWIFT) build $(RELEASE) --product moyeod
	$(SWIFT) build $(RELEASE) --product moyeo

# Manual pages of the command line, from its parser: man -M .build/man moyeo
man: build
	MOYEO=$(CURDIR)/.build/release/moyeo scripts/man-pages

packages:
	@scripts/system-packages $(RUN_PACKAGES)

# Everything: Swift tests, the built daemon from outside, several of them, the map page in a browser. A missing
# program or browser fails; each run's last line says how many tests lacked shared development data.
# LANES=2 has two of what follows the Swift tests at a time, each with its output at its end: the daemon's suites in
# two parts then, and what takes longest first, so that both lanes end at about the same time.
LANES ?=
IN_TURN = test-daemon test-cluster test-browser
IN_LANES = test-browser test-cluster test-daemon-callers test-daemon-calls
test: test-swift test-programs
	$(MAKE) $(if $(LANES),--jobs=$(LANES) --output-sync=target $(IN_LANES),$(IN_TURN))

test-packages:
	@scripts/system-packages $(TEST_PACKAGES)

# What .ci/run needs, at once: two of its lanes cannot install at the same time.
gate-packages:
	@scripts/system-packages $(TEST_PACKAGES) $(BENCH_PACKAGES)

test-build: test-packages
	$(SWIFT) build --build-tests $(IMPORT_CHECK) $(BUILD_FLAGS)

test-swift: test-build
	SWIFT=$(SWIFT) scripts/swift-tests --skip-build $(WIDTH)

# SUITES="daemon/test_parties.py" and TESTS="-k sold_once" narrow a run. What fails (at most five tests,
# two in Swift) is run once more, and the run says what passed only then.
CALLS = daemon
CALLERS = docs clients described hostile
SUITES ?= $(CALLS) $(CALLERS)
TESTS ?=
OUTSIDE = MOYEOD=$(CURDIR)/.build/debug/moyeod MOYEO=$(CURDIR)/.build/debug/moyeo \
  .build/venv/bin/python Tests/run --twice $(TESTS)

test-programs: test-packages .build/venv/ready
	$(SWIFT) build $(BUILD_FLAGS) --product moyeod
	$(SWIFT) build $(BUILD_FLAGS) --product moyeo
	$(SWIFT) build $(BUILD_FLAGS) --product ClientExamples

test-daemon: test-programs
	$(OUTSIDE) $(SUITES)

# All suites of test-daemon in two parts, for lanes: what is called; and who calls, by the pages, by a stock client,
# by the description or with ill will. The last has bounds of time: beside it is no browser then, but what is
# called, which leaves a core idle half of the time.
test-daemon-calls: test-programs
	$(OUTSIDE) $(CALLS)

test-daemon-callers: test-programs
	$(OUTSIDE) $(CALLERS)

# Coverage-guided fuzzing of each decoder: 15,000 inputs each, and an hour each; FUZZ="frames
# json" for some (Tests/fuzz/README.md).
FUZZ ?=
fuzz-smoke: test-packages
	MOYEO_BUILD_FLAGS="$(BUILD_FLAGS)" SWIFT=$(SWIFT) Tests/fuzz/run --inputs 15000 $(FUZZ)

fuzz: test-packages
	SWIFT=$(SWIFT) Tests/fuzz/run --seconds 3600 $(FUZZ)

# Stock clients for as long as a review had them run: 16 callers, 30 s.
test-clients-long: test-programs
	MOYEO_CLIENT_SECONDS=30 $(OUTSIDE) clients
	MOYEO_CLIENT_SECONDS=30 $(SWIFT) test --filter StockSwiftClientTests

# Daemons on one record in PostgreSQL, killed under load with its primary and its standby; then some of the
# suite of one daemon over such a record. `make torture-cluster` is the long form.
ON_POSTGRES = daemon/test_commutes.py daemon/test_study_queue.py daemon/test_streams.py
test-cluster: test-programs
	$(OUTSIDE) cluster
	$(OUTSIDE) --postgres $(ON_POSTGRES)

# The same for long: primaries, standbys, links and daemons, 200 rounds of each, ROUNDS=20 for fewer; and
# 20,000 reports a second through faults of Redis, by the release build.
ROUNDS ?= 200
torture-cluster: build test-programs
	MOYEO_CLUSTER_REPORTS=20000 MOYEO_CLUSTER_SECONDS=20 MOYEOD=$(CURDIR)/.build/release/moyeod \
	  MOYEO=$(CURDIR)/.build/release/moyeo .build/venv/bin/python Tests/run cluster/test_positions_under_load.py
	MOYEO_CLUSTER_ROUNDS=$(ROUNDS) MOYEO_CLUSTER_CUTS=1000 MOYEO_CLUSTER_MOVED=10 $(OUTSIDE) \
	  cluster/test_several_daemons.py cluster/test_failover.py cluster/test_clocks.py \
	  cluster/test_shared_positions.py
	MOYEO_CLUSTER_CUTS=1000 $(SWIFT) test --filter PostgresFaultTests

# The suite of one daemon over a record in PostgreSQL; SUITES and TESTS narrow it.
test-daemon-postgres: test-programs
	$(OUTSIDE) --postgres $(filter-out docs hostile clients,$(SUITES))

# What reviews found, each as the behaviour that is wanted, alone.
test-findings: test-programs
	$(OUTSIDE) hostile/test_findings.py hostile/test_findings_bounds.py

# Slow clients, floods, 5,000 idle connections and stuck readers: no answer to others later than 100 ms.
test-overload: build test-packages .build/venv/ready
	MOYEOD=$(CURDIR)/.build/release/moyeod MOYEO_OVERLOAD_MILLISECONDS=100 MOYEO_OVERLOAD_IDLE=5000 \
	  .build/venv/bin/python Tests/run hostile/test_overload.py

.build/venv/ready: Tests/requirements.txt
	python3 -m venv .build/venv
	.build/venv/bin/pip install -q -r Tests/requirements.txt
	touch $@

test-browser: test-programs
	$(OUTSIDE) browser

# Renews docs/images: the map page in pictures, and one that moves. PICTURES="city map" for some.
PICTURES ?=
screenshots: test-programs
	@scripts/system-packages fonts-nanum
	MOYEOD=$(CURDIR)/.build/debug/moyeod .build/venv/bin/python scripts/map-pictures $(PICTURES)

# Frame times of the map page with 20,000 and 100,000 objects in view, in software rendering.
measure-frames: test-programs
	MOYEOD=$(CURDIR)/.build/debug/moyeod .build/venv/bin/python Tests/browser/measure_frames.py

# What is concurrent in the core, the services, the transport and the server, under the thread
# sanitizer: one test at a time, each of which has threads enough of its own.
# THREAD_PART=transport leaves the server out, THREAD_PART=services the transport as well: each takes half
# of the time of the one before.
THREAD_PART ?= server
test-thread: test-packages
	ulimit -n $$(ulimit -Hn); MOYEO_PART=$(THREAD_PART) \
	  TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/thread-sanitizer-suppressions" \
	  SWIFT=$(SWIFT) scripts/swift-tests $(BUILD_FLAGS) \
	  --scratch-path .build/thread --sanitize=thread --no-parallel \
	  --filter 'GRPCServerTransportTests|QueryCoalescingTests|SharedLiveIndex|Concurren|LiveClusters|CommitPipeline|RaceTests|FollowingTests|FollowingDaemonsTests|EventFeed|PartyService|BoundedThreadPool|WatchTests|PositionWriteBehind|SharedReadsTests|StreamKitTests|SessionThrottleTests|ShutdownTests|LongSearchTests|FastPathParityTests|ConcurrentIdentityTests|KeyFileTests|TokenLifeTests'

# The algorithm modules optimised: larger inputs, and work counters instead of times. The suites of
# which an optimised build runs more must be among those that ran, or the run fails.
OPTIMISED = LiveClusterScaleTests,BatchInstanceTests,WorkGateTests
test-release: test-packages
	MOYEO_PART=algorithms SWIFT=$(SWIFT) scripts/swift-tests --must-run $(OPTIMISED) \
	  -c release --scratch-path .build/release-tests -Xswiftc -enable-testing $(BUILD_FLAGS) $(WIDTH)

# Engine, record, clocks and clients on one thread, by seeds: SEEDS=100000 FIRST=1.
SEEDS ?= 100000
FIRST ?= 1
simulate: test-packages
	MOYEO_SIMULATION_SEEDS=$(SEEDS) MOYEO_SIMULATION_FIRST=$(FIRST) MOYEO_PART=services \
	  $(SWIFT) test -c release --scratch-path .build/simulation -Xswiftc -enable-testing \
	  --filter SimulationTests

# kill -9 at random moments under load. Other modes: TORTURE="race --rounds 1000", backup, full, fill,
# faults, power, clock, start, smalldisk (needs the right to mount), export.
torture: build
	MOYEOD=$(CURDIR)/.build/release/moyeod MOYEO=$(CURDIR)/.build/release/moyeo \
	  python3 Tests/torture/torture.py $(TORTURE)

# A little of each mode against the debug build, for CI.
torture-smoke: test-packages
	$(SWIFT) build $(BUILD_FLAGS) --product moyeod
	$(SWIFT) build $(BUILD_FLAGS) --product moyeo
	MOYEOD=$(CURDIR)/.build/debug/moyeod MOYEO=$(CURDIR)/.build/debug/moyeo \
	  python3 Tests/torture/torture.py smoke

bench:
	@scripts/system-packages $(BENCH_PACKAGES)
	Benchmarks/run

bench-smoke:
	@scripts/system-packages $(BENCH_PACKAGES)
	Benchmarks/run --smoke

# How close batch matching comes to the optimum, and what matching over open parties costs.
bench-matching:
	$(SWIFT) run -c release --package-path Benchmarks MatchingBenchmarks table data/matching-instances
	$(SWIFT) run -c release --package-path Benchmarks PartyMatchBenchmarks 100000 2000 24
	$(SWIFT) run -c release --package-path Benchmarks PartyMatchBenchmarks 100000 2000 2

# How close boarding on the way comes to the optimum in 500 ms: every ride of small batches (those of 40 trips
# along one road take two minutes each), HiGHS, the search.
BOARDING = .build/boarding
bench-boarding:
	@scripts/system-packages python3 python3-venv
	python3 -m venv .build/optimum && .build/optimum/bin/pip install -q 'scipy>=1.9'
	$(SWIFT) build -c release --package-path Benchmarks --product MatchingBenchmarks
	mkdir -p $(BOARDING)
	for size in "road 12" "road 16" "road 24" "city 12" "city 16" "city 24" "city 40" "city 60"; do \
	  Benchmarks/.build/release/MatchingBenchmarks boarding $(BOARDING) $$size 1 6 || exit 1; done
	Benchmarks/.build/release/MatchingBenchmarks boarding $(BOARDING) road 40 1 3
	for rides in $(BOARDING)/*.txt; do \
	  .build/optimum/bin/python Tests/matching/optimum.py $$rides 60 > $${rides%.txt}.optimum || exit 1; done
	Benchmarks/.build/release/MatchingBenchmarks boarded $(BOARDING) 500

# Ways of matching on the same trips: online, on the way, in batches, sorted anew.
bench-replay: build
	Benchmarks/run-replay $(REPLAY)

# Joins a second through the record; JOINS="--backup --moves 100000": with these beside them.
bench-joins:
	@scripts/system-packages $(RUN_PACKAGES)
	$(SWIFT) build $(RELEASE) --product JoinBenchmark
	.build/release/JoinBenchmark $(JOINS)

# Searches of places by name and by position among 100,000.
bench-places:
	@scripts/system-packages $(RUN_PACKAGES)
	$(SWIFT) build $(RELEASE) --product PlaceBenchmark
	.build/release/PlaceBenchmark $(PLACES)

bench-identity:
	@scripts/system-packages $(RUN_PACKAGES)
	$(SWIFT) build $(RELEASE) --product IdentityBenchmark
	.build/release/IdentityBenchmark $(IDENTITY)

# Load over the wire, closed and open loops, daemon and generator on this machine.
bench-wire: build
	Benchmarks/run-wire

# The same over TLS and with gzip, beside neither.
bench-tls: build .build/venv/ready
	@scripts/system-packages nghttp2-client
	.build/venv/bin/python Benchmarks/run-tls

# The whole app at once, over TLS and with keys; ten minutes.
bench-app: build
	@scripts/system-packages golang-go
	Benchmarks/run-app

# Three times what one core can answer.
bench-overload: build
	@scripts/system-packages golang-go golang-google-grpc-dev
	Benchmarks/run-overload

# What a call costs a daemon by itself and in a cluster.
bench-cluster: build
	@scripts/system-packages postgresql-15 redis-server
	Benchmarks/run-cluster

# What others feel of one caller's worst requests.
bench-neighbours: build .build/venv/ready
	.build/venv/bin/python Benchmarks/run-neighbours

bench-peers:
	@scripts/system-packages $(BENCH_PACKAGES) redis-server postgresql-15 postgresql-15-postgis-3
	Benchmarks/run-peers

# Counted instead of timed, so that a busy machine tells the same as a quiet one.
bench-instructions:
	@scripts/system-packages redis-server valgrind
	Benchmarks/run-instructions

SWIFT_FOLDERS = $(shell git ls-files '*.swift' | grep -v /Generated/)

format:
	@$(SWIFT) format --in-place $(SWIFT_FOLDERS)

lint:
	@$(SWIFT) format lint --strict $(SWIFT_FOLDERS)

# Regenerates the committed code of proto/.
proto:
	@scripts/system-packages protobuf-compiler libprotobuf-dev
	proto/generate.sh

# What scripts write into docs/: the module graph and the table of settings; and DocC archives of the
# libraries' modules in .build/docc.
docs: test-programs
	scripts/module-graph
	MOYEOD=$(CURDIR)/.build/debug/moyeod scripts/configuration-table
	SWIFT=$(SWIFT) scripts/docc-archives

# Regenerates what the clients in other languages have of proto/.
client-code: .build/venv/ready
	.build/venv/bin/python clients/python/scripts/generate
	.build/venv/bin/python clients/javascript/scripts/generate

clean:
	rm -rf .build Benchmarks/.build
