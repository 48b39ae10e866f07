package clientconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// writer makes up files of shapes that a fuzzer that changes bytes hardly finds.
type writer struct {
	*rand.Rand
	strings.Builder
	comments bool
	line     string
}

func madeUp(seed uint64, comments bool) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1)), comments: comments}
	w.line = []string{"", "\n", "\r\n", "\n\t", "\n  ", " "}[w.IntN(6)]
	if w.IntN(8) == 0 {
		w.WriteString("\xef\xbb\xbf")
	}
	w.blank()
	members := []func(){}
	if w.IntN(10) > 0 {
		members = append(members, func() { w.key("mcpServers"); w.servers() })
	}
	for i := range w.IntN(3) {
		members = append(members, func() { w.key(fmt.Sprint("k", i)); w.value(2) })
	}
	w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	w.list("{", "}", members)
	w.blank()
	return w.String()
}

func (w *writer) servers() {
	var members []func()
	for _, name := range []string{"a", "b", "--", "ü \U0001f600"} {
		if w.IntN(3) > 0 {
			members = append(members, func() { w.key(name); w.entry(name) })
		}
	}
	w.list("{", "}", members)
}

func (w *writer) entry(name string) {
	if w.IntN(12) == 0 {
		w.value(1)
		return
	}
	members := []func(){}
	add := func(one int, f func()) {
		if w.IntN(12) < one {
			members = append(members, f)
		}
	}
	words := func(args ...string) {
		var all []func()
		for _, a := range args {
			all = append(all, func() { w.text(a) })
		}
		w.list("[", "]", all)
	}
	switch w.IntN(12) {
	case 0:
		members = append(members, func() { w.key("command"); w.text("/none/sallyport") }, func() { w.key("args"); words("wrap", "--name", name, "--", "x", "y") })
	case 1:
		members = append(members, func() { w.key("url"); w.text("https://h.example/") })
	default:
		add(12, func() { w.key("command"); w.text([]string{"npx", "C:\\x\\y.exe", "a b", "\"", "é"}[w.IntN(5)]) })
		add(8, func() { w.key("args"); words([]string{"-y", "--", "wrap", "", "\t", "x/y"}[w.IntN(7)%6:]...) })
	}
	add(5, func() {
		w.key("env")
		vars := []func(){}
		for _, name := range []string{"A", "HOME", "SALLYPORT_HOME", "B"} {
			if w.IntN(4) == 0 {
				vars = append(vars, func() { w.key(name); w.text("v") })
			}
		}
		w.list("{", "}", vars)
	})
	add(3, func() { w.key("other"); w.value(2) })
	w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	w.list("{", "}", members)
}

func (w *writer) value(depth int) {
	switch n := w.IntN(7); {
	case n == 0 && depth > 0:
		w.list("[", "]", []func(){func() { w.value(depth - 1) }, func() { w.value(depth - 1) }})
	case n == 1 && depth > 0:
		w.list("{", "}", []func(){func() { w.key("command"); w.value(depth - 1) }})
	default:
		w.WriteString([]string{"null", "true", "-1.50e+3", `"x"`, "[]", "{}", `"\/\u0000"`}[w.IntN(7)])
	}
}

func (w *writer) list(open, close string, members []func()) {
	w.WriteString(open)
	for i, m := range members {
		w.blank()
		m()
		w.blank()
		if i < len(members)-1 || w.comments && w.IntN(4) == 0 {
			w.WriteString(",")
		}
	}
	w.blank()
	w.WriteString(close)
}

func (w *writer) key(k string) {
	w.text(k)
	w.blank()
	w.WriteString(":")
	w.blank()
}

// text spells a text in one of the ways JSON has.
func (w *writer) text(s string) {
	if w.IntN(4) > 0 {
		w.WriteString(quote(s))
		return
	}
	w.WriteString(`"`)
	for _, r := range s {
		if r < 0x10000 && w.IntN(2) == 0 {
			fmt.Fprintf(&w.Builder, `\u%04X`, r)
		} else {
			q := quote(string(r))
			w.WriteString(q[1 : len(q)-1])
		}
	}
	w.WriteString(`"`)
}

func (w *writer) blank() {
	switch n := w.IntN(8); {
	case n < 3:
	case n < 6:
		w.WriteString(w.line)
	case n == 6:
		w.WriteString(strings.Repeat(" ", w.IntN(3)))
	case w.comments:
		w.WriteString([]string{"/* c */", "// c, \"d\": [\n", "/* { */ "}[w.IntN(3)])
	}
}

func TestMadeUpFilesComeBackAndAreGuarded(t *testing.T) {
	by := installed(t)
	count := uint64(500)
	if testing.Short() {
		count = 100
	}
	read := 0
	for seed := range count {
		format := Format{Comments: seed%2 == 1}
		raw := madeUp(seed, format.Comments)
		if _, err := Parse([]byte(raw), format); err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, raw)
		}
		read++
		checkIdentity(t, []byte(raw), format, by)
		checkPutBack(t, []byte(raw), []byte(madeUp(seed+count, format.Comments)), format, by)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
