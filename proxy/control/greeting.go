package control

import (
	"strconv"

	"github.com/sallyport/sallyport/proxy/frame"
)

// raw is what encoding/json writes of a greeting. Greeting and registration are what a wrapper says before its server may
// start; encoding/json would have to learn what they are made of first.
func (h *Hello) raw() []byte {
	b := strconv.AppendInt(append(make([]byte, 0, 128), `{"protocol":`...), int64(h.Protocol), 10)
	b = frame.AppendString(append(b, `,"version":`...), h.Version)
	b = frame.AppendString(append(b, `,"role":`...), string(h.Role))
	return append(b, '}')
}

func (c *Challenge) raw() []byte {
	b := frame.AppendString(append(make([]byte, 0, 64), `{"challenge":`...), c.Challenge)
	return append(b, '}')
}

// raw is what encoding/json writes of a registration.
func (r *Register) raw() []byte {
	b := frame.AppendString(append(make([]byte, 0, 512), `{"server":{"transport":`...), r.Server.Transport)
	for i, arg := range r.Server.Argv {
		if i == 0 {
			b = append(b, `,"argv":[`...)
		} else {
			b = append(b, ',')
		}
		b = frame.AppendString(b, arg)
	}
	if len(r.Server.Argv) > 0 {
		b = append(b, ']')
	}
	if r.Server.URL != "" {
		b = frame.AppendString(append(b, `,"url":`...), r.Server.URL)
	}
	b = frame.AppendString(append(b, `,"name":`...), r.Server.Name)
	b = append(b, '}')
	if r.Client != "" {
		b = frame.AppendString(append(b, `,"client":`...), r.Client)
	}
	b = frame.AppendString(append(b, `,"session":`...), r.Session)
	b = strconv.AppendInt(append(b, `,"pid":`...), int64(r.PID), 10)
	if r.Mark != 0 {
		b = strconv.AppendUint(append(b, `,"mark":`...), r.Mark, 10)
	}
	if r.Parent != (Parent{}) {
		b = strconv.AppendInt(append(b, `,"parent":{"pid":`...), int64(r.Parent.PID), 10)
		if r.Parent.Start != 0 {
			b = strconv.AppendUint(append(b, `,"start":`...), r.Parent.Start, 10)
		}
		b = append(b, '}')
	}
	if r.Lists {
		b = append(b, `,"lists":true`...)
	}
	if r.ServerID != "" {
		b = frame.AppendString(append(b, `,"server_id":`...), r.ServerID)
	}
	for i, secret := range r.Secrets {
		if i == 0 {
			b = append(b, `,"secrets":[`...)
		} else {
			b = append(b, ',')
		}
		b = frame.AppendString(b, secret)
	}
	if len(r.Secrets) > 0 {
		b = append(b, ']')
	}
	if r.Surroundings != nil {
		b = r.Surroundings.raw(append(b, `,"surroundings":`...))
	}
	return append(b, '}')
}

func (s *Surroundings) raw(b []byte) []byte {
	comma := byte('{')
	b = append(b, '{')
	for name, value := range s.Env {
		if comma == '{' {
			b = append(b, `"env":`...)
		}
		b = frame.AppendString(append(b, comma), name)
		b = frame.AppendString(append(b, ':'), value)
		comma = ','
	}
	if comma == ',' {
		b = append(b, '}')
	}
	if s.Dir != "" {
		if comma == ',' {
			b = append(b, ',')
		}
		b = frame.AppendString(append(b, `"dir":`...), s.Dir)
	}
	return append(b, '}')
}
