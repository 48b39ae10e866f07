package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server with nothing but resources declares no item that could be allowed.
func TestAServerOfNothingButResourcesIsReviewedAndOpened(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	h := install(t)
	server := script(t, dir, "server.json", `{"resources":[{"uri":"doc://1","name":"One"}],"answers":{"doc://1":{"contents":[{"uri":"doc://1","text":"the first"}]}}}`)
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
	s.handshake("2025-06-18")
	if got := s.request("resources/read", `{"uri":"doc://1"}`); strings.Contains(got, "the first") || !strings.Contains(got, `"code":4030`) {
		t.Fatal(got)
	}
	items := h.inbox()
	if len(items) != 1 {
		t.Fatalf("waits: %+v", items)
	}
	if out, code := h.run("approve", items[0].Code, "--yes"); code != 0 {
		t.Fatal(out)
	}
	wait(t, "the resource is read", func() bool { return strings.Contains(s.request("resources/read", `{"uri":"doc://1"}`), "the first") })
	if got := s.request("resources/list", `{}`); !strings.Contains(got, "doc://1") {
		t.Fatal(got)
	}
	if items := h.inbox(); len(items) != 0 {
		t.Fatalf("still waits: %+v", items)
	}
	if out, code := h.run(append([]string{"probe", "--"}, server...)...); code != 0 || !strings.Contains(out, "nothing to decide") {
		t.Fatal(code, out)
	}
}

// A listing that fails leaves nothing to decide: the hub, the refusal and a look say why.
func TestAServerWhoseListingFailsIsNamed(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	h := install(t)
	if out, code := h.run("settings", "set", "pins.recheck_timeout", "1s", "--yes"); code != 0 {
		t.Fatal(out)
	}
	mended := filepath.Join(dir, "mended")
	server := script(t, dir, "server.json", `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"prompts":[],
 "answers":{"echo":{"content":[{"type":"text","text":"again"}]}},
 "rules":[{"on":"prompts/list","while":"`+mended+`","steps":[{"default":true}]},
 {"on":"prompts/list","steps":[{"error":{"code":-32603,"message":"no \u001b[31mprompts"}}]}]}`)
	if out, code := h.run(append([]string{"probe", "--"}, server...)...); code != 1 || !strings.Contains(out, "can't read what it declares: prompts/list: ") {
		t.Errorf("probe: %d %s", code, out)
	}
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
	s.handshake("2025-06-18")
	if got := s.call("echo", `{}`); !strings.Contains(got, "Sallyport can't read what") || strings.Contains(got, "reviewed") {
		t.Error(got)
	}
	wait(t, "the hub names it", func() bool {
		out, _ := h.run("status")
		return strings.Contains(out, "SP-015") && strings.Contains(out, "prompts/list") && !strings.Contains(out, "\x1b")
	})
	if err := os.WriteFile(mended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait(t, "it waits for a look", func() bool { return len(h.inbox()) == 1 })
	if out, _ := h.run("status"); strings.Contains(out, "SP-015") {
		t.Error(out)
	}
	h.approve()
	wait(t, "the tool runs", func() bool { return strings.Contains(s.call("echo", `{}`), "again") })
}

// A decision on resource:* holds, whatever else of the server is allowed.
func TestADecisionOverAllResourcesHolds(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	h := install(t)
	server := script(t, dir, "server.json", `{"instructions":"\"Be brief.\"","resources":[{"uri":"doc://1","name":"One"}],"answers":{"doc://1":{"contents":[{"uri":"doc://1","text":"the first"}]}}}`)
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), server...))
	s.handshake("2025-06-18")
	s.request("resources/list", `{}`)
	read := func() bool { return strings.Contains(s.request("resources/read", `{"uri":"doc://1"}`), "the first") }
	listed := func() bool { return strings.Contains(s.request("resources/list", `{}`), "doc://1") }
	if out, code := h.run("approve", h.inbox()[0].Code, "--item", "instructions", "--yes"); code != 0 {
		t.Fatal(out)
	}
	if read() || listed() {
		t.Error("its resources are open though they were not allowed")
	}
	h.approve()
	wait(t, "its resources are open", func() bool { return read() && listed() })
	if out, code := h.run("block", h.identity(), "--item", "resource:*"); code != 0 {
		t.Fatal(out)
	}
	wait(t, "they are shut", func() bool { return !read() && !listed() })
}
