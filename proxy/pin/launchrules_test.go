package pin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn is a launch with each part drawn at random from a few.
func drawn(r *rand.Rand) LaunchForm {
	file := func(path string) LaunchFile {
		return LaunchFile{fmt.Sprint(path, r.IntN(2)), fmt.Sprint("sum", r.IntN(2))}
	}
	f := LaunchForm{
		Client: []string{"claude-desktop", "claude-code", "codex", "", ProbeClient}[r.IntN(5)], Executable: file("/bin/"),
		Dir: fmt.Sprint("/dir", r.IntN(3)), Variables: []string{"PATH"},
	}
	maybe := func(set func()) {
		if r.IntN(3) == 0 {
			set()
		}
	}
	maybe(func() { i := file("/interpreter/"); f.Interpreter = &i })
	maybe(func() { s := file("/script/"); f.Script = &s })
	maybe(func() { f.Told = "module x" })
	maybe(func() { f.Loads = []LaunchFile{file("/loads/")} })
	maybe(func() { f.Package = &LaunchPackage{Manager: "npm", Name: "p", Version: fmt.Sprint(r.IntN(2))} })
	maybe(func() { f.Answers = &LaunchAnswers{Executable: file("/answers/")} })
	for _, name := range []string{"NODE_OPTIONS", "LD_PRELOAD", "COREPACK_ENABLE_AUTO_PIN", "HOME", "KEY=keychain:one", "KEY=keychain:two"} {
		maybe(func() {
			value := r.IntN(3)
			off := value == 0 && name == "COREPACK_ENABLE_AUTO_PIN"
			f.Loaders = append(f.Loaders, LaunchLoader{Name: name, Hash: fmt.Sprint("value", value), Off: off})
			f.Variables = append(f.Variables, name)
		})
	}
	for i := range 3 {
		maybe(func() { f.Variables = append(f.Variables, fmt.Sprint("NAME", i)) })
	}
	return f
}

// knownProgram reports, without the code under test, whether each part of a program is as in some allowed form.
func knownProgram(f LaunchForm, allowed []LaunchForm) bool {
	some := func(same func(a LaunchForm) bool) bool { return slices.ContainsFunc(allowed, same) }
	equal := func(a, b *LaunchFile) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
	for _, load := range f.Loads {
		if !some(func(a LaunchForm) bool { return slices.Contains(a.Loads, load) }) {
			return false
		}
	}
	return some(func(a LaunchForm) bool { return a.Executable == f.Executable }) &&
		some(func(a LaunchForm) bool { return equal(a.Interpreter, f.Interpreter) }) &&
		some(func(a LaunchForm) bool { return equal(a.Script, f.Script) && a.Told == f.Told }) &&
		some(func(a LaunchForm) bool {
			return (a.Package == nil) == (f.Package == nil) && (a.Package == nil || *a.Package == *f.Package)
		}) &&
		some(func(a LaunchForm) bool {
			return (a.Answers == nil) == (f.Answers == nil) && (a.Answers == nil || a.Answers.Executable == f.Answers.Executable)
		})
}

// knownValues reports whether every loader has an allowed value, is set by its client for all servers, or is off.
func knownValues(f LaunchForm, allowed []LaunchForm) bool {
	return !slices.ContainsFunc(f.Loaders, func(l LaunchLoader) bool {
		if l.Name == "HOME" || l.Off || f.Client == "claude-code" && l.Name == "COREPACK_ENABLE_AUTO_PIN" {
			return false
		}
		return !slices.ContainsFunc(allowed, func(a LaunchForm) bool { return slices.Contains(a.Loaders, LaunchLoader{Name: l.Name, Hash: l.Hash}) })
	})
}

func launchRules(t *testing.T, seed1, seed2 uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed1, seed2))
	allowed := make([]LaunchForm, 1+r.IntN(3))
	for i := range allowed {
		allowed[i] = drawn(r)
	}
	f := drawn(r)
	d := f.Against(allowed)
	fail := func(why string) {
		t.Errorf("seeds %d, %d: %s\nallowed %+v\nlaunch %+v\ndrift %+v", seed1, seed2, why, allowed, f, d)
	}
	program, values := knownProgram(f, allowed), knownValues(f, allowed)
	switch {
	case !program && (!d.Drifted() || !d.Strict):
		fail("a program that nobody has allowed joins silently, or runs under block")
	case !values && !d.Grave:
		fail("a loader with a value that nobody has allowed runs")
	case program && values && d.Grave:
		fail("what was allowed, part by part, is not started")
	case program && values && d.About() != AboutSurroundings && d.About() != AboutNothing:
		fail("surroundings are called otherwise")
	}
	if after := f.Against(append(slices.Clone(allowed), f)); after.Drifted() {
		fail(fmt.Sprintf("allowed as it is it still waits: %+v", after.Changes))
	}
	if !d.Drifted() {
		return
	}
	_, asked, _ := f.Asked(allowed).Definition()
	again := f
	again.Variables = append(slices.Clone(f.Variables), "HARMLESS")
	if _, other, _ := again.Asked(allowed).Definition(); other != asked {
		fail("one more name is another item")
	}
	// A launch with the digest of an allowed one runs.
	for range 4 {
		other := drawn(r)
		g := f
		g.Client, g.Dir, g.Variables = other.Client, other.Dir, other.Variables
		if r.IntN(2) == 0 {
			g.Loaders = other.Loaders
		}
		if _, other, _ := g.Asked(allowed).Definition(); other != asked || !g.Against(allowed).Drifted() {
			continue
		}
		if rest := g.Against(append(slices.Clone(allowed), f)); rest.Grave || rest.Strict && rest.About() != AboutSurroundings {
			fail(fmt.Sprintf("one item, two decisions: %+v", g))
		}
	}
}

func TestNoProgramJoinsSilentlyAndNoLoaderRunsUnasked(t *testing.T) {
	for seed := range uint64(6_000) {
		launchRules(t, seed, 23)
		if t.Failed() {
			return
		}
	}
}

func FuzzLaunchRules(f *testing.F) {
	f.Add(uint64(1), uint64(1))
	f.Add(uint64(23), uint64(42))
	f.Fuzz(func(t *testing.T, a, b uint64) { launchRules(t, a, b) })
}
