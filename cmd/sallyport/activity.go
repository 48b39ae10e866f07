package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type activityCommand struct {
	List    activityListCommand    `cmd:"" default:"withargs" help:"List records, the newest last."`
	Show    activityShowCommand    `cmd:"" help:"Show one record in full."`
	Summary activitySummaryCommand `cmd:"" help:"Count records by server, tool or kind."`
	Verify  activityVerifyCommand  `cmd:"" help:"Check the hash chain of the records."`
	Export  activityExportCommand  `cmd:"" help:"Export records, oldest first."`
}

// activityFilters choose records, the same for every command.
type activityFilters struct {
	Server string `placeholder:"S" complete:"server" help:"Only this server."`
	Tool   string `placeholder:"T" help:"Only this tool."`
	Kind   string `placeholder:"K" complete:"kind" help:"Only this kind: tool_call, resource_read, prompt_get, sampling, elicitation, drift…"`
	Status string `placeholder:"S" complete:"status" help:"Only this status: ok, warned, blocked, held or error."`
	Since  string `placeholder:"T" help:"Only records since then: a time (2026-01-02T15:04:05Z), a day (2026-01-02) or an age (2h, 30m)."`
}

func (f activityFilters) valid() error {
	if _, err := parseSince(f.Since, time.Now()); err != nil {
		return err
	}
	return errors.Join(oneOf("--kind", f.Kind, spelled(vocab.RecordKinds)), oneOf("--status", f.Status, spelled(vocab.Statuses)))
}

// query asks for what the filters choose. valid has refused what is no time.
func (f activityFilters) query() control.ActivityQuery {
	since, _ := parseSince(f.Since, time.Now())
	return control.ActivityQuery{Server: f.Server, Tool: f.Tool, Kind: f.Kind, Status: f.Status, Since: since}
}

type activityListCommand struct {
	jsonFlag
	activityFilters
	Limit  int  `default:"100" help:"Show at most this many, the newest."`
	Follow bool `short:"f" help:"Keep printing new records. With --json, one record per line."`
}

func (c activityListCommand) check() error {
	if err := c.valid(); err != nil {
		return err
	}
	if c.Limit < 1 {
		return fmt.Errorf("--limit %d: a number from 1 up", c.Limit)
	}
	return nil
}

func (c activityListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	query := c.query()
	query.Limit = c.Limit
	p := newPage(s)
	for {
		found, err := control.AskActivity(ctx, hub, query)
		if err != nil {
			return exitFailed, err
		}
		if c.JSON && !c.Follow {
			return exitFine, writeJSON(s.out, found)
		}
		for _, r := range found.Items {
			if c.JSON {
				if err := writeJSON(s.out, r); err != nil {
					return exitFailed, err
				}
				continue
			}
			p.record(r, found.ShownOf(r))
		}
		if !c.Follow {
			return exitFine, nil
		}
		if n := len(found.Items); n > 0 {
			query.After = found.Items[n-1].ID
		}
		if !pause(ctx) {
			return exitFine, nil
		}
	}
}

// oneOf refuses an unknown filter: an empty result for a misspelt one would look like good news.
func oneOf(flag, typed string, known []string) error {
	if typed == "" || slices.Contains(known, typed) {
		return nil
	}
	return fmt.Errorf("%s %q: use one of %s", flag, typed, strings.Join(known, ", "))
}

// spelled are words of the vocabulary as a person types them.
func spelled[Word ~string](words []Word) []string {
	typed := make([]string, len(words))
	for i, word := range words {
		typed[i] = string(word)
	}
	return typed
}

// pause waits until it is worth asking the hub again; false means that the person has stopped. The socket has no call that waits for news:
// half a second feels immediate and costs a hub nothing.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(500 * time.Millisecond):
		return true
	}
}

// parseSince reads a time, a day or a duration before now. "" is the beginning.
func parseSince(typed string, now time.Time) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, typed); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, typed, time.Local); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(typed); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("--since %q is not a time (2026-01-02T15:04:05Z), a day (2026-01-02) or an age (2h)", typed)
}

func (p *page) record(r vocab.Record, shown string) {
	about := terminal.Server("", legible.ShortName(shown, legible.MaxShownName+legible.MarkLength))
	if r.Tool != "" {
		about += "/" + terminal.Tool(r.Tool, 40)
	}
	what := terminal.Short(r.Summary, 120)
	if named := r.Named(); named != "" {
		what = strings.TrimSpace(terminal.Short(named, 120) + "  " + what)
	}
	p.Printf("%s  %-15s %s %-20s %s  %s\n", r.Time.UTC().Format("2006-01-02 15:04:05.000"), terminal.Text(string(r.Kind)), p.status(r.Status), orDash(about),
		what, p.Paint(terminal.Dim, terminal.Text(r.ID)))
}

func (p *page) status(status vocab.Status) string {
	word := fmt.Sprintf("%-7s", terminal.Text(string(status)))
	switch status {
	case vocab.StatusOK:
		return p.Paint(terminal.Green, word)
	case vocab.StatusBlocked, vocab.StatusHeld, vocab.StatusError:
		return p.Paint(terminal.Red, word)
	default:
		return p.Paint(terminal.Yellow, word)
	}
}

type activityShowCommand struct {
	jsonFlag
	ID string `arg:"" help:"ID of the record, as printed by the list."`
}

func (c activityShowCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	r, err := control.AskRecord(ctx, hub, c.ID)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, r, func(p *page) { p.wholeRecord(r) })
}

func (p *page) wholeRecord(r vocab.Record) {
	line := func(name, value string) {
		if value != "" {
			p.Printf("%-9s %s\n", name, terminal.Short(value, 4096))
		}
	}
	line("id", r.ID)
	line("time", r.Time.UTC().Format(time.RFC3339Nano))
	line("kind", string(r.Kind))
	line("status", string(r.Status))
	line("server", r.Server)
	line("of", r.ServerID)
	line("tool", r.Tool)
	line("item", r.Code)
	line("mode", r.Mode)
	line("what", r.Summary)
	if v := r.Violation(); v != nil {
		wrong := v.Message
		if v.More > 0 {
			wrong += fmt.Sprintf(" (and %d more)", v.More)
		}
		line("wrong", wrong)
		line("in", cmp.Or(v.Instance, "the whole content"))
		line("by", strings.TrimSpace(v.Keyword+" "+v.Schema))
	}
	line("client", r.Client)
	line("session", r.Session)
	line("request", r.Request)
	if r.DurationUS > 0 {
		line("took", (time.Duration(r.DurationUS) * time.Microsecond).String())
	}
	if r.Bytes > 0 {
		line("bytes", fmt.Sprint(r.Bytes))
	}
	line("before", r.Prev)
	line("hash", r.Hash)
	detail, payload := vocab.SplitPayload(r.Detail)
	if len(detail) > 0 && string(detail) != "null" {
		p.Printf("detail\n")
		p.QuoteJSON("  ", detail)
	}
	if payload != nil {
		p.payload(payload)
	}
}

// payload prints the texts that the record of a call keeps.
func (p *page) payload(kept *vocab.Payload) {
	for _, text := range []struct{ name, of string }{{"arguments", kept.Arguments}, {"response", kept.Response}} {
		size, cut := kept.Cut[text.name]
		left, out := kept.LeftOut[text.name]
		switch {
		case out:
			p.Printf("%s: not kept, it has at least %s\n", text.name, terminal.Counted(left, "byte"))
		case cut:
			p.Printf("%s (the beginning; %s in all, secrets masked)\n", text.name, terminal.Counted(size, "byte"))
		case text.of != "":
			p.Printf("%s (secrets masked)\n", text.name)
		}
		if text.of != "" {
			p.QuoteJSON("  ", json.RawMessage(text.of))
		}
	}
}

type activityVerifyCommand struct {
	jsonFlag
	Export filePath `placeholder:"F" help:"Also check that the log still has the last record of this export (jsonl, without filters)."`
}

func (c activityVerifyCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	exported, err := c.exported()
	if err != nil {
		return exitFailed, err
	}
	v, err := control.AskVerify(ctx, hub)
	if err == nil && exported.ID != "" && v.Bad == "" {
		err = compareExported(ctx, hub, exported, &v)
	}
	if err != nil {
		return exitFailed, err
	}
	if c.JSON {
		if err := writeJSON(s.out, v); err != nil {
			return exitFailed, err
		}
	}
	if v.Bad != "" || v.Reason != "" {
		return exitFailed, errors.New(strings.TrimSpace("the first bad record is " + orDash(v.Bad) + ": " + v.Reason))
	}
	if c.JSON {
		return exitFine, nil
	}
	// Without a copy of the head elsewhere, a completely rewritten chain looks as good as the true one.
	claim := "internally consistent (without a second copy of the head, Sallyport can't tell whether the whole chain was rewritten)"
	switch {
	case v.Sealed && exported.ID != "":
		claim = "untouched (it has the last record of the export)"
	case v.Sealed:
		claim = "untouched (it has the head that was kept in the keychain)"
	}
	p := newPage(s)
	p.Hang("", "  ", terminal.Counted(v.Records, "record")+": "+claim)
	if !v.Sealed && v.Unsealed != "" {
		p.Hang("", "  ", "no second copy: "+terminal.Text(v.Unsealed))
	}
	p.Printf("head %s\n", terminal.Text(v.Head))
	return exitFine, nil
}
