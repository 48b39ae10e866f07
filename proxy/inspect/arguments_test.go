package inspect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

func TestArgumentsThatNameACredentialFileAreFound(t *testing.T) {
	for _, params := range []string{
		`{"path":"~/.ssh/id_rsa"}`, `{"path":"/home/ada/.ssh"}`, `{"path":"C:\\Users\\ada\\.ssh\\config"}`, `{"path":"/etc/shadow"}`,
		`{"cmd":"cat .env"}`, `{"cmd":"cat .env.local"}`, `{"path":"deploy/server.PEM"}`, `{"path":"/srv/app/ID_RSA"}`,
		`{"path":"~/Library/Keychains/login.keychain-db"}`, `{"path":"claude_desktop_config.json"}`, `{"path":"/run/secrets/db"}`,
	} {
		found := Arguments([]byte(params), secrets.Precise)
		if len(found) == 0 {
			t.Errorf("%s: nothing", params)
			continue
		}
		for _, f := range found {
			if f.Rule != SensitivePath || f.Start < 0 || f.End > len(params) || f.Start >= f.End || f.Match != params[f.Start:f.End] {
				t.Errorf("%s: %+v", params, f)
			}
		}
	}
}

func TestOrdinaryArgumentsAreNot(t *testing.T) {
	for _, params := range []string{
		`{}`, `{"path":"src/main.go"}`, `{"path":"docs/environment.md"}`, `{"text":"see invalid_rsa_test"}`, `{"path":".envrc_example"}`,
		`{"url":"https://example.com/a.b?c=d"}`, `{"path":"a.ssh_config_parser.go"}`, `{"q":"how does ssh work"}`, `{"path":"credentials.jsonl"}`, `"`, `.`, `\`,
	} {
		if found := Arguments([]byte(params), secrets.Precise); len(found) != 0 {
			t.Errorf("%s: %+v", params, found)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"path":"~/.ssh/id_rsa"}`))
	f.Add([]byte(`"\\.SSH\\.env.pem password=hunter2"`))
	f.Fuzz(func(t *testing.T, params []byte) {
		if !json.Valid(params) {
			return
		}
		for _, finding := range Arguments(params, secrets.Precise) {
			if finding.Start < 0 || finding.End > len(params) || finding.Start >= finding.End {
				t.Fatalf("%+v in %q", finding, params)
			}
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	params := []byte(`{"name":"read_file","arguments":{"path":"/home/ada/projects/weather/src/components/forecast/index.ts","head":100},"_meta":{"progressToken":1742}}`)
	b.SetBytes(int64(len(params)))
	b.ReportAllocs()
	for b.Loop() {
		Arguments(params, secrets.Precise)
	}
}

func TestArgumentsThatAreSecretAreToldWithoutThem(t *testing.T) {
	found := Arguments([]byte(`{"name":"login","arguments":{"user":"ann","password":"hunter2","note":"see \u00e9 api_key=`+drawnText+`"}}`), secrets.Precise)
	if len(found) != 2 || found[0].Rule != "assigned_password" || found[0].Where != "arguments.password" || found[1].Rule != "assigned_key" {
		t.Fatalf("%+v", found)
	}
	for _, f := range found {
		if f.Category != CategorySecret || strings.Contains(f.Match, "hunter2") || strings.Contains(f.Match, drawnText) {
			t.Errorf("%+v", f)
		}
	}
	if found := Arguments([]byte(`{"arguments":{"password":"hunter2"}}`), secrets.Off); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
