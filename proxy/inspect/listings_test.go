package inspect

import (
	"fmt"
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
