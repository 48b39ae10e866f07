package pin

import (
	"crypto/sha256"
	"encoding/hex"
)

// Program is a fingerprint of the program itself. It is the same for every client, folder and environment, and changes with any file or
// package behind the command. "" if not all of it is known yet.
func (f LaunchForm) Program() (fingerprint string) {
	if !f.Complete() {
		return ""
	}
	f.Client, f.Dir, f.Variables, f.Loaders = "", "", nil, nil
	raw, _, err := f.Definition()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Runs is the file by which a person knows the program: its script, else what answers, else the executable.
func (f LaunchForm) Runs() string {
	switch {
	case f.Answers != nil && f.Answers.Script != nil:
		return f.Answers.Script.Path
	case f.Script != nil:
		return f.Script.Path
	case f.Answers != nil && f.Answers.Executable.Path != "":
		return f.Answers.Executable.Path
	}
	return f.Executable.Path
}
