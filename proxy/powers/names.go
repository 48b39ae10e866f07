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

// Words for things in the names of tools and inputs.
const (
	fileWords   wordSet = " file files filename directory directories folder folders dir filesystem "
	fileInputs  wordSet = " filepath file files filepaths filename filenames directory dir folder folderpath absolutepath fileabsolutepath inputpath outputpath outputdir sourcepath destinationpath repopath "
	pathInputs  wordSet = " path paths "
	remoteHints wordSet = " owner repo url endpoint method host bucket namespace projectid " // next to one of these, a path is not on this computer

	webWords  wordSet = " website websites webpage internet webhook crawl scrape navigate curl wget "
	webInputs wordSet = " url urls webhookurl websiteurl weburl "
	// webVerbs rule out a tool that stays on this computer.
	webVerbs wordSet = " crawl scrape curl wget internet webhook website websites webpage "

	shellWords  wordSet = " shell bash terminal powershell cmd exec "
	codeWords   wordSet = " command commands script scripts code python javascript js sh process program "
	codeInputs  wordSet = " command commands cmd shellcommand script code expression function "
	dataWords   wordSet = " sql database databases db table tables collection collections "
	dataInputs  wordSet = " sql table tablename database databasename dbname statement cypher "
	sendInputs  wordSet = " to recipient recipients cc bcc subject channelid chatid phonenumber "
	postedWords wordSet = " message messages email emails mail sms dm chat notification notifications gmail slack inbox "
	otherPosts  wordSet = " console queue commit log logs " // posts that are not messages to a person
	pageWords   wordSet = " browser tab tabs screenshot click hover "
	moneyWords  wordSet = " pay payment payments purchase invoice invoices refund refunds payout payouts "
	secretWords wordSet = " secret secrets password passwords credential credentials passphrase keychain "
)

// touchesOf returns what a tool works on, most serious first, and whether its name rules out a tool that stays inside.
func touchesOf(words []string, inputs []input) (touches []Touch, outside bool) {
	word := func(in wordSet) bool { return slices.ContainsFunc(words, in.has) }
	asked := func(in wordSet) bool {
		return slices.ContainsFunc(inputs, func(i input) bool { return in.has(i.name) && len(i.choices) == 0 })
	}
	add := func(t Touch, is bool) {
		if is {
			touches = append(touches, t)
		}
	}
	add(Commands, word(shellWords) && !word(readVerbs) || word(runVerbs) && (word(codeWords) || asked(codeInputs)))
	add(Files, word(fileWords) || asked(fileInputs) || asked(pathInputs) && !asked(remoteHints))
	add(Data, word(dataWords) || asked(dataInputs))
	add(Messages, word(postedWords) && !word(otherPosts) || word(sendVerbs) && asked(sendInputs))
	add(Browser, word(pageWords))
	add(Payments, word(moneyWords))
	add(Secrets, word(secretWords))
	fetch := len(words) == 1 && words[0] == "fetch"
	web := word(webWords) || asked(webInputs) || fetch || word(" web ") && word(" search fetch browse ")
	add(Outside, web)
	return touches, fetch || word(webVerbs) || web && word(" fetch download ")
}
