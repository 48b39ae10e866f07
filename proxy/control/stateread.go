package control

import (
	"encoding/json"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// UnmarshalJSON reads a State by hand where it is written as a hub writes one. A wrapper reads its first one before its server
// may start, and encoding/json takes longer to learn what a State is made of than a hub takes to answer. All else, members
// that few States have among it, goes to encoding/json: what it reads is what is meant.
func (s *State) UnmarshalJSON(raw []byte) error {
	if read, ok := readState(raw); ok {
		*s = read
		return nil
	}
	type learned State
	var read learned
	err := json.Unmarshal(raw, &read)
	*s = State(read)
	return err
}

// readState is a State read by hand; not ok says nothing about it.
func readState(raw []byte) (s State, ok bool) {
	if frame.Validate(raw) != nil { // no two keys that encoding/json would take for one
		return s, false
	}
	r := byHand{raw}
	return s, r.object(frame.Root(raw), func(key string, v frame.Span) bool {
		switch key {
		case "revision":
			return r.unsigned(v, &s.Revision)
		case "name":
			return r.text(v, &s.Name)
		case "open":
			return r.truth(v, &s.Open)
		case "blocked":
			return r.truth(v, &s.Blocked)
		case "code":
			return r.text(v, &s.Code)
		case "kind":
			return r.text(v, &s.Kind)
		case "items":
			s.Items = map[string]ItemState{}
			return r.object(v, func(key string, v frame.Span) bool {
				item, ok := r.item(v)
				s.Items[strings.Clone(key)] = item
				return ok
			})
		case "settings":
			s.Settings = map[string]string{}
			return r.object(v, func(key string, v frame.Span) bool {
				var value string
				ok := r.text(v, &value)
				s.Settings[strings.Clone(key)] = value
				return ok
			})
		case "waiting":
			var n int64
			ok := r.signed(v, &n)
			s.Waiting = int(n)
			return ok && int64(s.Waiting) == n
		case "own_tools":
			return r.text(v, &s.OwnTools)
		case "launch":
			s.Launch = &LaunchState{}
			return r.launch(v, s.Launch)
		case "spool":
			s.Spool = &SpoolKey{}
			return r.object(v, func(key string, v frame.Span) bool {
				switch key {
				case "server":
					return r.text(v, &s.Spool.Server)
				case "key":
					return r.bytes(v, &s.Spool.Key)
				}
				return false
			})
		case "rules":
			return r.bytes(v, &s.Rules)
		case "hide":
			return r.texts(v, &s.Hide)
		}
		return false
	})
}

func (r byHand) item(v frame.Span) (i ItemState, ok bool) {
	return i, r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "state":
			return r.text(v, &i.State)
		case "approved":
			return listByHand(r, v, &i.Approved, func(v frame.Span, d *pin.Digest) bool { return r.text(v, (*string)(d)) })
		case "code":
			return r.text(v, &i.Code)
		}
		return false
	})
}

func (r byHand) launch(v frame.Span, l *LaunchState) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "key":
			return r.bytes(v, &l.Key)
		case "files":
			return listByHand(r, v, &l.Files, r.stamp)
		case "first":
			return r.truth(v, &l.First)
		case "verdict":
			return r.text(v, (*string)(&l.Verdict))
		case "code":
			return r.text(v, &l.Code)
		case "allowed":
			return listByHand(r, v, &l.Allowed, r.form)
		case "client":
			return r.text(v, &l.Client)
		}
		return false
	})
}

func (r byHand) stamp(v frame.Span, f *pin.FileStamp) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "path":
			return r.text(v, &f.Path)
		case "dev":
			return r.unsigned(v, &f.Device)
		case "ino":
			return r.unsigned(v, &f.Inode)
		case "size":
			return r.signed(v, &f.Size)
		case "mtime":
			return r.signed(v, &f.MTime)
		case "ctime":
			return r.signed(v, &f.CTime)
		case "sha256":
			return r.text(v, &f.SHA256)
		}
		return false
	})
}

func (r byHand) form(v frame.Span, f *pin.LaunchForm) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "client":
			return r.text(v, &f.Client)
		case "executable":
			return r.file(v, &f.Executable)
		case "interpreter":
			f.Interpreter = &pin.LaunchFile{}
			return r.file(v, f.Interpreter)
		case "script":
			f.Script = &pin.LaunchFile{}
			return r.file(v, f.Script)
		case "loads":
			return listByHand(r, v, &f.Loads, r.file)
		case "told":
			return r.text(v, &f.Told)
		case "package":
			f.Package = &pin.LaunchPackage{}
			return r.pack(v, f.Package)
		case "answers":
			f.Answers = &pin.LaunchAnswers{}
			return r.answers(v, f.Answers)
		case "dir":
			return r.text(v, &f.Dir)
		case "variables":
			return r.texts(v, &f.Variables)
		case "loaders":
			return listByHand(r, v, &f.Loaders, r.loader)
		case "values":
			return listByHand(r, v, &f.Values, r.loader)
		}
		return false
	})
}

func (r byHand) file(v frame.Span, f *pin.LaunchFile) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "path":
			return r.text(v, &f.Path)
		case "sha256":
			return r.text(v, &f.SHA256)
		}
		return false
	})
}

func (r byHand) pack(v frame.Span, p *pin.LaunchPackage) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "manager":
			return r.text(v, &p.Manager)
		case "name":
			return r.text(v, &p.Name)
		case "version":
			return r.text(v, &p.Version)
		case "entry":
			return r.text(v, &p.Entry)
		case "digest":
			return r.text(v, &p.Digest)
		case "unseen":
			return r.truth(v, &p.Unseen)
		case "pending":
			return r.truth(v, &p.Pending)
		}
		return false
	})
}

func (r byHand) answers(v frame.Span, a *pin.LaunchAnswers) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "executable":
			return r.file(v, &a.Executable)
		case "script":
			a.Script = &pin.LaunchFile{}
			return r.file(v, a.Script)
		case "loads":
			return listByHand(r, v, &a.Loads, r.file)
		case "told":
			return r.text(v, &a.Told)
		case "unseen":
			return r.truth(v, &a.Unseen)
		case "pending":
			return r.truth(v, &a.Pending)
		}
		return false
	})
}

func (r byHand) loader(v frame.Span, l *pin.LaunchLoader) bool {
	return r.object(v, func(key string, v frame.Span) bool {
		switch key {
		case "name":
			return r.text(v, &l.Name)
		case "hash":
			return r.text(v, &l.Hash)
		case "off":
			return r.truth(v, &l.Off)
		}
		return false
	})
}
