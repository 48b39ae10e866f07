package control

import (
	"context"
	"encoding/json"
	"reflect"
)

// asking is a client's end of a call.
type asking[Takes, Answer any] = func(ctx context.Context, c *Client, takes Takes) (Answer, error)

// method is the hub's end of a call.
type method struct {
	registered bool // a wrapper's call, only after register
	answer     answering
}

type answering = func(c *hubEnd, params json.RawMessage) (any, error)

// methods are all calls on the socket, by name.
var methods = map[string]method{}

// carried registers a call and its handler in methods, and returns the client's end.
func carried[Takes, Answer any](name string, registered bool, answer func(*hubEnd, Takes) (Answer, error)) asking[Takes, Answer] {
	methods[name] = method{registered: registered, answer: func(c *hubEnd, raw json.RawMessage) (any, error) {
		takes, err := decoded[Takes](raw)
		if err != nil {
			return nil, err
		}
		out, err := answer(c, takes)
		return list(out), err
	}}
	return func(ctx context.Context, c *Client, takes Takes) (out Answer, err error) {
		var params any = takes
		if name, ok := params.(string); ok {
			params = named{Name: name}
		}
		err = c.call(ctx, name, params, &out)
		if state, ok := any(&out).(*State); ok {
			*state = whole(*state)
		}
		return out, err
	}
}

// bare is a call without parameters.
func bare[Answer any](name string, answer func(Handler) (Answer, error)) func(context.Context, *Client) (Answer, error) {
	ask := carried(name, false, func(c *hubEnd, _ nothing) (Answer, error) { return answer(c.server.handler) })
	return func(ctx context.Context, c *Client) (Answer, error) { return ask(ctx, c, nothing{}) }
}

func query[Takes, Answer any](name string, answer func(Handler, Takes) (Answer, error)) asking[Takes, Answer] {
	return carried(name, false, func(c *hubEnd, takes Takes) (Answer, error) { return answer(c.server.handler, takes) })
}

// decision is a call that depends on its caller: Peer is determined for each.
func decision[Takes, Answer any](name string, answer func(Handler, Peer, Takes) (Answer, error)) asking[Takes, Answer] {
	return carried(name, false, func(c *hubEnd, takes Takes) (Answer, error) { return answer(c.server.handler, c.peer(true), takes) })
}

// ofWrapper is a call of a registered connection.
func ofWrapper[Takes, Answer any](name string, answer func(Handler, Wrapper, Takes) (Answer, error)) asking[Takes, Answer] {
	return carried(name, true, func(c *hubEnd, takes Takes) (Answer, error) { return answer(c.server.handler, c, takes) })
}

// silent returns only success or an error.
func silent[Asker, Takes any](do func(Handler, Asker, Takes) error) func(Handler, Asker, Takes) (nothing, error) {
	return func(h Handler, asker Asker, takes Takes) (nothing, error) { return nothing{}, do(h, asker, takes) }
}

// nothing is the parameters of a call without any, and the result of one that only reports success.
type nothing struct{}

// named is the parameters of a call about one thing with a code or an id.
type named struct {
	Name string `json:"name"`
}

func decoded[Takes any](raw json.RawMessage) (takes Takes, err error) {
	if name, ok := any(&takes).(*string); ok {
		var n named
		n, err = decoded[named](raw)
		*name = n.Name
		return takes, err
	}
	if quick, ok := any(&takes).(interface{ read(json.RawMessage) bool }); ok && quick.read(raw) {
		return takes, nil
	}
	if json.Unmarshal(raw, &takes) != nil {
		err = &Error{Code: CodeBadRequest, Message: "parameters that cannot be read"}
	}
	return takes, err
}

// list encodes an empty list as [].
func list(out any) any {
	if v := reflect.ValueOf(out); v.Kind() == reflect.Slice && v.IsNil() {
		return []nothing{}
	}
	return out
}
