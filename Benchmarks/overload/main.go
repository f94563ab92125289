// Within questions over HTTP/1.1 or gRPC, each of another polygon: by callers who ask anew as soon as they
// are answered, or at a rate, whatever becomes of those before, as a Poisson process. Prints one line an
// answer: the status, of HTTP, and the microseconds since it was due. The standard library and grpc-go.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type answer struct {
	status int
	took   time.Duration
}

var (
	address = flag.String("address", "", "of the daemon's HTTP port")
	path    = flag.String("path", "/v1/layers/users/within", "that is asked")
	hits    = flag.Int("hits", 500, "the most that one answer holds")
	corners = flag.Int("corners", 12, "of each polygon")
	seconds = flag.Float64("seconds", 5, "how long is asked")
	callers = flag.Int("callers", 128, "that ask one after the other")
	rate    = flag.Float64("rate", 0, "questions a second, whoever waits; 0: by callers")
	links   = flag.Int("connections", 0, "of gRPC, shared by all questions; 0: HTTP/1.1, each its own")
	most    = flag.Int("most", 4000, "questions that may be under way at a rate; one more ends the run")
)

type point struct{ latitude, longitude float64 }

func polygon(draw *rand.Rand) []point {
	latitude, longitude := 37.55+draw.NormFloat64()*.02, 127+draw.NormFloat64()*.02
	points := make([]point, *corners)
	for i := range points {
		angle := 2 * math.Pi * float64(i) / float64(*corners)
		points[i] = point{
			latitude + .05*(.8+.2*draw.Float64())*math.Sin(angle),
			longitude + .07*(.8+.2*draw.Float64())*math.Cos(angle)}
	}
	return points
}

// The address of a question over HTTP.
func target(points []point) string {
	text := []byte(`{"points":[`)
	for i, one := range points {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `{"latitude":%.5f,"longitude":%.5f}`, one.latitude, one.longitude)
	}
	return fmt.Sprintf("http://%s%s?limit=%d&within=%s",
		*address, *path, *hits, url.QueryEscape(string(append(text, `]}`...))))
}

// A field of protobuf whose value has its length in front.
func field(out []byte, number byte, value []byte) []byte {
	out = append(out, number<<3|2)
	out = binary.AppendUvarint(out, uint64(len(value)))
	return append(out, value...)
}

// The same question as a moyeo.v1.WithinRequest.
func message(points []point) []byte {
	var polygon []byte
	for _, one := range points {
		var corner []byte
		for number, value := range []float64{one.latitude, one.longitude} {
			corner = append(corner, byte(number+1)<<3|1)
			corner = binary.LittleEndian.AppendUint64(corner, math.Float64bits(value))
		}
		polygon = field(polygon, 1, corner)
	}
	out := field(nil, 1, []byte("users"))
	out = field(out, 6, polygon)
	return binary.AppendUvarint(append(out, 7<<3), uint64(*hits))
}

// Bytes in, nothing out, under the name of the usual codec.
type bytesCodec struct{}

func (bytesCodec) Marshal(v interface{}) ([]byte, error)      { return v.([]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v interface{}) error { return nil }
func (bytesCodec) Name() string                               { return "proto" }

// Who asks the question of a number, and returns the status of its answer; 0: there was none.
type asker func(number int) int

const questions = 20000

func overHTTP(draw *rand.Rand) asker {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConns: *most, MaxIdleConnsPerHost: *most, DisableCompression: true}}
	// Made before, so that the generator has little to do while it asks.
	targets := make([]string, questions)
	for i := range targets {
		targets[i] = target(polygon(draw))
	}
	return func(number int) int {
		response, err := client.Get(targets[number%questions])
		if err != nil {
			return 0
		}
		defer response.Body.Close()
		if _, err = io.Copy(io.Discard, response.Body); err != nil {
			return 0
		}
		return response.StatusCode
	}
}

func overGRPC(draw *rand.Rand) asker {
	messages := make([][]byte, questions)
	for i := range messages {
		messages[i] = message(polygon(draw))
	}
	var dialled []*grpc.ClientConn
	for i := 0; i < *links; i++ {
		link, err := grpc.Dial(*address, grpc.WithInsecure(), grpc.WithBlock())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		dialled = append(dialled, link)
	}
	return func(number int) int {
		over, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err := dialled[number%*links].Invoke(over, "/moyeo.v1.PositionService/Within",
			messages[number%questions], nil, grpc.ForceCodec(bytesCodec{}))
		switch status.Code(err) {
		case codes.OK:
			return 200
		case codes.Unavailable, codes.ResourceExhausted:
			return 503
		default:
			return 0
		}
	}
}

func main() {
	flag.Parse()
	draw := rand.New(rand.NewSource(3))
	question := overHTTP
	if *links > 0 {
		question = overGRPC
	}
	asks := question(draw)
	var lock sync.Mutex
	var answers []answer
	asked := 0
	ask := func(due time.Time) {
		lock.Lock()
		number := asked
		asked++
		lock.Unlock()
		status := asks(number)
		took := time.Since(due)
		lock.Lock()
		answers = append(answers, answer{status, took})
		lock.Unlock()
	}
	var all sync.WaitGroup
	begin := time.Now()
	end := begin.Add(time.Duration(*seconds * float64(time.Second)))
	if *rate == 0 {
		for i := 0; i < *callers; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				for now := time.Now(); now.Before(end); now = time.Now() {
					ask(now)
				}
			}()
		}
	} else {
		room := make(chan struct{}, *most)
		for due := begin; due.Before(end); due = due.Add(time.Duration(draw.ExpFloat64() / *rate * float64(time.Second))) {
			time.Sleep(time.Until(due))
			select {
			case room <- struct{}{}:
			default:
				fmt.Fprintf(os.Stderr, "%d questions are under way already\n", *most)
				os.Exit(1)
			}
			all.Add(1)
			go func(due time.Time) {
				defer all.Done()
				ask(due)
				<-room
			}(due)
		}
	}
	all.Wait()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, one := range answers {
		fmt.Fprintln(out, one.status, one.took.Microseconds())
	}
}
