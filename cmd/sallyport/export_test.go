package main

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestNoSpreadsheetTakesACellForAFormula(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"weather", "weather"}, {"a=b", "a=b"},
		{`=HYPERLINK("x")`, `'=HYPERLINK("x")`}, {"+1", "'+1"}, {"-1", "'-1"}, {"@SUM(1)", "'@SUM(1)"},
		{"\t=1", "'\t=1"}, {"\r\n=1", "'\r\n=1"}, {"＝1", "'＝1"},
		{"\x1b[31m", `\x1b[31m`}, {" =1", "' =1"}, {"\u00a0=1", "'<U+00A0 NO-BREAK SPACE>=1"},
	} {
		if got := cell(c.in); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestACSVRowHasAColumnForEachName(t *testing.T) {
	var out bytes.Buffer
	write, err := csvLines(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(vocab.Record{ID: "1", Tool: "=1+1", Summary: "two\nlines, \"quoted\""}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) || strings.Join(rows[0], " ") != strings.Join(csvHeader, " ") {
		t.Fatalf("rows %q, error %v", rows, err)
	}
	if rows[1][5] != "'=1+1" || rows[1][8] != "two\nlines, \"quoted\"" {
		t.Errorf("row %q", rows[1])
	}
}
