package inspect

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Rules for a server's requests to the client.
const (
	AsksForSecret  = "asks_for_secret"
	AsksForPayment = "asks_for_payment"
	UnsafeLink     = "unsafe_link"
	IncludeContext = "include_context"
	SamplingTools  = "sampling_tools"
	UnreviewedPage = "unreviewed_page"
)

// Asked judges what a server requests, not how it is worded: Watch and Weigh do that. params must have passed frame.Scan or frame.Validate;
// nil means none.
func Asked(method string, params []byte) []Finding {
	if frame.Type(params, frame.Root(params)) != '{' {
		return nil
	}
	a := asking{raw: params}
	switch vocab.AskOf(method) {
	case vocab.AskSampling:
		a.sampling()
	case vocab.AskElicitation:
		a.elicitation()
	case vocab.AskRoots, vocab.AskOther: // their texts are judged like any other
	}
	return a.found
}

type asking struct {
	raw   []byte
	found []Finding
	read  int // bytes of text read so far
}

// maxAskedText limits the text checked in one request. Nobody reads a longer form, and the expressions take some microseconds a byte, for
// which all other calls would wait.
const maxAskedText = 16 << 10

func (a *asking) add(rule string, level Level, title, where, text string, start, end int) {
	for _, f := range a.found {
		if f.Rule == rule && f.Where == where {
			return
		}
	}
	a.found = appendBounded(a.found, Finding{
		Rule: rule, Level: level, Category: "threat", Title: title, Where: where, Start: start, End: end, Match: cut.Runes(text[start:end], maxMatch),
	}, maxFindings)
}

func (a *asking) text(key string) string { return textAt(a.raw, frame.Root(a.raw), key) }

func (a *asking) sampling() {
	switch context := a.text("includeContext"); context {
	case "", "none":
	case "thisServer":
		a.add(IncludeContext, High, "It asks for what was said with this server", "includeContext", context, 0, len(context))
	default:
		a.add(IncludeContext, High, "It asks for what was said with other servers", "includeContext", context, 0, len(context))
	}
	if span, ok := frame.Find(a.raw, frame.Root(a.raw), "tools"); ok && frame.Type(a.raw, span) == '[' && len(strings.Trim(string(span.Of(a.raw)), "[] \t\r\n")) > 0 {
		a.add(SamplingTools, Medium, "It brings tools of its own for Claude to use while it answers", "tools", "", 0, 0)
	}
}

func (a *asking) elicitation() {
	a.words("message", a.text("message"), false)
	if link := a.text("url"); link != "" || a.text("mode") == "url" {
		a.link(link)
	}
	schema, ok := frame.Find(a.raw, frame.Root(a.raw), "requestedSchema")
	if !ok {
		return
	}
	for _, key := range []string{"title", "description"} {
		a.words("requestedSchema."+key, textAt(a.raw, schema, key), false)
	}
	a.fields("requestedSchema", schema, 0)
}

// fields checks the names of form fields and the texts beside them. The protocol has them flat, but a server may nest them.
func (a *asking) fields(where string, schema frame.Span, depth int) {
	properties, ok := frame.Find(a.raw, schema, "properties")
	if !ok || depth > 8 {
		return
	}
	frame.Members(a.raw, properties, func(key string, m frame.Member) bool {
		at := Member(where+".properties", strings.Clone(key))
		boolean := textAt(a.raw, m.Value, "type") == "boolean"
		if !boolean { // whether to reset a password is not a password
			a.words(at, spacedName(key), true)
		}
		for _, label := range []string{"title", "description"} {
			a.words(at+"."+label, textAt(a.raw, m.Value, label), !boolean)
		}
		if textAt(a.raw, m.Value, "format") == "password" {
			a.add(AsksForSecret, High, titleSecret, at+".format", "password", 0, len("password"))
		}
		a.fields(at, m.Value, depth+1)
		return len(a.found) < maxFindings
	})
}

const (
	titleSecret  = "It asks for a password, a token or a key"
	titlePayment = "It asks for payment data"
)

// words looks for what no form may ask (specification of elicitation, "Security considerations": a server must not ask for
// sensitive information in a form). field: the text names what is to be filled in; elsewhere the word alone is no request.
func (a *asking) words(where, text string, field bool) {
	if text == "" {
		return
	}
	if a.read += len(text); a.read > maxAskedText {
		a.add(BeyondBounds, High, "It asks in more text than anyone would read", where, text, 0, len(text))
		return
	}
	folded, lower := decode.Fold(&decode.View{Text: text}), strings.ToLower(text)
	for _, sort := range []struct {
		re          func() *regexp.Regexp
		rule, title string
	}{{secretWords, AsksForSecret, titleSecret}, {paymentWords, AsksForPayment, titlePayment}} {
		// Folding turns look-alikes into Latin words, but takes words of other scripts apart, so both texts are read.
		in, all := folded.Text, sort.re().FindAllStringIndex(folded.Text, maxAsked)
		if all == nil {
			in = lower
			all = sort.re().FindAllStringIndex(lower, maxAsked)
		}
		var level Level
		start, end := 0, len(text)
		for _, at := range all { // the most serious: a warning about one secret may precede a request for another
			here := High
			switch {
			case warnsOf().MatchString(in[max(0, at[0]-80):at[0]]):
				here = Low
			case !field && !askingWords().MatchString(in[max(0, at[0]-80):min(len(in), at[1]+80)]):
				here = Medium
			}
			if here.Rank() <= level.Rank() {
				continue
			}
			level = here
			if in == folded.Text {
				start, end = folded.Span(at[0], at[1])
			} else if len(lower) == len(text) {
				start, end = at[0], at[1]
			}
		}
		if level != "" {
			a.add(sort.rule, level, sort.title, where, text, start, end)
		}
	}
}

// maxAsked limits the words of one sort checked in a text.
const maxAsked = 64

// spacedName splits a field's name into words: apiKey and api_key are "api key".
func spacedName(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == '/':
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(r)
	}
	return b.String()
}

// Accents are listed next to their letters because folding removes them.
var (
	secretWords = expression(`\b(?:pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|api ?keys?|access ?keys?|secret ?keys?|private ?keys?|signing ?keys?|ssh ?keys?|encryption ?keys?|client ?secrets?|secrets?|` +
		`(?:api|access|auth|authentication|bearer|refresh|session|security|personal access|github|bot|login) ?tokens?|token|credentials?|one.?time (?:code|pass\w*)|otp|totp|2fa(?: code)?|mfa(?: code)?|verification code|recovery (?:code|phrase)s?|seed phrase|mnemonic|pin(?: code| number)|pin|login data|session cookies?|` +
		`passwort|kennwort|zugangsdaten|mot de passe|identifiants|contrase(?:ñ|n)a|clave (?:secreta|de acceso|privada)|palavra-passe|senha|wachtwoord|l(?:ö|o)senord|adgangskode|passord|salasana|has(?:ł|l)o|heslo|jelsz(?:ó|o)|(?:ş|s)ifre|kata sandi|m(?:ậ|a)t kh(?:ẩ|a)u)\b` +
		`|пароль|пароля|парола|лозинка|κωδικ(?:ό|ο)ς πρ(?:ό|ο)σβασης|סיסמה|كلمة (?:المرور|السر)|گذرواژه|पासवर्ड|รหัสผ่าน|パスワード|暗証番号|密码|密碼|口令|令牌|비밀번호|암호`)

	paymentWords = expression(`\b(?:(?:credit|debit|bank|payment) ?cards?(?: ?(?:number|no|details|data|info\w*))?|card ?(?:number|no|holder|details)|cvv2?|cvc2?|card security code|iban|sort code|routing number|(?:bank )?account number|bank (?:details|account)|billing (?:details|card)|wallet (?:key|seed|phrase)|social security number|ssn|` +
		`kreditkarte\w*|kartennummer|bankverbindung|kontonummer|carte (?:bancaire|de cr(?:é|e)dit)|num(?:é|e)ro de carte|tarjeta de cr(?:é|e)dito|n(?:ú|u)mero de tarjeta|cart(?:ã|a)o de cr(?:é|e)dito|carta di credito|creditcardnummer)\b` +
		`|номер карты|信用卡|银行卡|銀行卡|クレジットカード|신용카드`)

	// warnsOf ends before a word that the person is told not to give away.
	warnsOf = expression(`\b(?:do not|don't|never|must not|should not|need not|no need to)\s+(?:ever\s+)?(?:give|enter|share|send|provide|include|type|put|tell|disclose|reveal|use)\b[^.!?:\n]{0,60}$`)

	// askingWords turn a sentence that names such a thing into a request.
	askingWords = expression(`\b(?:enter|provide|type|give|send|share|submit|paste|input|supply|tell|need|requires?d?|confirm|verify|what is|what's|your|insert|fill|` +
		`gib|geben|eingeben|nenne|ihr|dein|saisissez|entrez|donnez|votre|introduzca|introduce|ingrese|escriba|su|tu|digite|insira|sua|inserisci|tua|vul|uw|podaj|zadejte)\b` +
		`|введите|укажите|ваш|输入|輸入|请提供|您的|你的|入力|입력|أدخل|الخاص|הזן|दर्ज`)
)

// expression compiles a pattern when it is first needed, which keeps a wrapper's start fast.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + pattern) })
}
