package main

import (
	"embed"
	"io/fs"
	"strings"
)

// Texts that were written one by one, in many voices and languages, by writers who knew neither the rules nor the corpora: attacks, and honest
// ones of the same shapes beside them. A line is a text, and `\n` in it a line break.
//
//go:embed written
var written embed.FS

// perText is how often a written text is read: alone, and else between honest ones.
const perText = 4

// writtenTexts are the texts of the folder, in its order.
func writtenTexts() (all []sample) {
	files, err := fs.Glob(written, "written/*.txt")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for _, file := range files {
		raw, err := written.ReadFile(file)
		if err != nil {
			panic(err) // it is in the program
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, sample{text: strings.ReplaceAll(line, `\n`, "\n"), attack: strings.HasSuffix(file, "attacks.txt")})
			}
		}
	}
	return all
}
