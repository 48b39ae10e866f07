package sanitize

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// standard changes an honest definition only if it has an invisible character that no script needs; then it takes that away and nothing
// else. The rows of testdata are always there; the corpora of `make eval` only where somebody has them.
func TestStandardLeavesHonestDefinitionsByteForByte(t *testing.T) {
	sample, err := os.ReadFile("testdata/honest.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if rows, changed := leftAlone(t, bytes.NewReader(sample)); rows < 20 || changed != 0 {
		t.Errorf("the sample: %d rows, %d changed", rows, changed)
	}
	folder := cmp.Or(os.Getenv("CORPORA"), filepath.Join("..", "..", "..", "shared", "corpora", "dev"))
	for name, least := range map[string]int{"metadata_benign": 1400, "made_metadata_benign": 5000} {
		file, err := os.Open(filepath.Join(folder, name+".jsonl.gz"))
		if errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s is not in %s (CORPORA)", name, folder)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, changed := leftAlone(t, unpacked)
		t.Logf("%s: %d definitions, %d with invisible characters that go", name, rows, changed)
		if rows < least || changed > rows/20 {
			t.Errorf("%s: %d definitions, %d changed", name, rows, changed)
		}
	}
}

func leftAlone(t *testing.T, from io.Reader) (rows, changed int) {
	t.Helper()
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row struct {
			ID   string
			Tool json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		raw := string(row.Tool)
		got := delivered(t, pin.Tool, raw, Standard)
		if got == raw {
			continue
		}
		changed++
		if !hides(row.Tool, false) {
			t.Errorf("%s has no invisible character and is changed: %.500s", row.ID, got)
		}
		if seen(got) != seen(raw) {
			t.Errorf("%s lost more than invisible characters: %.500s", row.ID, got)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows, changed
}

// seen is a JSON text as written, without the invisible characters in its strings.
func seen(raw string) string {
	var edits []frame.Edit
	eachString([]byte(raw), func(s str) bool {
		for _, g := range glyphsIn([]byte(raw[s.start:s.end]), s.end-s.start) {
			if goes(g.r, false) {
				edits = append(edits, frame.Edit{Start: s.start + g.start, End: s.start + g.end})
			}
		}
		return true
	})
	return strings.TrimSpace(string(frame.Splice(nil, []byte(raw), edits)))
}
