package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// method is a row of the table in docs/relay.md.
type method uint8

const (
	methodOther method = iota // forwarded on an open server, refused on a new one
	methodInitialize
	methodDiscover // of the modern era
	methodListen   // of the modern era: answered by the wrapper
	methodPlain    // ping, logging/setLevel
	methodListTools
	methodListPrompts
	methodListResources
	methodListTemplates
	methodListSkills
	methodCall
	methodGetPrompt
	methodComplete
	methodResource // resources/read, resources/subscribe, resources/unsubscribe
	methodTask     // tasks/get, tasks/result, tasks/update, tasks/cancel
	methodListTasks
	methodEvents     // events/*: a proposal that no revision has (SP-225)
	methodGetSkill   // skills/get
	methodReadFolder // resources/directory/read
)

// methodOf returns the row of an unescaped method name (T04 in docs/relay.md).
func methodOf(name []byte) method {
	switch string(name) {
	case "tools/call":
		return methodCall
	case "tools/list":
		return methodListTools
	case "initialize":
		return methodInitialize
	case "ping", "logging/setLevel":
		return methodPlain
	case "prompts/list":
		return methodListPrompts
	case "resources/list":
		return methodListResources
	case "resources/templates/list":
		return methodListTemplates
	case "skills/list":
		return methodListSkills
	case "resources/directory/read":
		return methodReadFolder
	case "prompts/get":
		return methodGetPrompt
	case "completion/complete":
		return methodComplete
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return methodResource
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		return methodTask
	case "tasks/list":
		return methodListTasks
	case "server/discover":
		return methodDiscover
	case "subscriptions/listen":
		return methodListen
	}
	// Future methods of these families are gated like the rest (docs/relay.md, "What a client can ask for").
	switch {
	case bytes.HasPrefix(name, []byte("tasks/")):
		return methodTask
	case bytes.HasPrefix(name, []byte("resources/")):
		return methodResource
	case bytes.HasPrefix(name, []byte("events/")):
		return methodEvents
	case bytes.HasPrefix(name, []byte("skills/")):
		return methodGetSkill
	}
	return methodOther
}

func (m method) listing() bool { return m >= methodListTools && m <= methodListSkills }

// skill reports whether the response is one of skills (proxy/skills.go) that is no listing.
func (m method) skill() bool { return m == methodGetSkill || m == methodReadFolder }

// asksNothing reports whether no revision lets a result of the method ask for input, so that nobody would judge the question.
func (m method) asksNothing() bool {
	return m == methodDiscover || m == methodPlain || m.listing() || m.skill()
}

// list is what the method lists, nil for none.
func (m method) list() *declared.List {
	switch m {
	case methodListTools:
		return declared.Tools
	case methodListPrompts:
		return declared.Prompts
	case methodListResources:
		return declared.Resources
	case methodListTemplates:
		return declared.Templates
	case methodListSkills:
		return declared.Skills
	}
	return nil
}

// judge decides on a client's request that is neither a listing nor plain: docs/relay.md, "What a client can ask for".
func judge(v *declared.View, r *request) refusal.Reason {
	switch {
	case v.State.Revision == 0:
		return refusal.NoHub
	case v.State.Blocked:
		return refusal.Blocked
	case !v.Open():
		return v.Shut()
	case !v.Verified:
		return refusal.Unverified
	case r.unclear:
		return refusal.Renamed
	case r.method == methodEvents:
		return refusal.Events
	case r.method == methodTask && r.item == "":
		return refusal.NoTask
	}
	allowed := false
	switch r.method {
	case methodCall, methodGetPrompt, methodComplete, methodTask, methodGetSkill:
		allowed = v.Allows(r.item)
	case methodResource:
		if allowed = v.AllowsResource(r.name); !allowed && v.OfSkill(r.name) {
			return whyNotSkill(v, r.item)
		}
	case methodReadFolder:
		if allowed = v.SkillFolder(r.name); !allowed {
			return whyNotSkill(v, r.item)
		}
	case methodListTasks, methodOther:
		allowed = true
	}
	if allowed {
		return refusal.None
	}
	return v.WhyNot(r.item)
}
