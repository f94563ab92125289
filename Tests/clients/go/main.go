// A stock Go client: grpc-go with its default options, as a user's program has them.
//
// There are no generated Go stubs of moyeo.v1, so messages are bytes that a codec passes through.
// Prints one JSON object: what was acknowledged, what failed and how, connections that ended.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// Bytes in, bytes out, under the name of the usual codec.
type bytesCodec struct{}

func (bytesCodec) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v interface{}) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (bytesCodec) Name() string { return "proto" }

// Counts connections that begin and end.
type connections struct{ begun, ended int64 }

func (c *connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (c *connections) HandleRPC(context.Context, stats.RPCStats)                       {}
func (c *connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return ctx
}
func (c *connections) HandleConn(_ context.Context, s stats.ConnStats) {
	switch s.(type) {
	case *stats.ConnBegin:
		atomic.AddInt64(&c.begun, 1)
	case *stats.ConnEnd:
		atomic.AddInt64(&c.ended, 1)
	}
}

// Protobuf fields.
func varint(out []byte, value uint64) []byte {
	for value > 127 {
		out = append(out, byte(value)|128)
		value >>= 7
	}
	return append(out, byte(value))
}

func bytesField(out []byte, number int, value []byte) []byte {
	out = varint(out, uint64(number<<3|2))
	out = varint(out, uint64(len(value)))
	return append(out, value...)
}

func doubleField(out []byte, number int, value float64) []byte {
	out = varint(out, uint64(number<<3|1))
	var bits [8]byte
	binary.LittleEndian.PutUint64(bits[:], math.Float64bits(value))
	return append(out, bits[:]...)
}

func place(latitude, longitude float64) []byte {
	return doubleField(doubleField(nil, 2, latitude), 3, longitude)
}

func createParty(host string) []byte {
	departure := varint(varint(nil, 1<<3), uint64(time.Now().Add(3*time.Hour).Unix()))
	out := bytesField(nil, 1, []byte(host))
	out = bytesField(out, 2, place(37.5547, 126.9707))
	out = bytesField(out, 3, place(37.4979, 127.0276))
	return bytesField(out, 4, departure)
}

func nearby(layer string) []byte {
	out := bytesField(nil, 1, []byte(layer))
	return doubleField(doubleField(out, 2, 37.5), 3, 127.0)
}

func watchArea(layer string) []byte {
	return doubleField(nearby(layer), 4, 5000)
}

func point(latitude, longitude float64) []byte {
	return doubleField(doubleField(nil, 1, latitude), 2, longitude)
}

// The first field of this number that has a length; nil where there is none.
func inner(message []byte, number uint64) []byte {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 {
			return nil
		}
		message = message[n:]
		value, n := uint64(0), 0
		switch key & 7 {
		case 0:
			_, n = binary.Uvarint(message)
		case 1:
			n = 8
		case 5:
			n = 4
		case 2:
			value, n = binary.Uvarint(message)
		}
		if n <= 0 || uint64(n)+value > uint64(len(message)) {
			return nil
		}
		if key == number<<3|2 {
			return message[n : uint64(n)+value]
		}
		message = message[uint64(n)+value:]
	}
	return nil
}

const (
	create = "/moyeo.v1.PartyService/Create"
	near   = "/moyeo.v1.PositionService/Nearby"
	watch  = "/moyeo.v1.PositionService/Watch"
)

type report struct {
	Acknowledged     []string       `json:"acknowledged"`
	Attempted        []string       `json:"attempted"`
	Failures         map[string]int `json:"failures"`
	Examples         []string       `json:"examples"`
	Connections      int64          `json:"connections"`
	ConnectionsEnded int64          `json:"connectionsEnded"`
	WatchEnded       []string       `json:"watchEnded"`
	WatchMessages    int64          `json:"watchMessages"`
	Calls            int64          `json:"calls"`
	lock             sync.Mutex
}

func (r *report) failed(method string, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	s := status.Convert(err)
	r.Failures[s.Code().String()]++
	if len(r.Examples) < 5 && s.Code() != codes.Canceled && s.Code() != codes.DeadlineExceeded {
		r.Examples = append(r.Examples, fmt.Sprintf("%s: %s", method, s.Message()))
	}
}

// Whom to trust and who calls; without an authority there is no TLS.
func security(ca, certificate, key string) (grpc.DialOption, error) {
	if ca == "" {
		return grpc.WithInsecure(), nil
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	settings := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return grpc.WithTransportCredentials(credentials.NewTLS(settings)), nil
}

func main() {
	address := flag.String("address", "127.0.0.1:50051", "the daemon's gRPC address")
	callers := flag.Int("callers", 16, "goroutines that call")
	links := flag.Int("connections", 1, "connections, used in turn")
	calls := flag.Int("calls", 1000, "calls in all")
	seconds := flag.Float64("seconds", 10, "ends sooner when this is over")
	rate := flag.Float64("rate", 0, "calls a second; 0 as fast as they are answered")
	method := flag.String("method", "create", "create, nearby or lives")
	abandon := flag.Int("abandon", 0, "of 100 calls, how many are cancelled or cut by a deadline")
	watches := flag.Int("watches", 1, "streams held beside the calls")
	name := flag.String("name", "go", "prefix of host ids")
	layer := flag.String("layer", "clients", "layer of nearby and watch")
	ca := flag.String("ca", "", "PEM file of who signs the daemon's certificate; without: no TLS")
	certificate := flag.String("certificate", "", "PEM file of the client's certificate")
	key := flag.String("key", "", "PEM file of its key")
	compressed := flag.Bool("gzip", false, "send and take messages in gzip")
	flag.Parse()

	protection, err := security(*ca, *certificate, *key)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	options := []grpc.CallOption{grpc.ForceCodec(bytesCodec{})}
	if *compressed {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	seen := &connections{}
	var dialled []*grpc.ClientConn
	for i := 0; i < *links; i++ {
		c, err := grpc.Dial(*address, protection, grpc.WithBlock(),
			grpc.WithStatsHandler(seen), grpc.WithDefaultCallOptions(options...))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		dialled = append(dialled, c)
	}
	out := &report{Failures: map[string]int{}, Acknowledged: []string{}, Attempted: []string{},
		Examples: []string{}, WatchEnded: []string{}}
	over, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	for i := 0; i < *watches; i++ {
		watching.Add(1)
		go func(c *grpc.ClientConn) {
			defer watching.Done()
			request := watchArea(*layer)
			stream, err := c.NewStream(over, &grpc.StreamDesc{ServerStreams: true}, watch)
			if err == nil {
				err = stream.SendMsg(&request)
			}
			if err == nil {
				err = stream.CloseSend()
			}
			for err == nil {
				var event []byte
				if err = stream.RecvMsg(&event); err == nil {
					atomic.AddInt64(&out.WatchMessages, 1)
				}
			}
			if over.Err() == nil {
				out.lock.Lock()
				out.WatchEnded = append(out.WatchEnded, err.Error())
				out.lock.Unlock()
			}
		}(dialled[i%len(dialled)])
	}

	deadline := time.Now().Add(time.Duration(*seconds * float64(time.Second)))
	begun := time.Now()
	var next int64
	var calling sync.WaitGroup
	for i := 0; i < *callers; i++ {
		calling.Add(1)
		go func() {
			defer calling.Done()
			for {
				n := atomic.AddInt64(&next, 1) - 1
				if n >= int64(*calls) || time.Now().After(deadline) {
					return
				}
				if *rate > 0 {
					time.Sleep(time.Until(begun.Add(
						time.Duration(float64(n) / *rate * float64(time.Second)))))
				}
				if c := dialled[int(n)%len(dialled)]; *method == "lives" {
					live(c, out, fmt.Sprintf("%s-%d", *name, n))
				} else {
					call(c, out, *method, n, *abandon, *name, *layer)
				}
			}
		}()
	}
	calling.Wait()
	out.Connections, out.ConnectionsEnded = atomic.LoadInt64(&seen.begun), atomic.LoadInt64(&seen.ended)
	stop()
	watching.Wait()
	for _, c := range dialled {
		c.Close()
	}
	out.lock.Lock()
	defer out.lock.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		os.Exit(1)
	}
}

func call(c *grpc.ClientConn, out *report, method string, n int64, abandon int, name, layer string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if int(n%100) < abandon {
		if n%2 == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(n%7)*time.Millisecond/4)
			defer cancel()
		} else {
			timer := time.AfterFunc(time.Duration(n%5)*time.Millisecond/4, cancel)
			defer timer.Stop()
		}
	}
	atomic.AddInt64(&out.Calls, 1)
	path, host := near, ""
	request := nearby(layer)
	if method == "create" {
		host = fmt.Sprintf("%s-%d", name, n)
		path, request = create, createParty(host)
		out.lock.Lock()
		out.Attempted = append(out.Attempted, host)
		out.lock.Unlock()
	}
	var answer []byte
	if err := c.Invoke(ctx, path, &request, &answer); err != nil {
		out.failed(path, err)
	} else if host != "" {
		out.lock.Lock()
		out.Acknowledged = append(out.Acknowledged, host)
		out.lock.Unlock()
	}
}

// One person's commands in turn, each of which a second time would be another event or a refusal:
// offers a ride, somebody joins and leaves it, calls it off, and waits for a study mate and stops.
func live(c *grpc.ClientConn, out *report, host string) {
	out.lock.Lock()
	out.Attempted = append(out.Attempted, host)
	out.lock.Unlock()
	invoke := func(path string, request []byte) []byte {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		atomic.AddInt64(&out.Calls, 1)
		var answer []byte
		if err := c.Invoke(ctx, path, &request, &answer); err != nil {
			out.failed(path, err)
			return nil
		}
		return answer
	}
	const parties, tickets = "/moyeo.v1.PartyService/", "/moyeo.v1.TicketService/"
	id := inner(inner(invoke(create, createParty(host)), 1), 1)
	if id == nil {
		return
	}
	party := bytesField(nil, 1, id)
	rider := bytesField(append([]byte(nil), party...), 2, []byte(host+"-rider"))
	waiting := bytesField(nil, 1, []byte(host+"-mate"))
	open := bytesField(append([]byte(nil), waiting...), 2, point(37.5547, 126.9707))
	for _, tag := range []string{"swift", "ios", "go"} {
		open = bytesField(open, 4, []byte(tag))
	}
	for _, step := range []struct {
		path    string
		request []byte
	}{
		{parties + "Join", rider}, {parties + "Leave", rider}, {parties + "Cancel", party},
		{tickets + "Open", open}, {tickets + "Close", waiting},
	} {
		if invoke(step.path, step.request) == nil {
			return
		}
	}
	out.lock.Lock()
	out.Acknowledged = append(out.Acknowledged, host)
	out.lock.Unlock()
}
