package guardrail

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// This test binary is also the guard of the processes it starts, and the providers: "role:NAME ARG…".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := strings.CutPrefix(os.Args[1], "role:"); ok {
			os.Exit(play(role, os.Args[2:]))
		}
	}
	flag.Parse()
	flag.Set("test.parallel", "16") // these tests mostly wait for programs that do nothing
	os.Exit(m.Run())
}

// roles are what a provider can do with the requests it gets.
var roles = map[string]func(requests, []string) int{
	"honest": honest,
	"talkative": func(in requests, _ []string) int {
		for in.next() {
			fmt.Printf(`{"model":{"name":"x"},"reason":"\u00e4","score":1e-1,"id":%q,"verdict":"flag","took_ms":3}`+"\r\n", in.request.ID)
		}
		return 0
	},
	"silent": func(in requests, _ []string) int {
		for in.next() {
		}
		return 0
	},
	"deaf":   func(requests, []string) int { select {} },
	"dead":   func(requests, []string) int { return 7 },
	"closed": func(in requests, _ []string) int { os.Stdout.Close(); select {} },
	"once": func(in requests, _ []string) int {
		in.next()
		in.answer(judged(in.request))
		return 0
	},
	"banner": func(in requests, _ []string) int {
		fmt.Println("Loading model... done.")
		return honest(in, nil)
	},
	"at once": func(in requests, _ []string) int { // as soon as it has the line: what we cost, and not what it costs
		for {
			line, err := in.from.ReadSlice('\n')
			if err != nil {
				return 0
			}
			id, _, _ := strings.Cut(strings.TrimPrefix(string(line[:64]), `{"id":"`), `"`)
			os.Stdout.WriteString(`{"id":"` + id + `","verdict":"allow","score":0,"reason":""}` + "\n")
		}
	},
	"twice": func(in requests, _ []string) int {
		for in.next() {
			in.answer(judged(in.request))
			in.answer(judged(in.request))
		}
		return 0
	},
	"says": func(in requests, words []string) int { // with ID in place of the request's
		for in.next() {
			fmt.Println(strings.ReplaceAll(words[0], "ID", in.request.ID))
		}
		return 0
	},
	"long": func(in requests, _ []string) int {
		for in.next() {
			a := judged(in.request)
			a.Reason = strings.Repeat("x", MaxAnswer)
			in.answer(a)
		}
		return 0
	},
	"flood": func(requests, []string) int {
		for {
			os.Stdout.WriteString(strings.Repeat("x", 4096))
		}
	},
	"lines": func(requests, []string) int {
		for {
			fmt.Println(`{"id":"1","verdict":"allow","score":0,"reason":""}`)
		}
	},
	"noisy": func(in requests, _ []string) int { // more on stderr than any pipe holds, before each answer
		for in.next() {
			os.Stderr.WriteString(strings.Repeat("x", 1<<20))
			in.answer(judged(in.request))
		}
		return 0
	},
	"fragile": func(in requests, _ []string) int { // a text can hang it or make it crash
		for in.next() {
			switch in.request.Text {
			case "hang":
				select {}
			case "crash":
				return 1
			}
			in.answer(judged(in.request))
		}
		return 0
	},
	"sluggish": func(in requests, took []string) int {
		wait, _ := time.ParseDuration(took[0])
		for in.next() {
			time.Sleep(wait)
			in.answer(judged(in.request))
		}
		return 0
	},
	"stubborn": func(in requests, _ []string) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		select {}
	},
	"parent": func(in requests, _ []string) int { // of a child that holds its pipes
		child := exec.Command(os.Args[0], "role:stubborn")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		if err := child.Start(); err != nil {
			return 1
		}
		return honest(in, nil)
	},
	"environment": func(in requests, _ []string) int {
		for in.next() {
			a := judged(in.request)
			a.Reason = strings.Join(slices.DeleteFunc(os.Environ(), func(entry string) bool {
				return !strings.HasPrefix(entry, "SALLYPORT_") && !strings.HasPrefix(entry, "OURS_")
			}), " ")
			in.answer(a)
		}
		return 0
	},
}

func honest(in requests, _ []string) int {
	for in.next() {
		in.answer(judged(in.request))
	}
	return 0
}

func play(role string, args []string) int {
	return roles[role](requests{bufio.NewReaderSize(os.Stdin, 64<<10), &Request{}}, args)
}

type requests struct {
	from    *bufio.Reader
	request *Request
}

func (in requests) next() bool {
	line, err := in.from.ReadBytes('\n')
	*in.request = Request{}
	return err == nil && json.Unmarshal(line, in.request) == nil
}

func (requests) answer(a Answer) { _ = json.NewEncoder(os.Stdout).Encode(a) }

// judged is what an honest provider says.
func judged(r *Request) Answer {
	a := Answer{ID: r.ID, Verdict: vocab.VoteAllow}
	switch {
	case strings.Contains(r.Text, "attack"):
		a.Verdict, a.Score, a.Reason = vocab.VoteBlock, 0.9, "it says attack"
	case strings.Contains(r.Text, "odd"):
		a.Verdict, a.Score, a.Reason = vocab.VoteFlag, 0.5, "it says odd"
	}
	return a
}
