package clientconfig

import "github.com/tailscale/hujson"

// Environ is the env of an entry as a client gives it to the server, NAME=VALUE in the order of the file. It holds secrets, so
// it goes nowhere but to the server. A number or a truth value is passed on as it is written.
func (e Entry) Environ() []string {
	if e.env == nil {
		return nil
	}
	env := make([]string, 0, len(e.env.Members))
	for i := range e.env.Members {
		value := e.env.Members[i].Value
		said := literal(value)
		if l, ok := value.Value.(hujson.Literal); ok && l.Kind() != '"' {
			said = string(l)
		}
		env = append(env, literal(e.env.Members[i].Name)+"="+said)
	}
	return env
}
