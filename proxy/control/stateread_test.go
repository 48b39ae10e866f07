package control

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
)

// fullState has a value in every member that most States have.
func fullState() State {
	file := pin.LaunchFile{Path: "/usr/bin/node", SHA256: "aa"}
	return State{
		Revision: 1<<64 - 1, Name: "weather \"é\" \U0001F600", Open: true, Code: "ABCD", Kind: "changed", Waiting: 3, OwnTools: OwnToolsThere,
		Items: map[string]ItemState{
			"tool:echo": {State: "approved", Approved: []pin.Digest{"d1", "d2"}, Code: "EFGH"}, "tool:\\u00e9 \n": {State: "new"},
		},
		Settings: map[string]string{"pins.launch": "block", "x": ""},
		Launch: &LaunchState{
			Key: []byte{0, 1, 255}, First: true, Verdict: LaunchGo, Code: "IJKL", Client: "claude-desktop",
			Files: []pin.FileStamp{{Path: "/a", Device: 1 << 63, Inode: 2, Size: -1, MTime: -5, CTime: 1 << 62, SHA256: "bb"}},
			Allowed: []pin.LaunchForm{{
				Client: "c", Executable: file, Interpreter: &file, Script: &file, Loads: []pin.LaunchFile{file}, Told: "code in the arguments",
				Package: &pin.LaunchPackage{Manager: "npm", Name: "n", Version: "1", Entry: "e", Digest: "d", Unseen: true, Pending: true},
				Answers: &pin.LaunchAnswers{Executable: file, Script: &file, Loads: []pin.LaunchFile{file}, Told: "t", Unseen: true, Pending: true},
				Dir:     "/", Variables: []string{"A", "B"}, Loaders: []pin.LaunchLoader{{Name: "LD_PRELOAD", Hash: "cc", Off: true}}, Values: []pin.LaunchLoader{{Name: "LD_AUDIT", Hash: "dd"}},
			}},
		},
		Spool: &SpoolKey{Server: "id", Key: []byte{7, 0}}, Rules: []byte("{}"), Hide: []string{"/home/x/claude_desktop_config.json"},
	}
}

// learnt is what encoding/json reads without a hand in it.
func learnt(raw []byte) (State, error) {
	type learned State
	var s learned
	err := json.Unmarshal(raw, &s)
	return State(s), err
}

func TestTheStateOfAHubIsReadByHandAndAsEncodingJSONReadsIt(t *testing.T) {
	for name, s := range map[string]State{"none": {}, "every member": fullState(), "no launch allowed": {Launch: &LaunchState{}, Items: map[string]ItemState{}}} {
		raw, err := encodeRaw(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := learnt(raw)
		if err != nil {
			t.Fatal(err)
		}
		if name == "none" || name == "no launch allowed" { // maps that are nil are written as null
			got := State{}
			if err := got.UnmarshalJSON(raw); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v; encoding/json reads %+v", name, got, err, want)
			}
			if raw, err = encodeRaw(whole(s)); err != nil {
				t.Fatal(err)
			}
			if want, err = learnt(raw); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := readState(raw); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %+v; encoding/json reads %+v", name, ok, got, want)
		}
	}
}

func TestAStateWithWhatFewHaveIsReadToo(t *testing.T) {
	s := fullState()
	s.Released = []Released{{Code: "WXYZ", Same: "d", Until: time.Unix(1, 0).UTC()}}
	s.Exceptions = []Exception{{ID: "1", Rule: "r"}}
	s.Asks = []Allowed{{Kind: "sampling", All: true}}
	raw, err := encodeRaw(s)
	if err != nil {
		t.Fatal(err)
	}
	var got State
	if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever is written, what is read by hand is what encoding/json reads.
func FuzzState(f *testing.F) {
	for _, s := range []State{fullState(), whole(State{})} {
		raw, err := encodeRaw(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	for _, raw := range []string{
		`{}`, `null`, `[]`, `{"revision":1e2}`, `{"revision":-1}`, `{"waiting":-0}`, `{"waiting":9223372036854775808}`, `{"Open":true}`, `{"open":true,"OPEN":false}`,
		`{"items":null,"settings":{"a":null}}`, `{"items":{"a":{},"A":{}}}`, `{"name":"\ud800"}`, `{"launch":{"key":"QQ"}}`, `{"launch":{"key":"Q\nQ=="}}`,
		`{"launch":{"files":[null,{}],"allowed":[{"script":null}]}}`, `{"hide":[]}`, `{"hide":["\u0061"]}`, `{"settings":{"\ud800":"1","\ud801":"2"}}`, `{"launch":null}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, ok := readState(raw); ok {
			if want, err := learnt(raw); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: %+v; encoding/json: %+v, %v", raw, got, want, err)
			}
		}
	})
}

// Whatever is written, a message that is read as ours is what encoding/json reads.
func FuzzOurOwn(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":12,"method":"register","params":{"a":[1]}}`, `{"jsonrpc":"2.0","method":"state","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":01,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"x","params":1,"result":2}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","result":1}`, `{"jsonrpc":"2.0","method":"","params":1}`, `{"jsonrpc":"2.0","id":1,"result": 1 }`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":1,"A":2}}`, `{"jsonrpc":"2.0","id":12345678901234567890,"result":1}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = append(line, '\n')
		if got, ok := ourOwn(line); ok {
			var want message
			if err := json.Unmarshal(line, &want); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: %+v; encoding/json: %+v, %v", line, got, want, err)
			}
		}
	})
}

func TestMessagesOfBothEndsAreReadByHand(t *testing.T) {
	for _, m := range []message{
		{Version: "2.0", ID: []byte("1"), Result: []byte(`{"a":1}`)}, {Version: "2.0", Method: "state", Params: []byte(`{}`)},
		{Version: "2.0", ID: []byte("20"), Method: "register", Params: []byte(`{}`)},
	} {
		line, err := encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ourOwn(line); !ok || !reflect.DeepEqual(got, m) {
			t.Errorf("%q: %v, %+v", line, ok, got)
		}
	}
}

func TestAGreetingIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	for _, r := range []Register{
		{}, {Server: ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "\"<a&b>\" \\ \n \x00 \xff \u2028 é"}, Name: "n"}, Client: "c", Session: "s", PID: 7},
		{Server: ServerRef{Transport: "url", URL: "https://example.com/?a=1&b=2", Argv: []string{}}},
		{Parent: Parent{PID: 7}}, {Surroundings: &Surroundings{}}, {Surroundings: &Surroundings{Dir: "/srv"}}, {Surroundings: &Surroundings{Env: map[string]string{"PATH": "/bin"}}},
	} {
		var got, want Register
		raw, err := encodeRaw(r)
		if err != nil || json.Unmarshal(raw, &want) != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(r.raw(), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; encoding/json: %s", r.raw(), got, err, raw)
		}
	}
	h := Hello{Protocol: 2, Version: "v\"1\"", Role: RoleWrapper}
	var got Hello
	if err := json.Unmarshal(h.raw(), &got); err != nil || got != h {
		t.Errorf("%s: %+v, %v", h.raw(), got, err)
	}
}

// A member that the types get and the hand does not know would be lost on the way.
func TestTheHandKnowsEveryMemberOfAGreeting(t *testing.T) {
	full := Register{Server: ServerRef{Transport: "t", Argv: []string{"a"}, URL: "u", Name: "n"}, Client: "c", Session: "s", PID: 1, Mark: 1<<62 - 7, Secrets: []string{"x", "y\"z"},
		Parent: Parent{PID: 7, Start: 1<<63 + 3}, Lists: true, ServerID: "id",
		Surroundings: &Surroundings{Env: map[string]string{"PATH": "/bin:\"/usr/bin\"", "HOME": "/home/u"}, Dir: "/srv"}}
	hello := Hello{Protocol: 2, Version: "v", Role: "r"}
	for _, v := range []any{full, full.Server, full.Parent, *full.Surroundings, hello} {
		for i, fields := 0, reflect.ValueOf(v); i < fields.NumField(); i++ {
			if fields.Field(i).IsZero() {
				t.Errorf("%T has a member that this test does not set: %s", v, fields.Type().Field(i).Name)
			}
		}
	}
	var gotRegister Register
	var gotHello Hello
	if json.Unmarshal(full.raw(), &gotRegister) != nil || !reflect.DeepEqual(gotRegister, full) || json.Unmarshal(hello.raw(), &gotHello) != nil || gotHello != hello {
		t.Errorf("%+v, %+v", gotRegister, gotHello)
	}
}
