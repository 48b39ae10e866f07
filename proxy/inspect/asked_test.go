package inspect

import (
	"fmt"
	"strings"
	"testing"
)

func elicited(message, properties string) string {
	return fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object","properties":{%s}}}`, message, properties)
}

func TestWhatAServerAsksForIsFound(t *testing.T) {
	for _, c := range []struct {
		name, method, params, rule string
		level                      Level
	}{
		{"a password", "elicitation/create", elicited("Sign in", `"password":{"type":"string"}`), AsksForSecret, High},
		{"a key in camel case", "elicitation/create", elicited("Settings", `"apiKey":{"type":"string"}`), AsksForSecret, High},
		{"a token with underscores", "elicitation/create", elicited("Settings", `"github_token":{"type":"string"}`), AsksForSecret, High},
		{"a harmless name over a title that is none", "elicitation/create", elicited("Sign in", `"x":{"type":"string","title":"Passphrase"}`), AsksForSecret, High},
		{"a description", "elicitation/create", elicited("Sign in", `"x":{"type":"string","description":"the one-time code we sent you"}`), AsksForSecret, High},
		{"nested where the protocol has none", "elicitation/create", elicited("x", `"a":{"type":"object","properties":{"client_secret":{"type":"string"}}}`), AsksForSecret, High},
		{"a message that asks", "elicitation/create", `{"message":"Please enter your password to go on."}`, AsksForSecret, High},
		{"look-alike letters", "elicitation/create", elicited("x", `"a":{"type":"string","title":"Pаsswоrd"}`), AsksForSecret, High},
		{"format password", "elicitation/create", elicited("x", `"a":{"type":"string","format":"password"}`), AsksForSecret, High},
		{"a card", "elicitation/create", elicited("x", `"cardNumber":{"type":"string"}`), AsksForPayment, High},
		{"an IBAN", "elicitation/create", elicited("Payout", `"a":{"type":"string","title":"IBAN"}`), AsksForPayment, High},
		{"a warning before a question", "elicitation/create", `{"message":"Do not share your password with anyone. Type your password here:"}`, AsksForSecret, High},
		{"a warning alone", "elicitation/create", elicited("x", `"n":{"type":"integer","description":"Your favorite integer (do not give us your phone number, pin, or other sensitive info)"}`), AsksForSecret, Low},
		{"a message that only speaks of it", "elicitation/create", `{"message":"The password policy has changed. Go on?"}`, AsksForSecret, Medium},
		{"a link that is not https", "elicitation/create", `{"mode":"url","message":"m","url":"http://example.org/login"}`, UnsafeLink, High},
		{"a link with user info", "elicitation/create", `{"mode":"url","message":"m","url":"https://accounts.google.com@evil.example/"}`, UnsafeLink, High},
		{"a link with mixed scripts", "elicitation/create", `{"mode":"url","message":"m","url":"https://gооgle.com/"}`, UnsafeLink, High},
		{"a link all of whose letters look like others", "elicitation/create", `{"mode":"url","message":"m","url":"https://аре.com/"}`, UnsafeLink, High},
		{"a link whose letters are hidden in its wire form", "elicitation/create", `{"mode":"url","message":"m","url":"https://xn--ggle-55da.com/"}`, UnsafeLink, High},
		{"a script for a link", "elicitation/create", `{"mode":"url","message":"m","url":"javascript:alert(1)"}`, UnsafeLink, High},
		{"a link with one of the Latin letters that look like others", "elicitation/create", `{"mode":"url","message":"m","url":"https://ɡithub.com/"}`, UnsafeLink, High},
		{"a link whose letters are escaped", "elicitation/create", `{"mode":"url","message":"m","url":"https://%D0%B0pple.com/"}`, UnsafeLink, High},
		{"a link that browsers read otherwise", "elicitation/create", `{"mode":"url","message":"m","url":"https://good.example\\.evil.example/"}`, UnsafeLink, High},
		{"a link that browsers repair", "elicitation/create", `{"mode":"url","message":"m","url":"https:evil.example/"}`, UnsafeLink, High},
		{"a link with a letter that nobody sees", "elicitation/create", `{"mode":"url","message":"m","url":"https://ex\u200bample.com/"}`, UnsafeLink, High},
		{"a link to this computer that is not https", "elicitation/create", `{"mode":"url","message":"m","url":"http://localhost:8080/login"}`, UnsafeLink, High},
		{"a link to this computer", "elicitation/create", `{"mode":"url","message":"m","url":"https://app.localhost./login"}`, UnsafeLink, Medium},
		{"a link to a number", "elicitation/create", `{"mode":"url","message":"m","url":"https://0x7f.1/"}`, UnsafeLink, Medium},
		{"a page for a link", "elicitation/create", `{"mode":"url","message":"m","url":"ui://s/main"}`, UnsafeLink, High},
		{"no link at all", "elicitation/create", `{"mode":"url","message":"m"}`, UnsafeLink, High},
		{"a link to an address", "elicitation/create", `{"mode":"url","message":"m","url":"https://203.0.113.7/x"}`, UnsafeLink, Medium},
		{"what was said with other servers", "sampling/createMessage", `{"messages":[],"includeContext":"allServers"}`, IncludeContext, High},
		{"what was said with this server", "sampling/createMessage", `{"messages":[],"includeContext":"thisServer"}`, IncludeContext, High},
		{"tools for sampling", "sampling/createMessage", `{"messages":[],"tools":[{"name":"x"}]}`, SamplingTools, Medium},
	} {
		found := Asked(c.method, []byte(c.params))
		if len(found) == 0 || found[0].Rule != c.rule || Worst(found) != c.level {
			t.Errorf("%s: %+v", c.name, found)
		}
	}
	for language, word := range map[string]string{
		"German": "Passwort", "French": "Mot de passe", "Spanish": "Contraseña", "Portuguese": "Senha", "Dutch": "Wachtwoord", "Swedish": "Lösenord", "Polish": "Hasło",
		"Czech": "Heslo", "Hungarian": "Jelszó", "Turkish": "Şifre", "Russian": "Пароль", "Greek": "Κωδικός πρόσβασης", "Hebrew": "סיסמה", "Arabic": "كلمة المرور",
		"Hindi": "पासवर्ड", "Thai": "รหัสผ่าน", "Japanese": "パスワード", "Chinese": "密码", "Korean": "비밀번호", "Vietnamese": "Mật khẩu", "a Russian card": "Номер карты",
	} {
		if found := Asked("elicitation/create", []byte(elicited("x", `"a":{"type":"string","title":"`+word+`"}`))); Worst(found) != High {
			t.Errorf("%s: %+v", language, found)
		}
	}
}

func TestTheHostOfALinkIsNamedAsItGoesOverTheWire(t *testing.T) {
	for link, want := range map[string]string{
		"https://example.org:8443/a?b": "example.org", "https://gооgle.com/": "xn--ggle-55da.com", "https://münchen.example/": "xn--mnchen-3ya.example",
		"https://ＧＩＴＨＵＢ.com/": "github.com", "https://github.com@evil.example/": "evil.example", "https://%D0%B0pple.com": "xn--pple-43d.com",
		"https://[2001:DB8::1]:80/": "2001:db8::1", "https://a_b.example/": "a_b.example",
		"javascript:alert(1)": "", "https://": "", "https://a b/": "", "https://good.example\\@evil.example/": "", "": "",
	} {
		if got := LinkHost(link); got != want {
			t.Errorf("%s leads to %q, want %q", link, got, want)
		}
	}
}

func TestHonestQuestionsAreLeftAlone(t *testing.T) {
	for _, c := range []struct{ method, params string }{
		{"elicitation/create", elicited("Which city?", `"city":{"type":"string","title":"City"},"units":{"type":"string","enum":["C","F"]}`)},
		{"elicitation/create", elicited("Book a table", `"date":{"type":"string","format":"date"},"people":{"type":"integer","description":"How many of you"},"email":{"type":"string","format":"email"}`)},
		{"elicitation/create", elicited("Model", `"maxTokens":{"type":"integer","title":"Max tokens"},"spinning":{"type":"boolean"},"key":{"type":"string","description":"Sort key"}`)},
		{"elicitation/create", `{"mode":"url","message":"Sign in with GitHub","url":"https://github.com/login/oauth/authorize?client_id=x","elicitationId":"1"}`},
		{"elicitation/create", `{"mode":"url","message":"Anmelden","url":"https://münchen.example/"}`},
		{"elicitation/create", `{"mode":"url","message":"m","url":"https://пример.рф/"}`},
		{"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Summarise this page."}}],"maxTokens":100,"includeContext":"none","tools":[ ]}`},
		{"roots/list", ``}, {"roots/list", `{}`}, {"x/other", `[1]`},
	} {
		if found := Asked(c.method, []byte(c.params)); len(found) > 0 {
			t.Errorf("%s: %+v", c.params, found)
		}
	}
}

func TestAskedStaysBoundedWhateverIsAsked(t *testing.T) {
	deep := strings.Repeat(`"properties":{"password":{`, 500) + strings.Repeat("}}", 500)
	var wide strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&wide, `,"password%d":{}`, i)
	}
	for _, schema := range []string{deep, `"properties":{` + wide.String()[1:] + `}`} {
		if n := len(Asked("elicitation/create", []byte(`{"requestedSchema":{`+schema+`}}`))); n > maxFindings {
			t.Errorf("%d findings", n)
		}
	}
}

func TestAFormThatNobodyReadsIsNotReadEither(t *testing.T) {
	long := strings.Repeat("Your name. ", maxAskedText/len("Your name. "))
	if found := Asked("elicitation/create", []byte(`{"message":"`+long+`"}`)); len(found) != 0 {
		t.Fatalf("as long as is looked at: %+v", found)
	}
	for name, params := range map[string]string{
		"one text":   `{"message":"` + long + long + `"}`,
		"many texts": elicited(long, `"a":{"type":"string","title":"`+long[:200]+`"}`),
	} {
		if found := Asked("elicitation/create", []byte(params)); len(found) == 0 || found[0].Rule != BeyondBounds || found[0].Level != High {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
