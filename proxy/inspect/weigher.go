package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// placer returns the place of a text. It is only called for findings: a path is as long as the server makes it.
type placer interface{ at() string }

// minText is the shortest text that can contain anything.
const minText = 5

// weigher takes texts that belong together one by one.
type weigher struct {
	Judged
	of     *rules.Set
	place  Place
	except map[string]Level // rules that carry no weight, up to a level
	plain  *rules.Matcher   // for the texts as they are, in order
	under  *rules.Matcher   // for one view at a time
	apart  *rules.Matcher   // for texts that were joined, each by itself; made when it is needed
	found  []rules.Match
	passed []string  // excepted rules that matched
	all    float64   // the score including them
	hidden []Finding // hidden characters with weight
	light  []Finding // matches without weight
	grave  bool      // only rules that the catalogue calls High or Critical are reported
	cut    bool      // there were more of them than are reported
	worst  int       // rank of the most serious finding
	cues   []cue     // what the second vote takes for orders
	votes  bool      // it is asked
	model  string    // its weights
	voter  voter
	tells  func(f Field) // nil if nobody listens
	number func(literal string)
	latest int    // where its last match is in found, plus 1
	where  string // the path of the current text
	placed bool   // where is set
	offset int    // where the next text begins, over all texts
	stream int    // the same, over the folded texts
	joint  joint
	end    *ending // how it ended
	names  [64]harmless
	voice  voice
	blobs  blobs
	value  reading
	asIs   decode.View // the current text
	makeup decode.Makeup

	secret  secrets.Look
	seek    secretReader // for texts searched only for secrets
	within  bool         // for what is under an encoding, under which nothing is sought any more
	decodes bool         // secrets are also sought under encodings
	secrets []Finding
	member  named          // the name of the current member
	said    map[int]string // keys of paths without their secrets, by where they begin
}

func newWeigher(c *rules.Set, place Place) *weigher {
	w, _ := c.Weighers.Get().(*weigher)
	if w == nil {
		w = &weigher{of: c, plain: c.Matcher(), under: c.Matcher()}
		w.number = func(literal string) {
			w.value.ways = w.value.ways[:0]
			w.tells(Field{Member: w.value.member(), Text: literal, Number: true, in: &w.value})
		}
	}
	w.Judged = Judged{Whole: true, Verdict: Clean}
	w.place, w.except, w.found, w.passed, w.hidden, w.light = place, nil, w.found[:0], nil, nil, nil
	w.grave, w.cut = false, false
	w.all, w.worst, w.offset, w.stream = 0, 0, 0, 0
	w.cues, w.votes, w.model, w.latest = w.cues[:0], true, ngramModel, 0
	w.joint.begin()
	w.blobs, w.voice = blobs{}, voice{}
	w.secrets, w.said, w.member, w.secret.On, w.plain.Seeks, w.decodes = nil, nil, named{}, false, false, false
	w.plain.Begin()
	return w
}

// add reads one text in every way. v is its first view if that is not the text itself: the content of a blob. The caller can reuse the
// text afterwards.
func (w *weigher) add(text string, v *decode.View, where placer) {
	if w.placed = false; len(text) < minText {
		return
	}
	if w.place == Metadata { // the texts of a definition are independent
		w.plain.Begin()
	}
	if v == nil {
		v = &w.asIs
		*v = decode.View{Text: text}
	}
	if mayBeOurs(v) {
		w.voice.hear(v, where)
	}
	if v.Simple() {
		w.look(text, v, where)
		w.way(v)
	} else {
		w.views(text, v, where)
	}
	if turned := w.plain.Turned; turned != [2]int{} {
		var known spans
		for _, other := range decode.Turned(v, turned) {
			known = w.beneath(text, decode.Fold(other), where, known)
		}
	}
	w.offset += len(text) + 1
}

// short handles a text too short for a match of its own: a sentence cut into one word per text.
func (w *weigher) short(text string, where placer) {
	w.placed = false
	w.asIs = decode.View{Text: text}
	w.look(text, &w.asIs, where)
	w.offset += len(text) + 1
}

func (w *weigher) views(text string, v *decode.View, where placer) {
	others, whole := decode.Others(v)
	w.Whole = w.Whole && whole
	folded := decode.Fold(v)
	w.look(text, folded, where)
	w.way(folded)
	var known spans
	for _, other := range others {
		for _, near := range other.Near() {
			folded := decode.Fold(near)
			known = w.beneath(text, folded, where, known)
			w.way(folded)
		}
	}
	w.encoded(text, len(v.Chain), others, where)
	if w.place == Metadata || strings.Contains(v.Text, tagMark) || strings.Contains(v.Text, selectorMark) {
		w.characters(text, v, where)
	}
}

// way remembers a way to read the current text, if somebody listens.
func (w *weigher) way(v *decode.View) {
	if w.tells != nil {
		w.value.ways = append(w.value.ways, v.Text)
	}
}

// listen passes on what is read.
func (w *weigher) listen(heard func(f Field)) {
	if w.tells = heard; heard != nil {
		w.value.number = w.number
	}
}

// First bytes of tag characters and of both blocks of variation selectors: in a response no other hidden characters have weight of their
// own.
const (
	tagMark      = "\xf3\xa0"
	selectorMark = "\xef\xb8"
)

// characters weighs the hidden characters of a text. In a definition, Definition finds them too.
func (w *weigher) characters(text string, v *decode.View, where placer) {
	for _, f := range Text(v.Text, "") {
		weight := unseen(w.place, f.Level)
		if weight == 0 {
			continue
		}
		w.Score = max(w.Score, weight)
		if w.place == Answer && len(w.hidden) < maxFindings {
			f.Where = where.at()
			f.Start, f.End = v.Span(f.Start, f.End)
			f.Match = strings.Clone(cut.Runes(text[f.Start:f.End], maxMatch))
			w.hidden = append(w.hidden, f)
		}
	}
}

// look matches a text, folded, after those before it: a match can begin in one and end in the next.
func (w *weigher) look(text string, v *decode.View, where placer) {
	m := w.plain
	m.Match(v.Text, w.stream)
	for _, h := range m.Hits {
		start, end := v.Span(max(h.Start-w.stream, 0), h.End-w.stream)
		decoded := ""
		if len(v.Chain) > 0 {
			decoded = v.Text[max(h.Start-w.stream, 0) : h.End-w.stream]
		}
		joint := h.Start < 0
		if joint && !w.completed(h, m.Hits) {
			continue
		}
		w.reportJoint(joint, m, h, text, where, start, end, v.Chain, decoded)
		if h.Start < w.stream && !m.Rules[h.Rule].Floor {
			w.found[len(w.found)-1].Start -= w.stream - h.Start
		}
	}
	if w.joint.on && len(m.Hits) > 0 {
		w.joint.remember(m.Hits)
	}
	if m.Began || readsAsProse(v) {
		w.vote(text, v, where)
	}
	m.Hits = m.Hits[:0]
	w.stream += len(v.Text) + 1
	if m.Seeks && (len(m.Places) > 0 || w.member.kind > 0 || w.secret.Strict || w.decodes) && (len(v.Chain) == 0 || v.Chain[0] != decode.ContentEncoding) {
		w.hold(m, text, v, where)
	}
}

// spans are the places of matches in views of one text, by rule.
type spans map[int32][][2]int

// beneath matches one view of a text, except where it equals the text itself, which was matched before.
func (w *weigher) beneath(text string, v *decode.View, where placer, known spans) spans {
	m := w.under
	m.Begin()
	m.Match(v.Text, 0)
	var fresh spans
	for _, h := range m.Hits {
		if v.Parts != nil && v.Same(h.Start, h.End) {
			continue
		}
		start, end := v.Span(h.Start, h.End)
		if known.have(h.Rule, start, end) {
			continue
		}
		if fresh == nil {
			fresh = spans{}
		}
		fresh[h.Rule] = append(fresh[h.Rule], [2]int{start, end})
		w.report(m, h, text, where, start, end, v.Chain, v.Text[h.Start:h.End])
	}
	if m.Began || readsAsProse(v) {
		w.vote(text, v, where)
	}
	if known == nil && fresh != nil {
		known = spans{}
	}
	for r, list := range fresh {
		known[r] = append(known[r], list...)
		slices.SortFunc(known[r], func(a, b [2]int) int { return a[0] - b[0] })
	}
	return known
}

// have reports whether a rule already matched at a place. Spans of one rule hardly overlap, so checking the neighbours is enough.
func (s spans) have(rule int32, start, end int) bool {
	list := s[rule]
	at, _ := slices.BinarySearchFunc(list, start, func(a [2]int, start int) int { return a[0] - start })
	return at < len(list) && list[at][0] < end || at > 0 && list[at-1][1] > start
}

// report weighs a match and returns its finding, nil if it has no weight or is not reported.
func (w *weigher) report(m *rules.Matcher, h rules.Hit, text string, where placer, start, end int, chain []string, decoded string) *Finding {
	if m.Rules[h.Rule].Floor {
		w.takeLight(m, h, text, where, start, end, chain, decoded)
		return nil
	}
	return w.take(m, h, text, where, start, end, chain, decoded)
}

// take weighs a match, and reports it unless its rule is excepted or there are too many.
func (w *weigher) take(m *rules.Matcher, h rules.Hit, text string, where placer, start, end int, chain []string, decoded string) *Finding {
	r := &m.Rules[h.Rule]
	weight := r.Definition
	if w.place == Answer {
		weight = r.Answer
	}
	if h.Orders {
		weight += rules.OrderWeight
	}
	if h.Named && w.place == Answer {
		weight -= rules.NamedWeight
	}
	if encoded(chain) {
		weight *= rules.EncodedWeight
	}
	level, excepted := w.except[r.Name]
	excepted = excepted && r.Level != Critical && r.Level.Rank() <= level.Rank()
	w.found = append(w.found, rules.Match{Start: w.offset + start, Rule: h.Rule, Weight: float32(weight), Silent: excepted})
	if excepted {
		if !slices.Contains(w.passed, r.Name) {
			w.passed = append(w.passed, r.Name)
		}
		return nil
	}
	switch {
	case w.grave && !isGrave(r):
		return nil
	case len(w.Findings) >= maxAllFindings && r.Level.Rank() <= w.worst:
		w.cut = true
		return nil // endless output must not hide the worst of it
	}
	w.worst = max(w.worst, r.Level.Rank())
	w.Findings = append(w.Findings, w.finding(m, h, text, where, start, end, chain, decoded))
	return &w.Findings[len(w.Findings)-1]
}

// isGrave reports whether the catalogue calls a rule High or Critical.
func isGrave(r *rules.Rule) bool { return cmp.Or(r.Catalogue, r.Level).Rank() >= High.Rank() }

// finding describes a match.
func (w *weigher) finding(m *rules.Matcher, h rules.Hit, text string, where placer, start, end int, chain []string, decoded string) Finding {
	r := &m.Rules[h.Rule]
	f := Finding{
		Rule: r.Name, Level: r.Level, Catalogue: r.Catalogue, Category: "threat", Title: r.Title, Where: w.path(where), Start: start, End: end,
		Match: strings.Clone(cut.Runes(text[start:end], maxMatch)),
	}
	if len(chain) > 0 {
		f.Decoded, f.Encodings = strings.Clone(cut.Bytes(decoded, maxDecoded)), chain
	}
	if len(chain) > 0 && chain[0] == joinedEncoding || h.Start < w.stream && m == w.plain {
		f.Title += ", in pieces"
	}
	return f
}

// path is the place of the current text, built once.
func (w *weigher) path(where placer) string {
	if !w.placed {
		w.where, w.placed = where.at(), true
	}
	return w.where
}

// done computes the result. Nothing can be added after it.
func (w *weigher) done() {
	loud, ruled, all, heavy := rules.Score(w.plain.Rules, w.found, flagScore)
	ruled = max(w.Score, ruled)
	w.all = max(w.Score, all)
	w.Score = max(w.Score, loud)
	w.Verdict = verdictOf(w.Score)
	w.settle()
	if verdictOf(ruled) != w.Verdict {
		w.decided(heavy)
	}
	w.lighten()
}

// heard adds imitations of Sallyport to the result: they block, whatever the score.
func (w *weigher) heard() {
	if len(w.voice.found) > 0 {
		w.Verdict = Block
		w.Findings = append(w.Findings, w.voice.found...)
	}
}

// release returns the weigher to the pool. Don't use it afterwards.
func (w *weigher) release() {
	w.plain.Release()
	w.secret.Release()
	clear(w.cues)
	w.Judged, w.except, w.value.raw, w.asIs = Judged{}, nil, nil, decode.View{}
	w.seek = secretReader{}
	w.tells, w.value.number = nil, nil
	clear(w.value.ways[:cap(w.value.ways)])
	w.of.Weighers.Put(w)
}

// cue is a stretch of text that the second vote takes for an order.
type cue struct {
	path, match string
	start, end  int // in the text at path
	at          int // in all texts together
	weight      float32
}

// proseBlanks is how many blanks are in the shortest order that is worth a vote.
const proseBlanks = 4

// readsAsProse reports whether a text could be an order in words of which none begins a phrase of a rule, such as those of most languages: it
// has several words, or letters of a script that may put no blanks between them.
func readsAsProse(v *decode.View) bool {
	if strings.Count(v.Text, " ") >= proseBlanks {
		return true
	}
	return len(v.Text) >= proseBlanks*4 && v.Holds()&decode.Wide != 0
}

// vote weighs what reads like an order in a view of a text.
func (w *weigher) vote(text string, v *decode.View, where placer) {
	if !w.votes || w.grave || len(w.model) != 2*NgramBuckets {
		return
	}
	w.voter.stretches(w.model[int(w.place)*NgramBuckets:][:NgramBuckets], v.Text, voteFrom, func(from, to int, sum float64) bool {
		if v.Parts != nil && len(v.Chain) > 0 && v.Same(from, to) {
			return true // read before, as it is
		}
		weight := float32(min(voteMost, voteWeight*(sum-voteFrom)))
		start, end := v.Span(from, to)
		excepted := w.except[CheckNgram].Rank() >= High.Rank()
		if excepted && !slices.Contains(w.passed, CheckNgram) {
			w.passed = append(w.passed, CheckNgram)
		}
		w.voted(rules.Match{Start: w.offset + start, Rule: rules.Vote, Weight: weight, Silent: excepted})
		if excepted {
			return true
		}
		if len(w.cues) == maxCues {
			least := 0
			for i := range w.cues {
				if w.cues[i].weight < w.cues[least].weight {
					least = i
				}
			}
			if w.cues[least].weight >= weight {
				return true
			}
			w.cues = slices.Delete(w.cues, least, least+1)
		}
		w.cues = append(w.cues, cue{w.path(where), strings.Clone(cut.Runes(text[start:end], maxMatch)), start, end, w.offset + start, weight})
		return true
	})
}

// voted takes up a match of the second vote. Of those near the one before, the heaviest counts: as many as a long text has would be too many.
func (w *weigher) voted(p rules.Match) {
	if w.latest > 0 {
		if before := &w.found[w.latest-1]; p.Start >= before.Start && p.Start-before.Start < rules.Together/4 {
			before.Weight = max(before.Weight, p.Weight)
			return
		}
	}
	w.found = append(w.found, p)
	w.latest = len(w.found)
}

// decided adds the finding of the second vote where the verdict is its doing. heavy are the first places that reach the score; of a long text, the
// heaviest cues can all be behind them.
func (w *weigher) decided(heavy []int) {
	heaviest := func(counts func(c *cue) bool) (best *cue) {
		for i := range w.cues {
			if c := &w.cues[i]; counts(c) && (best == nil || c.weight > best.weight) {
				best = c
			}
		}
		return best
	}
	best := heaviest(func(c *cue) bool {
		return slices.ContainsFunc(heavy, func(at int) bool { return c.at >= at && c.at-at <= rules.Together })
	})
	if best == nil {
		best = heaviest(func(*cue) bool { return true })
	}
	if best == nil {
		return
	}
	level := Medium
	if w.Verdict == Block {
		level = High
	}
	w.Findings = append(w.Findings, Finding{
		Rule: CheckNgram, Level: level, Category: "threat", Title: "It reads like an order to Claude", Where: best.path, Start: best.start, End: best.end, Match: best.match,
	})
}

func verdictOf(score float64) Verdict {
	switch {
	case score >= blockScore:
		return Block
	case score >= flagScore:
		return Flag
	}
	return Clean
}

// settle adjusts the levels of findings to the verdict: Critical and High are kept if the whole is blocked; if it is only flagged, they are
// Medium, and if it is clean, Low.
func (j *Judged) settle() {
	switch j.Verdict {
	case Clean:
		for i := range j.Findings {
			j.Findings[i].Level = Low
		}
	case Flag:
		for i := range j.Findings {
			if j.Findings[i].Level.Rank() > Medium.Rank() {
				j.Findings[i].Level = Medium
			}
		}
		j.atLeast(Medium)
	case Block:
		j.atLeast(High)
	}
}

// atLeast raises the first finding to a level if none has it.
func (j *Judged) atLeast(level Level) {
	if len(j.Findings) > 0 && Worst(j.Findings).Rank() < level.Rank() {
		j.Findings[0].Level = level
	}
}
