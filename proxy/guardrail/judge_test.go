package guardrail

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// A provided is a Provider that is a function.
type provided func(context.Context, Request) (Answer, error)

func (p provided) Ask(ctx context.Context, r Request) (Answer, error) { return p(ctx, r) }
func (provided) Close()                                               {}

func TestTheGravestPieceCounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		want   vocab.Vote
		fails  bool
		asked  int
	}{
		{"nothing to judge", nil, vocab.VoteAllow, false, 0},
		{"harmless", []string{"a", "b", "c"}, vocab.VoteAllow, false, 3},
		{"one odd", []string{"a", "odd", "c"}, vocab.VoteFlag, false, 3},
		{"an attack ends it", []string{"odd", "attack", "c", "fail"}, vocab.VoteBlock, false, 2},
		{"one fails", []string{"a", "fail", "attack"}, vocab.VoteAllow, true, 2},
		{"one fails after another was odd", []string{"odd", "fail", "c"}, vocab.VoteFlag, true, 2},
		{"the first fails", []string{"fail"}, "", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := map[string]bool{}
			p := provided(func(_ context.Context, r Request) (Answer, error) {
				ids[r.ID] = true
				if r.Text != c.pieces[len(ids)-1] || r.Server != "mail" || r.Tool != "read" || r.Kind != vocab.TextMetadata {
					t.Errorf("asked %+v", r)
				}
				if r.Text == "fail" {
					return Answer{}, errTime
				}
				return judged(&r), nil
			})
			a, err := Judge(context.Background(), p, Request{Kind: vocab.TextMetadata, Server: "mail", Tool: "read"}, c.pieces)
			if a.Verdict != c.want || (err != nil) != c.fails || len(ids) != c.asked {
				t.Errorf("%+v, %v, asked with %d ids", a, err, len(ids))
			}
		})
	}
}

// An awaited provider answers when four pieces wait for it, and those after the first four at once.
type awaited struct {
	provided
	waiting atomic.Int64
	four    chan struct{}
}

func (*awaited) width() int { return 4 }

func (a *awaited) Ask(ctx context.Context, r Request) (Answer, error) {
	if a.waiting.Add(1) == 4 {
		close(a.four)
	}
	select {
	case <-a.four:
	case <-ctx.Done():
		return Answer{}, ended(ctx, errTime)
	}
	return a.provided(ctx, r)
}

func TestAServiceJudgesSeveralPiecesAtOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		want   vocab.Vote
		fails  bool
	}{
		{"harmless", slices.Repeat([]string{"a"}, MaxPieces), vocab.VoteAllow, false},
		{"one is odd", []string{"a", "b", "c", "d", "e", "odd", "f"}, vocab.VoteFlag, false},
		{"an attack beside a failure, in any order", []string{"fail", "attack", "c", "d", "e"}, vocab.VoteBlock, false},
		{"one fails beside an odd one", []string{"a", "fail", "odd", "d"}, vocab.VoteFlag, true},
		{"an attack calls the others off", []string{"attack", "wait", "wait", "wait"}, vocab.VoteBlock, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &awaited{four: make(chan struct{}), provided: func(ctx context.Context, r Request) (Answer, error) {
				switch r.Text {
				case "fail":
					return Answer{}, errTime
				case "wait":
					<-ctx.Done()
					return Answer{}, ended(ctx, errTime)
				}
				return judged(&r), nil
			}}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			got, err := Judge(ctx, NewBreaker(a, nil), Request{}, c.pieces)
			if got.Verdict != c.want || (err != nil) != c.fails {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestAPieceHasTheTimeOfAll(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	var first time.Duration
	p := provided(func(_ context.Context, r Request) (Answer, error) {
		if first == 0 {
			first = r.Patience
		}
		if r.Patience != first || r.Patience > time.Hour || r.Patience < 59*time.Minute {
			t.Errorf("patience %v", r.Patience)
		}
		return judged(&r), nil
	})
	if _, err := Judge(ctx, p, Request{}, []string{"a", "b"}); err != nil {
		t.Error(err)
	}
}

func TestPiecesHoldTheWholeTextOrSayNo(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  []string
		pieces int
		whole  bool
	}{
		{"nothing", nil, 0, true},
		{"empty strings", []string{"", ""}, 0, true},
		{"some empty strings", []string{"", "one", "", "two", ""}, 1, true},
		{"some strings", []string{"one", "two"}, 1, true},
		{"one full piece", []string{strings.Repeat("x", PieceSize)}, 1, true},
		{"a byte more", []string{strings.Repeat("x", PieceSize+1)}, 2, true},
		{"wide characters", []string{strings.Repeat("€", PieceSize)}, 4, true},
		{"as much as there is room for", []string{strings.Repeat("x", maxText)}, MaxPieces, true},
		{"a byte too much", []string{strings.Repeat("x", maxText+1)}, MaxPieces, false},
		{"far too much", slices.Repeat([]string{strings.Repeat("x", 1<<20)}, 10), MaxPieces, false},
		{"no character at all", []string{strings.Repeat("\x80", 2*PieceSize)}, 1, true}, // a row of invalid bytes is one U+FFFD
	} {
		pieces, whole := Pieces(slices.Values(c.texts))
		if len(pieces) != c.pieces || whole != c.whole {
			t.Errorf("%s: %d pieces, whole %v", c.name, len(pieces), whole)
		}
		if whole {
			rebuilt(t, pieces, joined(c.texts))
		}
	}
}

// joined is the text that pieces are cut from.
func joined(texts []string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.Join(texts, "\n")
}

// rebuilt checks the pieces of a text.
func rebuilt(t *testing.T, pieces []string, text string) {
	t.Helper()
	at := 0
	for i, piece := range pieces {
		if !utf8.ValidString(piece) || len(piece) > PieceSize {
			t.Errorf("piece %d has %d bytes", i, len(piece))
		}
		if i > 0 {
			if at -= PieceOverlap; !utf8.RuneStart(text[at]) {
				for ; !utf8.RuneStart(text[at]); at-- {
				}
			}
		}
		if !strings.HasPrefix(text[at:], piece) {
			t.Fatalf("piece %d is not what follows", i)
		}
		at += len(piece)
	}
	if at != len(text) {
		t.Errorf("%d of %d bytes", at, len(text))
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("a", "€\xff", 20000)
	f.Add("\x80", "", 3)
	f.Fuzz(func(t *testing.T, a, b string, times int) {
		times = max(0, min(times, 4*PieceSize/(len(a)+1)))
		texts := []string{strings.Repeat(a, times), b}
		pieces, whole := Pieces(slices.Values(texts))
		if !whole {
			t.Fatal("there was room")
		}
		rebuilt(t, pieces, joined(texts))
	})
}
