package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// The queue against a plain slice: whatever is pushed and taken, order, counts and contents agree.
func TestAQueueKeepsOrderAndCount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q queue
	var model []string
	next := 0
	for range 20_000 {
		switch random.IntN(5) {
		case 0, 1:
			next++
			q.push(&entry{record: Record{ID: fmt.Sprint(next), Kind: []vocab.RecordKind{vocab.RecordCall, "drift"}[next%2]}})
			model = append(model, fmt.Sprint(next))
		case 2:
			next++
			q.push(&entry{record: Record{ID: fmt.Sprint(next), Kind: vocab.RecordCall}, receipt: &receipt{}})
			model = append(model, fmt.Sprint(next))
		case 3, 4:
			n := random.IntN(6)
			taken := q.take(nil, n)
			for i, e := range taken {
				if e.record.ID != model[i] {
					t.Fatalf("took %s, want %s", e.record.ID, model[i])
				}
			}
			if len(taken) != min(n, len(model)) {
				t.Fatalf("took %d of %d, wanted %d", len(taken), len(model), n)
			}
			model = model[len(taken):]
		}
		calls, free := 0, 0
		for i, e := range q.waiting() {
			if e.record.ID != model[i] {
				t.Fatalf("%s waits at %d, want %s", e.record.ID, i, model[i])
			}
			if e.receipt == nil {
				free++
				if e.record.Kind == vocab.RecordCall {
					calls++
				}
			}
		}
		if q.len() != len(model) || q.calls != calls || q.free != free {
			t.Fatalf("len %d, calls %d, free %d; want %d, %d, %d", q.len(), q.calls, q.free, len(model), calls, free)
		}
	}
}

func TestReliefTakesTheOldestCallsAndNothingElse(t *testing.T) {
	var q queue
	for i := range queueLimit + 1 {
		q.push(&entry{record: Record{ID: fmt.Sprint(i), Kind: vocab.RecordCall}})
		if i == 0 || i == queueLimit/2 {
			q.push(&entry{record: Record{ID: fmt.Sprint("drift", i), Kind: "drift"}})
			q.push(&entry{record: Record{ID: "awaited", Kind: vocab.RecordCall}, receipt: &receipt{}})
		}
	}
	if dropped := q.relieve(); dropped != queueLimit/2 {
		t.Errorf("%d dropped", dropped)
	}
	var first []string
	for _, e := range q.waiting()[:5] {
		first = append(first, e.record.ID)
	}
	want := fmt.Sprint([]string{"drift0", "awaited", fmt.Sprint(queueLimit / 2), fmt.Sprint("drift", queueLimit/2), "awaited"})
	if got := fmt.Sprint(first); got != want {
		t.Errorf("left %s, want %s", got, want)
	}
	if again := q.relieve(); again != 0 {
		t.Errorf("%d dropped again", again)
	}
}

func TestEveryKindOfTrafficGoesBeforeAnythingElse(t *testing.T) {
	kinds := []vocab.RecordKind{vocab.RecordCall, "resource_read", "prompt_get", "sampling", "elicitation"}
	var q queue
	for i := range queueLimit + 1 {
		q.push(&entry{record: Record{ID: fmt.Sprint(i), Kind: kinds[i%len(kinds)]}})
	}
	q.push(&entry{record: Record{Kind: "drift"}})
	if dropped := q.relieve(); dropped != queueLimit/2 {
		t.Errorf("%d dropped", dropped)
	}
}
