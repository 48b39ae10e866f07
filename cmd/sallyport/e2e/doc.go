// Package e2e holds the end-to-end tests: the real binary, `sallyport wrap` in front of real servers, driven by real
// clients. What a client sees with the wrapper must equal what it sees without it, the wrapper's two tools (and
// tools.listChanged) apart.
//
// session_test.go plays a session line by line and records it; compare_test.go compares two records, and lists everything that
// varies by nature. harness_test.go tests the harness itself: two direct sessions are equal, and every lossy relay is noticed.
//
// conformance_test.go runs the protocol's own test suite against servers, directly and behind a wrapper, over bridge_test.go.
//
// install.sh installs the servers and clients; `make test` runs it.
package e2e
