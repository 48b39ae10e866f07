package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type activityExportCommand struct {
	activityFilters
	Format string   `enum:"jsonl,csv" default:"jsonl" help:"jsonl (one record per line) or csv."`
	Output filePath `short:"o" placeholder:"F" help:"Write to this file, which must not exist yet. Default: standard output."`
}

func (c activityExportCommand) check() error { return c.valid() }

// exportPage is how many records one call fetches, far less than a message on the socket can hold.
const exportPage = 1000

func (c activityExportCommand) ask(ctx context.Context, s streams, hub *control.Client) (code int, err error) {
	out := s.out
	if c.Output != "" {
		file, err := os.OpenFile(string(c.Output), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return exitFailed, fmt.Errorf("%w; name a file that does not exist yet", err)
		}
		defer func() {
			if closed := file.Close(); err == nil && closed != nil {
				code, err = exitFailed, closed
			}
		}()
		out = file
	}
	buffered := bufio.NewWriter(out)
	write := func(r vocab.Record) error { return writeJSON(buffered, r) }
	// Every record carries the hash of the one before, so the last line is a copy of the chain's head in a second place. A part of the
	// records has no head, and says so.
	query := c.query()
	if query != (control.ActivityQuery{}) {
		if err := partial(buffered, c.Format, query); err != nil {
			return exitFailed, err
		}
	}
	query.Oldest, query.Limit = true, exportPage
	if c.Format == "csv" {
		if write, err = csvLines(buffered); err != nil {
			return exitFailed, err
		}
	}
	for {
		found, err := control.AskActivity(ctx, hub, query)
		if err != nil {
			return exitFailed, err
		}
		for _, r := range found.Items {
			if err := write(r); err != nil {
				return exitFailed, err
			}
		}
		if len(found.Items) == 0 {
			break
		}
		query.After = found.Items[len(found.Items)-1].ID
	}
	if err := buffered.Flush(); err != nil {
		return exitFailed, err
	}
	return exitFine, nil
}

// filteredExport is the first line of an export with filters.
type filteredExport struct {
	Filtered control.ActivityQuery `json:"filtered"`
	Note     string                `json:"note"`
}

// partial writes the first line of an export that has not all records: by which filters they were chosen.
func partial(w io.Writer, format string, q control.ActivityQuery) error {
	line := filteredExport{q, "only records that match these filters, without the head of the chain: they can't show that none is missing"}
	if format != "csv" {
		return writeJSON(w, line)
	}
	filtered, err := json.Marshal(line.Filtered)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write([]string{"# filtered: " + legible.Escape(string(filtered)), line.Note}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

var csvHeader = strings.Fields("id time kind status server tool code mode summary detail client session request duration_us bytes prev hash")

func csvLines(w io.Writer) (func(vocab.Record) error, error) {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return nil, err
	}
	return func(r vocab.Record) error {
		row := []string{r.ID, r.Time.UTC().Format(time.RFC3339Nano), string(r.Kind), string(r.Status), r.Server, r.Tool, r.Code, r.Mode, r.Summary,
			string(r.Detail), r.Client, r.Session, r.Request, strconv.FormatInt(r.DurationUS, 10), strconv.FormatInt(r.Bytes, 10), r.Prev, r.Hash}
		for i := range row {
			row[i] = cell(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}, nil
}

// cell makes a text that no spreadsheet takes for a formula. A name such as =HYPERLINK(…) may come from a server, and a sheet would run it;
// a leading apostrophe makes it text. Leading white space would not help: some sheets trim it.
func cell(s string) string {
	bare := strings.TrimLeftFunc(s, unicode.IsSpace)
	if bare != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(bare)[0]) {
		return "'" + legible.Escape(s)
	}
	return legible.Escape(s)
}
