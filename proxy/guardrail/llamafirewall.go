package guardrail

import (
	_ "embed"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
)

//go:embed llamafirewall.py
var llamaFirewall string

// Scanners of LlamaFirewall that are asked. Its others judge code, or send the text to a model elsewhere.
var llamaScanners = []string{"PROMPT_GUARD", "HIDDEN_ASCII", "REGEX"}

// loadModel is how long LlamaFirewall may take for its first answer: PROMPT_GUARD loads torch and a model of 86 million parameters.
const loadModel = time.Minute

// NewLlamaFirewall is a Command that asks Meta's LlamaFirewall, through a program of ours that is run by the Python in which it is
// installed. It never reaches the network: scanners that need a model run only if the model is on the disk. Its answers say in Ran and NotRun which did.
func NewLlamaFirewall(python string, stderr func([]byte)) *Command {
	return NewCommand(CommandConfig{
		Argv:        []string{python, "-c", llamaFirewall},
		Stderr:      stderr,
		FirstAnswer: loadModel,
		scanners:    llamaScanners,
		exits: map[int]string{
			3: "llamafirewall is not installed for this Python: run its \"-m pip install llamafirewall\"",
			4: "none of the scanners of this llamafirewall can run: Sallyport knows version 1.0.3",
			5: "llamafirewall lacks a Python package that it needs: its log names it",
		},
	})
}

// readScanners reads which scanners ran from an answer that was read already. Names other than the known ones are ignored.
func readScanners(a *Answer, raw []byte, known []string) {
	root := frame.Root(raw)
	ran, _ := frame.Find(raw, root, "ran")
	frame.Elements(raw, ran, func(_ int, at frame.Span) bool {
		if name, _ := frame.String(raw, at); slices.Contains(known, name) && !slices.Contains(a.Ran, name) {
			a.Ran = append(a.Ran, name)
		}
		return true
	})
	notRun, _ := frame.Find(raw, root, "not_run")
	frame.Members(raw, notRun, func(name string, m frame.Member) bool {
		if i := slices.Index(known, name); i >= 0 {
			if a.NotRun == nil {
				a.NotRun = map[string]string{}
			}
			why, _ := frame.String(raw, m.Value)
			a.NotRun[known[i]] = cut.Runes(why, MaxReason)
		}
		return true
	})
}
