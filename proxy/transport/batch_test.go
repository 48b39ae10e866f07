package transport

import "testing"

// Only Windows applies the rule, but it is tested everywhere.
func TestT14BatchFilesGetNoArgumentThatCmdWouldRun(t *testing.T) {
	for _, c := range []struct {
		path    string
		args    []string
		refused bool
	}{
		{"npx.cmd", []string{"-y", "@modelcontextprotocol/server-everything", `C:\Users\me\My Files`}, false},
		{"npx.cmd", []string{"a&calc"}, true},
		{"NPX.CMD", []string{"fine", "a|b"}, true},
		{"x.bat. .", []string{"a^b"}, true},
		{"x.bat", []string{"%PATH%"}, true},
		{"x.Bat", []string{`a"b`}, true},
		{"x.cmd", []string{"a>b"}, true},
		{"x.cmd", []string{"a<b"}, true},
		{"x.cmd", []string{"!x!"}, true},
		{"x.cmd", []string{"two\nlines"}, true},
		{"node.exe", []string{`a&b|c^d%e"f`}, false},
	} {
		if err := forBatch("npx", c.path, c.args); (err != nil) != c.refused {
			t.Errorf("%s %q: %v", c.path, c.args, err)
		}
	}
}
