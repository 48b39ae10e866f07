package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// declared are the pin keys of all that a direct session listed.
func declared(t testing.TB, record []entry) (items []string) {
	t.Helper()
	for _, e := range record {
		var answer struct {
			Result struct {
				Instructions string                  `json:"instructions"`
				Tools        []struct{ Name string } `json:"tools"`
				Prompts      []struct{ Name string } `json:"prompts"`
				Templates    []struct {
					URI string `json:"uriTemplate"`
				} `json:"resourceTemplates"`
			} `json:"result"`
		}
		if e.answers != "initialize" && !strings.HasSuffix(e.answers, "/list") || json.Unmarshal([]byte(e.line), &answer) != nil {
			continue
		}
		if answer.Result.Instructions != "" {
			items = append(items, "instructions")
		}
		for _, tool := range answer.Result.Tools {
			items = append(items, "tool:"+tool.Name)
		}
		for _, prompt := range answer.Result.Prompts {
			items = append(items, "prompt:"+prompt.Name)
		}
		for _, template := range answer.Result.Templates {
			items = append(items, "resource-template:"+template.URI)
		}
	}
	return items
}

// The main story on real servers: nothing reaches the client before a review, one approval takes effect in the running session, and then a
// session has the same bytes as without the wrapper.
func TestBehindTheWrapperASessionIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	for _, server := range realServers {
		t.Run(server.name, func(t *testing.T) {
			dir := folder(t)
			mark := "E2E_MARK=" + dir
			direct := server.play(t, dir, server.ground(t, dir, mark), nil, nil)
			wait(t, "the direct server is gone", func() bool { return len(marked(mark)) == 0 })
			h := verbatim(t)
			server.review(t, h, dir, server.ground(t, dir, append(h.env(), mark)...), declared(t, direct))

			_, changes := split(direct)
			wrapped := server.play(t, dir, server.ground(t, dir, append(h.env(), mark)...), h.wrap(), changes)
			for _, d := range differences(direct, wrapped, true) {
				t.Error(d)
			}
			if items := h.inbox(); len(items) != 0 {
				t.Errorf("an unchanged server is in the inbox: %+v", items)
			}
			wait(t, "nothing of the server is left", func() bool { return len(marked(mark)) == 0 })
			if out, code := h.run("activity", "verify"); code != 0 {
				t.Errorf("activity verify: status %d: %s", code, out)
			}
		})
	}
}

// review starts a server for the first time, checks that nothing gets through, approves it, and checks that everything gets through in the same
// session.
func (r realServer) review(t *testing.T, h *installation, dir string, env, items []string) {
	t.Helper()
	s := launch(t, dir, env, append(h.wrap(), r.argv(t, dir)...))
	if hello := s.handshake("2025-11-25"); strings.Contains(hello, `"instructions"`) {
		t.Errorf("instructions that nobody has read: %s", short(hello))
	}
	if names := toolNames(t, s.request("tools/list", `{}`)); len(names) != 2 || !ownNames(names) {
		t.Errorf("tools before the review: %v", names)
	}
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
		if answer := s.request(method, `{}`); strings.Contains(answer, `"name"`) {
			t.Errorf("%s before the review: %s", method, short(answer))
		}
	}
	refused := s.request(firstCall(t, r.acts(dir)))
	if !strings.Contains(refused, `"isError":true`) || !strings.Contains(refused, "[Sallyport]") || !strings.Contains(refused, "sallyport/decision") {
		t.Errorf("a call before the review: %s", short(refused))
	}
	wait(t, "the whole server is in the inbox", func() bool { return h.listing(items) })
	s.entries = nil
	wait(t, "everything is approved", func() bool { return h.approve() == 0 })
	s.heard("notifications/tools/list_changed")
	wait(t, "the tools are listed without a restart", func() bool {
		return len(toolNames(t, s.request("tools/list", `{}`))) == 2+countTools(items)
	})
	s.hangUp(true)
}

// firstCall is the first call among acts.
func firstCall(t testing.TB, acts []act) (method, params string) {
	t.Helper()
	for _, a := range acts {
		if a.Do == "call" {
			return a.message(t)
		}
	}
	t.Fatal("no call")
	return "", ""
}

func countTools(items []string) (n int) {
	for _, item := range items {
		if strings.HasPrefix(item, "tool:") {
			n++
		}
	}
	return n
}

func toolNames(t testing.TB, answer string) (names []string) {
	t.Helper()
	var listing struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &listing); err != nil || listing.Result.Tools == nil {
		t.Fatalf("no listing: %s", short(answer))
	}
	for _, tool := range listing.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// ownNames reports whether a listing has the wrapper's two tools.
func ownNames(names []string) bool {
	found := 0
	for _, name := range names {
		for _, own := range wrapperTools {
			if name == own {
				found++
			}
		}
	}
	return found == len(wrapperTools)
}

// A server that ends at once can do so before it has read our client's first line, or while that is written.
func TestAServerThatEndsAtOnceIsToldOfWithItsStatus(t *testing.T) {
	dir := t.TempDir()
	h := install(t)
	for range 20 {
		s := launch(t, dir, environment(h.env()...), append(h.wrap(), "/bin/sh", "-c", "exit 3"))
		if got := s.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1.0"}}`); !strings.Contains(got, "exit status 3") {
			t.Fatal(got)
		}
	}
}
