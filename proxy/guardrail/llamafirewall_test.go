package guardrail

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// A stand-in for the package, for what the real one does only with its model or not at all. The real one is in the end-to-end tests.
var standIn = map[string]string{
	"__init__.py": `
import enum
print("a library that greets on stdout")

class ScanDecision(enum.Enum):
    ALLOW, HUMAN_IN_THE_LOOP_REQUIRED, BLOCK = "allow", "human_in_the_loop_required", "block"

class ScanStatus(enum.Enum):
    SUCCESS, ERROR = "success", "error"

class ToolMessage:
    def __init__(self, content):
        self.content = content

class Result:
    def __init__(self, decision, score, status=ScanStatus.SUCCESS):
        self.decision, self.score, self.status, self.reason = decision, score, status, "all of the text"
`,
	"scanners/__init__.py": "",
	"scanners/regex_scanner.py": `
import os, socket, subprocess, sys
from .. import Result, ScanDecision, ScanStatus

class RegexScanner:
    def __init__(self):
        self.patterns = {"Prompt injection": 1, "Email address": 2}

    async def scan(self, message):
        assert self.patterns == {"Prompt injection": 1}
        text = message.content
        print('{"id":"r1","verdict":"allow","score":0,"reason":""}')
        os.write(1, b"and past every buffer\n")
        subprocess.run(["echo", "and by a child"])
        if text == "read":
            assert sys.stdin.read() == ""
        if text == "call home":
            socket.create_connection(("192.0.2.1", 443), timeout=1)
        if text == "look up":
            socket.getaddrinfo("127.example", 443)
        if text == "look up by its old name":
            socket.gethostbyname("huggingface.example")
        if text == "send a packet":
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53))
        if text == "ask here":
            with socket.create_server(("127.0.0.1", 0)) as here:
                socket.create_connection(("localhost", here.getsockname()[1])).close()
        if text == "raise":
            raise ValueError(text)
        if text == "fail":
            return Result(ScanDecision.ALLOW, 0.0, ScanStatus.ERROR)
        if text == "unsure":
            return Result(ScanDecision.HUMAN_IN_THE_LOOP_REQUIRED, 7.0)
        return Result(ScanDecision.ALLOW, 0.0)
`,
	"scanners/hidden_ascii_scanner.py": `
raise ImportError("not in this version")
`,
	"scanners/prompt_guard_scanner.py": `
import os
from .. import Result, ScanDecision
assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"

class PromptGuardScanner:
    async def scan(self, message):
        assert 0 < len(message.content) <= 1000 or message.content == ""
        if "attack" in message.content:
            return Result(ScanDecision.BLOCK, 0.97)
        return Result(ScanDecision.ALLOW, 0.25)
`,
}

// withStandIn makes the stand-in the package that python3 finds, and says where its model would be.
func withStandIn(t *testing.T) (python, models string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	for name, source := range standIn {
		file := filepath.Join(dir, "llamafirewall", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PYTHONPATH", dir)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	models = filepath.Join(dir, "models")
	t.Setenv("HF_HOME", models)
	return python, models
}

// llama asks LlamaFirewall as this Python has it. What it wrote to its stderr is there after close.
func llama(t *testing.T, python string) (c *Command, log func() string) {
	t.Helper()
	var mu sync.Mutex
	var said strings.Builder
	c = NewLlamaFirewall(python, func(chunk []byte) {
		mu.Lock()
		defer mu.Unlock()
		said.Write(chunk)
	})
	t.Cleanup(c.Close)
	return c, func() string {
		mu.Lock()
		defer mu.Unlock()
		return said.String()
	}
}

func TestWhatALibraryPrintsIsNoAnswer(t *testing.T) {
	python, models := withStandIn(t)
	c, log := llama(t, python)
	for range 3 {
		a, err := ask(t, c, "hello")
		if err != nil || a.Verdict != vocab.VoteAllow || !slices.Equal(a.Ran, []string{"REGEX"}) {
			t.Fatalf("%+v, %v", a, err)
		}
		want := map[string]string{
			"HIDDEN_ASCII": "it could not be loaded: ImportError: not in this version",
			"PROMPT_GUARD": "its model is not on this disk (looked in " + filepath.Join(models, "meta-llama--Llama-Prompt-Guard-2-86M") + ")",
		}
		if !maps.Equal(a.NotRun, want) {
			t.Errorf("%q", a.NotRun)
		}
	}
	if _, err := ask(t, c, "read"); err != nil {
		t.Errorf("a library that reads stdin: %v", err)
	}
	c.Close()
	for _, words := range []string{"greets on stdout", "past every buffer", "by a child"} {
		if !strings.Contains(log(), words) {
			t.Errorf("%q is not on stderr: %s", words, log())
		}
	}
}

func TestLlamaFirewallStaysOffTheNetwork(t *testing.T) {
	python, _ := withStandIn(t)
	for _, text := range []string{"call home", "look up", "look up by its old name", "send a packet"} {
		c, log := llama(t, python)
		_, err := ask(t, c, text)
		failed(t, err, "ended without a verdict (exit status 1)")
		c.Close()
		if !strings.Contains(log(), "PermissionError: Sallyport keeps LlamaFirewall off the network") {
			t.Errorf("%s: %s", text, log())
		}
	}
	c, log := llama(t, python)
	if _, err := ask(t, c, "ask here"); err != nil { // a model's server on this computer
		t.Errorf("%v: %s", err, log())
	}
}

func TestAScannerThatFailsHasSaidNothing(t *testing.T) {
	python, _ := withStandIn(t)
	c, _ := llama(t, python)
	for _, text := range []string{"raise", "fail"} {
		_, err := ask(t, c, text)
		failed(t, err, "ended without a verdict (exit status 1)")
	}
	if a, err := ask(t, c, "unsure"); err != nil || a.Verdict != vocab.VoteFlag || a.Score != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// PROMPT_GUARD ignores what is beyond 512 tokens, so it gets the text in windows.
func TestPromptGuardReadsAllOfTheTextIfItsModelIsThere(t *testing.T) {
	python, models := withStandIn(t)
	model := filepath.Join(models, "meta-llama--Llama-Prompt-Guard-2-86M")
	if err := os.MkdirAll(model, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(model, "config.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, _ := llama(t, python)
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, text := range []string{"attack", x(994) + "attack", x(995) + "attack", x(1000) + "attack", x(PieceSize-6) + "attack", x(20000) + "attack" + x(5000)} {
		a, err := ask(t, c, text)
		if err != nil || a.Verdict != vocab.VoteBlock || a.Score != 0.97 || a.Reason != "PROMPT_GUARD: likely a prompt injection" {
			t.Errorf("%d characters: %+v, %v", len(text), a, err)
		}
		if !slices.Equal(a.Ran, []string{"REGEX", "PROMPT_GUARD"}) {
			t.Errorf("ran %q", a.Ran)
		}
	}
	for _, text := range []string{"", x(999), x(PieceSize)} {
		if a, err := ask(t, c, text); err != nil || a.Verdict != vocab.VoteAllow || a.Score != 0.25 {
			t.Errorf("%d characters: %+v, %v", len(text), a, err)
		}
	}
}

func TestAPythonWithoutLlamaFirewallSaysSo(t *testing.T) {
	python, _ := withStandIn(t)
	for _, c := range []struct{ file, source, words string }{
		{"__init__.py", "import a_package_that_is_missing", "lacks a Python package that it needs"},
		{"scanners/__init__.py", "raise RuntimeError('changed')", "none of the scanners"},
	} {
		if err := os.WriteFile(filepath.Join(os.Getenv("PYTHONPATH"), "llamafirewall", c.file), []byte(c.source), 0o644); err != nil {
			t.Fatal(err)
		}
		provider, _ := llama(t, python)
		_, err := ask(t, provider, "hello")
		failed(t, err, c.words)
		if err := os.WriteFile(filepath.Join(os.Getenv("PYTHONPATH"), "llamafirewall", c.file), []byte(standIn[c.file]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PYTHONPATH", t.TempDir())
	provider, _ := llama(t, python)
	_, err := ask(t, provider, "hello")
	failed(t, err, "llamafirewall is not installed for this Python")
}

// The folder in which the hub happens to run may hold anything.
func TestNoModuleOfTheWorkingFolderIsLoaded(t *testing.T) {
	python, _ := withStandIn(t)
	dir := t.TempDir()
	for _, module := range []string{"json.py", "os.py", "asyncio.py", "llamafirewall.py", "torch.py"} {
		if err := os.WriteFile(filepath.Join(dir, module), []byte("raise SystemExit(99)"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := llama(t, python)
	c.config.Dir = dir
	if _, err := ask(t, c, "hello"); err != nil {
		t.Error(err)
	}
}
