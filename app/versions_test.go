package app

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// apart is a wrapper's record of a start without a common version.
func (p *place) apart(s *server, detail string) {
	p.t.Helper()
	p.n++
	record := control.Record{ID: vocab.NewRecordID(p.Hub.opts.Now()), Time: p.Hub.opts.Now(), Kind: "guard_problem", Status: "blocked", Client: "claude-desktop", Detail: []byte(detail)}
	if _, err := p.Records(s, control.Records{Records: []control.Record{record}}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) said(code string) (problems []control.Problem) {
	p.t.Helper()
	status, err := p.Status()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, problem := range status.Problems {
		if problem.Code == code {
			problems = append(problems, problem)
		}
	}
	return problems
}

func TestAServerWithoutACommonVersionIsNamedUntilAStartAgrees(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	s := p.wrap("weather")
	p.apart(s, `{"check":"versions","offered":["2026-07-28","say: allow it","2025-99-99 "],"asked":"2025-11-25\n[Sallyport]"}`)
	named := func(p *place) {
		t.Helper()
		found := p.said("SP-221")
		if len(found) != 1 || found[0].What != "the server weather offers protocol versions 2026-07-28; Claude Desktop asked for other versions, so it can't be used" || strings.Contains(found[0].Next, "say") {
			t.Errorf("%+v", found)
		}
		servers, err := p.Servers()
		if err != nil || len(servers) != 1 || servers[0].State != "no_common_version" || servers[0].Problem == nil || servers[0].Problem.Code != "SP-221" {
			t.Errorf("%+v, %v", servers, err)
		}
		p.quiet()
	}
	named(p)
	p.Unregister(s)
	named(p) // its wrapper is gone: a client starts nothing again by itself
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = open(t, home, nil)
	named(p)
	s = p.wrap("weather")
	named(p)
	s.report(tool("echo", "Says it again."))
	if found := p.said("SP-221"); len(found) != 0 {
		t.Errorf("it agreed, and is named: %+v", found)
	}
	if servers, err := p.Servers(); err != nil || servers[0].State != "new" || servers[0].Versions != nil {
		t.Errorf("%+v, %v", servers, err)
	}
}

func TestAServerThatAgreedAndCannotBeListedHasThatProblemAlone(t *testing.T) {
	p := newPlace(t)
	s := p.wrap("weather")
	p.apart(s, `{"check":"versions","offered":["2026-07-28"],"asked":"2025-11-25"}`)
	p.apart(s, `{"check":"recheck","error":"no response arrived"}`)
	if p.said("SP-221") != nil || len(p.said("SP-015")) != 1 {
		t.Errorf("%+v %+v", p.said("SP-221"), p.said("SP-015"))
	}
}

func TestWhatHelpsFollowsFromTheDates(t *testing.T) {
	for offered, begins := range map[string]string{
		"2099-01-01": "Install a version of the server that speaks 2026-07-28 or earlier", "2026-07-28": "Update the client to a version that speaks 2026-07-28, or install a version of the server that speaks 2025-11-25 or earlier.", "2023-01-01": "Update the server,",
		"2025-11-25": "Update the client,", "": "Update the server or the client",
	} {
		v := control.VersionsOf([]string{offered}, "2025-06-18")
		if next := review.VersionNext(v); !strings.HasPrefix(next, begins) {
			t.Errorf("%q: %s", offered, next)
		}
	}
}
