package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// guardrailProvider is a guardrail provider for stories: its argument says how it behaves.
func guardrailProvider() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct{ ID, Text string }
		if json.Unmarshal(in.Bytes(), &r) != nil {
			os.Exit(1)
		}
		verdict, reason := "allow", ""
		switch {
		case strings.Contains(r.Text, "ignore all previous instructions"), strings.Contains(r.Text, "an attack"):
			verdict, reason = "block", "it gives \x1b[31man order"
		case strings.Contains(r.Text, "odd"):
			verdict, reason = "flag", "odd"
		case strings.Contains(r.Text, "exit") || os.Args[1] == "broken":
			os.Exit(7)
		}
		answer, _ := json.Marshal(map[string]any{"id": r.ID, "verdict": verdict, "score": 0.75, "reason": reason})
		fmt.Printf("%s\n", answer)
	}
}
