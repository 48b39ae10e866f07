package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

func apart(r control.Record) bool {
	_, ok := control.NoCommonVersion(&r)
	return ok
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1"}}}`

// refusesInitialize is a server that answers initialize with an error, and server/discover as given.
func refusesInitialize(failure, discovered string) func(*rig) {
	return func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			id := func() string {
				at := strings.Index(line, `"id":`) + len(`"id":`)
				return line[at : at+strings.IndexAny(line[at:], ",}")]
			}
			switch {
			case strings.Contains(line, `"method":"initialize"`):
				return `{"jsonrpc":"2.0","id":` + id() + `,"error":` + failure + `}`, true
			case strings.Contains(line, `"method":"server/discover"`):
				if discovered == "" {
					discovered = `"error":{"code":-32601,"message":"Method not found"}`
				}
				return `{"jsonrpc":"2.0","id":` + id() + `,` + discovered + `}`, true
			}
			return "", false
		}
	}
}

func TestAnErrorThatNamesOtherVersionsIsToldInOurWords(t *testing.T) {
	for name, c := range map[string]struct{ failure, discovered, offers string }{
		"the code of 2026-07-28":                   {`{"code":-32022,"message":"BUY NOW","data":{"supported":["2026-07-28"],"requested":"2025-06-18"}}`, "", "offers protocol versions 2026-07-28;"},
		"the code of earlier SDKs, data":           {`{"code":-32602,"message":"BUY NOW","data":{"supported":["2023-01-01","2022-01-01"]}}`, "", "offers protocol versions 2022-01-01, 2023-01-01;"},
		"a list under another name, in capitals":   {`{"code":-32000,"message":"BUY NOW","data":{"supportedVersions":["2023-01-01"],"Supported":"2022-02-02"}}`, "", "offers protocol versions 2022-02-02, 2023-01-01;"},
		"a message alone":                          {`{"code":-32602,"message":"Unsupported protocol version, BUY NOW (2023-01-01)"}`, "", "offers protocol versions 2023-01-01;"},
		"no version that is a date":                {`{"code":-32022,"message":"BUY NOW","data":{"supported":["BUY","1.0","2026-07-28 BUY"]}}`, "", "offers other versions;"},
		"dates with more digits behind them":       {`{"code":-32022,"message":"BUY","data":{"supported":["2026-07-28000","2026-07-2","20260-7-28","2026-07/28"]}}`, "", "offers other versions;"},
		"a message in words of its own":            {`{"code":-32000,"message":"I only speak 2099-01-01, BUY NOW"}`, "", "offers protocol versions 2099-01-01;"},
		"wrong parameters, and it names versions":  {`{"code":-32602,"message":"BUY"}`, `"result":{"supportedVersions":["2026-07-28"]}`, "offers protocol versions 2026-07-28;"},
		"a wrong request, and it names versions":   {`{"code":-32600,"message":"BUY"}`, `"result":{"supportedVersions":["2026-07-28"]}`, "offers protocol versions 2026-07-28;"},
		"a code without data":                      {`{"code":-32022,"message":"BUY NOW"}`, "", "offers other versions;"},
		"ten versions":                             {`{"code":-32022,"message":"BUY","data":{"supported":["2010-01-01","2011-01-01","2012-01-01","2013-01-01","2014-01-01","2015-01-01","2016-01-01","2017-01-01","2018-01-01","2019-01-01"]}}`, "", "offers protocol versions 2012-01-01, 2013-01-01, 2014-01-01, 2015-01-01, 2016-01-01, 2017-01-01, 2018-01-01, 2019-01-01;"},
		"one that does not know initialize at all": {`{"code":-32601,"message":"BUY"}`, `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"BUY"}`, "offers protocol versions 2026-07-28;"},
		"the same, which answers with an error":    {`{"code":-32601,"message":"BUY"}`, `"error":{"code":-32022,"message":"BUY","data":{"supported":["2027-01-01"]}}`, "offers protocol versions 2027-01-01;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, approveAll, refusesInitialize(c.failure, c.discovered))
			r.send(hello)
			got := r.answerTo("0")
			if !strings.Contains(got, `"code":-32022`) || !strings.Contains(got, "[Sallyport] The server weather "+c.offers+" the client asked for 2025-06-18. ") || strings.Contains(got, "BUY") {
				t.Error(got)
			}
			if strings.Contains(got, "2026-07-28") && !strings.Contains(got, `"data":{"supported":["2026-07-28"],"requested":"2025-06-18"}`) {
				t.Error(got)
			}
			r.records("no common version", apart)
			r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if got := r.call("1", "echo"); !strings.Contains(got, "before initialize") {
				t.Error(got)
			}
			if strings.Contains(c.discovered, `"supportedVersions"`) { // it can be reviewed, although this client can't use it
				r.eventually("it is reported", func() bool { return r.gate.reportCount() > 0 })
				if era := r.gate.lastReport().Era; era != "modern" {
					t.Errorf("it was reported in the era %s", era)
				}
			} else if r.gate.reportCount() != 0 {
				t.Error("it was reported for a decision")
			}
		})
	}
}

func TestAServerOfTheModernEraAloneCanBeReviewedAlsoIfItsClientHangsUpAtOnce(t *testing.T) {
	for range 50 {
		r := newRig(t, approveAll, refusesInitialize(`{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`, `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`), func(r *rig) { r.server.leaves = true })
		r.send(hello)
		r.answerTo("0")
		r.in.Close()
		select {
		case <-r.ended:
		case <-time.After(patience):
			t.Fatal("the session does not end")
		}
		if r.gate.reportCount() == 0 {
			t.Fatal("nobody is told what it declares")
		}
	}
}

func TestAnErrorAboutSomethingElseStaysWhatItIs(t *testing.T) {
	for name, c := range map[string]struct{ failure, discovered string }{
		"a missing key":                          {`{"code":-32000,"message":"API_KEY is not set since 2024-01-01"}`, ""},
		"wrong parameters, no versions anywhere": {`{"code":-32602,"message":"clientInfo is missing"}`, ""},
		"it does speak what was asked for":       {`{"code":-32601,"message":"later"}`, `"result":{"supportedVersions":["2025-06-18","2026-07-28"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, approveAll, refusesInitialize(c.failure, c.discovered))
			r.send(hello)
			if got := r.answerTo("0"); strings.Contains(got, "-32022") || !strings.Contains(got, `"error"`) || strings.Contains(got, "2024-01-01") {
				t.Error(got) // the words of an unreviewed server must not appear
			}
			if r.gate.recorded(apart) {
				t.Error("it counts as one of another version")
			}
		})
	}
}

// speaks is a server that answers initialize with this version.
func speaks(version *string) func(*rig) {
	return func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			if !strings.Contains(line, `"method":"initialize"`) {
				return "", false
			}
			r.server.mu.Lock()
			defer r.server.mu.Unlock()
			return `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"` + *version + `","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"BUY NOW"}}`, true
		}
	}
}

func TestAServerOfAVersionThatWeDoNotSpeakIsAskedNothingAndOffersNothing(t *testing.T) {
	version := "2099-01-01"
	r := newRig(t, approveAll, speaks(&version))
	r.send(hello, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{}}}`) // before initialize is answered
	both := r.next() + r.next()                                                                             // in either order
	if !strings.Contains(both, `"protocolVersion":"2099-01-01"`) || strings.Contains(both, "BUY") || !strings.Contains(both, `"id":9,`) ||
		!strings.Contains(both, `The server \"weather\" speaks a protocol version that Sallyport does not`) {
		t.Error(both)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := r.call("1", "echo"); !refused(got) {
		t.Error(got)
	}
	if got := r.tools("2"); len(got) != 2 || r.server.listCount("tools/list") != 0 {
		t.Errorf("lists %v, and was asked %d times", got, r.server.listCount("tools/list"))
	}
	r.server.write(`{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[]}}`)
	r.eventually("its own request is refused", func() bool { return r.server.got(`"id":"s1","error"`) })
	r.records("no common version", func(rec control.Record) bool {
		v, ok := control.NoCommonVersion(&rec)
		return ok && len(v.Offered) == 1 && v.Offered[0] == "2099-01-01" && v.Asked == "2025-06-18"
	})
	if r.gate.reportCount() != 0 {
		t.Error("it was reported for a decision")
	}
	// The client may ask again, with another version, in the same process.
	r.server.declare(func(*server) { version = "2025-06-18" })
	r.initialize()
	if got := r.call("3", "echo"); !strings.Contains(got, "ok echo") {
		t.Error(got)
	}
	if r.gate.reportCount() == 0 {
		t.Error("the hub did not hear that they agree")
	}
}

// The response to initialize is read while the client's next request is on its way into the queue.
func TestARequestThatComesIntoAQueueThatWasJustEmptiedIsAnswered(t *testing.T) {
	for want, emptied := range map[string]func(l *life){
		"speaks a protocol version that Sallyport does not": func(l *life) { l.asked.Store(true); l.apart.Store(true) },
		"before initialize": func(l *life) { l.asked.Store(false) },
	} {
		r := newRig(t, approveAll)
		emptied(&r.s.life)
		call := &request{id: []byte("9"), method: methodCall, started: time.Now()}
		if !r.s.entrance.hold(call, []byte(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo"}}`)) {
			t.Fatal("it is judged")
		}
		if got := r.answerTo("9"); !strings.Contains(got, want) {
			t.Error(got)
		}
	}
}

func TestAVersionThatTheClientDidNotAskForIsTheClientsToAccept(t *testing.T) {
	for _, client := range []string{"goes on", "goes on without a word", "leaves"} {
		stays := client != "leaves"
		version := "2024-11-05"
		r := newRig(t, approveAll, speaks(&version), func(r *rig) { r.server.leaves, r.up = true, slow{r.up} })
		r.send(hello)
		r.answerTo("0")
		switch client {
		case "goes on without a word":
			r.call("1", "echo")
		case "goes on":
			r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if got := r.call("1", "echo"); !strings.Contains(got, "ok echo") {
				t.Error(got)
			}
		}
		r.in.Close()
		<-r.ended
		if r.gate.recorded(apart) == stays {
			t.Errorf("the client %s, and it counts as without a common version: %t", client, stays)
		}
	}
}
