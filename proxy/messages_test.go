package proxy

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

var update = flag.Bool("update", false, "write docs/reference/messages.md anew")

func TestTheReferenceOfMessagesSaysWhatAClientIsTold(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!-- Written by `go test ./proxy -run Reference -update` from the code. -->\n" + `
# Messages to a client

What Sallyport says to a client, it says in its own words, which begin with ` + "`[Sallyport]`" + `. A message never quotes the server: a name is spelled out only if it is
` + "`[A-Za-z0-9._-]{1,64}`" + `, else it is "tool 3 of SERVER", and SERVER is the name in the client's own configuration. A message names no command that decides. What
begins with ` + "`[Sallyport]`" + ` and comes from a server is [impersonation](../relay.md).

A refused ` + "`tools/call`" + ` is a tool result with ` + "`isError: true`" + ` and one text, and has this object as ` + "`_meta.\"sallyport/decision\"`" + `. A refused request of
another method is a JSON-RPC error 4030 with the object as its ` + "`data`" + `.

| member | is |
|---|---|
| ` + "`code`" + ` | the inbox item that needs a decision; null where there is none |
| ` + "`kind`" + ` | the kind of that item, or why there is none |
| ` + "`server`, `tool`" + ` | names, cleaned like those in the text; ` + "`tool`" + ` is null for other requests |
| ` + "`status`" + ` | ` + "`blocked`, `held` or `released`" + ` |

## Refusals

For a tool ` + "`get_forecast`" + ` of a server ` + "`weather`" + `, item ` + "`4F2A`" + `. Of a server that nobody has reviewed, the refusal is the same whether the tool exists or not.

| kind | text |
|---|---|
`)
	for why := refusal.None + 1; why <= refusal.DescribedHigh; why++ {
		text, decision := refusal.Of(why, refusal.Subject{Item: "tool:get_forecast", Name: "get_forecast", Noun: "tool"}, &control.State{Name: "weather", Code: "4F2A",
			Items: map[string]control.ItemState{"tool:get_forecast": {Code: "4F2A"}}, Launch: &control.LaunchState{Code: "4F2A"}})
		fmt.Fprintf(&b, "| `%s` | %s |\n", decision.Kind, text)
	}
	text, decision := refusal.Mismatch("type", "/properties/celsius/type", refusal.Subject{Name: "get_forecast", Noun: "tool"}, &control.State{Name: "weather"})
	fmt.Fprintf(&b, "| `%s` | %s |\n", decision.Kind, text)
	subject, weather := refusal.Subject{Item: "tool:get_forecast", Name: "get_forecast", Noun: "tool"}, &control.State{Name: "weather"}
	asked := func(state vocab.CallState, check vocab.CallCheck, rules ...int) {
		text, decision = refusal.Asked(control.CallAnswer{State: state, Code: "4F2A", Rules: rules}, check, control.MostCalls, subject, weather)
		fmt.Fprintf(&b, "| `%s` | %s |\n", decision.Kind, text)
	}
	asked(vocab.CallWaiting, vocab.CheckAsk)
	asked(vocab.CallWaiting, vocab.CheckFlow, 1)
	asked(vocab.CallWaiting, vocab.CheckFlow, 3)
	asked(vocab.CallWaiting, vocab.CheckFlow, 4)
	asked(vocab.CallRefused, vocab.CheckAsk)
	asked(vocab.CallFull, vocab.CheckAsk)
	text, decision = refusal.TooLarge(nil, vocab.CheckAsk, subject, weather)
	fmt.Fprintf(&b, "| `%s` | %s |\n", decision.Kind, text)
	b.WriteString("\n`blocked` stands for the kind of the inbox item, where there is one.\n\n## Other messages\n\nAs they are in the code; `…` is a name, a code or a reason in our own words. The number is the JSON-RPC error code, where it is an error.\n\n| code | text |\n|---|---|\n")
	for _, row := range voiced(t) {
		b.WriteString(row)
	}
	path := filepath.Join("../docs/reference/messages.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s is not what the code says: go test ./proxy -run Reference -update", path)
	}
}

// voiced returns the rows for messages that are one string literal in the source.
func voiced(t *testing.T) (rows []string) {
	t.Helper()
	verb := regexp.MustCompile(`%[a-z]`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		codes := map[string]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && len(call.Args) == 4 {
				if number := sourceOf(call.Args[1]); number != "" {
					codes[sourceOf(call.Args[2])] = number
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if rest, ours := strings.CutPrefix(text, inspect.OwnVoice+" "); err == nil && ours && rest != "" {
					shown := verb.ReplaceAllString(text, "…")
					if !strings.HasSuffix(shown, ".") && !strings.HasSuffix(shown, "…") && strings.HasSuffix(shown, " ") {
						shown += "…"
					}
					rows = append(rows, fmt.Sprintf("| %s | %s |\n", codes[literal.Value], shown))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// sourceOf returns a number, or the first string of an expression, as written in the source.
func sourceOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		return e.Op.String() + sourceOf(e.X)
	case *ast.BinaryExpr:
		return sourceOf(e.X)
	}
	return ""
}
