package flow

import (
	"strings"
)

// destination says what a word is as a destination, and in which form it is compared. The kind is no destination if it is none.
func destination(w string) (Kind, string) {
	if len(w) < 4 || len(w) > maxDestination || strings.IndexByte(w, ' ') >= 0 {
		return Name, ""
	}
	if at := strings.LastIndexByte(w, '@'); at > 0 && strings.IndexByte(w, '/') < 0 {
		if form, ok := mailForm(strings.ToLower(w), true); ok {
			return Mail, form
		}
	}
	if scheme := strings.Index(w, "://"); scheme > 0 && scheme <= maxScheme && letters(w[:scheme]) {
		form := urlForm(w[scheme+len("://"):])
		if strings.EqualFold(w[:scheme], "file") || form == "" {
			return Name, ""
		}
		return urlOrHost(form)
	}
	dot := strings.IndexByte(w, '.')
	slash := strings.IndexByte(w, '/')
	if dot > 0 && (slash < 0 || dot < slash) {
		host := w
		if slash > 0 {
			host = w[:slash]
		}
		if colon := strings.IndexByte(host, ':'); colon > 0 {
			host = host[:colon]
		}
		if isHost(host) {
			return urlOrHost(urlForm(w))
		}
	}
	if slash > 0 && slash == strings.LastIndexByte(w, '/') && slash < len(w)-1 && repoPart(w[:slash]) && repoPart(w[slash+1:]) {
		return Repo, strings.ToLower(w)
	}
	return Name, ""
}

// maxScheme is the longest scheme of a URL.
const maxScheme = 16

func urlOrHost(form string) (Kind, string) {
	if HostOf(form) == form {
		return Host, form
	}
	return URL, form
}

// mailForm is a mail address without "mailto:" and without what follows a "+" in its local part.
func mailForm(w string, tagged bool) (form string, ok bool) {
	w = strings.TrimPrefix(w, "mailto:")
	at := strings.LastIndexByte(w, '@')
	if at <= 0 {
		return "", false
	}
	local, host := w[:at], w[at+1:]
	if end := strings.IndexByte(host, '?'); end >= 0 {
		host = host[:end]
	}
	host = strings.TrimSuffix(host, ".")
	if !plainHost(host) {
		return "", false
	}
	for i := range len(local) {
		if c := local[i]; c <= ' ' || c == ':' || c == '@' || c == '/' {
			return "", false
		}
	}
	if plus := strings.IndexByte(local, '+'); tagged && plus > 0 {
		local = local[:plus]
	}
	return local + "@" + host, true
}

// urlForm is what follows a URL's scheme, without "www.", user and the slash at the end, with its host in lower case.
func urlForm(rest string) string {
	host, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host, path = rest[:end], rest[end:]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80"), ".")
	return host + strings.TrimRight(path, "/")
}

// isHost reports whether a word without a scheme is a host: its last label is a top-level domain that is not as often the end of a file's name.
func isHost(w string) bool {
	last := strings.LastIndexByte(w, '.')
	return last > 0 && plainHost(strings.ToLower(w)) && isTopDomain(strings.ToLower(w[last+1:]))
}

// plainHost reports whether a name has two labels or more of letters, digits and hyphens (RFC 1123, 2.1), or of another script.
func plainHost(w string) bool {
	labels, length := 0, 0
	for i := 0; i <= len(w); i++ {
		if i == len(w) || w[i] == '.' {
			if length == 0 || length > 63 {
				return false
			}
			labels++
			length = 0
			continue
		}
		if c := w[i]; bytesAre[c]&(isLower|isUpper|isDigit|isHigh|isScore) == 0 && c != '-' {
			return false
		}
		length++
	}
	return labels >= 2
}

// isTopDomain reports whether a label is one of the most used top-level domains (by registrations, and those of the largest countries), those reserved for examples and local use
// (RFC 2606, RFC 6762), without those that end files ("md", "py", "rs", "sh", "pl", "zip").
func isTopDomain(label string) bool {
	switch label {
	case "com", "net", "org", "edu", "gov", "mil", "int", "io", "dev", "app", "co", "ai", "me", "info", "biz", "xyz", "online", "site", "store", "shop",
		"tech", "club", "live", "top", "icu", "cloud", "page", "link", "click", "blog", "space", "website", "ru", "cn", "de", "uk", "eu", "fr", "nl", "it",
		"es", "br", "jp", "in", "au", "ca", "us", "ch", "se", "no", "dk", "fi", "cz", "at", "be", "kr", "tw", "hk", "sg", "nz", "za", "mx", "ar", "tr",
		"ua", "ir", "il", "tv", "cc", "to", "gg", "ly", "tk", "ml", "ga", "cf", "gq", "su", "ws", "example", "test", "invalid", "localhost", "local",
		"onion", "internal":
		return true
	}
	return false
}

// repoPart reports whether a part of owner/name is one (the names that GitHub and GitLab allow), with a letter in it.
func repoPart(w string) bool {
	all := uint16(0)
	for i := range len(w) {
		is := bytesAre[w[i]]
		if is&(isLower|isUpper|isDigit|isScore|isDot) == 0 && w[i] != '-' {
			return false
		}
		all |= is
	}
	return all&(isLower|isUpper) != 0
}

func letters(w string) bool {
	for i := range len(w) {
		if bytesAre[w[i]]&(isLower|isUpper|isDigit|isPlus) == 0 && w[i] != '-' && w[i] != '.' {
			return false
		}
	}
	return true
}

const (
	phoneLeast, phoneMost     = 7, 15  // digits (ITU-T E.164)
	nationalLeast             = 10     // of a phone number without "+"
	accountLeast, accountMost = 15, 34 // characters (ISO 13616)
)

// number takes a phone number or an account number whose first word is text[start:end], and returns where it ends, 0 if it is none. It may go on
// behind blanks.
func (s *scanner) number(start, end int) int {
	text := s.text
	if form, stop := account(text, start); form != "" {
		s.give(Value{Kind: Account, Prose: s.prose, Member: s.member, Text: form})
		return stop
	}
	if w := text[start:end]; len(w) == 42 && strings.HasPrefix(w, "0x") || strings.HasPrefix(w, "bc1") && len(w) >= 26 {
		s.give(Value{Kind: Account, Prose: s.prose, Member: s.member, Text: strings.ToLower(w)})
		return end
	}
	if form, stop := phone(text, start); form != "" {
		s.give(Value{Kind: Phone, Prose: s.prose, Member: s.member, Text: form})
		return stop
	}
	return 0
}

// account is an IBAN, or what has the form of one, with or without blanks or hyphens between groups of four.
func account(text string, start int) (form string, stop int) {
	if start+4 > len(text) || bytesAre[text[start]]&(isUpper|isLower) == 0 || bytesAre[text[start+1]]&(isUpper|isLower) == 0 || bytesAre[text[start+2]] != isDigit || bytesAre[text[start+3]] != isDigit {
		return "", 0
	}
	var b [accountMost]byte
	n, digits := 0, 0
	i := start
	for i < len(text) && n < len(b) {
		is := bytesAre[text[i]]
		if is&(isUpper|isLower|isDigit) == 0 {
			if text[i] != ' ' && text[i] != '-' || n%4 != 0 || i+1 >= len(text) || bytesAre[text[i+1]] != isDigit {
				break
			}
			i++
			continue
		}
		if is == isDigit {
			digits++
		}
		b[n] = text[i] | 0x20
		n++
		i++
	}
	if i < len(text) && bytesAre[text[i]]&(isUpper|isLower|isDigit|isScore) != 0 || n < accountLeast || digits*4 < n*3 {
		return "", 0
	}
	return string(b[:n]), i
}

// phone is a number with "+" and its country, or with separators as people write one.
func phone(text string, start int) (form string, stop int) {
	plus := start > 0 && text[start-1] == '+'
	if text[start] == '+' {
		plus = true
		start++
	}
	var b [phoneMost]byte
	n, separators, i := 0, 0, start
	for last := start; i < len(text); i++ {
		c := text[i]
		switch {
		case bytesAre[c] == isDigit:
			if n == len(b) {
				return "", 0
			}
			b[n] = c
			n++
			last = i + 1
		case (c == '-' || c == '.' || c == ' ' || c == '(' || c == ')') && i-last < 2 && n > 0:
			separators++
		case bytesAre[c]&(isUpper|isLower|isScore|isSlash|isAt|isColon) != 0 && i == last:
			return "", 0
		default:
			goto done
		}
		stop = last
	}
done:
	if !plus && (n < nationalLeast || separators < 2) || n < phoneLeast {
		return "", 0
	}
	return string(b[:n]), stop
}
