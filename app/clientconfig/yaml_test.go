package clientconfig

import (
	"strings"
	"testing"
)

var yamlTrips = []trip{
	{"Goose's blocks with comments everywhere", "goose", "# mine\nGOOSE_MODE: auto # m\nextensions: # all\n  a: # one\n    enabled: true\n    type: stdio\n    # before\n    cmd: npx # why\n    # between\n    args: # list\n      # first\n      - -y # quiet\n      - \"a b\" # pkg\n      # last\n    envs:\n      KEY: SEKRET # secret\n      PEM: |\n        SEKRET\n        SEKRET\n    timeout: 300\n  b:\n    type: stdio\n    name: b\n    cmd: uvx\nother: [1, two]\n", nil},
	{"CRLF and no final newline", "goose", "extensions:\r\n  a:\r\n    type: stdio\r\n    cmd: 'it''s'\r\n    args:\r\n    - x\r\n    -   \"y\"\r\n  b:\r\n    cmd: uvx\r\n    type: stdio", nil},
	{"a byte order mark and flow style", "goose", "\xef\xbb\xbfextensions: {a: {type: stdio, cmd: npx, args: [-y, \"x\", 'y z' , w ], envs: {K: SEKRET}}, \"b c\": {type: stdio, cmd: \"u\\x41\" }, c: {type: stdio, cmd: a b, args: []}}", nil},
	{"flow lists on several lines", "goose", "extensions:\n  a:\n    type: stdio\n    cmd: npx\n    args: [\n      -y, # quiet\n      \"x\", # pkg\n    ]\n  b: {\n    type: stdio,\n    cmd: x # end\n  }\n", nil},
	{"plain words with characters of their own", "goose", "---\nextensions:\n  a:\n    type: stdio\n    cmd: C:\\Program Files\\x.exe\n    args: []\n  b:\n    type: stdio\n    cmd: a, b\n    args:\n      - x # y\n  c:\n    type: stdio\n    cmd: über/ü\n...\n", nil},
	{"built-in, platform and bundled extensions are left alone", "goose", "extensions:\n  developer:\n    bundled: true\n    enabled: true\n    type: builtin\n  todo:\n    type: platform\n    name: todo\n  own:\n    type: stdio\n    bundled: true\n    cmd: x\n    args: []\n  r:\n    type: streamable_http\n    uri: https://h.example/\n  none:\n    cmd: x\n    args: []\n  ok:\n    type: stdio\n    cmd: x\n    args: []\n",
		map[string]string{"developer": "bundled", "todo": "platform", "own": "bundled", "none": "no type"}},
	{"what YAML reads elsewhere is left, and the others are done", "goose", "x: &c npx\ny: &m {type: stdio}\nextensions:\n  alias: {type: stdio, cmd: *c, args: []}\n  anchor: &e\n    type: stdio\n    cmd: x\n  anchored: {type: stdio, cmd: &f x, args: []}\n  tag:\n    type: stdio\n    cmd: !!str x\n  merge:\n    <<: *m\n    cmd: x\n  whole: *e\n  block:\n    type: stdio\n    cmd: >-\n      npx\n      x\n  rows:\n    type: stdio\n    cmd: npx\n      x\n  word: {type: stdio, cmd: yes}\n  number: {type: stdio, cmd: x, args: [8080]}\n  nested:\n    type: stdio\n    cmd: x\n    args:\n    - - y\n  null:\n    type: stdio\n    cmd: x\n    args:\n  ok: {type: stdio, cmd: x}\n",
		map[string]string{"alias": "alias", "anchor": "anchor", "anchored": "anchor", "tag": "tag", "merge": "merge key", "whole": "alias", "block": "several lines", "rows": "several lines", "word": "quotes", "number": "a number", "nested": "a list, not text", "null": "null, not a list"}},
	{"Continue's servers are a list", "continue", "name: me\nmcpServers:\n  # first\n  - name: a\n    command: npx\n    args:\n      - -y\n      - x\n    env:\n      K: SEKRET\n  - command: uvx # no args\n    name: b\n  -   name: \"c d\"\n      command: z\n      args: [\"1\",2]\n  - uses: org/x\n  - name: r\n    type: streamable-http\n    url: https://h.example/\n  - {name: f, command: x}\n",
		map[string]string{"c d": "a number", "": "no name"}},
	{"Continue's list at the margin", "continue", "mcpServers:\n- name: a\n  command: npx\n- command: w\n  name: b\n  args:\n  - z\n", nil},
}

func TestYAMLFilesComeBackByteForByte(t *testing.T) {
	for _, c := range yamlTrips {
		t.Run(c.name, func(t *testing.T) { checkTrip(t, c) })
	}
}

func TestOnlyTheValuesOfAYAMLFileAreEdited(t *testing.T) {
	got := checkTrip(t, yamlTrips[0])
	path := got[strings.Index(got, "cmd: ")+6 : strings.Index(got, "\" # why")]
	words := func(between string) string {
		return strings.Join([]string{`"wrap"`, `"--name"`, `"NAME"`, `"--client"`, `"goose"`, `"--"`}, between) + between
	}
	want := strings.NewReplacer("cmd: npx", `cmd: "`+path+`"`, "- -y", "- "+strings.Replace(words("\n      - "), "NAME", "a", 1)+"npx\n      - -y",
		"cmd: uvx", `args: [ `+strings.Replace(words(", "), "NAME", "b", 1)+"uvx ]\n    cmd: \""+path+`"`).Replace(yamlTrips[0].raw)
	if got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func TestAYAMLFileThatIsNotValidIsLeftAlone(t *testing.T) {
	for _, raw := range []string{
		"extensions: {a: {cmd: x}, a: {cmd: y}}", "extensions: 7", "extensions: []", "a: 1\n---\nextensions: {}", "x: &a {b: {type: stdio, cmd: x}}\nextensions: *a",
		"extensions: &a {b: {type: stdio, cmd: x}}", "x: &m {b: {type: stdio, cmd: x}}\nextensions:\n  <<: *m\n", "extensions: {a: \xff}", "a: " + strings.Repeat("[", 20000),
		strings.Repeat("- ", 300),
	} {
		if _, err := Parse([]byte(raw), FormatOf("goose")); err == nil {
			t.Errorf("%.60q is read", raw)
		}
	}
}
