package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	// maxSpool is the size of one wrapper's spool while the hub is away.
	maxSpool = 64 << 20
	// Bounds of a batch, which one call carries.
	maxBatchRecords = 512
	maxBatchBytes   = 4 << 20
)

// worth orders records by which are dropped first when there is no room.
type worth uint8

const (
	worthCall  worth = iota // dropped first
	worthOther              // dropped next
	worthAll                // drift and held responses: never dropped
	worthTally              // our count of dropped records
)

func worthOf(kind vocab.RecordKind) worth {
	if vocab.IsTraffic(kind) {
		return worthCall
	}
	switch kind {
	case vocab.RecordDrift, vocab.RecordQuarantine:
		return worthAll
	default:
		return worthOther
	}
}

// line is one record in the spool.
type line struct {
	length int64
	worth  worth
}

// spool is one wrapper's file of records that no hub has acknowledged. The first line says whose they are (spoolHeader);
// each further line is a record. It is locked while its wrapper lives. Only one goroutine uses it.
type spool struct {
	f      *os.File
	path   string
	header []byte
	key    *SpoolKey
	max    int64
	full   int64 // the size from which room is made: max, or more if what must stay is larger

	acked  int64  // bytes at the start: the header and acknowledged lines
	size   int64  // bytes in the file
	lines  []line // from acked on
	flying int    // number of those lines that are with the hub now
	flight int64  // their bytes

	lost      int    // dropped records, as in the file's tally
	tallyID   string // "" when the file has no tally
	unwritten int    // records lost before they got here, not in a tally yet
}

type spoolHeader struct {
	Spool    int      `json:"spool"`
	Register Register `json:"register"`
	Sealed   []byte   `json:"sealed,omitempty"` // the server's command
}

// openSpool creates a file in dir.
func openSpool(dir string, register Register, key *SpoolKey, max int64) (*spool, error) {
	path, header, err := newSpoolFile(dir, ".ndjson", register, key)
	if err != nil {
		return nil, err
	}
	f, err := placeLocked(path, header)
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	size := int64(len(header))
	return &spool{f: f, path: path, header: header, key: key, max: max, full: max, acked: size, size: size}, nil
}

// newSpoolFile is the path of a new file in dir, whose folder it makes, and its first line.
func newSpoolFile(dir, suffix string, register Register, key *SpoolKey) (path string, header []byte, err error) {
	if err := disk.CheckFolder(filepath.Dir(dir)); err != nil {
		return "", nil, err // don't recreate a home that was removed
	}
	if err := disk.OwnFolder(dir); err != nil {
		return "", nil, err
	}
	sealed, err := key.seal(&register, nil)
	if err != nil {
		return "", nil, err
	}
	header, err = encode(spoolHeader{Spool: 1, Register: register, Sealed: sealed})
	return filepath.Join(dir, vocab.NewRecordID(time.Now())+suffix), header, err
}

// placeLocked creates a file with its first line. It appears under its name only with both lock and header.
func placeLocked(path string, header []byte) (*os.File, error) {
	d, err := lockedDraft(path)
	if err != nil {
		return nil, err
	}
	if _, err = d.Write(header); err == nil {
		err = d.Place()
	}
	if err != nil {
		d.Drop()
		return nil, err
	}
	return d.File, nil
}

// lockedDraft is the draft of a file that stays locked while its wrapper lives, so that no hub takes it for an abandoned one.
func lockedDraft(path string) (*disk.Draft, error) {
	d, err := disk.Begin(path)
	if err != nil {
		return nil, err
	}
	if held, err := disk.Lock(d.File); err != nil || !held {
		d.Drop()
		return nil, errors.Join(err, fmt.Errorf("%s is not ours", d.Name()))
	}
	return d, nil
}

// append keeps records. It doesn't sync: the spool survives the wrapper's death, not the machine's.
func (s *spool) append(records []Record) error {
	var (
		buf   []byte
		added []line
	)
	for _, r := range records {
		encoded := encodeRecord(s.key.sealNamed(r))
		buf = append(buf, encoded...)
		added = append(added, line{int64(len(encoded)), worthOf(r.Kind)})
	}
	if _, err := s.f.WriteAt(buf, s.size); err != nil {
		_ = s.f.Truncate(s.size) // the disk is full: leave no half line in the middle
		return fmt.Errorf("write the spool: %w", err)
	}
	s.size += int64(len(buf))
	s.lines = append(s.lines, added...)
	if s.size > s.full || s.unwritten > 0 {
		// The records are in the file. If there is no room for a copy, the next append tries again.
		_ = s.compact()
	}
	return nil
}

// next returns the batch that the hub gets now, oldest first; nil if everything is acknowledged.
func (s *spool) next(most int) ([]Record, error) {
	n, bytes := 0, int64(0)
	for _, l := range s.lines {
		if n == most || (n > 0 && bytes+l.length > maxBatchBytes) {
			break
		}
		n, bytes = n+1, bytes+l.length
	}
	if s.fly(n); n == 0 {
		return nil, nil
	}
	buf := make([]byte, s.flight)
	if _, err := s.f.ReadAt(buf, s.acked); err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	records := make([]Record, 0, n)
	for at, l := range s.lines[:n] {
		var r Record
		if err := json.Unmarshal(buf[:l.length], &r); err != nil {
			return nil, fmt.Errorf("read the spool: line %d: %w", at, err)
		}
		if s.key != nil {
			unsealNamed(&r, s.key.Key, s.key.Server)
		}
		records, buf = append(records, r), buf[l.length:]
	}
	return records, nil
}

// fly marks the first n lines as with the hub.
func (s *spool) fly(n int) {
	s.flying, s.flight = n, 0
	for _, l := range s.lines[:n] {
		s.flight += l.length
	}
}

// landed records the batch's fate: acknowledged, or to be sent again.
func (s *spool) landed(acknowledged bool) {
	if acknowledged {
		s.acked += s.flight
		s.lines = s.lines[s.flying:]
		if !slices.ContainsFunc(s.lines, func(l line) bool { return l.worth == worthTally }) {
			s.tallyID, s.lost = "", 0
		}
	}
	s.fly(0)
}

// empty reports whether the hub has everything.
func (s *spool) empty() bool { return len(s.lines) == 0 && s.unwritten == 0 }

// remove deletes the spool with whatever is not acknowledged, so check empty first.
func (s *spool) remove() error {
	return errors.Join(os.Remove(s.path), s.f.Close())
}

// compact rewrites the file without acknowledged records. If that isn't enough, it also drops the oldest calls, then the oldest of the
// rest, down to three quarters of the limit so that it needn't run for every record. Drift and held responses stay, and one record
// says how many were dropped. The batch that is with the hub stays in front.
func (s *spool) compact() error {
	const tallyRoom = 4096
	room := s.max*3/4 - int64(len(s.header)) - tallyRoom
	var left int64
	for _, l := range s.lines {
		left += l.length
	}
	drop := make([]bool, len(s.lines))
	lost, tallyFlies := s.unwritten, false
	for i, l := range s.lines {
		if l.worth == worthTally {
			if tallyFlies = i < s.flying; !tallyFlies {
				drop[i], left = true, left-l.length
			}
		}
	}
	if int64(len(s.header))+left+tallyRoom > s.max {
		for _, worth := range []worth{worthCall, worthOther} {
			for i := s.flying; i < len(s.lines) && left > room; i++ {
				if l := s.lines[i]; l.worth == worth && !drop[i] {
					drop[i], left, lost = true, left-l.length, lost+1
				}
			}
		}
	}
	if tallyFlies || s.tallyID == "" { // the hub may already have it, so it can't be corrected: start a new count
		s.tallyID, s.lost = vocab.NewRecordID(time.Now()), 0
	}
	if err := s.rewrite(drop, s.lost+lost); err != nil {
		return err
	}
	s.full = s.max
	if s.size > s.max { // what must stay is over the limit already: a copy for each further record would be quadratic
		s.full = s.size + s.max/4
	}
	return nil
}

func (s *spool) rewrite(drop []bool, lost int) (err error) {
	d, err := lockedDraft(s.path)
	if err != nil {
		return fmt.Errorf("make room in the spool: %w", err)
	}
	defer func() {
		if err != nil {
			d.Drop()
		}
	}()
	w := bufio.NewWriterSize(d, 1<<20)
	size := int64(len(s.header))
	_, _ = w.Write(s.header) // w remembers its first error until Flush
	var kept []line
	put := func(from int64, l line) error {
		_, err := io.Copy(w, io.NewSectionReader(s.f, from, l.length))
		kept, size = append(kept, l), size+l.length
		return err
	}
	tell := func() {
		if lost == 0 {
			return
		}
		encoded := encodeRecord(Record{
			ID:      s.tallyID,
			Time:    time.Now().UTC(),
			Kind:    vocab.RecordProblem,
			Status:  vocab.StatusWarned,
			Summary: fmt.Sprintf("%d activity records were let go: the hub was away and the spool is full", lost),
			Detail:  fmt.Appendf(nil, `{"check":"spool","lost":%d}`, lost),
		})
		_, _ = w.Write(encoded)
		kept, size = append(kept, line{int64(len(encoded)), worthTally}), size+int64(len(encoded))
	}
	from := s.acked
	for i, l := range s.lines {
		if i == s.flying {
			tell()
		}
		if !drop[i] {
			if err := put(from, l); err != nil {
				return fmt.Errorf("make room in the spool: %w", err)
			}
		}
		from += l.length
	}
	if s.flying == len(s.lines) {
		tell()
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("make room in the spool: %w", err)
	}
	if err := d.Place(); err != nil {
		return fmt.Errorf("make room in the spool: %w", err)
	}
	s.f.Close()
	s.f, s.acked, s.size, s.lines, s.lost, s.unwritten = d.File, int64(len(s.header)), size, kept, lost, 0
	return nil
}
