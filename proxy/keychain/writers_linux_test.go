package keychain

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

// A test that needs a process of its own starts this binary again, with a home and what to do there.
const (
	writerHome = "KEYCHAIN_TEST_HOME"
	writerDoes = "KEYCHAIN_TEST_DOES"
)

func TestMain(m *testing.M) {
	home := os.Getenv(writerHome)
	if home == "" {
		os.Exit(m.Run())
	}
	task, which, _ := strings.Cut(os.Getenv(writerDoes), " ")
	var err error
	switch task {
	case "rotate":
		err = rotate(Tokens(home), which)
	case "fill":
		err = fill(Secrets(home), which)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// rotate replaces a token by the next one, for ever, and says so after each. The keychain comes and goes meanwhile.
func rotate(s Store, from string) error {
	n, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for {
		if n++; rand.IntN(3) == 0 {
			os.Setenv(Variable, "off")
		} else {
			os.Unsetenv(Variable)
		}
		if rand.IntN(2) == 0 {
			if _, err := s.Get(context.Background(), "login"); err != nil && n > 1 && os.Getenv(Variable) == "" {
				return err
			}
		}
		if err := s.Set(context.Background(), "login", strconv.Itoa(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// fill stores some values: "a 200" are a-0 to a-199.
func fill(s Store, what string) error {
	var who string
	var count int
	if _, err := fmt.Sscan(what, &who, &count); err != nil {
		return err
	}
	for n := range count {
		if err := s.Set(context.Background(), fmt.Sprintf("%s-%d", who, n), fmt.Sprintf("value of %s, %d", who, n)); err != nil {
			return err
		}
	}
	return nil
}

func writer(home, does string, environment ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(command.Environ(), append(environment, writerHome+"="+home, writerDoes+"="+does)...)
	command.Stderr = os.Stderr
	return command
}

// Whatever a kill interrupts, the token is the last one that was stored, or the one that was being stored.
func TestAProcessThatIsKilledLeavesTheLastValueOrTheNext(t *testing.T) {
	bus := ring.StartBus(t, "")
	bus.Keyring()
	home := homeOf(t)
	stored := 0
	for range 60 {
		command := writer(home, fmt.Sprint("rotate ", stored))
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		kill := time.AfterFunc(time.Hour, func() { _ = command.Process.Kill() })
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(lines.Text())
			}
			if stored = n; stored%2 == 0 {
				kill.Reset(time.Duration(rand.IntN(40)) * time.Millisecond)
			}
		}
		_ = command.Wait()
		got, err := Tokens(home).Get(t.Context(), "login")
		if err != nil {
			t.Fatalf("after %d was stored: %v", stored, err)
		}
		n, err := strconv.Atoi(got)
		if err != nil || n != stored && n != stored+1 {
			t.Fatalf("after %d was stored, the token is %q", stored, got)
		}
		stored = n
	}
	t.Logf("%d tokens", stored)
	Tokens(home).moves(t)
	Tokens(home).isIn(t, InKeychain, "login", strconv.Itoa(stored))
	noFile(t, home)
	if values := bus.Values(); len(values) != 1 {
		t.Errorf("the keyring has %d entries", len(values))
	}
}

func TestTwoProcessesStoreHundredsOfValuesAtOnce(t *testing.T) {
	for _, c := range []struct {
		name, second string
		each         int
	}{
		{"both in the file", "off", 200},
		{"one in the file and one in the keychain", "", 50}, // which takes longer for each entry it has
	} {
		t.Run(c.name, func(t *testing.T) {
			ring.StartBus(t, "").Keyring()
			home := homeOf(t)
			all := []*exec.Cmd{writer(home, fmt.Sprint("fill a ", c.each), Variable+"=off"), writer(home, fmt.Sprint("fill b ", c.each), Variable+"="+c.second)}
			for _, command := range all {
				command.Stdout = os.Stdout
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range all {
				if err := command.Wait(); err != nil {
					t.Error(err)
				}
			}
			if c.second == "off" {
				t.Setenv(Variable, "off")
			}
			want := map[string]string{}
			for _, who := range []string{"a", "b"} {
				for n := range c.each {
					want[fmt.Sprintf("%s-%d", who, n)] = fmt.Sprintf("value of %s, %d", who, n)
				}
			}
			for name, value := range want {
				if got, err := Secrets(home).Get(t.Context(), name); err != nil || got != value {
					t.Fatalf("%s is %q, %v", name, got, err)
				}
			}
			if names, err := Secrets(home).List(t.Context()); err != nil || len(names) != len(want) {
				t.Errorf("%d names, %v", len(names), err)
			}
			if c.second == "" {
				Secrets(home).moves(t)
				noFile(t, home)
			}
		})
	}
}

// The keyring is locked, unlocked, ended and started while tokens are stored and read: each can be read right after, or the error says that
// the keychain is locked or gone.
func TestTokensAreStoredWhileTheKeyringComesAndGoes(t *testing.T) {
	bus := ring.StartBus(t, "")
	end := bus.Keyring()
	s := Tokens(homeOf(t))
	var stored atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := int64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			value := strconv.FormatInt(n, 10)
			if err := s.Set(context.Background(), "login", value); err != nil {
				t.Errorf("store %s: %v", value, err)
				return
			}
			if got, err := s.Get(context.Background(), "login"); err == nil && got != value || err != nil && !unusable(err) {
				t.Errorf("after %s was stored: %q, %v", value, got, err)
				return
			}
			stored.Store(n)
		}
	}()
	for range 10 {
		for _, step := range []func(){bus.Lock, bus.Unlock, func() { end() }, func() { end = bus.Keyring() }} {
			step()
			for until := stored.Load() + 3; stored.Load() < until; {
				select {
				case <-stopped:
					t.FailNow()
				case <-time.After(time.Millisecond):
				}
			}
		}
	}
	close(stop)
	<-stopped
	last := strconv.FormatInt(stored.Load(), 10)
	s.moves(t)
	s.isIn(t, InKeychain, "login", last)
	if values := bus.Values(); !slices.Equal(values, []string{last}) {
		t.Errorf("the keyring has %q after %s tokens", values, last)
	}
}
