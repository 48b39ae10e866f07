package guardrail

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// readAddress reads the address of a service. Anything but https is for this computer only: what goes over a network in the open can be
// read and answered by anyone on the way.
func readAddress(raw string) (u *url.URL, loopback bool, err error) {
	u, err = url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, false, errors.New("its address is not one of the form https://host/path")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, false, errors.New("its address must begin with https:// (or http:// on this computer)")
	case u.User != nil:
		return nil, false, errors.New("its address holds a name or password: a key belongs in guardrail.http.key")
	case u.Fragment != "":
		return nil, false, errors.New("its address has a part after #, which is never sent")
	}
	loopback = isLoopback(u.Hostname())
	if u.Scheme == "http" && !loopback {
		return nil, false, errors.New("its address must begin with https://, because it is not on this computer")
	}
	return u, loopback, nil
}

// isLoopback goes by the name as it is written. Where it leads is checked again when it is dialed.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

var errLeadsAway = errors.New("its address does not lead to this computer")

// onlyLoopback refuses a connection that leaves this computer: anyone who may write /etc/hosts or answer for DNS decides what localhost is.
func onlyLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.Unmap().IsLoopback() {
		return errLeadsAway
	}
	return nil
}
