package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Listings of many rows, as servers of mail, contacts and files send them: what repeats in them must not add up to an order, in any way of reading.
func TestLongListingsAreNoOrders(t *testing.T) {
	for name, row := range map[string]func(n int) string{
		"contacts":    func(n int) string { return fmt.Sprintf(`{"mail": "p%d@many%[1]d.example"}, `, n) },
		"a mailbox":   func(n int) string { return fmt.Sprintf(`{"from": "p%d@many%[1]d.example", "subject": "Hello"}, `, n) },
		"people":      func(n int) string { return fmt.Sprintf("person%d@company%[1]d.com\n", n) },
		"songs":       func(n int) string { return fmt.Sprintf("track%d of the band.mp3\n", n) },
		"pods":        func(n int) string { return fmt.Sprintf("k3s-web3-x%d 1/1 Running 0 %dd node w%[1]d3\n", n, n%90) },
		"users":       func(n int) string { return fmt.Sprintf("user%d (dev3, ops3) joined room%d3\n", n, n%70) },
		"assignments": func(n int) string { return fmt.Sprintf("P3 ticket%d v3 owner u%[1]d3\n", n) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, rows := range []int{10, 100, 1000} {
				var text strings.Builder
				for n := range rows {
					text.WriteString(row(n))
				}
				answers := [][]byte{textAnswer(text.String())}
				if text.String()[0] == '{' {
					answers = append(answers, []byte(`{"structuredContent":{"rows":[`+strings.TrimSuffix(text.String(), ", ")+`]}}`))
				}
				for _, answer := range answers {
					if got := new(Watch).Answer(answer, Terms{}); got.Verdict != Clean {
						t.Errorf("%d rows: %s, %v", rows, got.Verdict, got.Findings[:1])
					}
				}
			}
		})
	}
}

// However long a text is, whoever holds it says why: of many places that read like an order, those that are kept are not all near the first ones.
func TestALongTextThatIsNotCleanSaysWhy(t *testing.T) {
	filler := strings.Repeat("The river rose slowly in the spring of that year. ", 24)
	var orders []string
	for line := range strings.Lines(plainAttacks) {
		if judged := Weigh([]Part{{Text: line}}, Answer); judged.Verdict != Clean && len(judged.Findings) == 1 && judged.Findings[0].Rule == CheckNgram {
			orders = append(orders, strings.TrimSpace(line))
		}
	}
	weight := func(order string) float64 { return Weigh([]Part{{Text: order}}, Answer).Score }
	slices.SortFunc(orders, func(a, b string) int { return cmp.Compare(weight(a), weight(b)) }) // the heaviest last
	if len(orders) < 20 {
		t.Fatalf("%d orders that the second vote alone finds", len(orders))
	}
	light, heavy := orders[:len(orders)/2], orders[len(orders)/2:]
	orders = slices.Concat(light, light, light, heavy)
	got := Weigh([]Part{{Text: strings.Join(orders, "\n"+filler+"\n")}}, Answer)
	if got.Verdict == Clean || Worst(got.Findings).Rank() < Medium.Rank() {
		t.Errorf("%s: %+v", got.Verdict, got.Findings)
	}
}
