package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
)

// loss is one way to relay badly: it changes a line from the server or the client; nil drops it.
type loss struct {
	breaks     bool // the play can't continue
	fromServer func(line []byte) []byte
	fromClient func(line []byte) []byte
}

// losses are what real relays do. The comparison must find each of them.
var losses = map[string]loss{
	"decodes and encodes": {fromServer: func(line []byte) []byte {
		var value any
		if json.Unmarshal(line, &value) != nil {
			return line
		}
		out, err := json.Marshal(value)
		if err != nil {
			return line
		}
		return append(out, '\n')
	}},
	"loses progress":           {breaks: true, fromServer: without(`"notifications/progress"`)},
	"loses log messages":       {breaks: true, fromServer: without(`"notifications/message"`)},
	"loses annotations":        {fromServer: cut(`,"annotations":\{[^}]*\}`)},
	"loses structured content": {fromServer: cut(`,"structuredContent":\{[^}]*\}`)},
	"loses instructions":       {fromServer: cut(`,"instructions":"(\\.|[^"\\])*"`)},
	"escapes for HTML":         {fromServer: func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("&"), []byte(`\u0026`)) }},
	"loses cancellations":      {fromClient: without(`"notifications/cancelled"`)},
	"loses progress tokens":    {breaks: true, fromClient: cut(`,"_meta":\{[^}]*\}`)},
	"changes the environment":  {},
}

func without(mark string) func([]byte) []byte {
	return func(line []byte) []byte {
		if bytes.Contains(line, []byte(mark)) {
			return nil
		}
		return line
	}
}

func cut(pattern string) func([]byte) []byte {
	expression := regexp.MustCompile(pattern)
	return func(line []byte) []byte { return expression.ReplaceAll(line, nil) }
}

// relay runs a server behind two pipes: copied ("copy"), or with one of the losses.
func relay(kind string, argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	if kind == "changes the environment" {
		cmd.Env = append(os.Environ(), "RELAY=1")
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			if err = cmd.Start(); err == nil {
				lossy := losses[kind]
				go func() {
					pass(in, os.Stdin, lossy.fromClient)
					in.Close()
				}()
				pass(os.Stdout, out, lossy.fromServer)
				_ = cmd.Wait()
				return 0
			}
		}
	}
	fmt.Fprintf(os.Stderr, "relay: %v\n", err)
	return 1
}

func pass(to io.Writer, from io.Reader, change func([]byte) []byte) {
	if change == nil {
		_, _ = io.Copy(to, from)
		return
	}
	lines := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if line = change(line); line == nil {
			continue
		}
		if _, err := to.Write(line); err != nil {
			return
		}
	}
}
