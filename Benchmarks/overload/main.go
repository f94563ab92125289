// Within questions over HTTP/1.1, each of another polygon: by callers who ask anew as soon as they are
// answered, or at a rate, whatever becomes of those before, as a Poisson process. Prints one line an
// answer: the status and the microseconds since it was due. Standard library only.
package main

import (
	"bufio"
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
	most    = flag.Int("most", 4000, "questions that may be under way at a rate; one more ends the run")
)

func polygon(draw *rand.Rand) string {
	latitude, longitude := 37.55+draw.NormFloat64()*.02, 127+draw.NormFloat64()*.02
	text := []byte(`{"points":[`)
	for i := 0; i < *corners; i++ {
		if i > 0 {
			text = append(text, ',')
		}
		angle := 2 * math.Pi * float64(i) / float64(*corners)
		text = fmt.Appendf(text, `{"latitude":%.5f,"longitude":%.5f}`,
			latitude+.05*(.8+.2*draw.Float64())*math.Sin(angle),
			longitude+.07*(.8+.2*draw.Float64())*math.Cos(angle))
	}
	return string(append(text, `]}`...))
}

func main() {
	flag.Parse()
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConns: *most, MaxIdleConnsPerHost: *most, DisableCompression: true}}
	// Made before, so that the generator has little to do while it asks.
	draw := rand.New(rand.NewSource(3))
	targets := make([]string, 20000)
	for i := range targets {
		targets[i] = fmt.Sprintf("http://%s%s?limit=%d&within=%s",
			*address, *path, *hits, url.QueryEscape(polygon(draw)))
	}
	var lock sync.Mutex
	var answers []answer
	asked := 0
	ask := func(due time.Time) {
		lock.Lock()
		target := targets[asked%len(targets)]
		asked++
		lock.Unlock()
		status := 0
		response, err := client.Get(target)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			status = response.StatusCode
		}
		if err != nil {
			status = 0
		}
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
