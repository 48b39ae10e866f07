package extensions

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// shown is how many files and links an item names; the rest is counted.
const shown = 50

// partKey is the key of the one part of an item about an extension.
func partKey(f found) string { return review.ExtensionPrefix + cut.Bytes(f.Name, 128) }

// word is a name in a sentence of ours.
func word(name string) string { return legible.Name(name, "an extension") }

// content is the item about an extension, nil if there is nothing to review.
func (e *Extensions) content(f found, was store.Extension, known bool) *review.Content {
	if f.Disabled || known && was.Manifest == f.manifest && was.Files == f.digest {
		return nil
	}
	state, verb, severity := vocab.PartNew, "is new", vocab.SeverityReview
	if known {
		state, verb = vocab.PartChanged, "changed"
		if was.Version == f.Version {
			verb, severity = "changed and has the same version", vocab.SeverityHigh
		}
	}
	part := partKey(f)
	c := &review.Content{Kind: vocab.ItemExtension, ServerID: f.id(), Severity: severity, Clients: []string{clientconfig.ClaudeDesktop}}
	c.Title = fmt.Sprintf("%s: extension %s %s", identity.ClientTitle(clientconfig.ClaudeDesktop), word(f.Name), verb)
	if word(f.Name) == "an extension" {
		c.Title = fmt.Sprintf("%s: an extension %s", identity.ClientTitle(clientconfig.ClaudeDesktop), verb)
	}
	c.Parts = []store.Part{{Item: part, State: state, Digest: sumOf([]byte(strings.Join([]string{f.manifest, f.digest, f.problem, was.Manifest, was.Files}, "\n")))}}
	d := review.FileDetail{Path: f.Folder, Client: clientconfig.ClaudeDesktop, Words: map[string]string{}}
	d.Changes = append(valueChange("version", f.Version, was.Version, known), valueChange("command", f.Runs, was.Runs, known)...)
	d.Changes = append(d.Changes, e.fileChanges(f, was, known)...)
	d.Changes = append(d.Changes, warnings(f)...)
	c.Detail = office.Detail(d)
	return c
}

// valueChange says what something is, or was and is.
func valueChange(what, now, was string, known bool) []pin.Change {
	now, was = cut.Bytes(now, 1024), cut.Bytes(was, 1024)
	switch {
	case known && now == was:
		return nil
	case known:
		return []pin.Change{{Path: what, Op: pin.Changed, Words: "its " + what + " changed", Before: was, After: now}}
	case now == "":
		return []pin.Change{{Path: what, Op: pin.Added, Words: "its manifest names no " + what}}
	}
	return []pin.Change{{Path: what, Op: pin.Added, Words: "its " + what, After: now}}
}

// fileChanges names the files that differ from what was accepted.
func (e *Extensions) fileChanges(f found, was store.Extension, known bool) (all []pin.Change) {
	if f.digest == "" {
		return nil
	}
	if !known {
		return []pin.Change{{Path: "files", Op: pin.Added, Words: fmt.Sprintf("%s, %s", review.Count(f.files, "file"), size(f.bytes))}}
	}
	if was.Files == f.digest {
		return nil
	}
	before := e.kept(was)
	if before == nil {
		return []pin.Change{{Path: "files", Op: pin.Changed, Words: "its files differ from the ones you accepted; which ones is not known"}}
	}
	differ := differences(before, f.list)
	for i, one := range differ {
		if i == shown {
			return append(all, pin.Change{Path: "files", Op: pin.Changed, Words: fmt.Sprintf("%d more files differ", len(differ)-shown)})
		}
		path := cut.Bytes(one.path, 1024)
		switch {
		case one.gone:
			all = append(all, pin.Change{Path: "files", Op: pin.Removed, Words: "a file is gone", Before: path})
		case one.anew:
			all = append(all, pin.Change{Path: "files", Op: pin.Added, Words: "a file is new", After: path})
		default:
			all = append(all, pin.Change{Path: "files", Op: pin.Changed, Words: "a file changed", After: path})
		}
	}
	return all
}

// warnings say what isn't pinned.
func warnings(f found) (all []pin.Change) {
	if f.problem != "" {
		all = append(all, pin.Change{Path: "files", Op: pin.Changed, Words: "only its manifest is pinned: " + f.problem})
	}
	if f.Problem != "" {
		all = append(all, pin.Change{Path: "manifest", Op: pin.Changed, Words: f.Problem})
	}
	for i, link := range f.links {
		if i == shown {
			return append(all, pin.Change{Path: "links", Op: pin.Changed, Words: fmt.Sprintf("%d more links", len(f.links)-shown)})
		}
		all = append(all, pin.Change{Path: "links", Op: pin.Changed, Words: "this link is pinned, and what it leads to is not", After: cut.Bytes(link, 1024)})
	}
	return all
}

func size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return review.Count(int(bytes), "byte")
}
