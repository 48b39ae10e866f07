package clientconfig

import (
	"encoding/json"
	"strings"
)

// The hub has a better masker of its own; this one serves previews made without a hub, and errs towards masking: masking a word too many
// only costs a look into the file.
var (
	secretWord = lazy(`(?i)(^|[-_.:/])(token|secret|password|passwd|passphrase|pwd|pass|auth|authorization|bearer|credentials?|cookie|signature|sig|jwt|pat|key|dsn)s?$` +
		`|(?i)(api|access|auth|secret|private|client|session|encryption|connection)[-_]?(key|token|secret|id|string|password)$`)
	secretForm = lazy(`sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}` +
		`|(?:AKIA|ASIA|AROA|ABIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_.-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?` +
		`|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|[a-z]{2,5}_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{20,}` +
		`|secret_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{30,}|lin_api_[A-Za-z0-9]{20,}|shp[a-z]{2,3}_[A-Fa-f0-9]{20,}|figd_[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{40,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
	scheme   = lazy(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}`)
	assigned = lazy(`([A-Za-z0-9_.-]+)(\s*[=:]\s*)(/?[^\s"'&;,/][^\s"'&;,]*)`)
	flagged  = lazy(`(^|[\s"'])(--?[A-Za-z0-9_.-]+)(\s+)("[^"]*"|'[^']*'|[^\s"']+)`)
	userInfo = lazy(`([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\s"'@]+@`)
	drawn    = lazy(`[A-Za-z0-9_+=-]{24,}`)
	sourced  = lazy(`^[A-Za-z0-9_-]+: ([A-Za-z]+ )?(env:[A-Za-z_][A-Za-z0-9_]*|keychain:[A-Za-z0-9_.-]+)$`) // names where a header's value is
	hexadec  = lazy(`^[0-9A-Fa-f]{32,}$`)
)

func secretName(name string) bool { return name != "" && secretWord().MatchString(name) }

// maskArgs masks arguments one by one, including the value of a flag that names a secret.
func maskArgs(args []string) []string {
	shown := make([]string, len(args))
	for i, arg := range args {
		if i > 0 {
			flag := strings.TrimLeft(args[i-1], "-/")
			if flag != args[i-1] && !strings.ContainsAny(flag, "=: ") && secretName(flag) && !(strings.HasPrefix(arg, "--") && !strings.Contains(arg, "=")) {
				shown[i] = dots
				continue
			}
		}
		if i > 0 && args[i-1] == "--header" && sourced().MatchString(arg) {
			shown[i] = arg
			continue
		}
		if masked, ok := maskArgv(arg); ok {
			shown[i] = masked
			continue
		}
		shown[i] = maskText(arg)
	}
	return shown
}

// maskAddress masks the values of an address's query: services put keys there, under any name.
func maskAddress(address string) string {
	head, query, ok := strings.Cut(address, "?")
	if !ok {
		return maskText(address)
	}
	query, fragment, _ := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); value != "" {
			pairs[i] = name + "=" + dots
		} else if pair != "" {
			pairs[i] = dots
		}
	}
	if fragment != "" {
		fragment = "#" + dots
	}
	return maskText(head) + "?" + strings.Join(pairs, "&") + fragment
}

// maskArgv masks the words inside --argv one by one, as they would be masked after --.
func maskArgv(arg string) (masked string, ok bool) {
	text, ok := strings.CutPrefix(arg, argvFlag)
	var inner []string
	if !ok || json.Unmarshal([]byte(text), &inner) != nil {
		return "", false
	}
	return argvFlag + argvText(maskArgs(inner)), true
}

// maskText masks secrets by their form inside one text. It runs an expression only if it can match: a client's file may be megabytes of
// text.
func maskText(s string) string {
	s = secretForm().ReplaceAllString(s, dots)
	if strings.Contains(s, "@") {
		s = userInfo().ReplaceAllString(s, "${1}"+dots+"@")
	}
	if strings.ContainsAny(s, " \t\r\n") {
		s = scheme().ReplaceAllString(s, "${1}${2}"+dots)
	}
	if strings.ContainsAny(s, "=:") {
		s = assigned().ReplaceAllStringFunc(s, func(found string) string {
			p := assigned().FindStringSubmatch(found)
			if !secretName(strings.TrimLeft(p[1], "-")) {
				return found
			}
			return p[1] + p[2] + dots
		})
	}
	if strings.Contains(s, "-") {
		s = flagged().ReplaceAllStringFunc(s, func(found string) string { // a command line as one text, for a shell
			p := flagged().FindStringSubmatch(found)
			if !secretName(strings.TrimLeft(p[2], "-")) || strings.HasPrefix(p[4], "--") {
				return found
			}
			return p[1] + p[2] + p[3] + dots
		})
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, ".") || len(s) > 2 && s[1] == ':' && s[2] == '\\' {
		return s
	}
	return drawn().ReplaceAllStringFunc(s, func(found string) string {
		if random(found) {
			return dots
		}
		return found
	})
}

// random reports whether a run looks random: long hexadecimal, or mixed upper case, lower case and several digits.
func random(s string) bool {
	var upper, lower, digit int
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digit++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	return hexadec().MatchString(s) && digit > 0 && upper+lower > 0 || upper > 1 && lower > 1 && digit > 1
}
