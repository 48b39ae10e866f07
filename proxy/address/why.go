package address

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// MaxHeaders is how many bytes of headers a response may have.
const MaxHeaders = 64 << 10

// Why puts an error of the network into our words. sent is false if the request can't have reached the server.
func Why(err error, host string) (why string, sent bool) {
	if no, ok := errors.AsType[*Refusal](err); ok {
		return no.Reason, false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return host + " is not known to the network; check the address", false
		}
		return "the name " + host + " could not be looked up; check the network", false
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return host + " refused the connection: no server is running there", false
		case op.Timeout():
			return fmt.Sprintf("%s did not answer a connection within %s", host, ConnectLimit), false
		}
		return "no connection to " + host + " could be made; check the network", false
	}
	if isTLS(err) {
		return "the certificate of " + host + " is not valid, so nothing was sent", false
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return host + " did not respond in time", true
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return host + " sent more headers than the 64 KiB that are read", true
	}
	return "the connection to " + host + " broke", true
}
