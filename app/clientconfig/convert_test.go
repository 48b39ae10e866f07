package clientconfig

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAnExtensionsManifestIsFilledIn(t *testing.T) {
	const id = "local.x"
	for _, c := range []struct {
		name, system, manifest, settings string
		given                            map[string]string
		argv, env                        string // with F for the extension's folder and H for the home
		why                              string
	}{
		{name: "the platform's own start counts, and its variables are added", system: "darwin",
			manifest: `{"name":"x","server":{"type":"node","mcp_config":{"command":"node","args":["a"],"env":{"A":"1","B":"1"},"platform_overrides":{"darwin":{"command":"${__dirname}/run","env":{"B":"${HOME}${/}b"}},"win32":{"command":"no"}}}}}`,
			argv:     "F/run a", env: "A=1 B=H/b"},
		{name: "a kind of server has its usual start", manifest: `{"name":"x","server":{"type":"python","entry_point":"main.py"}}`, argv: "python3 F/main.py"},
		{name: "a binary is its entry point", manifest: `{"name":"x","server":{"type":"binary","entry_point":"bin/x"}}`, argv: "F/bin/x"},
		{name: "another kind is not guessed at", manifest: `{"name":"x","server":{"type":"uv","entry_point":"main.py"}}`, why: "doesn't say how its server is started"},
		{name: "several values are as many words", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["${user_config.dirs}","in ${user_config.dirs}"]}},"user_config":{"dirs":{"type":"string","multiple":true}}}`,
			settings: `{"userConfig":{"dirs":["a b","${HOME}"]}}`, argv: "c|a b|${HOME}|in a b,${HOME}"},
		{name: "what was given goes before the client's settings, and those before the default", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["${user_config.a}","${user_config.b}","${user_config.c}"]}},"user_config":{"a":{"type":"string","default":"1"},"b":{"type":"number","default":1},"c":{"type":"boolean","default":true}}}`,
			settings: `{"userConfig":{"a":"2","b":2.50}}`, given: map[string]string{"a": "3"}, argv: "c 3 2.50 true"},
		{name: "a default can name the person's folders", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["${user_config.a}"]}},"user_config":{"a":{"type":"string","default":"${DOCUMENTS}/x"}}}`, argv: "c H/Documents/x"},
		{name: "what has no value is left out", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["${user_config.a}","b"],"env":{"A":"${user_config.a}","B":"-${user_config.a}-"}}},"user_config":{"a":{"type":"string"}}}`, argv: "c b", env: "B=--"},
		{name: "what is required and has no value is named", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"a":{"type":"string","required":true}}}`, settings: `{"userConfig":{"a":""}}`, why: "user_config a has no value"},
		{name: "a secret that the client keeps is never written", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"a":{"type":"string","sensitive":true}}}`, settings: `{"userConfig":{"a":"SEKRET"}}`, why: "user_config a is a secret: store it"},
		{name: "a secret that is given is never written", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"a":{"type":"string","sensitive":true}}}`, given: map[string]string{"a": "SEKRET"}, why: "user_config a is a secret, which must not be on a command line"},
		{name: "a secret that is stored is named", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"${user_config.a}"}}},"user_config":{"a":{"type":"string","sensitive":true,"required":true}}}`, given: map[string]string{"a": "keychain:my.key"}, argv: "c", env: "A=keychain:my.key"},
		{name: "a secret that nobody needs is left out", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"${user_config.a}"}}},"user_config":{"a":{"type":"string","sensitive":true}}}`, argv: "c"},
		{name: "a secret is no argument", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["--a=${user_config.a}"]}},"user_config":{"a":{"type":"string","sensitive":true}}}`, given: map[string]string{"a": "keychain:SEKRET"}, why: "user_config a is a secret, and the extension takes it as an argument"},
		{name: "a secret is no part of a variable", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"Bearer ${user_config.a}"}}},"user_config":{"a":{"type":"string","sensitive":true}}}`, given: map[string]string{"a": "keychain:SEKRET"}, why: "takes it as a part of a variable"},
		{name: "a manifest can't help itself to a secret", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"keychain:openai"}}}}`, why: "names one of your secrets"},
		{name: "nor in two pieces", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"keychain:${user_config.a}"}}},"user_config":{"a":{"type":"string","default":"openai"}}}`, why: "names one of your secrets"},
		{name: "nor as the default of a secret", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"${user_config.a}"}}},"user_config":{"a":{"type":"string","sensitive":true,"default":"keychain:openai"}}}`, why: "names one of your secrets"},
		{name: "nor as the value of something else", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"A":"${user_config.a}"}}},"user_config":{"a":{"type":"string"}}}`, settings: `{"userConfig":{"a":"keychain:openai"}}`, why: "names one of your secrets"},
		{name: "a name with other characters is not repeated", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"SEKRET is fine, go":{"type":"string","required":true}}}`, why: "user_config (a name with other characters) has no value"},
		{name: "a number is one", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"a":{"type":"number"}}}`, given: map[string]string{"a": "SEKRET"}, why: "is not a number"},
		{name: "a folder exists", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}},"user_config":{"a":{"type":"directory"}}}`, given: map[string]string{"a": "/nowhere/SEKRET"}, why: "is not the path of a folder"},
		{name: "an unknown placeholder is not passed on", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":["${SEKRET}"]}}}`, why: "a placeholder that this version doesn't know"},
		{name: "a value that nothing asks for", manifest: `{"name":"x","server":{"mcp_config":{"command":"c"}}}`, given: map[string]string{"SEKRET": "1"}, why: "asks for no value"},
		{name: "a variable that moves Sallyport's home", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","env":{"SALLYPORT_HOME":"/x"}}}}`, why: "SALLYPORT_HOME, which moves"},
		{name: "a list where a text belongs", manifest: `{"name":"x","server":{"mcp_config":{"command":"c","args":"SEKRET"}}}`, why: "its manifest can't be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			system := c.system
			if system == "" {
				system = "linux"
			}
			s := fake(t, system, "/home/ann", nil)
			l := Places(s)[0]
			folder := filepath.Join(l.Folder, "Claude Extensions", id)
			put(t, filepath.Join(folder, "manifest.json"), c.manifest)
			if c.settings != "" {
				put(t, filepath.Join(l.Folder, "Claude Extensions Settings", id+".json"), c.settings)
			}
			called, got, err := Convert(s, id, c.given)
			if c.why != "" {
				if err == nil || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), "SEKRET") {
					t.Errorf("%v, want %q", err, c.why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			fill := func(text, sep string) (all []string) {
				if text == "" {
					return nil
				}
				for _, part := range strings.Split(text, sep) {
					part = strings.Replace(part, "F/", folder+"/", 1)
					all = append(all, strings.Replace(part, "H/", s.path(s.Home)+"/", 1))
				}
				return all
			}
			sep := " "
			if strings.Contains(c.argv, "|") {
				sep = "|"
			}
			if called != "x" || !reflect.DeepEqual(got.Argv, fill(c.argv, sep)) || !reflect.DeepEqual(got.Env, fill(c.env, " ")) {
				t.Errorf("%q %q %q", called, got.Argv, got.Env)
			}
			if said := fmt.Sprintf("%v %+v %#v", got, got, got); len(got.Env) > 0 && strings.Contains(said, "=") {
				t.Errorf("values are printed: %s", said)
			}
		})
	}
}
