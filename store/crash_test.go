package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// The child of TestAKilledHubLosesNothingItAcknowledged: it writes for ever and prints what is durable.
const crashHome = "STORE_TEST_CRASH_HOME"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashHome); dir != "" {
		crashChild(dir)
	}
	os.Exit(m.Run())
}

func crashChild(dir string) {
	s, err := Open(dir, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	run := fmt.Sprint(os.Getpid())
	for i := 0; ; i++ {
		id := fmt.Sprintf("%s-%d", run, i)
		var err error
		switch i % 4 {
		case 0:
			_, err = s.AppendNow(Record{ID: id, Kind: "drift"})
		case 1: // a decision and its record, together
			err = s.Update(func(tx *Tx) error {
				_, err := tx.Append(Record{ID: id, Kind: "approval"})
				return errors.Join(err, tx.PutPin(Pin{ServerID: "s", Item: "tool:" + id, State: vocab.PartApproved, Raw: make([]byte, 2000)}))
			})
		case 2:
			err = s.Update(func(tx *Tx) error { return tx.PutItem(Item{Code: id}) })
		case 3: // a held response with its item and its record
			err = s.Update(func(tx *Tx) error {
				_, held := hold(tx, id, "waiting", HeldText{Answer: bytes.Repeat([]byte(id), 2000)})
				_, err := tx.Append(Record{ID: id, Kind: "quarantine"})
				return errors.Join(held, err, tx.PutItem(Item{Code: id}))
			})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(id)
	}
}

func TestAKilledHubLosesNothingItAcknowledged(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := home(t)
	var acknowledged []string
	for round := range rounds {
		child := exec.Command(exe)
		child.Env = append(os.Environ(), crashHome+"="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// Each round is killed after a different number of acknowledgements, usually in the middle of a commit; the first
		// while the home is being created.
		wanted := []int{0, 60, 1, 7, 133, 20, 250, 90}[round]
		lines := bufio.NewScanner(out)
		for got := 0; got < wanted && lines.Scan(); got++ {
			acknowledged = append(acknowledged, lines.Text())
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // acknowledged before the kill reached it
			acknowledged = append(acknowledged, lines.Text())
		}
		_ = child.Wait()

		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, id := range acknowledged {
			check(t, s, id)
		}
		if v, err := s.Verify(nil); err != nil || v.Bad != "" {
			t.Errorf("round %d: %+v, %v", round, v, err)
		}
		if found, err := s.Tampered(); err != nil || found.Any() {
			t.Errorf("round %d: %+v, %v", round, found, err)
		}
		if err := s.check(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		mustClose(t, s)
	}
	if len(acknowledged) < 8 {
		t.Errorf("only %d writes were acknowledged: the children did not run", len(acknowledged))
	}
}

func check(t *testing.T, s *Store, id string) {
	t.Helper()
	_, number, _ := strings.Cut(id, "-")
	i, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("child said %q", id)
	}
	if i%4 != 2 {
		if _, err := s.Record(id); err != nil {
			t.Errorf("acknowledged record %s: %v", id, err)
		}
	}
	err = s.View(func(tx *Tx) error {
		var err error
		switch i % 4 {
		case 1:
			_, err = tx.Pin("s", "", "tool:"+id)
		case 2:
			_, err = tx.Item(id)
		case 3:
			var h Held
			if h, err = tx.Held(id); err == nil {
				_, err = tx.HeldText(h)
			}
			_, missing := tx.Item(id)
			err = errors.Join(err, missing)
		}
		return err
	})
	if err != nil {
		t.Errorf("acknowledged decision %s: %v", id, err)
	}
}
