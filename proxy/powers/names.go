package powers

import (
	"slices"
	"strings"
)

// Verbs in tool names. An unambiguous verb counts anywhere in a name; one that is as often a noun ("post", "commit") only at its beginning.
const (
	// nounVerbs are read verbs that also begin a noun ("read replica", "list item"): beyond the second word they count only at the end of a
	// name.
	nounVerbs wordSet = " read list show view query count stat "
	readVerbs wordSet = " get list read search find show describe fetch lookup count view inspect retrieve browse peek preview grep glob ls stat " +
		"explain analyze analyse compare query calculate compute whoami "
	deleteVerbs wordSet = " delete del remove drop destroy erase purge wipe truncate rm unlink uninstall "
	sendVerbs   wordSet = " send reply tweet notify broadcast "
	changeVerbs wordSet = " create add write edit insert update modify replace overwrite append upsert rename move copy save upload set " +
		"install deploy publish kill terminate enable disable assign unassign grant revoke approve reject cancel restore rollback revert " +
		"restart resume reset submit schedule purchase buy clear reopen unlock star unstar dismiss subscribe unsubscribe invite ban kick " +
		"rotate regenerate resize attach detach apply register unregister provision mkdir chmod chown toggle reprioritize unresolve " +
		"promote demote configure migrate rebase activate deactivate backup vacuum trigger mark "
	runVerbs wordSet = " run execute exec eval evaluate invoke spawn "
	// asNouns change things if a name begins with them, or with one other word and then them.
	asNouns wordSet = " post push merge commit fork comment archive start stop pause close lock patch import transfer pay order book scale tag label branch " +
		"share pin touch mute reserve forward "
	// statusNouns end the names of tools that only read, unless another word says otherwise.
	statusNouns wordSet = " info status tree stats statistics details history metrics overview summary log logs diff "
	// strongVerbs rule out a tool that only reads. "Create" is not one: creating a chart changes nothing.
	strongVerbs wordSet = " write edit insert update modify overwrite append upsert rename upload install deploy kill terminate purchase buy chmod chown mkdir "
	// writingInputs belong to tools that change things, whatever their name.
	writingInputs wordSet = " overwrite dryrun newcontent newtext oldstr newstr oldtext oldstring newstring "
	// chosenBy are inputs that choose what the tool does.
	chosenBy wordSet = " method action operation command mode verb "
)

// wordSet is lower-case words with a space before and after each: a constant, since a wrapper and its guard would make maps
// at every start.
type wordSet string

func (s wordSet) has(word string) bool { return strings.Contains(string(s), " "+word+" ") }

// reading is what the names say about a tool.
type reading struct {
	effect  Effect
	deletes bool
	sends   bool
	outside bool    // rules out a tool that stays inside
	strong  Dispute // the dispute if the tool claims only to read; "" if the names allow that
	touches []Touch
}

func readNames(name string, inputs []input) reading {
	words := wordsOf(name)
	r := reading{effect: Unsaid}
	r.touches, r.outside = touchesOf(words, inputs)
	verb, effect := verbOf(words)
	r.effect = effect
	if verb == "query" && slices.Contains(r.touches, Data) {
		r.effect = Unsaid // a query language can write too
	}
	if runVerbs.has(verb) && slices.Contains(r.touches, Commands) {
		r.effect, r.strong = Changes, RunsUnsaid
	}
	if runVerbs.has(verb) && slices.Contains(words, "sql") {
		r.effect = Changes
	}
	r.deletes = r.effect == Changes && deleteVerbs.has(verb) && !(verb == "drop" && slices.Contains(r.touches, Browser))
	r.byInputs(inputs)
	if r.effect != Changes {
		return r
	}
	switch {
	case r.strong != "":
	case r.deletes:
		r.strong = DeletesUnsaid
	case sendVerbs.has(verb):
		r.strong, r.sends = SendsUnsaid, slices.Contains(r.touches, Messages)
	case strongVerbs.has(verb):
		r.strong = ChangesUnsaid
	}
	if (verb == "post" || verb == "forward") && slices.Contains(r.touches, Messages) {
		r.sends = true
	}
	return r
}

// verbOf returns the verb that a name is read by, and its effect.
func verbOf(words []string) (verb string, effect Effect) {
	if len(words) == 0 || len(words) == 1 && words[0] == "add" { // adds two numbers
		return "", Unsaid
	}
	at := slices.IndexFunc(words, func(w string) bool { return readVerbs.has(w) || changing(w) || runVerbs.has(w) })
	if at > 1 && at < len(words)-1 && nounVerbs.has(words[at]) {
		return "", Unsaid
	}
	noun := -1
	switch {
	case asNouns.has(words[0]):
		noun = 0
	case len(words) > 2 && asNouns.has(words[1]) && (at < 0 || at > 1):
		noun = 1
	}
	last := words[len(words)-1]
	switch {
	case at < 0 && noun >= 0 && !statusNouns.has(last):
		return words[noun], Changes
	case at < 0 && noun < 0 && statusNouns.has(last):
		return last, Reads
	case at < 0:
		return "", Unsaid
	case changing(words[at]):
		return words[at], Changes
	case runVerbs.has(words[at]):
		return words[at], Unsaid
	case noun >= 0 && noun < at && at < len(words)-1: // "post_read_receipt"; "commit_list" lists
		return "", Unsaid
	}
	if last == "feedback" { // feedback on a search is sent, not searched for
		return words[at], Unsaid
	}
	for i, w := range words[at+1:] {
		switch before := words[at+i]; {
		case !changing(w) && !runVerbs.has(w):
		case before == "and" || before == "or":
			return w, Changes
		default: // "get_update_status", "find_replace": ambiguous
			return words[at], Unsaid
		}
	}
	return words[at], Reads
}

func changing(word string) bool {
	return changeVerbs.has(word) || deleteVerbs.has(word) || sendVerbs.has(word)
}

// byInputs corrects the reading if the inputs say more: a choice between actions, or an input that only a writing tool has.
func (r *reading) byInputs(inputs []input) {
	writes, chosen, reads := false, false, true
	for _, in := range inputs {
		writes = writes || writingInputs.has(in.name)
		if !chosenBy.has(in.name) || len(in.choices) == 0 {
			continue
		}
		chosen = true
		for _, choice := range in.choices {
			verb, effect := verbOf(wordsOf(choice))
			if strings.EqualFold(choice, "add") {
				verb, effect = "add", Changes
			}
			writes = writes || effect == Changes
			r.deletes = r.deletes || effect == Changes && deleteVerbs.has(verb)
			reads = reads && effect == Reads
		}
	}
	switch {
	case writes:
		r.effect = Changes
	case chosen && reads && r.effect == Unsaid:
		r.effect = Reads
	}
}
