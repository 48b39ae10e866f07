//go:build linux

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var heldRounds = flag.Int("held-rounds", 1, "how often each case of the quarantine's crash matrix is played")

// ordeal is one poisoned response that is held, decided on and delivered, while processes are killed.
type ordeal struct {
	*installation
	whole   *testing.T // sessions outlive the case that started them
	dir     string
	argv    []string
	n       int
	random  *rand.Rand
	client  *lenient
	session *session

	releases  int // decisions that were acknowledged
	delivered int // how often the response reached a client
}

// begin makes sure that there is a session, a new one if the last wrapper is gone.
func (o *ordeal) begin() {
	o.t.Helper()
	for range 20 {
		if o.session != nil && !over(o.session.ended) {
			return
		}
		o.client = &lenient{TB: o.whole, patience: patience}
		o.attempt(func() { o.session = o.inFrontOf() })
	}
	o.t.Fatal("no session comes to stand any more")
}

func (o *ordeal) inFrontOf() *session {
	s := launch(o.client, o.dir, environment(o.env()...), append(o.wrap(), o.argv...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	return s
}

// attempt plays with a client that can be cut off at any moment.
func (o *ordeal) attempt(play func()) {
	ended := make(chan struct{})
	go func() { // a lenient failure ends its goroutine
		defer close(ended)
		play()
	}()
	<-ended
}

// server is the process of the wrapped server, 0 if none runs.
func (o *ordeal) server() int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		o.t.Fatal(err)
	}
	for _, entry := range entries {
		if words := commandLine(entry.Name()); len(words) > 1 && words[0] == o.argv[0] && words[len(words)-1] == o.argv[len(o.argv)-1] {
			pid, _ := strconv.Atoi(entry.Name())
			return pid
		}
	}
	return 0
}

// kill kills after a moment; the channel closes when it has.
func (o *ordeal) kill(victim string) (done chan struct{}) {
	done = make(chan struct{})
	pause := time.Duration(o.random.IntN(7_000)) * time.Microsecond
	pid := 0
	switch victim {
	case "hub":
		pid = o.hubPID()
	case "wrapper":
		pid = o.session.cmd.Process.Pid
	case "server":
		pid = o.server()
	}
	go func() {
		defer close(done)
		time.Sleep(pause)
		if pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	return done
}

// look counts the poisoned responses that the client got.
func (o *ordeal) look(answer string) {
	o.t.Helper()
	if !strings.Contains(answer, evil) {
		return
	}
	o.delivered++
	if o.delivered > o.releases {
		o.t.Fatalf("delivered %d times after %d decisions: %s", o.delivered, o.releases, answer)
	}
}

// held is what the hub says about the response.
type heldState struct {
	Code  string `json:"code"`
	State string
}

// find looks for the response in the hub, pending or decided, by its code if that is known. An earlier response can be in the inbox for a
// moment, until the last report of its wrapper says that it was delivered.
func (o *ordeal) find(codes []string) (found heldState) {
	o.t.Helper()
	known := slices.Clone(codes)
	for _, item := range o.inbox0() {
		codes = append(codes, item.Code)
	}
	for _, code := range codes {
		out, _ := o.run("show", code, "--json")
		var item struct {
			Code string `json:"code"`
			Held *struct {
				State  string          `json:"state"`
				Answer json.RawMessage `json:"answer"`
			} `json:"held"`
		}
		if json.Unmarshal([]byte(out), &item) == nil && item.Held != nil && (strings.Contains(string(item.Held.Answer), fmt.Sprintf("Number %d.", o.n)) || slices.Contains(known, code)) {
			return heldState{item.Code, item.Held.State}
		}
	}
	return heldState{}
}

func TestKilledAtAnyStepNothingHeldIsDeliveredUnreleasedOrTwiceOrLost(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	h := install(t)
	argv, _ := poisoned(t, dir)
	o := &ordeal{installation: h, whole: t, dir: dir, argv: argv, random: chance(t)}
	o.begin()
	h.approve()
	o.session.heard("list_changed")
	defer func() { h.t = t }()
	for range *heldRounds {
		for _, victim := range []string{"hub", "wrapper", "server"} {
			for _, step := range []string{"as it is held", "before the decision", "after the decision", "as it is handed over", "after it was handed over"} {
				t.Run(victim+" killed "+step, func(t *testing.T) { o.play(t, victim, step) })
			}
		}
	}
	o.person()
	if out, code := h.run("activity", "verify"); code != 0 {
		t.Errorf("the chain: status %d: %s", code, out)
	}
}

func (o *ordeal) play(t *testing.T, victim, step string) {
	o.t = t
	o.installation.t = t
	o.n, o.releases, o.delivered = o.n+1, 0, 0
	o.begin()
	at := func(now string) {
		if now == step {
			<-o.kill(victim)
		}
	}
	during := func(now string) chan struct{} {
		if now == step {
			return o.kill(victim)
		}
		none := make(chan struct{})
		close(none)
		return none
	}

	// Held: the client learns of it only after it is stored.
	told := ""
	killed := during("as it is held")
	o.attempt(func() { told = o.session.poison(o.n) })
	<-killed
	o.look(told)
	at("before the decision")
	o.person()
	var held heldState
	if strings.Contains(told, `"status":"held"`) {
		wait(t, "what the client was told of is with a hub", func() bool { held = o.find(nil); return held.Code != "" })
	} else if held = o.find(nil); held.Code == "" {
		t.Logf("it was never held; the client got %.200q", told)
		o.begin()
		return // the response was not held, and no one was told that it was
	}

	// Decided and delivered, again and again until it has arrived.
	deadline := time.Now().Add(patience)
	for try := 0; time.Now().Before(deadline); try++ {
		o.person()
		if held = o.find([]string{held.Code}); held.State == "waiting" || held.State == "expired" {
			wait(t, "it is released", func() bool {
				_, exit := o.run("release", held.Code, "--yes")
				return exit == 0
			})
			o.releases++
		}
		if try == 0 {
			at("after the decision")
		}
		o.begin()
		killed := during("never")
		if try == 0 {
			killed = during("as it is handed over")
		}
		got := ""
		o.attempt(func() { got = o.session.handOver(held.Code) })
		<-killed
		o.look(got)
		if o.delivered > 0 {
			at("after it was handed over")
			o.begin()
			got = ""
			o.attempt(func() { got = o.session.handOver(held.Code) })
			o.look(got) // never a second time without another decision
			t.Logf("%s: delivered after %d decisions", held.Code, o.releases)
			return
		}
	}
	shown, _ := o.run("show", held.Code)
	waits, _ := o.run("inbox")
	t.Errorf("within %s it has not arrived: it stands as %+v; the client was told %.300q; show %s says %.600s; what waits: %s", patience, o.find([]string{held.Code}), told, held.Code, shown, waits)
}
