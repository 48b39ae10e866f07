// Package address reads addresses of remote servers, says where they lead, and connects only to what it checked.
//
// Parse reads an address as a person wrote it, ClassOf says where an IP address is, a Dialer resolves a name once, has each address that it
// leads to judged, and connects to one of those. ParseHeader reads what a person has sent along. Why puts an error of the network into our words.
package address
