//go:build linux

package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// testHub is a hub that keeps what it gets: in memory, and in a file where it has one, so that a killed one leaves it to the
// next. It stores a record once.
type testHub struct {
	startedBy string
	stepDown  func()
	hold      chan struct{} // Records and Status wait here when it is not nil
	refuse    error         // what Records answers
	open      atomic.Int32  // calls of Status that have come
	asked     atomic.Int32  // calls of Guard that wait

	mu        sync.Mutex
	file      *os.File
	records   []Record
	seen      map[string]bool
	wrappers  map[Wrapper]Register
	reports   []Report
	unseen    []Unseen
	eras      []Eras
	shortened []Shortened
	held      []Held
	noHold    bool
	tasks     []Task
	noTasks   bool
	stderr    []byte
	revision  uint64
	ended     int // processes
	displaced []Displaced
	spool     *SpoolKey
	foreign   []Foreign
	gone      int
}

func newTestHub() *testHub {
	return &testHub{startedBy: "person", seen: map[string]bool{}, wrappers: map[Wrapper]Register{}}
}

func newFileHub(home Home) (*testHub, error) {
	h := newTestHub()
	path := filepath.Join(home.Dir, "records")
	f, err := disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	// A line without its end was not acknowledged; end it, so that the next one stands alone.
	for _, r := range readRecords(path) {
		h.seen[r.ID] = true
	}
	if _, err := f.WriteString("\n"); err != nil {
		return nil, err
	}
	h.file = f
	return h, ReadSpool(home.Spool, nil, func(_ Register, records []Record) error {
		_, err := h.store(records)
		return err
	})
}

// readRecords is what a hub program has stored.
func readRecords(path string) []Record {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var records []Record
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r Record
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			records = append(records, r)
		}
	}
	return records
}

func startedHubs(home Home) []int {
	raw, _ := os.ReadFile(filepath.Join(home.Dir, "starts"))
	var pids []int
	for _, word := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (h *testHub) store(records []Record) (Acked, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range records {
		if h.seen[r.ID] {
			continue
		}
		if h.file != nil {
			if _, err := h.file.Write(encodeRecord(r)); err != nil {
				return Acked{}, err
			}
		}
		h.seen[r.ID] = true
		h.records = append(h.records, r)
	}
	return Acked{Stored: len(records)}, nil
}

func (h *testHub) ids() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ids []string
	for _, r := range h.records {
		ids = append(ids, r.ID)
	}
	return ids
}

func (h *testHub) connected() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.wrappers)
}

// approve pushes a new state to all wrappers.
func (h *testHub) approve(item string) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revision++
	for w := range h.wrappers {
		w.Push(h.state(item))
	}
	return h.revision
}

func (h *testHub) state(item string) State {
	return State{Revision: h.revision, Spool: h.spool, Items: map[string]ItemState{item: {State: "approved"}}}
}

func (h *testHub) Welcome(Peer) Welcome {
	return Welcome{Version: "test", PID: os.Getpid(), StartedBy: h.startedBy}
}

func (h *testHub) Register(w Wrapper, peer Peer, r Register) (State, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if peer.PID != r.PID {
		return State{}, errors.New("a wrapper registered under another pid")
	}
	h.wrappers[w] = r
	return h.state("registered"), nil
}

func (h *testHub) Unregister(w Wrapper) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.wrappers[w]; known {
		h.gone++
	}
	delete(h.wrappers, w)
}

func (h *testHub) Report(_ Wrapper, r Report) (State, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reports = append(h.reports, r)
	h.revision++
	return h.state("reported"), nil
}

func (h *testHub) Launch(Wrapper, LaunchReport) (State, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state("launched"), nil
}

func (h *testHub) Records(_ Wrapper, r Records) (Acked, error) {
	if h.hold != nil {
		<-h.hold
	}
	h.mu.Lock()
	refuse := h.refuse
	h.mu.Unlock()
	if refuse != nil {
		return Acked{}, refuse
	}
	return h.store(r.Records)
}

func (h *testHub) Stderr(_ Wrapper, s Stderr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stderr = append(h.stderr, s.Chunk...)
}

func (h *testHub) Hold(_ Wrapper, held Held) (Kept, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held.Method == "never" {
		return Kept{}, &Error{Code: CodeBadRequest, Message: "its method"}
	}
	if h.noHold {
		return Kept{}, errors.New("the disk is full")
	}
	h.held = append(h.held, held)
	return Kept{Code: "HELD"}, nil
}

func (h *testHub) Take(_ Wrapper, t Take) (Taken, error) { return Taken{State: vocab.HeldWaiting}, nil }

func (h *testHub) Shortened(_ Wrapper, s Shortened) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shortened = append(h.shortened, s)
	return nil
}

func (h *testHub) Eras(_ Wrapper, e Eras) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.eras = append(h.eras, e)
	return nil
}

func (h *testHub) Unseen(_ Wrapper, u Unseen) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unseen = append(h.unseen, u)
	return nil
}

func (h *testHub) KeepTasks(_ Wrapper, t Tasks) (Acked, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.noTasks {
		return Acked{}, errors.New("the disk is full")
	}
	h.tasks = append(h.tasks, t.Tasks...)
	return Acked{Stored: len(t.Tasks)}, nil
}

func (h *testHub) KnownTasks(_ Wrapper, q TaskQuery) (known KnownTasks, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.tasks {
		if slices.Contains(q.IDs, t.ID) {
			known.Tasks = append(known.Tasks, t)
		}
	}
	return known, nil
}

func (h *testHub) Interaction(Wrapper, Interaction) (Kept, error) { return Kept{Code: "ASKS"}, nil }

func (h *testHub) Call(Wrapper, Call) (CallAnswer, error) {
	return CallAnswer{State: vocab.CallWaiting, Code: "CALL"}, nil
}

func (h *testHub) Values(_ Wrapper, v ValuesHeard) error { return nil }

func (h *testHub) Release(Peer, Release) (ReleaseAnswer, error) { return ReleaseAnswer{}, nil }

func (h *testHub) HeldSet(HeldQuery) (HeldSet, error) { return HeldSet{}, nil }

func (h *testHub) DiscardHeld(Peer, DiscardHeld) (DiscardedHeld, error) { return DiscardedHeld{}, nil }

func (h *testHub) Exceptions() ([]Exception, error) { return nil, nil }

func (h *testHub) Except(Peer, Except) ([]Exception, error) { return nil, nil }

func (h *testHub) Clean(CleanQuery) (CleanSet, error) { return CleanSet{}, nil }

func (h *testHub) AllowClean(Peer, CleanQuery) (CleanDecided, error) { return CleanDecided{}, nil }

func (h *testHub) AllowedCalls() ([]AllowedCall, error)         { return nil, nil }
func (h *testHub) ForgetCall(Peer, string) (AllowedCall, error) { return AllowedCall{}, nil }
func (h *testHub) ReplaceSecret(Peer, string) error             { return nil }
func (h *testHub) EndException(Peer, string) (Exception, error) { return Exception{}, nil }

func (h *testHub) Attention(_ Wrapper, a Attention) (Waiting, error) {
	return Waiting{Items: []WaitingItem{{Code: "for " + a.Client}}}, nil
}

func (h *testHub) Status() (Status, error) {
	h.open.Add(1)
	if h.hold != nil {
		<-h.hold
	}
	return Status{Home: "held"}, nil
}

func (h *testHub) Servers() ([]Server, error)              { return nil, nil }
func (h *testHub) Inbox() ([]InboxItem, error)             { return []InboxItem{{Title: "<script> & co"}}, nil }
func (h *testHub) Summary(q SummaryQuery) (Summary, error) { return Summary{By: q.By}, nil }
func (h *testHub) Verify() (Verified, error)               { return Verified{Head: "head"}, nil }
func (h *testHub) Log(q LogQuery) (Log, error)             { return Log{Text: q.Server}, nil }
func (h *testHub) Block(Peer, Block) (Blocked, error)      { return Blocked{Code: "blocked"}, nil }

func (h *testHub) Item(code string) (ItemDetail, error) {
	switch code {
	case "panic":
		panic("the hub's own mistake")
	case "secret":
		return ItemDetail{}, errors.New("open /home/somebody/secret")
	case "stale":
		return ItemDetail{}, fmt.Errorf("item: %w", &Error{Code: CodeStale, Message: "changed since, see K7QM", See: "K7QM"})
	}
	return ItemDetail{InboxItem: InboxItem{Code: code}}, nil
}

func (h *testHub) Decide(peer Peer, d Decide) (Decided, error) {
	if peer.Here {
		return Decided{}, errors.New("what came over a socket is taken for the person at the window")
	}
	if peer.Descends {
		return Decided{}, &Error{Code: CodeDescends, Message: "refused: descends from a wrapped server"}
	}
	return Decided{Code: d.Code}, nil
}

func (h *testHub) Activity(q ActivityQuery) (Activity, error) {
	return Activity{Items: []Record{{ID: q.After}}}, nil
}

func (h *testHub) Record(id string) (Record, error) { return Record{ID: id}, nil }

func (h *testHub) Settings(q SettingQuery) ([]Setting, error) {
	return []Setting{{Key: q.Key}}, nil
}

func (h *testHub) SetSetting(_ Peer, q SettingQuery) (Setting, error) {
	return Setting{Key: q.Key, Value: q.Value}, nil
}

func (h *testHub) Protect(Peer, Protect) (Protected, error)             { return Protected{}, nil }
func (h *testHub) Unprotect(Peer, Protect) (Protected, error)           { return Protected{}, nil }
func (h *testHub) Coverage(CoverageQuery) (Coverage, error)             { return Coverage{}, nil }
func (h *testHub) Backups() ([]Backup, error)                           { return nil, nil }
func (h *testHub) RestoreBackup(Peer, RestoreBackup) (Protected, error) { return Protected{}, nil }

func (h *testHub) Show(Peer, string) error { return nil }

func (h *testHub) Ended(_ Register, processes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended += processes
}

func (h *testHub) StepDown(Peer) error {
	if h.startedBy != "wrapper" {
		return &Error{Code: CodeNotHere, Message: "started by a person"}
	}
	h.stepDown()
	return nil
}

func (h *testHub) Displaced(d Displaced) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.displaced = append(h.displaced, d)
}

func (h *testHub) Foreign(f Foreign) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.foreign = append(h.foreign, f)
}
