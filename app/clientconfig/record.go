package clientconfig

import "fmt"

// Record is what one entry was before it was wrapped and what was written into it. Whoever wraps keeps it (it may hold
// secrets: the original arguments as they stood) and hands it back to Unwrap, Classify and Compare.
type Record struct {
	Name    string   `json:"name"`
	Client  string   `json:"client"`         // the value of --client
	Wrapper string   `json:"wrapper"`        // the command that was written
	Argv    []string `json:"argv"`           // the original command and arguments
	Command string   `json:"command"`        // the original command as it was spelled, a JSON text
	Args    string   `json:"args,omitempty"` // the original args as they were spelled; "" where there were none
}

func (r Record) String() string {
	return fmt.Sprintf("record of %q (a command and %d arguments)", r.Name, max(len(r.Argv)-1, 0))
}

func (r Record) GoString() string { return r.String() }

// Written are the arguments that a wrapped entry has.
func (r Record) Written() []string { return wrapperArgs(r.Name, r.Client, r.Argv) }

// ours are the arguments up to the one that ends them. A server named "--" would end them too early.
func ours(name, client string) []string {
	if name == "--" {
		return []string{"wrap", "--name=--", "--client", client, "--"}
	}
	return []string{"wrap", "--name", name, "--client", client, "--"}
}

func findRecord(records []Record, name string) *Record {
	for i := range records {
		if records[i].Name == name {
			return &records[i]
		}
	}
	return nil
}
