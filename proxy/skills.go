package proxy

import (
	"bytes"
	"context"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// skills passes what a server offers as skills (docs/relay.md, "Skills"): orders to the model, as files that it reads one by one. Their listing is
// one of listings; here are the entry of a single skill, its folders, and its files.
type skills struct{ *listings }

// answer handles the response to skills/get or resources/directory/read. An entry that the last snapshot did not see waits for a new one.
func (s *skills) answer(r *request, line []byte) error {
	if digest, ok := skillIn(r, line); ok && r.method == methodGetSkill && !s.view().SeenSkill(r.name, digest) {
		s.checks.Skills.Named(r.name)
		r.need = s.checks.Demand(true)
	}
	if s.checks.Keep(r, line) {
		return nil
	}
	return s.deliver(r, line)
}

// skillIn is the digest of the entry in a response to skills/get; not ok if it holds none. Of an entry of another skill it is "".
func skillIn(r *request, line []byte) (digest pin.Digest, ok bool) {
	entry, ok := frame.Find(line, frame.Root(line), "result", "skill")
	if !ok {
		return "", false
	}
	if name, named := declared.NameOf(pin.Skill, line, entry); !named || name != r.name {
		return "", true
	}
	digest, _ = pin.DigestOf(pin.Skill, r.name, entry.Of(line))
	return digest, true
}

// deliver cuts what is not approved out of such a response.
func (s *skills) deliver(r *request, line []byte) error {
	v := s.view()
	if why := stillAllowed(v, r); why != refusal.None {
		s.refuseResponse(r, why)
		return nil
	}
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok {
		if !s.harmlessError(line) {
			return s.client.Write(errorLine(r.id, -32603, "[Sallyport] the server responded with an error; its text was blocked because it has warnings", nil))
		}
		return s.toClient(cutOurs(line))
	}
	var edits []frame.Edit
	member := "resources"
	if r.method == methodGetSkill {
		member = "skill"
		edits, ok = s.entry(v, r, line)
	} else {
		edits, ok = s.folder(v, line, result)
	}
	if !ok {
		s.refuseResponse(r, refusal.Changed)
		return nil
	}
	if r.modern {
		edits = append(edits, cacheEdits(line, result)...)
	}
	edits = append(edits, frame.CutMembers(line, result, func(key string, m frame.Member) bool {
		return key != member && (!s.harmless(m.Key.Of(line)) || !s.harmless(m.Value.Of(line)))
	})...)
	return s.toClient(cutOurs(frame.Splice(nil, line, append(edits, beside(line)...))))
}

// entry is what changes in the entry of a skill on its way; not ok if it is not the approved one.
func (s *skills) entry(v *declared.View, r *request, line []byte) (edits []frame.Edit, ok bool) {
	digest, ok := skillIn(r, line)
	if !ok || !v.Approves(r.item, digest) {
		return nil, false
	}
	entry, _ := frame.Find(line, frame.Root(line), "result", "skill")
	out, ok := s.definition(v, pin.Skill, r.name, entry.Of(line))
	if ok && !bytes.Equal(out, entry.Of(line)) {
		edits = append(edits, frame.Edit{Start: entry.Start, End: entry.End, With: out})
	}
	return edits, ok
}

// folder leaves the files of approved skills and their folders in the listing of a folder.
func (s *skills) folder(v *declared.View, line []byte, result frame.Span) (edits []frame.Edit, ok bool) {
	array, ok := frame.Find(line, result, "resources")
	if !ok || frame.Type(line, array) != '[' {
		return nil, false
	}
	var changed []frame.Edit
	edits = frame.EditArray(line, array, func(_ int, one frame.Span) bool {
		uri, named := declared.NameOf(pin.Resource, line, one)
		if !named || !v.OfSkill(uri) && !v.SkillFolder(uri) || !v.ListsSkillFile(line, one) || !s.harmless(one.Of(line)) {
			return false
		}
		out, ok := s.definition(v, pin.Resource, "", one.Of(line))
		if ok && !bytes.Equal(out, one.Of(line)) {
			changed = append(changed, frame.Edit{Start: one.Start, End: one.End, With: out})
		}
		return ok
	})
	return append(edits, changed...), true
}

// Skill asks for the entry of one skill. Members that only we may write stay in it, as in a listing: its digest covers them.
func (s checked) Skill(ctx context.Context, uri string) (answer []byte, err error) {
	r := s.ownRequest(methodGetSkill)
	return s.ask(ctx, r, s.ownLine(r, "skills/get", `"uri":`+string(frame.AppendString(nil, uri))))
}
