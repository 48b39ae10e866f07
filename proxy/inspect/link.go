package inspect

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// link checks the address that the person is asked to open (mode "url").
func (a *asking) link(link string) {
	bad := func(level Level, title string) { a.add(UnsafeLink, level, title, "url", link, 0, len(link)) }
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Host == "" {
		bad(High, "It sends the person to an invalid address")
		return
	}
	host, ok := wireHost(u.Hostname())
	switch {
	case u.User != nil:
		bad(High, "It sends the person to an address with a user name in it, which hides where it leads")
	case mixedScripts(u.Hostname()):
		bad(High, "It sends the person to an address whose letters are of several alphabets, or look like others")
	case !strings.EqualFold(u.Scheme, "https"):
		bad(High, "It sends the person to an address that is not https")
	case !ok:
		bad(High, "It sends the person to an invalid address")
	case isLocal(host):
		bad(Medium, "It sends the person to a program on this computer")
	case isNumber(host):
		bad(Medium, "It sends the person to an address that is a number, not a name")
	}
}

// LinkHost is the host that a link leads to in the form that goes over the wire, which has no letters to look alike (punycode, RFC 3492);
// "" if no browser would find one.
func LinkHost(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return ""
	}
	host, _ := wireHost(u.Hostname())
	return host
}

// wire maps names as browsers do (UTS 46, non-transitional). Underscores pass because browsers open such hosts.
var wire = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

func wireHost(host string) (ascii string, ok bool) {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String(), true
	}
	ascii, err := wire.ToASCII(host)
	if err != nil || ascii == "" || strings.ContainsFunc(ascii, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", false
	}
	return ascii, true
}

func isLocal(host string) bool {
	host = strings.TrimSuffix(host, ".")
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.IsLoopback()
}

// isNumber reports whether a browser takes a host for an address: an IPv6 one, or a name whose last part is a number, in decimal or
// hexadecimal (URL standard, "ends in a number checker").
func isNumber(host string) bool {
	if strings.Contains(host, ":") {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, is := strings.CutPrefix(last, "0x"); is {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// mixedScripts reports whether one part of a host name mixes scripts, or consists of letters of another script that all look Latin, or has a
// Latin letter that looks like an ASCII one. The wire form (xn--) hides what a name looks like.
func mixedScripts(host string) bool {
	for _, label := range strings.Split(host, ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return true
		}
		latin, other, alikes := 0, 0, 0
		for _, r := range label {
			_, looks := legible.Lookalikes()[r]
			switch {
			case r < utf8.RuneSelf || unicode.Is(unicode.Latin, r):
				if unicode.IsLetter(r) {
					latin++
				}
				if r >= utf8.RuneSelf && looks {
					return true
				}
			case unicode.IsLetter(r):
				other++
				if looks {
					alikes++
				}
			case !unicode.IsDigit(r) && !unicode.IsMark(r):
				return true
			}
		}
		if latin > 0 && other > 0 || other > 0 && alikes == other {
			return true
		}
	}
	return false
}
