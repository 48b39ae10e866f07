package launch

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/transport"
)

// envCall is the parsed arguments of env(1).
type envCall struct {
	command string
	rest    []string
	dir     string   // -C
	sets    []string // NAME=VALUE
	empty   bool     // -i
}

func envOf(args []string) (e envCall) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		next := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		split := func(words string, after []string) envCall {
			inner := envOf(append(strings.Fields(words), after...))
			inner.sets, inner.empty = append(e.sets, inner.sets...), e.empty || inner.empty
			if inner.dir == "" {
				inner.dir = e.dir
			}
			return inner
		}
		switch {
		case a == "-u" || a == "--unset":
			next()
		case a == "-C" || a == "--chdir":
			e.dir = next()
		case strings.HasPrefix(a, "--chdir="):
			e.dir = strings.TrimPrefix(a, "--chdir=")
		case a == "-S" || a == "--split-string":
			if i+1 < len(args) {
				return split(args[i+1], args[i+2:])
			}
		case strings.HasPrefix(a, "--split-string="):
			return split(strings.TrimPrefix(a, "--split-string="), args[i+1:])
		case strings.HasPrefix(a, "-S") || strings.HasPrefix(a, "-vS"):
			return split(a[strings.Index(a, "S")+1:], args[i+1:])
		case a == "-i" || a == "-" || a == "--ignore-environment":
			e.empty = true
		case strings.HasPrefix(a, "-"):
		case strings.Contains(a, "="):
			e.sets = append(e.sets, a)
		default:
			e.command, e.rest = a, args[i+1:]
			return e
		}
	}
	return e
}

// within is the target of env's command, which may have another PATH and folder. ok is false if there is no command.
func (e envCall) within(t transport.Target) (inner transport.Target, ok bool) {
	if e.command == "" {
		return t, false
	}
	var env []string
	for _, entry := range t.Env {
		if name, _, _ := strings.Cut(entry, "="); name == "PATH" && !e.empty && !e.setsPath() {
			env = append(env, entry)
		}
	}
	inner = transport.Target{Path: t.Path, Dir: t.Dir, Env: append(env, e.sets...)}
	if e.dir != "" {
		inner.Dir = absolute(e.dir, t.Dir)
	}
	return inner, true
}

func (e envCall) setsPath() bool {
	return slices.ContainsFunc(e.sets, func(set string) bool { return strings.HasPrefix(set, "PATH=") })
}
