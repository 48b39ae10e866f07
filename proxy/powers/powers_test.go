package powers

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// tool is a definition with these annotations ("" for none) and inputs, given as NAME or NAME=CHOICE|CHOICE.
func tool(t *testing.T, name, annotations string, inputs ...string) []byte {
	t.Helper()
	properties := map[string]any{}
	for _, in := range inputs {
		schema := map[string]any{"type": "string"}
		for i, r := range in {
			if r == '=' {
				schema["enum"] = splitChoices(in[i+1:])
				in = in[:i]
				break
			}
		}
		properties[in] = schema
	}
	definition := map[string]any{"name": name, "inputSchema": map[string]any{"type": "object", "properties": properties}}
	if annotations != "" {
		definition["annotations"] = json.RawMessage(annotations)
	}
	raw, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func splitChoices(s string) (out []string) {
	from := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '|' {
			out, from = append(out, s[from:i]), i+1
		}
	}
	return out
}

func TestWhatAToolClaimsAboutItselfGoesBeforeItsNameUnlessTheNameIsGraver(t *testing.T) {
	for _, c := range []struct {
		what        string
		name        string
		annotations string
		effect      Effect
		basis       Basis
		deletes     Answer
		disputes    []Dispute
	}{
		{"no annotations: the name", "read_file", "", Reads, Names, NoAnswer, nil},
		{"no annotations and a name that deletes", "delete_file", "", Changes, Names, Yes, nil},
		{"a claim of reading", "think", `{"readOnlyHint":true}`, Reads, Claim, NoAnswer, nil},
		{"a claim of changing, of a name that reads", "get_page", `{"readOnlyHint":false}`, Changes, Claim, NoAnswer, nil},
		{"a change that says it deletes nothing", "create_issue", `{"readOnlyHint":false,"destructiveHint":false}`, Changes, Claim, No, nil},
		{"a change that says it deletes", "write_file", `{"readOnlyHint":false,"destructiveHint":true}`, Changes, Claim, Yes, nil},
		{"destructive alone means that it changes", "apply_thing", `{"destructiveHint":true}`, Changes, Claim, Yes, nil},
		{"destructive means nothing of what only reads", "think", `{"readOnlyHint":true,"destructiveHint":true}`, Reads, Claim, NoAnswer, nil},
		{"not destructive alone says nothing of the effect", "think", `{"destructiveHint":false}`, Unsaid, "", NoAnswer, nil},
		{"idempotent alone says nothing", "think", `{"idempotentHint":true}`, Unsaid, "", NoAnswer, nil},
		{"an empty claim says nothing", "think", `{}`, Unsaid, "", NoAnswer, nil},
		{"a hint that is no boolean says nothing", "think", `{"readOnlyHint":"true","openWorldHint":0}`, Unsaid, "", NoAnswer, nil},
		{"annotations that are no object say nothing", "read_file", `"readOnlyHint"`, Reads, Names, NoAnswer, nil},

		{"delete_file that says it only reads", "delete_file", `{"readOnlyHint":true}`, Changes, Names, Yes, []Dispute{DeletesUnsaid}},
		{"write_file that says it only reads", "write_file", `{"readOnlyHint":true}`, Changes, Names, NoAnswer, []Dispute{ChangesUnsaid}},
		{"send_email that says it only reads", "send_email", `{"readOnlyHint":true}`, Changes, Names, NoAnswer, []Dispute{SendsUnsaid}},
		{"run_command that says it only reads", "run_command", `{"readOnlyHint":true}`, Changes, Names, NoAnswer, []Dispute{RunsUnsaid}},
		{"delete_file that says it deletes nothing", "delete_file", `{"readOnlyHint":false,"destructiveHint":false}`, Changes, Claim, Yes, []Dispute{KeepsUnsaid}},
		{"fetch_webpage that says it stays inside", "fetch_webpage", `{"readOnlyHint":true,"openWorldHint":false}`, Reads, Claim, NoAnswer, []Dispute{ReachesOutside}},
		{"a chart that is created and changes nothing", "create_chart", `{"readOnlyHint":true}`, Reads, Claim, NoAnswer, nil},
		{"a list of deleted files only reads", "list_deleted_files", `{"readOnlyHint":true}`, Reads, Claim, NoAnswer, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			got := Of(tool(t, c.name, c.annotations))
			if got.Effect != c.effect || got.Basis != c.basis || got.Deletes != c.deletes || !reflect.DeepEqual(got.Disputes, c.disputes) {
				t.Errorf("%s %s: %+v", c.name, c.annotations, got)
			}
		})
	}
}

func TestANameIsReadByItsVerb(t *testing.T) {
	for effect, names := range map[Effect][]string{
		Reads: {
			"read_file", "readTextFile", "get-latest-release", "HTTPGet", "github_list_pull_requests", "pages.list", "issue_read", "commit_list", "git_status",
			"directory_tree", "list_deleted_items", "mcp_howtocook_getAllRecipes", "search_commits", "listUsers", "zdx_list_alerts", "compare_branches",
		},
		Changes: {
			"write_file", "delete_file", "createIssue", "discord_send_message", "merge_pull_request", "push_files", "github_fork_repository", "search_and_replace",
			"get_or_create_user", "azure_promote_read_replica", "update_status", "create_task_list", "set_status", "post_message", "sites-publish", "execute_sql",
			"run_shell_command", "BULK_DELETE", "create_search_index",
		},
		Unsaid: {
			"think", "canvas", "get_update_status", "find_replace", "add", "blog_post", "run_tests", "convert_time", "geocode", "b_14", "", "删除文件", "dеlete_file", // with a Cyrillic е
			"profile", "undelete", "post_read_receipt",
		},
	} {
		for _, name := range names {
			if got := Of(tool(t, name, "")); got.Effect != effect {
				t.Errorf("%q %s, want %s", name, got.Effect, effect)
			}
		}
	}
}

func TestInputsSayWhatANameDoesNot(t *testing.T) {
	for _, c := range []struct {
		what    string
		name    string
		inputs  []string
		effect  Effect
		deletes Answer
	}{
		{"a choice of methods that writes", "subscription", []string{"action=ignore|watch|delete"}, Changes, Yes},
		{"a choice of methods that only reads", "pull_request", []string{"method=get|get_diff|list_files"}, Reads, NoAnswer},
		{"a choice of what cannot be read", "subscription", []string{"action=one|two"}, Unsaid, NoAnswer},
		{"a reading name over a choice that writes", "get_labels", []string{"operation=list|create"}, Changes, NoAnswer},
		{"a trial run is of what writes", "codemod", []string{"path", "dryRun"}, Changes, NoAnswer},
		{"a query in a language that may write", "query", []string{"sql"}, Unsaid, NoAnswer},
		{"a query in words", "query", []string{"question"}, Reads, NoAnswer},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := Of(tool(t, c.name, "", c.inputs...)); got.Effect != c.effect || got.Deletes != c.deletes {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestWhatAToolTouchesIsReadFromItsNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		inputs  []string
		touches []Touch
	}{
		{"write_file", []string{"path", "content"}, []Touch{Files}},
		{"edit", []string{"filePath"}, []Touch{Files}},
		{"get_contents", []string{"owner", "repo", "path"}, nil}, // a path in a repository elsewhere
		{"profile", nil, nil},
		{"run_command", []string{"command"}, []Touch{Commands}},
		{"evaluate", []string{"expression"}, []Touch{Commands}},
		{"list_commands", nil, nil},
		{"editor", []string{"command=view|create"}, nil},
		{"send_email", []string{"to", "subject"}, []Touch{Messages}},
		{"browser_console_messages", nil, []Touch{Browser}},
		{"execute_sql", []string{"statement"}, []Touch{Data}},
		{"fetch", []string{"url"}, []Touch{Outside}},
		{"add_url_rule", nil, nil},
		{"create_payment", nil, []Touch{Payments}},
		{"read_password", nil, []Touch{Secrets}},
	} {
		if got := Of(tool(t, c.name, "", c.inputs...)); !reflect.DeepEqual(got.Touches, c.touches) {
			t.Errorf("%s%v touches %v, want %v", c.name, c.inputs, got.Touches, c.touches)
		}
	}
}

func TestWhatIsNoDefinitionSaysNothing(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", `"text"`, "{", `{"name":7}`, `{"name":"x","inputSchema":"string"}`, `{"annotations":{"readOnlyHint":tru`} {
		if got := Of([]byte(raw)); got.Effect != Unsaid || got.Basis != "" {
			t.Errorf("%q: %+v", raw, got)
		}
	}
}

func TestTheSummaryOfAServerIsOneLine(t *testing.T) {
	inside := func(rest string) string { return `{"openWorldHint":false,` + rest + `}` }
	reads := inside(`"readOnlyHint":true`)
	for _, c := range []struct {
		what  string
		tools [][]byte
		line  string
		said  string
	}{
		{"claims alone", [][]byte{
			tool(t, "write_file", inside(`"readOnlyHint":false,"destructiveHint":true`), "path"), tool(t, "move_file", inside(`"readOnlyHint":false,"destructiveHint":false`), "source"),
			tool(t, "read_file", reads, "path"), tool(t, "directory_tree", reads, "path"), tool(t, "get_file_info", reads, "path"),
		}, "can change and delete files (2 tools) · only reads (3) · reaches outside: says no", "The server claims this about itself. Sallyport doesn't check it."},
		{"names alone", [][]byte{tool(t, "create_entities", ""), tool(t, "read_graph", "")},
			"can change things (1 tool) · only reads (1) · reaches outside: doesn't say", "Sallyport read this from the names of the tools and their inputs. The server doesn't say."},
		{"both", [][]byte{tool(t, "create_entities", ""), tool(t, "read_graph", reads)},
			"can change things (1 tool) · only reads (1) · reaches outside: says no for 1 of 2", "Partly the server's own claims, partly what Sallyport read from names. Neither is checked."},
		{"a change that leaves open whether it deletes", [][]byte{tool(t, "push_files", `{"readOnlyHint":false}`)},
			"can change and maybe delete files (1 tool) · reaches outside: doesn't say", "The server claims this about itself. Sallyport doesn't check it."},
		{"nothing said", [][]byte{tool(t, "think", "")}, "doesn't say (1 tool) · reaches outside: doesn't say", "The server doesn't say what its tools do, and their names don't tell."},
		{"the gravest first", [][]byte{tool(t, "get_x", ""), tool(t, "send_email", `{"openWorldHint":true}`), tool(t, "run_command", "", "command")},
			"can run commands (1 tool) · can change things (2) · can send messages (1) · only reads (1) · reaches outside: says yes (1)", "Partly the server's own claims, partly what Sallyport read from names. Neither is checked."},
		{"a name that reaches outside", [][]byte{tool(t, "fetch", "", "url")}, "only reads (1 tool) · reaches outside: yes (1)", "Sallyport read this from the names of the tools and their inputs. The server doesn't say."},
		{"no tools", nil, "no tools", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			tools := make([]Tool, len(c.tools))
			for i, raw := range c.tools {
				tools[i] = Of(raw)
			}
			if got := Sum(tools); got.String() != c.line || got.Source() != c.said {
				t.Errorf("%s\n%s", got.String(), got.Source())
			}
		})
	}
}

func TestAContradictionIsCountedAndWorded(t *testing.T) {
	s := Sum([]Tool{Of(tool(t, "delete_file", `{"readOnlyHint":true}`)), Of(tool(t, "read_file", `{"readOnlyHint":true}`))})
	if s.Disputed != 1 {
		t.Errorf("%d disputed", s.Disputed)
	}
	words := map[string]bool{}
	for _, d := range []Dispute{DeletesUnsaid, ChangesUnsaid, SendsUnsaid, RunsUnsaid, KeepsUnsaid, ReachesOutside} {
		words[d.Words()] = true
	}
	if len(words) != 6 {
		t.Errorf("two contradictions share their words: %v", words)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"name":"delete_file","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"action":{"enum":["add"]}}}}`))
	f.Add([]byte(`{"name":"\ud800","inputSchema":{"properties":{"a":1,"a":[]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tool := Of(raw)
		if (tool.Basis == "") != (tool.Effect == Unsaid) {
			t.Errorf("%+v", tool)
		}
		_ = Sum([]Tool{tool}).String()
	})
}

// A word at the end of a list would never be found without the space that has looks for.
func TestEachWordOfAListIsBetweenSpaces(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "names.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			list := spec.(*ast.ValueSpec)
			if kind, ok := list.Type.(*ast.Ident); !ok || kind.Name != "wordSet" {
				continue
			}
			lists++
			var words strings.Builder
			ast.Inspect(list.Values[0], func(n ast.Node) bool {
				if part, ok := n.(*ast.BasicLit); ok {
					text, _ := strconv.Unquote(part.Value)
					words.WriteString(text)
				}
				return true
			})
			if want := " " + strings.Join(strings.Fields(strings.ToLower(words.String())), " ") + " "; words.String() != want {
				t.Errorf("%s is %q, not %q", list.Names[0], words.String(), want)
			}
		}
	}
	if lists < 20 {
		t.Errorf("%d lists", lists)
	}
}
