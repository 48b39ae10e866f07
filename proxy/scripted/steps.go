package scripted

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// take takes steps in order, until one ends the server.
func (s *scriptRun) take(steps []Step, m *message) {
	before := s.counts()
	for _, step := range steps {
		switch {
		case step.Send != "":
			s.line([]byte(m.expand(step.Send)))
		case step.Bytes != nil:
			s.write([]byte(m.expand(string(step.Bytes))))
		case step.Result != "":
			s.result(m, step.Result)
		case step.Error != "":
			s.fail(m, step.Error)
		case step.Default:
			s.answer(m)
		case step.Put != "":
			s.put(step.Put, step.Notify)
		case step.Notify != "":
			s.notify(step)
		case step.Progress > 0:
			for i := range step.Progress {
				s.line([]byte(m.expand(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":`+
					`{"progressToken":${token},"progress":%d,"total":%d,"message":"step %d"}}`, i+1, step.Progress, i+1))))
			}
		case step.Big > 0:
			s.big(m, step.Big, false)
		case step.BigLast > 0:
			s.big(m, step.BigLast, true)
		case step.Stderr > 0:
			s.flood(step.Stderr)
		case step.Say != "":
			fmt.Fprintln(s.errw, step.Say)
		case step.Wait != "":
			s.await(step.Wait, m, before)
		case step.Sleep > 0:
			select {
			case <-time.After(time.Duration(step.Sleep)):
			case <-s.ended:
			}
		case step.Daemons != "":
			var held io.Writer
			if step.Hold {
				held = s.out
			}
			if err := daemonise(step.Daemons, held); err != nil {
				fmt.Fprintf(s.errw, "scripted: start daemon: %v\n", err)
			}
		case step.CloseOut:
			if out, ok := s.out.(io.Closer); ok {
				_ = out.Close()
			}
		case step.Kill:
			killSelf()
			return
		case step.Exit != 0 || step.Quit:
			select {
			case s.exit <- step.Exit:
			default:
			}
			// Nothing else may happen on this goroutine; the reading loop ends here too.
			runtime.Goexit()
		}
	}
}

// first is the name of the face at the start.
const first = "first"

// put changes the face and, if method is not "", announces it before anything is answered with the new one.
func (s *scriptRun) put(name, method string) {
	face, ok := s.script.Faces[name]
	if name == first {
		face = s.script.Face
	} else if !ok {
		fmt.Fprintf(s.errw, "scripted: no face %q\n", name)
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	s.face, s.faceName = face, name
	s.mu.Unlock()
	if method != "" {
		_, _ = fmt.Fprintf(s.out, `{"jsonrpc":"2.0","method":%q}`+"\n", method)
	}
}

// notify sends a notification, or a storm of them: in a hundred bursts over the given time.
func (s *scriptRun) notify(step Step) {
	line := []byte(`{"jsonrpc":"2.0","method":` + strconv.Quote(step.Notify) + "}\n")
	times := max(step.Times, 1)
	if step.Within == 0 {
		s.write(bytes.Repeat(line, times))
		return
	}
	const bursts = 100
	for i := range bursts {
		if n := times*(i+1)/bursts - times*i/bursts; n > 0 {
			s.write(bytes.Repeat(line, n))
		}
		select {
		case <-time.After(time.Duration(step.Within) / bursts):
		case <-s.ended:
			return
		}
	}
}

// big answers with a line of size bytes, line feed not counted.
func (s *scriptRun) big(m *message, size int, idLast bool) {
	head, tail := `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[{"type":"text","text":"`, `"}]}}`
	if idLast {
		head, tail = `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"`, `"}]},"id":`+string(m.ID)+`}`
	}
	s.line([]byte(head + strings.Repeat("x", max(size-len(head)-len(tail), 0)) + tail))
}

func (s *scriptRun) flood(size int) {
	line := []byte(strings.Repeat("stderr ", 18) + "\n") // 127 bytes
	for size > 0 {
		n := min(size, len(line))
		if _, err := s.errw.Write(line[:n]); err != nil {
			return
		}
		size -= n
	}
}

func (s *scriptRun) line(line []byte) { s.write(append(line, '\n')) }

// write ignores errors: a misbehaving server does not care that its client is gone.
func (s *scriptRun) write(p []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.out.Write(p)
}

var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(id|next|text|n|token|arg:[^}]*)\}`)
})

// expand fills a template from the request.
func (m *message) expand(template string) string {
	if !strings.Contains(template, "${") {
		return template
	}
	return placeholder().ReplaceAllStringFunc(template, func(mark string) string {
		switch name := mark[2 : len(mark)-1]; name {
		case "id":
			return string(m.ID)
		case "next":
			id, _ := strconv.Atoi(string(m.ID))
			return strconv.Itoa(id + 1)
		case "text":
			if bare, err := strconv.Unquote(string(m.ID)); err == nil {
				return bare
			}
			return strconv.Quote(string(m.ID))
		case "n":
			return strconv.Itoa(m.n)
		case "token":
			if m.Params.Meta.Token == nil {
				return "null"
			}
			return string(m.Params.Meta.Token)
		default:
			value := m.Params.Arguments[strings.TrimPrefix(name, "arg:")]
			return strings.Trim(string(value), `"`)
		}
	})
}
