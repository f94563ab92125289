// The callers of Benchmarks/run-app: people who report, maps that look, riders who join and streams that
// wait, over HTTPS on connections that stay open. It says "begin" once everybody is known and all streams
// are open, and at the end what was seen, as one line of JSON. Only the standard library is needed.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	seats           = 4
	reported        = 100 // Positions a report.
	reportPath      = "/v1/layers/users/positions"
	reporters       = 8
	viewers         = 20
	riders          = 10
	probeEvery      = 50 * time.Millisecond
	openAtOnce      = 50
	viewAddresses   = 5000
	degreesAStep    = .0001
	centreLatitude  = 37.5563
	centreLongitude = 126.9723
)

var (
	address  = flag.String("address", "", "host:port of the daemon's HTTP listener")
	ca       = flag.String("ca", "", "the authority's certificate, PEM")
	key      = flag.String("key", "", "an API key, for those who report")
	makeKeys = flag.String("make-keys", "", "a folder: write the keys that sign tokens of people there, and end")
	keys     = flag.String("keys", "", "the folder with the keys that sign tokens of people")
	lookers  = flag.Int("lookers", 10000, "people who look at maps, each with a token")
	seconds  = flag.Int("seconds", 600, "how long")
	people   = flag.Int("people", 100000, "who report")
	reports  = flag.Int("reports", 10000, "positions a second")
	views    = flag.Int("views", 1000, "tiles a second")
	joins    = flag.Int("joins", 50, "seats a second")
	life     = flag.Int("life", 60, "seconds until a car is called off: as many are under way at any moment")
	streams  = flag.Int("streams", 2000, "that wait for events")
	interval = flag.Int("interval", 500, "milliseconds between two events of a stream at least")
	config   *tls.Config
)

// A kind of call: how long each took since it was due and how late it was sent, in milliseconds.
type calls struct {
	sync.Mutex
	Took    []float64      `json:"took"`
	Late    []float64      `json:"late"`
	At      []float64      `json:"at"`
	Refused map[string]int `json:"refused"`
}

func (c *calls) note(status int, body []byte, begin, due, sent time.Time) {
	now := time.Now()
	c.Lock()
	defer c.Unlock()
	if status != 200 {
		if c.Refused == nil {
			c.Refused = map[string]int{}
		}
		var refusal struct{ Error struct{ Reason string } }
		_ = json.Unmarshal(body, &refusal)
		c.Refused[refusal.Error.Reason]++
		return
	}
	c.Took = append(c.Took, now.Sub(due).Seconds()*1000)
	c.Late = append(c.Late, sent.Sub(due).Seconds()*1000)
	c.At = append(c.At, due.Sub(begin).Seconds())
}

// One connection that carries one request at a time.
type connection struct {
	socket *tls.Conn
	reader *bufio.Reader
	head   string
	out    []byte
	body   []byte
}

func open() *connection {
	socket, err := tls.Dial("tcp", *address, config)
	check(err)
	return &connection{
		socket: socket, reader: bufio.NewReader(socket),
		head: "host: " + *address + "\r\nauthorization: Bearer "}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// `who` is a token or a key.
func (c *connection) send(who, method, path, more string, body []byte) {
	c.out = append(c.out[:0], method...)
	c.out = append(c.out, ' ')
	c.out = append(c.out, path...)
	c.out = append(c.out, " HTTP/1.1\r\n"...)
	c.out = append(c.out, c.head...)
	c.out = append(c.out, who...)
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, more...)
	if body != nil {
		c.out = append(c.out, "content-type: application/json\r\ncontent-length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, body...)
	_, err := c.socket.Write(c.out)
	check(err)
}

// The status of the answer that comes, and the length of its body; -1 where none is told.
func (c *connection) answerHead() (status, length int) {
	length = -1
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		check(err)
		if first {
			status, err = strconv.Atoi(string(line[9:12]))
			check(err)
		} else if len(line) <= 2 {
			return
		} else if len(line) > 16 && strings.EqualFold(string(line[:15]), "content-length:") {
			length, err = strconv.Atoi(strings.TrimSpace(string(line[15:])))
			check(err)
		}
	}
}

func (c *connection) request(who, method, path, more string, body []byte) (int, []byte) {
	c.send(who, method, path, more, body)
	status, length := c.answerHead()
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:max(0, length)]
	_, err := io.ReadFull(c.reader, c.body)
	check(err)
	return status, c.body
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func place(random *rand.Rand) (latitude, longitude float64) {
	return centreLatitude + random.NormFloat64()*.04, centreLongitude + random.NormFloat64()*.05
}

// One of `count` callers whose calls are due at a steady rate together, until the end.
func steadily(number, count int, rate float64, begin, end time.Time, call func(due, sent time.Time)) {
	step := time.Duration(float64(count) / rate * float64(time.Second))
	for due := begin.Add(time.Duration(number) * step / time.Duration(count)); due.Before(end); due = due.Add(step) {
		time.Sleep(time.Until(due))
		call(due, time.Now())
	}
}

// A hundred people, who move between one report and the next.
type group struct {
	first                 int
	latitudes, longitudes [reported]float64
	body                  []byte
}

func (g *group) write(random *rand.Rand, moves bool) []byte {
	g.body = append(g.body[:0], `{"positions":[`...)
	for i := range g.latitudes {
		if moves {
			g.latitudes[i] += random.NormFloat64() * degreesAStep
		}
		if i > 0 {
			g.body = append(g.body, ',')
		}
		g.body = append(g.body, `{"id":"person-`...)
		g.body = strconv.AppendInt(g.body, int64(g.first+i), 10)
		g.body = append(g.body, `","latitude":`...)
		g.body = strconv.AppendFloat(g.body, g.latitudes[i], 'f', 6, 64)
		g.body = append(g.body, `,"longitude":`...)
		g.body = strconv.AppendFloat(g.body, g.longitudes[i], 'f', 6, 64)
		g.body = append(g.body, `,"tags":["tag-`...)
		g.body = strconv.AppendInt(g.body, int64((g.first+i)%50), 10)
		g.body = append(g.body, `"]}`...)
	}
	g.body = append(g.body, "]}"...)
	return g.body
}

func fill() []*group {
	random := rand.New(rand.NewSource(7))
	var groups []*group
	caller := open()
	for first := 0; first < *people; first += reported {
		made := &group{first: first}
		for i := range made.latitudes {
			made.latitudes[i], made.longitudes[i] = place(random)
		}
		groups = append(groups, made)
		status, body := caller.request(*key, "POST", reportPath, "", made.write(random, false))
		if status != 200 || !bytes.Contains(body, []byte(`"accepted":100`)) {
			check(fmt.Errorf("%d %s", status, body))
		}
	}
	return groups
}

// Streams count what comes to them.
type waiting struct {
	Ended, Events int64
}

func (w *waiting) stream(who string, random *rand.Rand, gate chan bool, opened *sync.WaitGroup) {
	latitude, longitude := place(random)
	gate <- true
	caller := open()
	caller.send(who, "GET", fmt.Sprintf(
		"/v1/layers/users/watch?latitude=%.5f&longitude=%.5f&radiusMeters=300&intervalMilliseconds=%d",
		latitude, longitude, *interval),
		"accept: text/event-stream\r\n", nil)
	status, _ := caller.answerHead()
	<-gate
	opened.Done()
	if status != 200 {
		atomic.AddInt64(&w.Ended, 1)
		return
	}
	piece := make([]byte, 4096)
	for {
		count, err := caller.reader.Read(piece)
		found := bytes.Count(piece[:count], []byte("\nevent:"))
		if bytes.HasPrefix(piece[:count], []byte("event:")) {
			found++
		}
		atomic.AddInt64(&w.Events, int64(found))
		if err != nil {
			atomic.AddInt64(&w.Ended, 1)
			return
		}
	}
}

// One of the connections over which seats are taken.
func rider(people signer, number int, begin, end time.Time, noted *calls) {
	random, caller := rand.New(rand.NewSource(int64(100+number))), open()
	party, free, made := "", 0, 0
	type car struct {
		id, host string
		over     time.Time
	}
	var cars []car
	steadily(number, riders, float64(*joins), begin, end, func(due, sent time.Time) {
		if free == 0 {
			made++
			host := fmt.Sprintf("host-%d-%d", number, made)
			token := people.token(host)
			fromLatitude, fromLongitude := place(random)
			toLatitude, toLongitude := place(random)
			body, err := json.Marshal(map[string]any{
				"hostId": host, "seats": seats,
				"origin":        map[string]float64{"latitude": fromLatitude, "longitude": fromLongitude},
				"destination":   map[string]float64{"latitude": toLatitude, "longitude": toLongitude},
				"departureTime": time.Now().UTC().Add(30 * time.Minute).Format(time.RFC3339)})
			check(err)
			status, answer := caller.request(
				token, "POST", "/v1/parties", fmt.Sprintf("idempotency-key: c-%d-%d\r\n", number, made), body)
			if status != 200 {
				noted.note(status, answer, begin, due, sent)
				return
			}
			var created struct{ Party struct{ ID string } }
			check(json.Unmarshal(answer, &created))
			party, free = created.Party.ID, seats-1
			cars = append(cars, car{party, token, time.Now().Add(time.Duration(*life) * time.Second)})
			if cars[0].over.Before(time.Now()) {
				status, answer = caller.request(
					cars[0].host, "POST", "/v1/parties/"+cars[0].id+"/cancel", "", []byte("{}"))
				if status != 200 {
					noted.note(status, answer, begin, due, sent)
				}
				cars = cars[1:]
			}
			// The seat is due once there is a car.
			due, sent = time.Now(), time.Now()
		}
		name := fmt.Sprintf("rider-%d-%d-%d", number, made, free)
		free--
		status, answer := caller.request(
			people.token(name), "POST", "/v1/parties/"+party+"/join", "idempotency-key: "+name+"\r\n",
			[]byte(`{"riderId":"`+name+`"}`))
		noted.note(status, answer, begin, due, sent)
	})
}

// Tiles at the zooms of a map on a phone.
func viewPaths() []string {
	random := rand.New(rand.NewSource(11))
	paths := make([]string, viewAddresses)
	for i := range paths {
		latitude, longitude := place(random)
		zoom := 10 + random.Intn(6)
		scale := float64(int(1) << zoom)
		x := int((longitude + 180) / 360 * scale)
		y := int((1 - math.Asinh(math.Tan(latitude*math.Pi/180))/math.Pi) / 2 * scale)
		paths[i] = fmt.Sprintf("/v1/layers/users/tiles/%d/%d/%d.mvt", zoom, x, y)
	}
	return paths
}

func main() {
	flag.Parse()
	if *makeKeys != "" {
		writeKeys(*makeKeys)
		return
	}
	debug.SetGCPercent(400)
	authority, err := os.ReadFile(*ca)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	config = &tls.Config{RootCAs: roots, ServerName: strings.Split(*address, ":")[0]}

	signs := readSigner(*keys)
	tokens := make([]string, *lookers)
	for i := range tokens {
		tokens[i] = signs.token(fmt.Sprintf("looker-%d", i))
	}
	groups := fill()
	var waits waiting
	var opened sync.WaitGroup
	gate := make(chan bool, openAtOnce)
	opened.Add(*streams)
	for i := 0; i < *streams; i++ {
		go waits.stream(tokens[i%len(tokens)], rand.New(rand.NewSource(int64(1000+i))), gate, &opened)
	}
	opened.Wait()

	paths := viewPaths()
	begin := time.Now().Add(time.Second)
	end := begin.Add(time.Duration(*seconds) * time.Second)
	fmt.Println("begin")
	before := atomic.LoadInt64(&waits.Events)
	seen := map[string]*calls{"reports": {}, "views": {}, "joins": {}, "nearby": {}}
	var all sync.WaitGroup
	run := func(count int, work func(number int)) {
		for i := 0; i < count; i++ {
			all.Add(1)
			go func(number int) {
				defer all.Done()
				work(number)
			}(i)
		}
	}
	var turn int64 = -1
	run(reporters, func(number int) {
		random, caller := rand.New(rand.NewSource(int64(200+number))), open()
		steadily(number, reporters, float64(*reports)/reported, begin, end, func(due, sent time.Time) {
			made := groups[int(atomic.AddInt64(&turn, 1))%len(groups)]
			status, body := caller.request(*key, "POST", reportPath, "", made.write(random, true))
			seen["reports"].note(status, body, begin, due, sent)
		})
	})
	var view int64 = -1
	run(viewers, func(number int) {
		caller := open()
		steadily(number, viewers, float64(*views), begin, end, func(due, sent time.Time) {
			turn := int(atomic.AddInt64(&view, 1))
			status, body := caller.request(tokens[turn%len(tokens)], "GET", paths[turn%len(paths)], "", nil)
			seen["views"].note(status, body, begin, due, sent)
		})
	})
	run(riders, func(number int) { rider(signs, number, begin, end, seen["joins"]) })
	run(1, func(int) {
		random, caller := rand.New(rand.NewSource(13)), open()
		steadily(0, 1, 1/probeEvery.Seconds(), begin, end, func(due, sent time.Time) {
			latitude, longitude := place(random)
			status, body := caller.request(tokens[random.Intn(len(tokens))], "GET", fmt.Sprintf(
				"/v1/layers/users/nearby?latitude=%.5f&longitude=%.5f", latitude, longitude), "", nil)
			seen["nearby"].note(status, body, begin, due, sent)
		})
	})
	all.Wait()
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"calls": seen, "ended": atomic.LoadInt64(&waits.Ended),
		"events": atomic.LoadInt64(&waits.Events) - before}))
}
