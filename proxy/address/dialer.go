package address

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// ConnectLimit is how long a name, a connection and TLS may take, each.
const ConnectLimit = 10 * time.Second

// Refusal is why nothing was sent, in our words.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// Refused is an error that is a *Refusal.
func Refused(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Dialer connects to what it checked: it resolves a name once for each connection, and a server of the name can't lead it elsewhere in between.
type Dialer struct {
	// Allows judges each address that a name leads to, of a class that a server can have. One that is refused refuses the name, or the name could
	// be steered from one address to the other.
	Allows func(host string, class Class) error
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewDialer makes a dialer over the system's network.
func NewDialer(allows func(host string, class Class) error) *Dialer {
	return &Dialer{
		Allows: allows, Dial: (&net.Dialer{Timeout: ConnectLimit}).DialContext,
		Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
	}
}

// Resolve is where a name leads, all of it checked.
func (d *Dialer) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	bounded, cancel := context.WithTimeout(ctx, ConnectLimit)
	defer cancel()
	ips, err := d.Lookup(bounded, host)
	if err != nil {
		return nil, err
	}
	if len(ips) == 0 {
		return nil, Refused("%s leads to no address", host)
	}
	for _, ip := range ips {
		class := ClassOf(ip)
		if class == "" {
			return nil, Refused("%s leads to %s, an address that no server has", host, ip.Unmap())
		}
		if err := d.Allows(host, class); err != nil {
			return nil, err
		}
	}
	return ips, nil
}

// Connect connects to a host, and says which class of address it reached.
func (d *Dialer) Connect(ctx context.Context, network, host, port string) (net.Conn, Class, error) {
	ips, err := d.Resolve(ctx, host)
	if err != nil {
		return nil, "", err
	}
	for _, ip := range ips {
		var conn net.Conn
		if conn, err = d.Dial(ctx, network, net.JoinHostPort(ip.Unmap().String(), port)); err == nil {
			return conn, ClassOf(ip), nil
		}
	}
	return nil, "", err
}
