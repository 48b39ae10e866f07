package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// seeds are the lines that every target starts with.
var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":1,"X":2},"_meta":{"progressToken":1}}}` + "\n",
	`{"result":{"content":[{"type":"text","text":"a\nb\"c\\\u00e9\ud83d\ude00\ud800 é"}],"isError":false},"jsonrpc":"2.0","id":"x"}`,
	`{"jsonrpc":"2.0","id":1.0e1,"error":{"code":-32600,"message":"m","data":[1,-0.5,1E+9,null,true,false,{},[]]}}`,
	`{"jsonrpc":"2.0","me\u0074hod":"tools\/call","params":[]}`,
	`{"jsonrpc":"2.0","id":null,"result":{"_meta":{"sallyport/decision":{"a":1},"b":2,"Sallyport/x":{"sallyport/y":[]}}}}`,
	`{"jsonrpc":"2.0","method":"ping","Method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"a","params":{"paramſ":1,"\u212a":2,"k":3}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"a":{"b":1,"\u0062":2}}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
	"\ufeff{}", "\x00{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "junk {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "\x1b[0m{\"id\":1}", "{\"id\":\"\xff\"}", `{"id":{"a":[1,"}"]},"x":`, `{"a":01}`, ` { "a" : [ 1 , 2 ] } ` + "\r\n", `"\ud83d\u0041"`, `{"":{"":[[],{}]}}`,
	`{"jsonrpc":"2.0","id":1,"method":"a","params":{"context":{"arguments":{"a":1,"A":2}},"arguments":{"a":[{"b":1,"B":2}]}}}`,
}

// doubles reports whether an object in a JSON value has two keys that are equal under folding. It shares nothing with Scan: jsontext's
// tokens, strings.EqualFold, every pair. With exact, only exact duplicates count.
func doubles(d *jsontext.Decoder, exact func(path string) bool) (bool, error) {
	var names [][]string
	for {
		tok, err := d.ReadToken()
		if err != nil {
			if err == io.EOF {
				return false, nil
			}
			return false, err
		}
		switch kind := tok.Kind(); kind {
		case '{', '[':
			names = append(names, nil)
		case '}', ']':
			names = names[:len(names)-1]
		case '"':
			depth := d.StackDepth()
			if depth == 0 {
				continue
			}
			container, length := d.StackIndex(depth)
			if container != '{' || length%2 == 0 {
				continue
			}
			// Lone surrogates become U+FFFD here as well.
			name := strings.ToValidUTF8(tok.String(), "\uFFFD")
			object := string(d.StackPointer().Parent())
			for _, other := range names[depth-1] {
				if other == name || strings.EqualFold(other, name) && !exact(object) {
					return true, nil
				}
			}
			names[depth-1] = append(names[depth-1], name)
		}
	}
}

// exactPlaces are the places where a client uses its own names.
func exactPlaces(dir Direction) func(pointer string) bool {
	return func(pointer string) bool {
		if dir != FromClient {
			return false
		}
		for _, place := range []string{"/params/arguments", "/params/context/arguments", "/result", "/error"} {
			if pointer == place || strings.HasPrefix(pointer, place+"/") {
				return true
			}
		}
		return false
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, line []byte, client bool) {
		dir := FromServer
		if client {
			dir = FromClient
		}
		var m Message
		err := Scan(line, dir, &m)
		var p *Problem
		if errors.As(err, &p) {
			if p.Code == CodeParse && json.Valid(line) {
				t.Fatalf("%q is JSON, and refused as none: %v", line, p)
			}
			if strings.HasPrefix(p.Reason, "two keys") && json.Valid(line) {
				d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
				if found, err := doubles(d, exactPlaces(dir)); err == nil && !found {
					t.Fatalf("%q has no two equal keys: %v", line, p)
				}
			}
			FindID(line)
			if id, ok := ResponseBehindText(line); ok && (!json.Valid(id) || len(id) == 0) {
				t.Fatalf("%q: id %q is no JSON", line, id)
			}
			return
		}
		if !json.Valid(line) || !utf8.Valid(line) {
			t.Fatalf("%q passes and is no JSON", line)
		}
		d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if found, err := doubles(d, exactPlaces(dir)); err != nil || found {
			t.Fatalf("%q passes: doubles %v, %v", line, found, err)
		}
		// A parser that ignores case and takes the last of two keys reads the same.
		var read struct{ Jsonrpc, ID, Method, Params, Result, Error json.RawMessage }
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		for _, part := range []struct {
			name  string
			read  json.RawMessage
			found Span
		}{{"id", read.ID, m.ID}, {"params", read.Params, m.Params}, {"result", read.Result, m.Result}, {"error", read.Error, m.Error}} {
			if !bytes.Equal(part.read, part.found.Of(line)) {
				t.Fatalf("%q: %s is %q, read as %q", line, part.name, part.found.Of(line), part.read)
			}
			again, ok := Find(line, Root(line), part.name)
			if ok == part.found.Empty() || ok && again != part.found {
				t.Fatalf("%q: %s is at %v, Find says %v", line, part.name, part.found, again)
			}
		}
		if name, _ := Find(line, m.Params, "name"); name != m.Name {
			t.Fatalf("%q: params.name is at %v, Find says %v", line, m.Name, name)
		}
		var method string
		if read.Method != nil {
			_ = json.Unmarshal(read.Method, &method)
		}
		if method != string(m.Method) || (read.Method == nil) != (m.Kind == Result || m.Kind == Error) || (m.Kind == Request) != (read.Method != nil && read.ID != nil) {
			t.Fatalf("%q: kind %d, method %q, read as %q", line, m.Kind, m.Method, read.Method)
		}
		if id, ok := FindID(line); ok == m.ID.Empty() || !bytes.Equal(id, m.ID.Of(line)) {
			t.Fatalf("%q: id %q, FindID %q", line, m.ID.Of(line), id)
		}
		cut := Splice(nil, line, m.CutOurs())
		if len(m.Ours) == 0 && !bytes.Equal(cut, line) {
			t.Fatalf("%q changes to %q without a reason", line, cut)
		}
		var after Message
		if !json.Valid(cut) {
			t.Fatalf("%q cut to %q", line, cut)
		}
		if err := Scan(cut, dir, &after); err != nil || len(after.Ours) != 0 {
			t.Fatalf("%q cut to %q: %v, %d are left", line, cut, err, len(after.Ours))
		}
	})
}

// containers lists every object and array of a value.
func containers(raw []byte, v Span, list []Span) []Span {
	switch Type(raw, v) {
	case '{':
		list = append(list, v)
		Members(raw, v, func(_ string, m Member) bool { list = containers(raw, m.Value, list); return true })
	case '[':
		list = append(list, v)
		Elements(raw, v, func(_ int, e Span) bool { list = containers(raw, e, list); return true })
	}
	return list
}

// children are the members or elements of a container, as written.
func children(raw []byte, v Span) (list []string) {
	Members(raw, v, func(_ string, m Member) bool {
		list = append(list, string(raw[m.Key.Start:m.Key.End])+":"+string(m.Value.Of(raw)))
		return true
	})
	Elements(raw, v, func(_ int, e Span) bool { list = append(list, string(e.Of(raw))); return true })
	return list
}

func FuzzSplice(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint16(i), uint64(0x5), uint8(i%3))
	}
	f.Fuzz(func(t *testing.T, raw []byte, which uint16, drop uint64, added uint8) {
		if out := Splice(nil, raw, nil); !bytes.Equal(out, raw) {
			t.Fatalf("no edits change %q to %q", raw, out)
		}
		// Any bytes and any span: no panic.
		wild := Span{int(which)%(len(raw)+3) - 1, len(raw) - int(added)}
		keep := func(i int) bool { return drop>>(i%64)&1 == 0 }
		var add [][]byte
		for i := range added % 3 {
			add = append(add, fmt.Appendf(nil, `%d`, i))
		}
		n := 0
		keepMember := func(string, Member) bool { n++; return keep(n - 1) }
		keepElement := func(i int, _ Span) bool { return keep(i) }
		for _, span := range []Span{wild, Root(raw)} {
			String(raw, span)
			Find(raw, span, "a", "b")
			containers(raw, span, nil)
			_ = AppendIDKey(nil, span.Of(raw))
			Splice(nil, raw, append(EditObject(raw, span, keepMember, add...), EditArray(raw, span, keepElement, add...)...))
		}
		Splice(nil, raw, []Edit{{int(which), int(drop), nil}, {wild.Start, wild.End, raw}, {int(added), int(which), nil}})
		if !json.Valid(raw) {
			return
		}
		all := containers(raw, Root(raw), nil)
		if len(all) == 0 {
			return
		}
		at := all[int(which)%len(all)]
		var want []string
		for i, c := range children(raw, at) {
			if keep(i) {
				want = append(want, c)
			}
		}
		var edits []Edit
		n = 0
		if Type(raw, at) == '{' {
			for i := range add {
				add[i] = fmt.Appendf(nil, `"new %d":%d`, i, i)
				want = append(want, string(add[i]))
			}
			edits = EditObject(raw, at, keepMember, add...)
		} else {
			for i := range add {
				want = append(want, string(add[i]))
			}
			edits = EditArray(raw, at, keepElement, add...)
		}
		out := Splice(nil, raw, slices.Clone(edits))
		if !json.Valid(out) {
			t.Fatalf("%q with %v becomes %q", raw, edits, out)
		}
		if !bytes.HasPrefix(out, raw[:at.Start+1]) || !bytes.HasSuffix(out, raw[at.End-1:]) {
			t.Fatalf("%q becomes %q: changed outside %v", raw, out, at)
		}
		after := Span{at.Start, at.End + len(out) - len(raw)}
		if got := children(out, after); !slices.Equal(got, want) {
			t.Fatalf("%q becomes %q: children %q, want %q", raw, out, got, want)
		}
	})
}

// respelled is the value with its members reversed, every character of a string escaped, and white space added.
func respelled(dst, raw []byte, v Span) []byte {
	switch Type(raw, v) {
	case '"':
		content, _ := quoted(v.Of(raw))
		return respelledString(dst, content)
	case '[':
		dst = append(dst, '[')
		Elements(raw, v, func(i int, e Span) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = respelled(append(dst, ' '), raw, e)
			return true
		})
		return append(dst, "\t]"...)
	case '{':
		var members [][]byte
		Members(raw, v, func(_ string, m Member) bool {
			content, _ := quoted(m.Key.Of(raw))
			members = append(members, respelled(append(respelledString(nil, content), " : "...), raw, m.Value))
			return true
		})
		slices.Reverse(members)
		return append(append(append(dst, '{'), bytes.Join(members, []byte(","))...), '}')
	}
	return append(dst, v.Of(raw)...)
}

func respelledString(dst, content []byte) []byte {
	dst = append(dst, '"')
	for len(content) > 0 {
		if content[0] == '\\' {
			unit, size, _ := unescape(content)
			dst = fmt.Appendf(dst, `\u%04X`, unit)
			content = content[size:]
			continue
		}
		r, size := utf8.DecodeRune(content)
		for _, unit := range utf16.Encode([]rune{r}) {
			dst = fmt.Appendf(dst, `\u%04x`, unit)
		}
		content = content[size:]
	}
	return append(dst, '"')
}

func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return v
}

func FuzzCanonical(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		form, err := AppendCanonical(nil, raw, Root(raw))
		if err != nil {
			if Validate(raw) == nil {
				t.Fatalf("%q is a value with one reading, and has no canonical form: %v", raw, err)
			}
			return
		}
		again, err := AppendCanonical(nil, form, Root(form))
		if err != nil || !bytes.Equal(form, again) {
			t.Fatalf("%q: %q, then %q (%v)", raw, form, again, err)
		}
		if !reflect.DeepEqual(decoded(t, raw), decoded(t, form)) {
			t.Fatalf("%q is another value than %q", raw, form)
		}
		other := respelled(nil, raw, Root(raw))
		if same, err := AppendCanonical(nil, other, Root(other)); err != nil || !bytes.Equal(form, same) {
			t.Fatalf("%q: %q; spelled %q: %q (%v)", raw, form, other, same, err)
		}
		// Every number is in it as written.
		if numbers(raw) != numbers(form) {
			t.Fatalf("%q: numbers %s, then %s", raw, numbers(raw), numbers(form))
		}
		if key, same := AppendIDKey(nil, raw), AppendIDKey(nil, other); !bytes.Equal(key, same) {
			t.Fatalf("%q: id key %q; spelled %q: %q", raw, key, other, same)
		}
	})
}

// numbers are the numbers of a value, sorted.
func numbers(raw []byte) string {
	var list []string
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		v, err := d.ReadToken()
		if err != nil {
			slices.Sort(list)
			return strings.Join(list, " ")
		}
		if v.Kind() == '0' {
			list = append(list, v.String())
		}
	}
}

// pieces returns its data in pieces of the listed sizes.
type pieces struct {
	data  []byte
	sizes []byte
	n     int
}

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := len(p.data)
	if len(p.sizes) > 0 {
		size = int(p.sizes[p.n%len(p.sizes)]) + 1
		p.n++
	}
	n := copy(into[:min(size, len(into))], p.data)
	p.data = p.data[n:]
	return n, nil
}

func FuzzReader(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint16(i*7+1), []byte{byte(i), 3}, uint16(0))
		f.Add([]byte(s+"\n"+s), uint16(20), []byte{}, uint16(40_000))
	}
	f.Fuzz(func(t *testing.T, data []byte, limit uint16, sizes []byte, pad uint16) {
		if pad > 0 { // lines larger than the first buffer
			data = append(append(bytes.Repeat([]byte(" "), int(pad)), data...), data...)
		}
		if limit == 0 {
			limit = 1
		}
		r := NewReader(&pieces{data: data, sizes: sizes}, int(limit))
		for rest := data; len(rest) > 0; {
			want, after, _ := bytes.Cut(rest, []byte("\n"))
			rest = after
			line, err := r.Next()
			var long *TooLong
			if len(want) <= int(limit) {
				if err != nil || !bytes.Equal(line, append(slices.Clone(want), '\n')) {
					t.Fatalf("line %q, %v; want %q", line, err, want)
				}
				continue
			}
			if !errors.As(err, &long) || long.Bytes != int64(len(want)) {
				t.Fatalf("%q, %v; want %d bytes too long", line, err, len(want))
			}
			if id, _ := FindID(want); !bytes.Equal(id, long.ID) {
				t.Fatalf("%q: id %q in pieces, %q whole", want, long.ID, id)
			}
			if long.ID != nil && !json.Valid(long.ID) {
				t.Fatalf("%q: id %q is no JSON", want, long.ID)
			}
		}
		if line, err := r.Next(); err != io.EOF {
			t.Fatalf("at the end: %q, %v", line, err)
		}
	})
}
