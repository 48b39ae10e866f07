package inspect

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// spell puts a key together, so that no scanner of code takes this file for a leak.
func spell(parts ...string) string { return strings.Join(parts, "") }

var (
	ghKey  = spell("ghp", "_w8Jd2kQzX5nB7vT1c", "R4yL9mP3sF6hG0aE2uK")
	ghHead = spell("ghp", "_w8Jd2kQzX5nB7vT1c")
	ghTail = "R4yL9mP3sF6hG0aE2uK"
)

func TestAKeySplitIntoStringLiteralsIsFound(t *testing.T) {
	for _, seam := range []string{`" + "`, `' + '`, `"+"`, `' . '`, `" "`, `""`, "\" \\\n    \"", "\"\n    \"", "` +\n\t`", `", "`, `" & "`, `" || "`} {
		quote := seam[:1]
		text := "key = " + quote + ghHead + seam + ghTail + quote + ";"
		found, whole := SecretsInText(text, secrets.Precise)
		if len(found) != 1 || found[0].Rule != "github_token" || !whole || text[found[0].Start:found[0].End] != ghHead+seam+ghTail {
			t.Errorf("%q: %+v", text, found)
		}
	}
	for _, text := range []string{
		`"` + ghHead + `" and "` + ghTail + `"`, // two things
		`"` + ghHead + `" + '` + ghTail + `'`,   // quotes of two kinds
		`"` + ghHead + `" + name + "` + ghTail + `"`,
		`"` + ghHead + `": "` + ghTail + `"`,
		`["sk-", "ant-", "api", "is the beginning of a key"]`,
		`"ghp_" + strings.Repeat("x", 36)`,
	} {
		if found, _ := SecretsInText(text, secrets.Precise); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

func TestAShortPasswordInAnAddressIsFound(t *testing.T) {
	for text, secret := range map[string]string{
		`postgres://app:pw1@db.internal/app`:                                           "pw1",
		`postgresql://app:x9z@10.0.0.5:5432/app?sslmode=require`:                       "x9z",
		`mysql://root:toor@db.internal:3306/app`:                                       "toor",
		`redis://:f00@cache.internal:6379/0`:                                           "f00",
		`Driver={ODBC Driver 17 for SQL Server};Server=db;Database=app;UID=sa;PWD=s3!`: "s3!",
		`Provider=SQLOLEDB;Data Source=db;User Id=app;Password=tiger;`:                 "tiger",
		`DSN=prod; Uid=app; Pwd=blue; Encrypt=yes`:                                     "blue",
	} {
		if found, _ := SecretsInText(text, secrets.Precise); len(found) != 1 || text[found[0].Start:found[0].End] != secret {
			t.Errorf("%q: %+v", text, found)
		}
	}
	for _, text := range []string{
		`postgres://postgres:postgres@localhost/app`, `postgres://user:password@localhost/app`, `postgres://app:aaa@localhost/app`, `postgres://app:xxx@db.example.com/app`,
		`postgres://app:${PW}@db.internal/app`, `postgres://$USER:$PW@db.internal/app`, `postgresql://USER:PASSWORD@HOST:PORT/DB`, `https://a.b:443/x@y.z`,
		`Server=db;User Id=myUsername;Password=myPassword;`, `Server=db;Uid=app;Pwd={pw};`, `Server=db;Uid=app;Pwd=$PW;`, `Server=db;Uid=app;Password=<secret>;`, `Server=db;Uid=app;Pwd=***;`,
		`case 1: s.password=next; break`, `a ;password=tiger is a line of some song`, `Server=db;Trusted_Connection=True;`,
	} {
		if found, _ := SecretsInText(text, secrets.Precise); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

func TestASecretUnderAnEncodingIsFoundInArguments(t *testing.T) {
	mail := "To whom it may concern: password=Tr0ub4dor&3\n"
	for _, plain := range []string{ghKey, mail, `{"api_key":"` + ghKey + `"}`, "postgres://app:pw1@db.internal/app?sslmode=require"} {
		for name, text := range map[string]string{
			"base64": base64.StdEncoding.EncodeToString([]byte(plain)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(plain)),
			"hexadecimal": hex.EncodeToString([]byte(plain)), "capital hexadecimal": strings.ToUpper(hex.EncodeToString([]byte(plain))),
		} {
			params := []byte(`{"name":"upload","arguments":{"data":"` + text + `"}}`)
			found := Arguments(params, secrets.Precise)
			if len(found) != 1 || found[0].Category != CategorySecret || strings.Contains(found[0].Match, plain) {
				t.Errorf("%s of %.30q: %+v", name, plain, found)
			}
			if found := Arguments(params, secrets.Off); len(found) > 0 {
				t.Errorf("%s: found although nothing is sought: %+v", name, found)
			}
		}
	}
	for _, plain := range []string{"Dear Ada, the numbers are in: 4,200 for the room.", `{"theme":"dark","columns":[1,2,3],"name":"list"}`, strings.Repeat("\x00\x01\xff", 40)} {
		for _, text := range []string{base64.StdEncoding.EncodeToString([]byte(plain)), hex.EncodeToString([]byte(plain))} {
			if found := Arguments([]byte(`{"name":"upload","arguments":{"data":"`+text+`"}}`), secrets.Precise); len(found) > 0 {
				t.Errorf("%.30q: %+v", plain, found)
			}
		}
	}
}
