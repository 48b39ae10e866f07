package e2e

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/scripted"
)

// TestT27EveryByteArrivesBothWays sends JSON in every odd but valid spelling through the wrapper: each side gets exactly the bytes that the
// other wrote.
func TestT27EveryByteArrivesBothWays(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	t.Parallel()
	const calls = 300
	random := odd{rand.New(rand.NewPCG(9, 27))}
	script := scripted.Script{Face: scripted.Face{Answers: map[string]scripted.Verbatim{}, Tools: []scripted.Verbatim{}}}
	var lines, answers []string
	for i := range calls {
		name := "tool_" + strconv.Itoa(i)
		extra := strings.ReplaceAll(random.value(2), `"\ud800"`, `"s"`) // a lone surrogate withholds a pinned item
		script.Tools = append(script.Tools, scripted.Verbatim(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"x-%d":%s}`, name, i, extra)))
		result := fmt.Sprintf(`{ "content" : [{"type":"text","text":"t"},{"type":"hologram","data":%s}],"structuredContent":%s,"_meta":%s,"isError":false}`,
			random.value(4), random.value(4), random.object(3))
		script.Answers[name] = scripted.Verbatim(result)
		id := random.id(i)
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","x-before":%s, "id":%s,"method":"tools\/call","params":{"name":%q,"arguments":%s,"_meta":{"k":%s}},"x-after":%s}`,
			random.value(2), id, name, random.object(4), random.value(2), random.value(1)))
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
	}
	dir := folder(t)
	put(t, filepath.Join(dir, "nothing"), "")
	script.Log = filepath.Join(dir, "heard")
	file := filepath.Join(dir, "script.json")
	if err := script.Save(file); err != nil {
		t.Fatal(err)
	}
	server := helper(t, "scripted", file)
	for _, way := range []string{"direct", "wrapped"} {
		t.Run(way, func(t *testing.T) {
			argv, env := server, environment()
			if way == "wrapped" {
				h := verbatim(t)
				argv, env = append(h.wrap(), server...), environment(h.env()...)
				settle(h, func() string {
					s := launch(t, dir, env, argv)
					s.handshake("2025-06-18")
					defer s.hangUp(true)
					return s.request("tools/list", `{}`)
				})
			}
			if err := os.WriteFile(script.Log, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := launch(t, dir, env, argv)
			s.handshake("2025-06-18")
			s.request("tools/list", `{}`)
			for i, line := range lines {
				s.write(line)
				got := s.until("an answer", func(e envelope, _ string) bool { return e.Method == "" })
				if got != answers[i]+"\n" {
					t.Errorf("answer to %s\n  got  %s\n  sent %s", short(line), short(got), short(answers[i]))
				}
			}
			s.hangUp(way == "wrapped")
			heardInOrder(t, script.Log, lines)
		})
	}
}

// heardInOrder checks that the lines are in the server's log as they were written. The wrapper's own requests, which look up the listing, can
// be between them.
func heardInOrder(t *testing.T, log string, lines []string) {
	t.Helper()
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	heard := bufio.NewReader(file)
	next := 0
	for next < len(lines) {
		line, err := heard.ReadString('\n')
		if err != nil {
			t.Fatalf("the server never heard line %d: %s", next, short(lines[next]))
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == lines[next]:
			next++
		case strings.Contains(line, "tools/call") || strings.Contains(line, `tools\/call`):
			t.Fatalf("the server heard\n  %s\nwhere the client wrote\n  %s", short(line), short(lines[next]))
		}
	}
}

// odd makes JSON that every parser reads the same, in spellings that do not survive decoding and encoding.
type odd struct{ *rand.Rand }

func (o odd) id(i int) string {
	switch o.IntN(4) {
	case 0:
		return strconv.Itoa(i + 1000)
	case 1:
		return fmt.Sprintf(`"call-%d"`, i)
	case 2:
		return strconv.Itoa(-i - 5)
	default:
		return strconv.Itoa(9007199254740993 + i)
	}
}

func (o odd) value(depth int) string {
	scalars := []string{`1.0`, `-0`, `1e3`, `1E+2`, `9007199254740993`, `0.1000`, `-1.5e-7`, `true`, `null`, `""`, `"<&>"`, `"\u0041\/\n\t\\\""`,
		`"\ud83d\ude00"`, `"\ud800"`, `"é 😀"`, "\"\u2028 \u2029\"", `[]`, `{}`, `[ ]`, `"\u0000"`, `123456789012345678901234567890`}
	if depth == 0 || o.IntN(3) == 0 {
		return scalars[o.IntN(len(scalars))]
	}
	if o.IntN(2) == 0 {
		return o.object(depth)
	}
	parts := make([]string, o.IntN(4))
	for i := range parts {
		parts[i] = o.space() + o.value(depth-1)
	}
	return "[" + strings.Join(parts, ",") + o.space() + "]"
}

func (o odd) object(depth int) string {
	names := []string{`z`, `a`, `\u0062`, `é`, `_meta`, `$ref`, ``, `10`, `9`, `na/me`}
	o.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	parts := make([]string, o.IntN(5))
	for i := range parts {
		parts[i] = o.space() + `"` + names[i] + `"` + o.space() + ":" + o.space() + o.value(depth-1)
	}
	return "{" + strings.Join(parts, ",") + o.space() + "}"
}

func (o odd) space() string { return []string{"", "", " ", "\t", "  \r "}[o.IntN(5)] }
