//go:build survey && unix

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sallyport/sallyport/proxy/flow"
)

// The replay finds out how many attacks flow.policy leaves, and how many questions honest work costs, on public sets of agent tasks. Every call goes
// through a real wrapper to a real hub; the server behind it returns what the set's environment did, or what was recorded. `make replay` installs
// the sets, runs it and prints the figures that docs/flow.md has. Text is not what is measured: a response that is held is released, and counted.

var (
	replaySets  = flag.String("sets", "", "play only these sets, with commas between")
	replayEvery = flag.Int("every", 1, "play one of so many cases of each set")
	replayOnce  = flag.Bool("once", false, "have the person allow honest calls once, and never for good")
	replayTold  = flag.String("told", "", "write what was left, and what was asked, of the suites that the rules are tuned on into this file")
)

// tunedOn are the suites that the rules were tuned on. Those of all others are kept apart: of them only the numbers are looked at.
var tunedOn = []string{"slack", "banking", "travel", "airport", "automotive", "ecommerce", "employment", "government"}

type replaySet struct {
	Set    string
	Suites map[string]map[string][]map[string]any // tools, by suite and server
	Cases  []replayCase
}

// replayCase is one task, with the calls that it makes.
type replayCase struct {
	Suite, ID, Task, Injection, Model string
	Steps                             []replayStep
}

type replayStep struct {
	Server, Tool  string
	Arguments     json.RawMessage
	Text          string
	Error, Attack bool
}

// replayed is what became of a case.
type replayed struct {
	Set, Suite, ID, Model, Way string
	Calls                      int
	Attacked, Stopped, Held    bool     // an attack was made; flow asked about a call of it; a response was held before
	Asked                      []string // about honest calls: rule, tool and value
	Left                       []string // the attack's calls that passed
	Used                       bool     // the attack was left, and an honest task of the set used its destination before
}

// stage is a home with a hub, in which the servers of some suites are allowed.
type stage struct {
	h      *installation
	t      *testing.T
	dir    string
	always bool // what a person allows, they allow for good
}

func newStage(t *testing.T, always bool) *stage {
	dir := folder(t)
	put(t, filepath.Join(dir, "nothing"), "") // makes the folder
	return &stage{h: install(t), t: t, dir: dir, always: always}
}

// reading are the words that a tool which changes nothing begins with.
var reading = []string{"get", "read", "search", "list", "check", "find"}

// hinted has each tool of a set claim whether it only reads, as it does.
func (set *replaySet) hinted() {
	for _, servers := range set.Suites {
		for _, tools := range servers {
			for _, tool := range tools {
				first, _, _ := strings.Cut(tool["name"].(string), "_")
				tool["annotations"] = map[string]any{"readOnlyHint": slices.Contains(reading, first)}
			}
		}
	}
}

// allow has every tool of some suites allowed, for all clients.
func (s *stage) allow(set *replaySet, suites ...string) {
	for _, suite := range suites {
		for server, tools := range set.Suites[suite] {
			name := suite + "." + server
			raw, err := json.Marshal(tools)
			if err != nil {
				s.t.Fatal(err)
			}
			put(s.t, filepath.Join(s.dir, name+".tools.json"), string(raw))
			put(s.t, filepath.Join(s.dir, "setup.json"), `[{"content":[]}]`)
			first := tools[0]["name"].(string)
			settle(s.h, func() bool {
				front := s.front(name, "setup")
				defer front.hangUp(true)
				return !strings.Contains(front.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},"_meta":{"of":"setup","n":0}}`, first)), "[Sallyport]")
			})
		}
	}
}

func (s *stage) front(name, client string) *session {
	wrap := append([]string{s.h.binary(), "wrap", "--client", client, "--name", name, "--"}, helper(s.t, "playback", s.dir, name)...)
	front := launch(s.t, s.dir, environment(s.h.env()...), wrap)
	front.handshake("2025-11-25")
	front.request("tools/list", `{}`)
	return front
}

// play makes the calls of some cases, one after the other, as one client. A person allows every honest call that is asked about, and no call of an
// attack.
func (s *stage) play(client string, set *replaySet, cases []replayCase, way string) (all []replayed) {
	var responses []json.RawMessage
	for _, c := range cases {
		for _, step := range c.Steps {
			raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": step.Text}}, "isError": step.Error})
			if err != nil {
				s.t.Fatal(err)
			}
			responses = append(responses, raw)
		}
	}
	raw, err := json.Marshal(responses)
	if err != nil {
		s.t.Fatal(err)
	}
	put(s.t, filepath.Join(s.dir, client+".json"), string(raw))
	fronts := map[string]*session{}
	n := 0
	for _, c := range cases {
		r := replayed{Set: set.Set, Suite: c.Suite, ID: c.ID, Model: c.Model, Way: way}
		for _, step := range c.Steps {
			name := c.Suite + "." + step.Server
			front := fronts[name]
			if front == nil {
				front = s.front(name, client)
				fronts[name] = front
			}
			params := fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"of":%q,"n":%d}}`, step.Tool, step.Arguments, client, n)
			n++
			r.Calls++
			if step.Attack {
				r.Attacked = true
				if r.Stopped {
					continue
				}
			}
			s.call(front, params, step, &r)
		}
		if r.Stopped {
			r.Left = nil
		}
		r.Used = r.Attacked && !r.Stopped && c.used(cases)
		all = append(all, r)
	}
	for _, front := range fronts {
		front.hangUp(true)
	}
	return all
}

// call makes one call until the client has the response, or the attack is stopped. A held response is released; the attack counts as stopped by
// detection too if one was held before its first call.
func (s *stage) call(front *session, params string, step replayStep, r *replayed) {
	for range 4 {
		got := front.request("tools/call", params)
		d, decided := decisionIn(got)
		switch {
		case !decided || d.Status == "released" || d.Status == "passed":
			if step.Attack {
				r.Left = append(r.Left, step.Tool+" "+string(step.Arguments))
			}
			return
		case d.Kind == "call_waiting" || d.Status == "blocked" && step.Attack:
			rules := s.reasons(d.Code)
			if step.Attack {
				r.Stopped = true
				s.h.run("reject", d.Code, "--yes")
				return
			}
			r.Asked = append(r.Asked, step.Tool+": "+rules)
			approve := []string{"approve", d.Code, "--yes"}
			if s.always {
				approve = append(approve, "--always")
			}
			if out, code := s.h.run(approve...); code != 0 {
				s.t.Errorf("%s %s: approve: %s", r.Suite, r.ID, out)
				return
			}
		case d.Status == "held":
			r.Held = r.Held || !r.Attacked
			s.h.released(d.Code)
			front.handOver(d.Code)
			if step.Attack {
				r.Left = append(r.Left, step.Tool+" "+string(step.Arguments))
			}
			return
		default:
			s.t.Errorf("%s %s: %s of %s: %s", r.Suite, r.ID, d.Status, step.Tool, got)
			return
		}
	}
	s.t.Errorf("%s %s: %s is asked about again and again", r.Suite, r.ID, step.Tool)
}

// reasons are the rules that asked about a call, with the values.
func (s *stage) reasons(code string) string {
	out, _ := s.h.run("show", code, "--json")
	var item struct {
		Reasons []struct {
			Rule        int
			At, Value   string
			From        []struct{ Server, Tool, As string }
			Destination string
		}
	}
	if err := json.Unmarshal([]byte(out), &item); err != nil {
		return out
	}
	var all []string
	for _, r := range item.Reasons {
		from := ""
		for _, f := range r.From {
			from += " " + f.Server + "/" + f.Tool + ":" + f.As
		}
		all = append(all, fmt.Sprintf("%d %s %q%s", r.Rule, r.At, r.Value, from))
	}
	return strings.Join(all, "; ")
}

// inTwos does n things, two at a time.
func inTwos(n int, do func(n int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for n := range next {
				do(n)
			}
		})
	}
	for n := range n {
		next <- n
	}
	close(next)
	wait.Wait()
}

func TestFlowOnPublicSetsOfTasks(t *testing.T) {
	sets := map[string]*replaySet{}
	files, _ := filepath.Glob(filepath.Join(cache(t, "replay", "sets"), "*.json"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var set replaySet
		if err := json.Unmarshal(raw, &set); err != nil {
			t.Fatal(err)
		}
		var some []replayCase
		for n, c := range set.Cases {
			if n%*replayEvery == 0 {
				some = append(some, c)
			}
		}
		set.Cases = some
		sets[set.Set] = &set
	}
	wanted := slices.Sorted(maps.Keys(sets))
	if *replaySets != "" {
		wanted = strings.Split(*replaySets, ",")
	}
	var all []replayed
	for _, name := range wanted {
		name, hints := strings.CutSuffix(name, "+hints")
		set := sets[name]
		if set == nil {
			t.Fatalf("no set %s: make replay installs them", name)
		}
		t.Run(name, func(t *testing.T) {
			if hints {
				set.hinted()
			}
			some := fresh(t, set)
			some = append(some, remembered(t, set, sets)...)
			t.Log("\n" + replayTables(some))
			all = append(all, some...)
		})
	}
	if *replayTold != "" {
		var told []replayed
		for _, r := range all {
			if slices.Contains(tunedOn, r.Suite) && (len(r.Asked) > 0 || r.Attacked && !r.Stopped) {
				told = append(told, r)
			}
		}
		raw, err := json.MarshalIndent(told, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		put(t, *replayTold, string(raw))
	}
	t.Log("\n" + replayTables(all))
}

// fresh plays each case as a client that never was.
func fresh(t *testing.T, set *replaySet) []replayed {
	s := newStage(t, false)
	s.allow(set, slices.Sorted(maps.Keys(set.Suites))...)
	results := make([][]replayed, len(set.Cases))
	inTwos(len(set.Cases), func(n int) {
		results[n] = s.play(fmt.Sprintf("%s-%d", set.Set, n), set, set.Cases[n:n+1], "fresh")
	})
	return slices.Concat(results...)
}

// remembered plays all cases of a suite, or of a model in a suite, as one client of a home: what was used or allowed in one task counts in the next
// ones. Each attack is made in all tasks by one client that did all the honest tasks before.
func remembered(t *testing.T, set *replaySet, sets map[string]*replaySet) []replayed {
	by := map[string][]replayCase{}
	for _, c := range set.Cases {
		key := c.Suite + " " + c.Model + " " + c.Injection
		by[key] = append(by[key], c)
	}
	keys := slices.Sorted(maps.Keys(by))
	results := make([][]replayed, len(keys))
	kind, attacked := strings.CutSuffix(set.Set, "-honest")
	attacked = !attacked
	inTwos(len(keys), func(n int) {
		cases := by[keys[n]]
		var before []replayCase
		if attacked {
			kind, _, _ := strings.Cut(kind, "-")
			for _, c := range sets[kind+"-honest"].Cases {
				if c.Suite == cases[0].Suite && c.Model == cases[0].Model {
					before = append(before, c)
				}
			}
		}
		s := newStage(t, !*replayOnce)
		s.allow(set, cases[0].Suite)
		results[n] = s.play("memory", set, slices.Concat(before, cases), "memory")
	})
	all := slices.Concat(results...)
	return slices.DeleteFunc(all, func(r replayed) bool { return attacked && !r.Attacked })
}

// used reports whether calls that are no attack have one of the long arguments of a case's attack: a set can have the attacker's account be one that
// its user pays anyway.
func (c replayCase) used(others []replayCase) bool {
	bad := map[string]bool{}
	each := func(c replayCase, attack bool, do func(text string)) {
		for _, step := range c.Steps {
			if step.Attack == attack {
				for _, a := range flow.Arguments(step.Arguments) {
					if len(a.Whole) >= 10 {
						do(a.Whole)
					}
				}
			}
		}
	}
	each(c, true, func(text string) { bad[text] = true })
	found := false
	for _, other := range others {
		each(other, false, func(text string) { found = found || bad[text] })
	}
	return found
}

// replayTables are the figures.
func replayTables(all []replayed) string {
	type key struct{ set, suite, way string }
	type sum struct{ cases, calls, asked, left, used, held, both int }
	sums := map[key]*sum{}
	add := func(k key, r replayed) {
		s := sums[k]
		if s == nil {
			s = &sum{}
			sums[k] = s
		}
		s.cases++
		s.calls += r.Calls
		s.asked += len(r.Asked)
		if r.Attacked && !r.Stopped {
			s.left++
			if r.Used {
				s.used++
			}
			if !r.Held {
				s.both++
			}
		}
		if r.Held {
			s.held++
		}
	}
	for _, r := range all {
		part := "(kept apart)"
		if slices.Contains(tunedOn, r.Suite) {
			part = "(tuned on)"
		}
		for _, suite := range []string{r.Suite, part, "(all)"} {
			add(key{r.Set, suite, r.Way}, r)
		}
	}
	var out strings.Builder
	out.WriteString("| set | suite | | cases | calls | questions | a task | left | of it used before | held by detection | left by both |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b key) int { return strings.Compare(a.set+a.way+a.suite, b.set+b.way+b.suite) })
	for _, k := range keys {
		s := sums[k]
		fmt.Fprintf(&out, "| %s | %s | %s | %d | %d | %d | %.2f | %d (%.1f %%) | %d | %d | %d |\n", k.set, k.suite, k.way, s.cases, s.calls, s.asked,
			float64(s.asked)/float64(s.cases), s.left, 100*float64(s.left)/float64(s.cases), s.used, s.held, s.both)
	}
	return out.String()
}
