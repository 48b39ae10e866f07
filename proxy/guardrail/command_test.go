package guardrail

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// provider is a Command that plays a role. Its processes are gone at the end of the test.
func provider(t testing.TB, config CommandConfig, role string, args ...string) *Command {
	t.Helper()
	config.Argv = append([]string{os.Args[0], "role:" + role}, args...)
	c := NewCommand(config)
	t.Cleanup(c.Close)
	return c
}

// ask asks with all the time that a loaded machine may need.
func ask(t testing.TB, p Provider, text string) (Answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.Ask(ctx, request(text))
}

// idle calls look while nobody is being answered.
func (c *Command) idle(look func()) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	look()
}

var asked atomic.Int64

func request(text string) Request {
	return Request{ID: "r" + strconv.FormatInt(asked.Add(1), 10), Kind: vocab.TextResponse, Server: "mail", Tool: "read", Text: text}
}

// failed checks that an error is a Failure of one line with these words.
func failed(t *testing.T, err error, words string) {
	t.Helper()
	var failure *Failure
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), words) || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%v (%T), want a failure with %q", err, err, words)
	}
}

// until waits for something that must come.
func until(t testing.TB, come func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !come(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came")
		}
	}
}

func TestACommandAnswersInAnyFormThatIsTheObject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role, text string
		want       vocab.Vote
		reason     string
	}{
		{"honest", "hello", vocab.VoteAllow, ""},
		{"honest", "an attack", vocab.VoteBlock, "it says attack"},
		{"honest", "odd\nlines\u2028and \x00 bytes", vocab.VoteFlag, "it says odd"},
		{"honest", strings.Repeat("<", PieceSize) + "attack", vocab.VoteBlock, "it says attack"},
		{"talkative", "hello", vocab.VoteFlag, "ä"},
		{"noisy", "an attack", vocab.VoteBlock, "it says attack"},
	} {
		answer, err := ask(t, provider(t, CommandConfig{}, c.role), c.text)
		if err != nil || answer.Verdict != c.want || answer.Reason != c.reason {
			t.Errorf("%s: %+v, %v", c.role, answer, err)
		}
	}
}

func TestOneProcessAnswersEverybody(t *testing.T) {
	t.Parallel()
	var starts atomic.Int64
	c := provider(t, CommandConfig{Stderr: func(chunk []byte) { starts.Add(int64(strings.Count(string(chunk), "up"))) }}, "honest")
	c.config.Argv = []string{"sh", "-c", `echo up >&2; exec "$@"`, "sh", os.Args[0], "role:honest"}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			text, want := "hello", vocab.VoteAllow
			if i%2 == 0 {
				text, want = "attack", vocab.VoteBlock
			}
			if answer, err := ask(t, c, text); err != nil || answer.Verdict != want {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
	all.Wait()
	c.Close()
	if n := starts.Load(); n != 1 {
		t.Errorf("%d processes", n)
	}
}

func TestWhatIsNoAnswerIsAFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		role  []string
		words string
	}{
		{"it exits", []string{"dead"}, "ended without a verdict (exit status 7)"},
		{"it closes its output", []string{"closed"}, "closed its input or output"},
		{"it prints a banner first", []string{"banner"}, "not one JSON object"},
		{"it floods without a line", []string{"flood"}, "more than 64 KiB"},
		{"it floods with lines", []string{"lines"}, "another request"},
		{"it answers at too great length", []string{"long"}, "more than 64 KiB"},
		{"it answers for another", []string{"says", `{"id":"r0","verdict":"allow","score":0,"reason":""}`}, "another request"},
		{"it knows another verdict", []string{"says", `{"id":"ID","verdict":"pass","score":0,"reason":""}`}, "a verdict other than"},
		{"its score is beyond", []string{"says", `{"id":"ID","verdict":"allow","score":1.1,"reason":""}`}, "a score that is not"},
		{"it answers with an empty line", []string{"says", ""}, "not one JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, CommandConfig{}, c.role[0], c.role[1:]...)
			for range 2 { // the second time by a new process
				answer, err := ask(t, p, "hello")
				failed(t, err, c.words)
				if answer.Verdict != "" {
					t.Errorf("%+v", answer)
				}
			}
		})
	}
}

func TestAProgramThatCannotBeStartedIsAFailure(t *testing.T) {
	t.Parallel()
	for words, argv := range map[string][]string{
		"no such file":        {"/no/such/program"},
		"not found":           {"no-such-program-anywhere"},
		"no command given":    {},
		"it is a folder":      {"/"},
		"hold a null byte":    {"true", "\x00"},
		`start "/no/such\n"`:  {"/no/such\n"},
		"its working folder ": {"true"},
	} {
		c := NewCommand(CommandConfig{Argv: argv, Dir: map[bool]string{true: "/no/such/folder"}[strings.HasPrefix(words, "its w")]})
		_, err := ask(t, c, "hello")
		failed(t, err, words)
		c.Close()
	}
}

func TestSilenceEndsWithTheTimeOfWhoAsks(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"silent", "deaf", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := provider(t, CommandConfig{FirstAnswer: 100 * time.Millisecond}, role)
			for range 2 {
				ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
				// More than a pipe holds: a program that never reads must not keep us from returning.
				_, err := c.Ask(ctx, request(strings.Repeat("x", 1<<20)))
				failed(t, err, "") // it is late, or was still busy with the first
				if ctx.Err() == nil {
					t.Error("it failed before the time was up")
				}
				cancel()
			}
		})
	}
}

func TestATextThatBreaksTheProgramCostsNobodyElseAnAnswer(t *testing.T) {
	t.Parallel()
	c := provider(t, CommandConfig{FirstAnswer: time.Minute}, "fragile")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			switch i {
			case 5:
				_, err := ask(t, c, "crash")
				failed(t, err, "ended without a verdict")
			default:
				if _, err := ask(t, c, "hello"); err != nil {
					t.Errorf("beside it: %v", err)
				}
			}
		})
	}
	all.Wait()
}

// The process is slower than those who wait behind one another have time, and is asked again after each has gone. It must live: killed each
// time, it would never answer anybody.
func TestAProcessThatIsOnlyBusyIsNotKilled(t *testing.T) {
	t.Parallel()
	var started atomic.Int64
	c := provider(t, CommandConfig{Stderr: func(chunk []byte) { started.Add(int64(strings.Count(string(chunk), "up"))) }}, "sluggish")
	c.config.Argv = []string{"sh", "-c", `echo up >&2; exec "$@"`, "sh", os.Args[0], "role:sluggish", "50ms"}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 120*time.Millisecond)
			defer cancel()
			r := request("hello")
			r.Patience = time.Minute
			if _, err := c.Ask(ctx, r); err != nil {
				failed(t, err, "")
			}
		})
	}
	all.Wait()
	if answer, err := ask(t, c, "an attack"); err != nil || answer.Verdict != vocab.VoteBlock {
		t.Errorf("%+v, %v", answer, err)
	}
	c.Close()
	if n := started.Load(); n != 1 {
		t.Errorf("%d processes", n)
	}
}

func TestWhoGivesUpLeavesTheProcessAlone(t *testing.T) {
	t.Parallel()
	c := provider(t, CommandConfig{}, "sluggish", "50ms")
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err := c.Ask(ctx, request("hello"))
		failed(t, err, "given up")
	}
	var before, after time.Time
	c.idle(func() { before = c.last })
	_, err := ask(t, c, "hello")
	c.idle(func() { after = c.last })
	if err != nil || after != before || before.IsZero() {
		t.Errorf("%v, started at %v and %v", err, before, after)
	}
}

func TestAProgramThatEndsAfterEachAnswerIsStartedAgain(t *testing.T) {
	t.Parallel()
	c := provider(t, CommandConfig{}, "once")
	for range 2 {
		if answer, err := ask(t, c, "odd"); err != nil || answer.Verdict != vocab.VoteFlag {
			t.Errorf("%+v, %v", answer, err)
		}
		c.idle(func() { <-c.child.process.Exited() })
	}
}

func TestAnAnswerThatNobodyAskedForIsAFailureOfTheNext(t *testing.T) {
	t.Parallel()
	c := provider(t, CommandConfig{}, "twice")
	if _, err := ask(t, c, "hello"); err != nil {
		t.Fatal(err)
	}
	_, err := ask(t, c, "hello")
	failed(t, err, "another request")
}

func TestStartsAreASecondApart(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		last time.Time
		want time.Duration
	}{
		{time.Time{}, 0},
		{now, time.Second},
		{now.Add(-300 * time.Millisecond), 700 * time.Millisecond},
		{now.Add(-time.Second), 0},
		{now.Add(-time.Hour), 0},
	} {
		if got := untilStart(c.last, now); got != c.want {
			t.Errorf("after %v: %v, want %v", now.Sub(c.last), got, c.want)
		}
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	c := provider(t, CommandConfig{}, "silent")
	under := make(chan error)
	for range 3 {
		go func() {
			_, err := ask(t, c, "hello")
			under <- err
		}()
	}
	until(t, func() bool { return len(c.turn) > 0 })
	c.Close()
	c.Close()
	for range 3 {
		failed(t, <-under, "switched off")
	}
	_, err := ask(t, c, "hello")
	failed(t, err, "switched off")
	if c.child != nil {
		t.Error("its process is still there")
	}
}

func TestItsEnvironmentIsOursWithoutWhatIsOurs(t *testing.T) {
	t.Setenv("SALLYPORT_HOME", "/home/of/sallyport")
	t.Setenv("OURS_IS", "kept")
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, "OURS_IS=kept"},
		{[]string{"SALLYPORT_HOME=/x", "OURS_IS=given"}, "OURS_IS=given"},
		{[]string{}, ""},
	} {
		answer, err := ask(t, provider(t, CommandConfig{Env: c.env}, "environment"), "")
		if err != nil || answer.Reason != c.want {
			t.Errorf("%q: %+v, %v", c.env, answer, err)
		}
	}
}

func BenchmarkCommand(b *testing.B) {
	c := provider(b, CommandConfig{}, "at once")
	text := strings.Repeat("a line of ten kilobytes ", 10<<10/24)
	if _, err := ask(b, c, text); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Ask(context.Background(), request(text)); err != nil {
			b.Fatal(err)
		}
	}
}
