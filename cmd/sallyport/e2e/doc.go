// Package e2e holds the end-to-end tests: the real binary, `sallyport wrap` in front of real servers, driven by real
// clients. What a client sees with the wrapper must equal what it sees without it, the wrapper's two tools (and
// tools.listChanged) apart.
//
// session_test.go plays a session line by line and records it, compare_test.go says how two records differ; what varies by
// nature is listed there and nowhere else. harness_test.go proves the harness itself: direct against direct is equal, and
// every lossy relay is found out.
//
// install.sh brings servers and clients; `make test` runs it.
package e2e
