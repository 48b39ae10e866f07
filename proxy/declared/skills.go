package declared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// Limits on the skills of one server. What lies beyond stays blocked.
const (
	maxSkills      = 512
	maxSkillBytes  = 32 << 20 // of all SKILL.md together
	maxNamedSkills = 64       // that no listing named: the client asked for them, or they are approved
	maxStrays      = 64
	skillReads     = 4 // at once
)

// SkillLook is what a Checker knows of the skills of its server beyond their listing.
type SkillLook struct {
	session Connection

	mu     sync.Mutex
	named  map[string]bool  // by address, those the client asked for by skills/get, or whose entry there was another than in the listing
	strays map[string]stray // by address, files that were read and are not what their skill lists

	texts map[pin.Digest]pin.Item // by the entry's digest, skills whose SKILL.md was read; used by Run alone
}

// stray is a file of a skill as it was read, when it was not the one that an approved entry lists.
type stray struct {
	skill string     // address of the skill
	entry pin.Digest // by which the file was judged
	raw   []byte     // the item's definition
}

// Named has the next check ask the server for a skill that no listing named, or whose entry by skills/get is another one. It reports
// whether that is news.
func (l *SkillLook) Named(uri string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pin.SkillRoot(uri) == "" || l.named[uri] || len(l.named) >= maxNamedSkills {
		return false
	}
	if l.named == nil {
		l.named = map[string]bool{}
	}
	l.named[strings.Clone(uri)] = true
	return true
}

// Stray records that a read delivered another file than the skill lists, and reports whether that is news. Nil content means that a read
// delivered the listed file again.
func (l *SkillLook) Stray(v *View, skill, uri string, content []byte) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.strays[uri]
	if content == nil {
		delete(l.strays, uri)
		return known
	}
	if !known && len(l.strays) >= maxStrays {
		return false
	}
	if l.strays == nil {
		l.strays = map[string]stray{}
	}
	raw := pin.StrayFile(skill, uri, content)
	news = !known || string(raw) != string(l.strays[uri].raw)
	l.strays[strings.Clone(uri)] = stray{skill, v.Seen.digests[pin.Key(pin.Skill, skill)], raw}
	return news
}

// complete adds to a snapshot what no listing of skills says: those that were asked for by name, what their SKILL.md tells the model, and what
// was read instead of a file that one lists.
func (l *SkillLook) complete(ctx context.Context, shot *snapshot, state *control.State) error {
	shot.skills = true
	if err := l.askNamed(ctx, shot, state); err != nil {
		return err
	}
	if err := l.read(ctx, shot); err != nil {
		return err
	}
	sameNames(shot.items)
	l.addStrays(shot)
	return nil
}

// askNamed asks for the skills that no listing named. Of two entries of one skill the one that is not approved counts.
func (l *SkillLook) askNamed(ctx context.Context, shot *snapshot, state *control.State) error {
	listed := map[string]int{}
	for i, item := range shot.items {
		if item.Kind == pin.Skill {
			listed[item.Name] = i
		}
	}
	for _, uri := range l.toAskFor(listed, state) {
		line, err := l.session.Skill(ctx, uri)
		if err != nil {
			return fmt.Errorf("skills/get: %w", err)
		}
		span, ok := frame.Find(line, frame.Root(line), "result", "skill")
		if !ok {
			continue // there is no such skill
		}
		item, err := pin.Declared(pin.Skill, span.Of(line))
		if err != nil || item.Name != uri {
			continue // another skill than the one asked for
		}
		i, both := listed[uri]
		switch {
		case !both:
			shot.items = append(shot.items, item)
		case !slices.Contains(state.Items[item.Key()].Approved, item.Digest):
			shot.items[i] = item
		}
	}
	return nil
}

// toAskFor are the addresses of skills to ask for by name: those that the client asked for, and approved ones that the listing leaves out.
func (l *SkillLook) toAskFor(listed map[string]int, state *control.State) []string {
	l.mu.Lock()
	uris := slices.Collect(maps.Keys(l.named))
	l.mu.Unlock()
	for key, item := range state.Items {
		uri, skill := strings.CutPrefix(key, string(pin.Skill)+":")
		if _, has := listed[uri]; !has && skill && len(item.Approved) > 0 && !slices.Contains(uris, uri) && len(uris) < 2*maxNamedSkills {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// read reads what each skill tells the model: once in a session, unless it was not what the entry says.
func (l *SkillLook) read(ctx context.Context, shot *snapshot) error {
	known := l.texts
	l.texts = map[pin.Digest]pin.Item{}
	count, size := 0, 0
	var fresh []int
	kept := shot.items[:0]
	for _, item := range shot.items {
		entry, err := pin.ReadSkill(item.Raw)
		if item.Kind != pin.Skill || item.Unread != nil || err != nil {
			kept = append(kept, item)
			continue
		}
		main, _ := entry.Main()
		if count++; count > maxSkills || size+int(min(main.Size, maxSkillBytes)) > maxSkillBytes {
			continue
		}
		size += int(min(main.Size, pin.MaxSkillText))
		if before, ok := known[item.Digest]; ok {
			item = before
			l.texts[item.Digest] = item
		} else {
			fresh = append(fresh, len(kept))
		}
		kept = append(kept, item)
	}
	if len(kept) < len(shot.items) {
		shot.findings = append(shot.findings, inspect.Finding{
			Rule: inspect.BeyondBounds, Level: inspect.Medium, Category: "threat", Where: Skills.Method,
			Title: fmt.Sprintf("There are more than %d skills, or more than %d MiB of them; the rest stays blocked", maxSkills, maxSkillBytes>>20),
		})
	}
	shot.items = kept
	if err := l.readTexts(ctx, shot.items, fresh); err != nil {
		return err
	}
	for _, i := range fresh {
		if item := shot.items[i]; !mismatched(item) {
			l.texts[item.Digest] = item
		}
	}
	return nil
}

// readTexts reads the SKILL.md of the items at these places, a few at once.
func (l *SkillLook) readTexts(ctx context.Context, items []pin.Item, at []int) error {
	var (
		wait   sync.WaitGroup
		turns  = make(chan struct{}, skillReads)
		mu     sync.Mutex
		failed error
	)
	for _, i := range at {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() {
				if p := recover(); p != nil {
					mu.Lock()
					failed = errors.New("a bug in Sallyport: " + inspect.Fault(p))
					mu.Unlock()
				}
				<-turns
			}()
			item, err := l.told(ctx, items[i])
			mu.Lock()
			defer mu.Unlock()
			items[i] = item
			failed = errors.Join(failed, err)
		})
	}
	wait.Wait()
	return failed
}

// told is a skill with its text.
func (l *SkillLook) told(ctx context.Context, item pin.Item) (pin.Item, error) {
	line, err := l.session.Read(ctx, item.Name)
	if err != nil {
		if ctx.Err() != nil {
			return item, fmt.Errorf("%s: %w", item.Name, err)
		}
		line = nil
	}
	if result, ok := frame.Find(line, frame.Root(line), "result"); ok {
		if text, alone := FileIn(line, result, item.Name); alone {
			return item.Told(text), nil
		}
	}
	finding(&item, pin.Mismatched("Its SKILL.md can't be read"))
	return item, nil
}

// sameNames marks skills that have one name: the model, or the person, could take one for the other. Names of skills are not unique by
// the specification, so that is no reason to block them.
func sameNames(items []pin.Item) {
	by := map[string][]int{}
	for i, item := range items {
		if item.Kind != pin.Skill {
			continue
		}
		if entry, err := pin.ReadSkill(item.Raw); err == nil {
			name := strings.ToLower(entry.Name)
			by[name] = append(by[name], i)
		}
	}
	for _, same := range by {
		for _, i := range same {
			if len(same) > 1 {
				finding(&items[i], pin.SameSkillName())
			}
		}
	}
}

// addStrays adds an item for each file that was read and is not what its skill lists. For the SKILL.md of a skill it is the skill itself.
func (l *SkillLook) addStrays(shot *snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	named := func(uri string) int {
		return slices.IndexFunc(shot.items, func(item pin.Item) bool { return item.Kind == pin.Skill && item.Name == uri })
	}
	for _, uri := range slices.Sorted(maps.Keys(l.strays)) {
		one := l.strays[uri]
		if of := named(one.skill); of < 0 || shot.items[of].Digest != one.entry {
			delete(l.strays, uri) // its skill is another one now
			continue
		}
		if own := named(uri); own >= 0 {
			finding(&shot.items[own], pin.Mismatched("A client read another SKILL.md than the one that the skill's entry lists"))
			continue
		}
		if item, err := pin.Declared(pin.Skill, one.raw); err == nil {
			shot.items = append(shot.items, item)
		}
	}
}

// finding adds a finding to an item of a snapshot. Others may share the item's findings so far.
func finding(item *pin.Item, f inspect.Finding) {
	item.Findings = append(slices.Clip(item.Findings), f)
}
