package inspect

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// SensitivePath is the rule for arguments that name a file with credentials.
const SensitivePath = "sensitive_path"

// Files with credentials, lower case, by the first byte of the name. A slash at the end also matches the end of the path, and a slash
// matches a backslash. These are the default places of OpenSSH, GnuPG, the AWS, Google Cloud, Azure, Kubernetes and Docker command lines,
// git, npm, PyPI, PostgreSQL, browsers, password managers, and MCP clients.
var (
	dotFiles = []string{
		".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".env", ".docker/config.json",
		".config/gcloud", ".config/gh/hosts", ".bash_history", ".zsh_history", ".kdbx", ".pem", ".p12", ".pfx", ".keystore", ".vault-token", ".terraformrc",
	}
	rootFiles    = []string{"/etc/shadow", "/etc/sudoers", "/etc/ssl/private", "/proc/self/environ", "/run/secrets/"}
	keyFiles     = []string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"}
	cFiles       = []string{"claude_desktop_config.json", "credentials.json", "credentials.db", "cookies.sqlite"}
	loginFiles   = []string{"login.keychain", "login data", "logins.json"}
	key4Files    = []string{"key4.db"}
	walletFiles  = []string{"wallet.dat"}
	serviceFiles = []string{"service-account.json", "service_account.json"}

	filesBy = [256][]string{
		'.': dotFiles, '/': rootFiles, '\\': rootFiles, 'i': keyFiles, 'I': keyFiles, 'c': cFiles, 'C': cFiles, 'l': loginFiles, 'L': loginFiles,
		'k': key4Files, 'K': key4Files, 'w': walletFiles, 'W': walletFiles, 's': serviceFiles, 'S': serviceFiles,
	}
)

// Arguments looks for files with credentials, and for secrets (a finding contains none), in the params of a call. The findings are only
// shown in the timeline: these are the person's own words. It runs for every call and costs two passes over short text. params must have
// passed frame.Scan.
func Arguments(params []byte, profile string) []Finding {
	findings := sensitivePaths(params)
	if profile == secrets.Off || len(findings) == maxFindings || !spells(params) {
		return findings
	}
	w := newWeigher(rules.Standard(), Answer)
	defer w.release()
	w.secret.Begin(profile)
	w.seek = secretReader{w: w, found: findings}
	w.value.strings(params, &w.seek)
	return w.seek.found
}

// spells reports whether a string of a JSON value is long enough to hold anything, or a key long enough to be a secret.
func spells(raw []byte) bool {
	for i := bytes.IndexByte(raw, '"'); i >= 0 && i < len(raw); {
		end, _ := skipString(raw, i)
		if n := end - i - len(`""`); n >= secrets.MinForm || n >= minText && !(end < len(raw) && raw[end] == ':') {
			return true
		}
		next := bytes.IndexByte(raw[end:], '"')
		if next < 0 {
			return false
		}
		i = end + next
	}
	return false
}

func sensitivePaths(params []byte) (findings []Finding) {
	for at := 0; at < len(params); at++ {
		files := filesBy[params[at]]
		if len(files) == 0 || at > 0 && decode.IsWord(params[at-1]) && decode.IsWord(params[at]) {
			continue // part of a longer name: "invalid_rsa" names no key
		}
		for _, file := range files {
			n := spelledAt(params[at:], file)
			if n == 0 || at+n < len(params) && decode.IsWord(params[at+n]) {
				continue
			}
			findings = appendBounded(findings, Finding{
				Rule: SensitivePath, Level: Medium, Category: "threat", Title: "It names a file in which credentials are kept",
				Start: at, End: at + n, Match: cut.Runes(string(params[at:at+n]), maxMatch),
			}, maxFindings)
			at += n - 1
			break
		}
	}
	return findings
}

// spelledAt returns how many bytes of raw spell the name, 0 if they don't. A backslash is two bytes in JSON.
func spelledAt(raw []byte, name string) int {
	i := 0
	for n := range len(name) {
		want := name[n]
		if want == '/' && n == len(name)-1 && n > 0 {
			return i // the folder itself, or a file in it
		}
		if i >= len(raw) {
			return 0
		}
		switch c := raw[i]; {
		case c == want, c >= 'A' && c <= 'Z' && c|0x20 == want:
			i++
		case c == '\\' && want == '/':
			if i++; i < len(raw) && raw[i] == '\\' {
				i++
			}
		default:
			return 0
		}
	}
	return i
}
