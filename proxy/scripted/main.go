package scripted

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Main runs the server until its input ends or its script says so, and returns its exit status. args are
// `weather [--drift-when FILE] [--poison-when FILE] [--odd-when FILE] [--silent] [--log FILE]` or the path of a script.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	script, err := choose(args, errw)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(errw, "scripted: %v\n", err)
		return 2
	}
	s := newSession(script, out, errw)
	if script.Log != "" {
		file, err := os.OpenFile(script.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintf(errw, "scripted: open log: %v\n", err)
			return 1
		}
		defer file.Close()
		s.log = file
	}
	return s.run(in)
}

func choose(args []string, errw io.Writer) (Script, error) {
	switch {
	case len(args) == 0:
		return Script{}, errors.New("which script? weather, or the path of one")
	case args[0] == "weather":
		flags, err := parseWeather(args[1:], errw)
		if err != nil {
			return Script{}, err
		}
		return weather(flags), nil
	default:
		return Load(args[0])
	}
}
