package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// The figures are between these lines of the page.
const (
	beginMark = "<!-- eval:begin -->\n"
	endMark   = "<!-- eval:end -->\n"
)

// overt are tools that openly say what harm they do: the question is whether one wants them, not whether they hide orders.
const overt = "cisco-mcp-scanner-overt"

// share counts rows, those that are at least flagged, and those that are blocked.
type share struct{ rows, flagged, blocked int }

func (s *share) add(v inspect.Verdict) {
	s.rows++
	if v != inspect.Clean {
		s.flagged++
	}
	if v == inspect.Block {
		s.blocked++
	}
}

func (s share) line(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %s |\n", name, s.rows, percent(s.flagged, s.rows), percent(s.blocked, s.rows))
}

// beside is a line with the figures of the version before.
func (s share) beside(name string, before map[string][2]string) string {
	flagged, blocked := "–", "–"
	if old, ok := before[name]; ok {
		flagged, blocked = old[0], old[1]
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s |\n", name, s.rows, percent(s.flagged, s.rows), flagged, percent(s.blocked, s.rows), blocked)
}

// previousPage has the tables of families as the version before this one had them.
//
//go:embed previous.md
var previousPage string

// previous are the figures, flagged and blocked, of a table of the version before.
func previous(title string) map[string][2]string {
	figures := map[string][2]string{}
	_, table, _ := strings.Cut(previousPage, "**"+title+"**")
	table, _, _ = strings.Cut(table, "\n**")
	for line := range strings.SplitSeq(table, "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			figures[strings.TrimPrefix(cells[0], "| ")] = [2]string{cells[2], strings.TrimSuffix(cells[3], " |")}
		}
	}
	return figures
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

func (c *corpus) share(want func(*row) bool) (s share) {
	for i := range c.rows {
		if want(&c.rows[i]) {
			s.add(c.rows[i].Verdict)
		}
	}
	return s
}

// titles are the page's names for the files.
var titles = map[string]string{
	"metadata_malicious": "Definitions that attack", "metadata_benign": "Honest definitions",
	"responses_malicious": "Responses that attack", "responses_benign": "Honest responses",
}

func report(all []*corpus) string {
	var out strings.Builder
	fmt.Fprint(&out, "Measured with `make eval` on the development corpora. “Flagged” counts what is blocked too. Each row is judged by a second vote that was fitted without any row of its source. Behind each figure is that of the version before.\n")
	for _, c := range all {
		before := previous(titles[c.name])
		fmt.Fprintf(&out, "\n**%s**\n\n| family | rows | flagged | before | blocked | before |\n|---|---|---|---|---|---|\n", titles[c.name])
		if c.malicious {
			fmt.Fprint(&out, c.share(func(r *row) bool { return r.Family != overt && !r.commonplace() }).beside("all that do not say “ignore previous …”", before))
			fmt.Fprint(&out, c.share(func(r *row) bool { return r.Family != overt }).beside("all", before))
		} else {
			fmt.Fprint(&out, c.share(func(r *row) bool { return r.Hard == nil }).beside("all ordinary ones", before))
			fmt.Fprint(&out, c.share(func(r *row) bool { return r.Hard != nil }).beside("all that quote attacks, or look like them", before))
		}
		families := map[string]bool{}
		for _, r := range c.rows {
			families[r.Family] = true
		}
		for _, f := range slices.Sorted(maps.Keys(families)) {
			name := f
			if f == overt {
				name += " (not counted above)"
			}
			fmt.Fprint(&out, c.share(func(r *row) bool { return r.Family == f }).beside(name, before))
		}
	}
	sweep(&out, all)
	passages(&out, all)
	standing(&out, all)
	sessions(&out, all)
	vote(&out, all)
	return out.String()
}

// sweep shows the effect of other thresholds.
func sweep(out io.Writer, all []*corpus) {
	fmt.Fprint(out, "\n**What other thresholds would reach**\n\n| score | definitions that attack | honest definitions, ordinary | … that quote | responses that attack | honest responses, ordinary | … that quote |\n|---|---|---|---|---|---|---|\n")
	for _, score := range []float64{1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7} {
		fmt.Fprintf(out, "| %.1f |", score)
		for _, c := range all {
			kinds := []func(*row) bool{func(r *row) bool { return r.Hard == nil && r.Family != overt }}
			if !c.malicious {
				kinds = append(kinds, func(r *row) bool { return r.Hard != nil })
			}
			for _, kind := range kinds {
				n, of := 0, 0
				for i := range c.rows {
					if r := &c.rows[i]; kind(r) {
						of++
						if r.Score >= score {
							n++
						}
					}
				}
				fmt.Fprintf(out, " %s |", percent(n, of))
			}
		}
		fmt.Fprintln(out)
	}
}

// list prints rows with their findings.
func list(out io.Writer, all []*corpus, want string) error {
	file, rest, _ := strings.Cut(want, ":")
	end := strings.LastIndexByte(rest, ':')
	if end < 0 {
		return fmt.Errorf("-show %s: not FILE:FAMILY:VERDICT", want)
	}
	family, verdict := rest[:end], inspect.Verdict(rest[end+1:])
	for _, r := range named(all, file).rows {
		if r.Verdict != verdict || family != "" && r.Family != family {
			continue
		}
		fmt.Fprintf(out, "%s %.1f", r.ID, r.Score)
		for _, f := range r.Findings {
			fmt.Fprintf(out, " %s(%q)", f.Rule, f.Match)
		}
		text := r.Text + string(r.Tool)
		fmt.Fprintf(out, "\n    %q\n", text[:min(len(text), 700)])
	}
	return nil
}

// insert puts text between the markers of a page.
func insert(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read page: %w", err)
	}
	head, rest, ok := bytes.Cut(old, []byte(beginMark))
	_, tail, ended := bytes.Cut(rest, []byte(endMark))
	if !ok || !ended {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	if err := os.WriteFile(path, slices.Concat(head, []byte(beginMark+"\n"+text+"\n"+endMark), tail), 0o644); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// passages reports how many warnings a person sees for the findings in malicious definitions.
func passages(out io.Writer, all []*corpus) {
	c := named(all, "metadata_malicious")
	findings, folded, mostFindings, mostFolded := 0, 0, 0, 0
	for i := range c.rows {
		loud := slices.DeleteFunc(slices.Clone(c.rows[i].Findings), func(f inspect.Finding) bool { return f.Level == inspect.Low })
		in, of := len(loud), inspect.Warnings(inspect.Passages(c.rows[i].Findings))
		findings, folded = findings+in, folded+of
		mostFindings, mostFolded = max(mostFindings, in), max(mostFolded, of)
	}
	fmt.Fprintf(out, "\n**What a person reads of it**\n\nThe %s findings in %s definitions that attack are %s warnings, one for each passage of text: at most %d a definition, where there are up to %d findings.\n",
		thousands(findings), thousands(len(c.rows)), thousands(folded), mostFolded, mostFindings)
}

// standing reports what a person's standing rule (inspect.descriptions) does to definitions. It goes by words alone, so it is dear.
func standing(out io.Writer, all []*corpus) {
	fmt.Fprint(out, "\n**Under `inspect.descriptions`**\n\n| | definitions | `redact`: words replaced | left out | `block`: words replaced | left out |\n|---|---|---|---|---|---|\n")
	count := func(name, title string, want func(*row) bool) {
		rows := 0
		var replaced, withheld [2]int
		c := named(all, name)
		for i := range c.rows {
			if r := &c.rows[i]; r.Tool != nil && want(r) {
				rows++
				for n, block := range []bool{false, true} {
					switch s := (*inspect.RuleFile)(nil).Stand(r.Tool, block, nil); {
					case s.Withheld:
						withheld[n]++
					case s.Level != "":
						replaced[n]++
					}
				}
			}
		}
		fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %s |\n", title, rows, percent(replaced[0], rows), percent(withheld[0], rows), percent(replaced[1], rows), percent(withheld[1], rows))
	}
	count("metadata_benign", "honest, ordinary", func(r *row) bool { return r.Hard == nil })
	count("metadata_benign", "honest, that quote attacks, or look like them", func(r *row) bool { return r.Hard != nil })
	count("metadata_malicious", "that attack", func(r *row) bool { return r.Family != overt })
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// vote shows what the second vote adds to the rules alone.
func vote(out io.Writer, all []*corpus) {
	fmt.Fprintf(out, "\n**The second vote**\n\nFitted to the corpora, to text made from them and to %s texts made here, in %d groups of sources, each left out once.\n\n| | rows | flagged by the rules alone | with the vote | blocked by the rules alone | with the vote |\n|---|---|---|---|---|---|\n", thousands(len(samples())), folds)
	line := func(c *corpus, name string, want func(*row) bool) {
		var alone, with share
		for i := range c.rows {
			if r := &c.rows[i]; want(r) {
				alone.add(r.alone.Verdict)
				with.add(r.Verdict)
			}
		}
		fmt.Fprintf(out, "| %s | %d | %s | %s | %s | %s |\n", titles[c.name]+name, with.rows, percent(alone.flagged, with.rows), percent(with.flagged, with.rows), percent(alone.blocked, with.rows), percent(with.blocked, with.rows))
	}
	for _, c := range all {
		if c.malicious {
			line(c, "", func(r *row) bool { return r.Family != overt })
			line(c, " that do not say “ignore previous …”", func(r *row) bool { return r.Family != overt && !r.commonplace() })
			line(c, ", collected ones", func(r *row) bool { return r.Family != overt && !composed(r) })
		} else {
			line(c, ", ordinary", func(r *row) bool { return r.Hard == nil })
			line(c, " that quote attacks, or look like them", func(r *row) bool { return r.Hard != nil })
		}
	}
}
