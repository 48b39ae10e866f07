package main

import (
	"fmt"
	"io"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// passages reports how many warnings a person sees for the findings in malicious definitions.
func passages(out io.Writer, all []*corpus) {
	for _, c := range all {
		if c.name != "metadata_malicious" {
			continue
		}
		findings, folded, mostFindings, mostFolded := 0, 0, 0, 0
		for i := range c.rows {
			in, of := len(c.rows[i].Findings), len(inspect.Passages(c.rows[i].Findings))
			findings, folded = findings+in, folded+of
			mostFindings, mostFolded = max(mostFindings, in), max(mostFolded, of)
		}
		fmt.Fprintf(out, "\n**What a person reads of it**\n\nThe %s findings in %s definitions that attack are %s warnings, one for each passage of text: at most %d a definition, where there are up to %d findings.\n",
			thousands(findings), thousands(len(c.rows)), thousands(folded), mostFolded, mostFindings)
	}
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
