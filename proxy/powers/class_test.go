package powers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAToolIsOfTheClassesThatItsDefinitionSays(t *testing.T) {
	const gives, takes, commits, access, reaches = vocab.ClassGives, vocab.ClassTakes, vocab.ClassCommits, vocab.ClassChangesAccess, vocab.ClassReaches
	for _, c := range []struct {
		name, annotations string
		inputs            []string
		want              []vocab.CallClass
	}{
		{"send_email", "", []string{"to", "subject", "body"}, []vocab.CallClass{gives}},
		{"send_email", `{"openWorldHint":false}`, []string{"to", "body"}, nil},
		{"send_email", `{"readOnlyHint":true}`, []string{"to", "body"}, nil},
		{"send_email", `{"readOnlyHint":"true","openWorldHint":0}`, []string{"to", "body"}, []vocab.CallClass{gives}},
		{"search_emails", "", []string{"query", "recipient"}, nil},
		{"get_channel_messages", "", []string{"channel"}, nil},
		{"create_calendar_event", "", []string{"title", "participants", "start_time"}, []vocab.CallClass{gives}},
		{"postMessage", "", []string{"channelId", "text"}, []vocab.CallClass{gives}},
		{"create_issue", "", []string{"owner", "repo", "title"}, []vocab.CallClass{gives}},
		{"add_numbers", "", []string{"a", "b"}, nil},
		{"convert_time", "", []string{"from", "to_timezone", "date_to"}, nil},
		{"git_commit", "", []string{"repo_path", "message"}, nil},
		{"fetch", "", []string{"url", "max_length"}, []vocab.CallClass{reaches}},
		{"fetch", `{"readOnlyHint":true}`, []string{"url"}, []vocab.CallClass{reaches}},
		{"fetch", `{"openWorldHint":false}`, []string{"url"}, nil},
		{"open_webpage", "", []string{"url"}, []vocab.CallClass{reaches}},
		{"browser_navigate", "", []string{"url"}, []vocab.CallClass{reaches}},
		{"check_opening_hours", "", []string{"address"}, []vocab.CallClass{reaches}},
		{"open_issue", "", []string{"owner", "repo", "title"}, []vocab.CallClass{gives}},
		{"open_account", "", []string{"owner"}, []vocab.CallClass{gives}},
		{"check_in_booking", "", []string{"email"}, []vocab.CallClass{gives, commits}},
		{"post_webpage", "", []string{"url", "content"}, []vocab.CallClass{gives, reaches}},
		{"delete_file", "", []string{"path"}, []vocab.CallClass{takes}},
		{"delete_file", `{"openWorldHint":false}`, []string{"path"}, nil},
		{"cancel_event", "", []string{"event_id"}, []vocab.CallClass{takes}},
		{"tidy", `{"destructiveHint":true}`, []string{"what"}, []vocab.CallClass{takes}},
		{"list_deleted_files", "", []string{"path"}, nil},
		{"reserve_hotel", "", []string{"hotel", "start_day"}, []vocab.CallClass{commits}},
		{"send_money", "", []string{"recipient", "amount"}, []vocab.CallClass{gives}},
		{"pay_invoice", "", []string{"iban", "amount"}, []vocab.CallClass{gives, commits}},
		{"checkout_cart", "", nil, []vocab.CallClass{commits}},
		{"git_checkout", "", []string{"repo_path", "branch_name"}, nil},
		{"get_order", "", []string{"order_id"}, nil},
		{"update_password", "", []string{"password"}, []vocab.CallClass{access}},
		{"grant_role", "", []string{"user", "role"}, []vocab.CallClass{gives, access}},
		{"create_api_key", "", []string{"name"}, []vocab.CallClass{access}},
		{"set_key", "", []string{"key", "value"}, nil},
		{"ѕеnd_email", "", []string{"tо", "body"}, []vocab.CallClass{gives}}, // Cyrillic letters
		{"se\u200bnd", "", []string{"t\u200bo"}, []vocab.CallClass{gives}},
	} {
		if got := ClassesOf(tool(t, c.name, c.annotations, c.inputs...)).Names(); !slices.Equal(got, c.want) {
			t.Errorf("%s %s %v: %q, want %q", c.name, c.annotations, c.inputs, got, c.want)
		}
	}
}

func TestAnOddSchemaHidesNoDestination(t *testing.T) {
	many := make([]string, 0, 10_001)
	for n := range 10_000 {
		many = append(many, fmt.Sprintf(`"p%d":{"type":"string"}`, n))
	}
	for name, c := range map[string]struct {
		definition string
		want       Classes
	}{
		"no schema":                               {`{"name":"send_message"}`, Gives},
		"no schema, of a tool that reads":         {`{"name":"list_things"}`, 0},
		"properties that are no object":           {`{"name":"send_message","inputSchema":{"type":"object","properties":["to"]}}`, Gives},
		"a schema that is no object":              {`{"name":"send_message","inputSchema":true}`, Gives},
		"an input inside an input":                {`{"name":"send_message","inputSchema":{"type":"object","properties":{"message":{"type":"object","properties":{"to":{"type":"string"}}}}}}`, Gives},
		"an input in the elements of a list":      {`{"name":"send_messages","inputSchema":{"type":"object","properties":{"messages":{"type":"array","items":{"properties":{"recipient":{"type":"string"}}}}}}}`, Gives},
		"the last of ten thousand inputs":         {`{"name":"send_message","inputSchema":{"type":"object","properties":{` + strings.Join(append(slices.Clone(many), `"to":{"type":"string"}`), ",") + `}}}`, Gives},
		"ten thousand inputs without destination": {`{"name":"send_message","inputSchema":{"type":"object","properties":{` + strings.Join(many, ",") + `}}}`, 0},
		"annotations that are no object":          {`{"name":"send_message","annotations":"readOnlyHint","inputSchema":{"type":"object","properties":{"to":{}}}}`, Gives},
		"nothing at all":                          {`{}`, 0},
	} {
		if !json.Valid([]byte(c.definition)) {
			t.Fatalf("%s is no JSON", name)
		}
		if got := ClassesOf([]byte(c.definition)); got != c.want {
			t.Errorf("%s: %q", name, got.Names())
		}
	}
}

func TestTheNamesOfClassesAreReadBack(t *testing.T) {
	all := Gives | Takes | Commits | ChangesAccess | Reaches
	if got := ClassesNamed(all.Names()...); got != all || len(all.Names()) != 5 || ClassesNamed("no class") != 0 {
		t.Errorf("%b", got)
	}
}
