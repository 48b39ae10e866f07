package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestTheReferenceOfTheSocketSaysWhatItCarries(t *testing.T) {
	var b strings.Builder
	b.WriteString(generated + `
# The socket

Wrappers, the command line and the window's second start talk to the hub over ` + "`hub.sock`" + ` ([files.md](files.md)): JSON-RPC 2.0, one message a line. It is internal. Only programs of
this installation get an answer, both ends prove themselves, and the protocol changes without notice: use the command line with ` + "`--json`" + ` for scripts.

` + fmt.Sprintf("This is version %d of the protocol", control.Protocol) + `. Two ends of different versions do not talk: a wrapper then blocks its server and says "restart Claude".

A connection begins with ` + "`hello`" + `, which is answered with a challenge, and ` + "`enter`" + `, which returns it. Everything after that is a call of the table, in any order and any
number at once. ` + "`state`" + ` is a notification of the hub: the newest state of a wrapper's server. ` + "`stderr`" + ` is one of a wrapper. ` + "`flush`" + ` is answered when everything before it has arrived.

| call | takes | answers |
|---|---|---|
`)
	shapes := newShapes(t)
	for _, row := range [][3]any{{"hello", control.Hello{}, control.Challenge{}}, {"enter", control.Challenge{}, control.Welcome{}}} {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row[0], shapes.name(reflect.TypeOf(row[1])), shapes.name(reflect.TypeOf(row[2])))
	}
	handler := reflect.TypeFor[control.Handler]()
	for _, call := range callsCarried(t) {
		method, is := handler.MethodByName(camel(call))
		if !is {
			if call != "flush" {
				t.Errorf("the socket carries %s, and Handler has no method for it", call)
			}
			continue
		}
		takes, answers := "", ""
		if last := method.Type.NumIn() - 1; last >= 0 {
			if param := method.Type.In(last); param.Kind() == reflect.String {
				takes = "`{\"name\": …}`"
			} else if param.Kind() == reflect.Struct && param != reflect.TypeFor[control.Peer]() {
				takes = shapes.name(param)
			}
		}
		if method.Type.NumOut() == 2 {
			answers = shapes.name(method.Type.Out(0))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", call, takes, answers)
	}
	fmt.Fprintf(&b, "| `stderr` | %s | |\n| `state` | %s | |\n", shapes.name(reflect.TypeFor[control.Stderr]()), shapes.name(reflect.TypeFor[control.State]()))
	b.WriteString("\nThe shapes, one table each; `base64` is bytes. A member marked *optional* is left out where it is empty. Errors are an `Error` with one of these codes:\n\n| code | means |\n|---|---|\n")
	for _, row := range errorCodes(t) {
		b.WriteString(row)
	}
	shapes.name(reflect.TypeFor[control.Error]())
	shapes.write(&b)
	compareReference(t, "socket.md", b.String())
}

func camel(call string) string {
	var name string
	for _, word := range strings.Split(call, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// callsCarried are the names of the table that answers calls.
func callsCarried(t *testing.T) (calls []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^\t[aA]sk[A-Za-z]+ += [a-zA-Z]+\("([a-z_]+)", `).FindAllStringSubmatch(controlSource(t), -1) {
		calls = append(calls, match[1])
	}
	if len(calls) == 0 {
		t.Fatal("the table of calls is not where it was")
	}
	return calls
}

func errorCodes(t *testing.T) (rows []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^\tCode[A-Za-z]+ += (-?\d+)(?: // (.+))?$`).FindAllStringSubmatch(controlSource(t), -1) {
		means := match[2]
		if means == "" {
			means = map[string]string{"4000": "a request that cannot be understood", "-32603": "a fault of ours; the log has the words"}[match[1]]
		}
		rows = append(rows, fmt.Sprintf("| %s | %s |\n", match[1], means))
	}
	slices.Sort(rows)
	return rows
}

func controlSource(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("../../proxy/control/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	return all.String()
}

// homeRows are the files that docs/reference/files.md knows: a pattern, and the mode.
func homeRows(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/files.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (0\\d{3}) \\|").FindAllStringSubmatch(string(page), -1) {
		rows[regexp.MustCompile(`[A-Z]+`).ReplaceAllString(match[1], "*")] = match[2]
	}
	return rows
}

// unknownInHome are the files of a home that the page does not know, or that others could read.
func unknownInHome(rows map[string]string, home string) (wrong []string) {
	_ = filepath.WalkDir(home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // a home that was taken away has nothing to compare
		}
		name, _ := filepath.Rel(home, path)
		for pattern, mode := range rows {
			if known, _ := filepath.Match(pattern, filepath.ToSlash(name)); known {
				if info, err := entry.Info(); err == nil && fmt.Sprintf("%04o", info.Mode().Perm()) != mode {
					wrong = append(wrong, fmt.Sprintf("%s is %04o", name, info.Mode().Perm()))
				}
				return nil
			}
		}
		wrong = append(wrong, name+" is no file of the table")
		return nil
	})
	return wrong
}
