# `make` lists the targets. Everything installed for tests goes below .cache, which git ignores.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BUILD = -trimpath -ldflags "-s -w -X main.version=$(VERSION)"

# Wails' tags: the kind of build, and the web view to use.
DESKTOP = desktop,production,webkit2_41

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
EXHAUSTIVE = github.com/nishanths/exhaustive/cmd/exhaustive@v0.17.1
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.1.4

# A switch over an exported type of ours names every value or has a default, so that this check finds each place that must handle a new one.
WORDS = ^github\.com/sallyport/sallyport/.*\.[A-Z][A-Za-z]*$$

# What runs from here leaves nothing in the keychain of whoever runs it. The keychain's own tests turn it on again, on a bus of their own.
export SALLYPORT_KEYCHAIN = off

.PHONY: help
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: build ## Build everything and start it: the window where there is a display, else the demo
	@build/need bwrap || echo 'without bubblewrap no server can be given a sandbox; all else works' >&2
	@if [[ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]]; then \
		if $(MAKE) --no-print-directory desktop; then exec bin/sallyport-desktop; fi; \
		echo 'the window could not be built, so this is the demo' >&2; \
	fi; \
	exec bin/sallyport demo

.PHONY: build
build: ## Build bin/sallyport
	@build/need go
	CGO_ENABLED=0 go build $(BUILD) -pgo build/sallyport.pgo -o bin/sallyport ./cmd/sallyport

.PHONY: man
man: build ## Write the manual pages into bin/man
	@mkdir -p bin/man
	@bin/sallyport __man bin/man

.PHONY: deb
deb: build ## Build a Debian package in bin, with the window if bin/sallyport-desktop is built
	@build/need dpkg-deb
	@build/deb bin $(VERSION) bin

.PHONY: deb-lint
deb-lint: desktop ## Build the Debian package, with the window, and see what lintian says of it
	@build/need dpkg-deb lintian
	@package=$$($(MAKE) --no-print-directory -s deb | tail -n 1); echo "$$package"; lintian --fail-on error,warning "$$package"

.PHONY: desktop
desktop: build page ## Build bin/sallyport-desktop, the window with its page (GTK and WebKitGTK)
	@build/need gcc pkg-config gtk webkit
	go build -tags $(DESKTOP) -buildmode=pie $(BUILD) -o bin/sallyport-desktop ./cmd/sallyport-desktop

.PHONY: page
page: page-needs ## Build the window's page into frontend/dist
	npm --prefix frontend run build

.PHONY: page-needs
page-needs: bindings
	@build/need npm
	@[[ frontend/node_modules/.package-lock.json -nt frontend/package-lock.json ]] || npm --prefix frontend ci --no-audit --no-fund

.PHONY: bindings
bindings: ## Write what the page may call, as TypeScript, into frontend/src/api/wailsjs
	@build/need go
	@CGO_ENABLED=0 tsoutputtype=interfaces go run -tags bindings ./cmd/sallyport-desktop >/dev/null

# Packages that share nothing and start no goroutine (a test makes sure): the race detector has nothing to find there, and makes them ten
# times slower. Their callers are tested under the detector.
PURE = ./proxy/frame ./proxy/pin ./proxy/policy ./proxy/powers ./proxy/sanitize
E2E = ./cmd/sallyport/e2e
# What computes for long (a million records, rules, schemas, the second vote, measurements), and the stories, which start the program again and
# again, take many times as long under the detector: make test plays them without it, make long with it. Whoever shares the packages among
# goroutines is tested under it in both.
LONG = ./store ./proxy/inspect ./proxy/schema ./cmd/sallyport ./cmd/eval ./cmd/bench

# The end-to-end tests, the page's and all others run at once, because some wait while others compute. End-to-end tests use programs built as
# they ship, so -race would watch only the tests' own code.
# go does not notice changes in programs that tests build: without -count=1 it would show old results.
# A program built with -race sleeps for a second when it ends, by default; the tests start hundreds.
# The window's stories run last, when the machine is no longer busy.
TEST = go test -v -count=1 -timeout 20m
SURVEY = go test -tags survey -count=1 -timeout 30m -run 'TestTwentyServersUnderAShield|TestThePagesOfMoreRealServers|TestRealClientsSeeTheSameBehindTheWrapper' $(E2E) -long
.PHONY: test
test: test-needs ui-needs ## Run all tests, end to end against real servers and with the window that ships
	@mkdir -p .cache; exec 3>&1; ( rc=0; npm --prefix frontend test >.cache/page-tests.txt 2>&1 & page=$$!; \
		$(TEST) -parallel 4 $(E2E) >.cache/e2e-tests.txt 2>&1 & e2e=$$!; trap 'kill $$page $$e2e' INT TERM; \
		GORACE=atexit_sleep_ms=0 $(TEST) -race $$(go list ./... | grep -vxFf <(go list $(PURE) $(LONG) $(E2E))) || rc=$$?; \
		$(TEST) -parallel 6 $(PURE) $(LONG) || rc=$$?; \
		wait $$e2e || rc=$$?; cat .cache/e2e-tests.txt; $(STORIES) -v || rc=$$?; \
		if wait $$page; then tail -n 6 .cache/page-tests.txt >&3; else rc=1; cat .cache/page-tests.txt >&3; fi; exit $$rc ) 2>&1 | build/report

.PHONY: test-needs
test-needs: ## Install what the tests need (system packages, and servers below .cache)
	@build/need go gcc libc git script npm python-venv bwrap dbus-daemon keyring zsh fish mandoc strace
	@cmd/sallyport/e2e/install.sh

.PHONY: test-all
test-all: check test ## Check, test in the long form, the conformance suite, the survey, the faults, the window in a browser, the package, and ten seconds of every fuzz target
	@$(MAKE) --no-print-directory long
	@$(MAKE) --no-print-directory conformance
	@cmd/sallyport/e2e/install-survey.sh
	@$(SURVEY)
	@for t in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' . | awk '{ print $$2 }' | sort -u); do \
		$(MAKE) --no-print-directory fuzz T=$$t FUZZTIME=10s; done
	@$(MAKE) --no-print-directory faults ui-browser deb-lint

.PHONY: long
long: test-needs ## Play every case of what make test plays in part (real clients: make survey), and rules, schemas, store and stories under the race detector
	go test -v -count=1 -timeout 30m -run 'DirectAgainst|SameTwice|NpxFetches|Inspector|PagesOfRealServers|HostileProvider|ResponsesOf8MB|ManyHostile|CostsOfficialClients|TasksOutlive|OfManyResponses' $(E2E) -long
	GORACE=atexit_sleep_ms=0 go test -race -count=1 -timeout 30m $(LONG)

.PHONY: conformance
conformance: test-needs ## Run the protocol's conformance suite, directly and behind a wrapper; WRITE=1 writes docs/conformance.md
	@cmd/sallyport/e2e/install-conformance.sh
	go test -tags conformance -count=1 -timeout 30m -run 'TestWhatConforms' ./cmd/sallyport/e2e $(if $(WRITE),-write)

.PHONY: survey
survey: test-needs ## Install two dozen real servers and write how they take a shield into docs/sandbox.md
	@cmd/sallyport/e2e/install-survey.sh
	$(SURVEY) -write

.PHONY: replay
replay: test-needs ## Install public sets of agent tasks and print how many attacks flow.policy leaves and how often it asks (docs/flow.md)
	@cmd/sallyport/e2e/install-replay.sh
	go test -v -tags survey -count=1 -timeout 60m -run TestFlowOnPublicSetsOfTasks $(E2E)

.PHONY: faults
faults: test-needs ## Run the fault tests in their long form (a quarter of an hour); docs/reliability.md has its figures
	go test -v -count=1 -timeout 60m -run 'Killed|AfterEachKill|Spool|Damaged|PowerCut' ./cmd/sallyport/e2e -power-cuts 20000 -storm 4m -rounds 30 -spool -damage 90 -held-rounds 8
	go test -count=1 -timeout 30m -run 'TestWhateverIsDoneToAFile' ./app -long

.PHONY: check
check: page-needs ## Format, go.mod, vet on every platform, staticcheck, exhaustive switches, the page's types and lint, build without cgo, known vulnerabilities, a minute of fuzzing for each language of clients' files
	@build/need go
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [[ -n "$$unformatted" ]]; then echo "gofmt: $$unformatted"; exit 1; fi
	go mod tidy -diff
	go vet ./...
	GOOS=darwin CGO_ENABLED=0 go vet ./...
	GOOS=windows CGO_ENABLED=0 go vet ./...
	go run $(STATICCHECK) ./...
	go run $(EXHAUSTIVE) -d -typeonly '$(WORDS)' ./...
	npm --prefix frontend run check
	npm --prefix frontend run lint
	CGO_ENABLED=0 go build -o /dev/null ./cmd/sallyport
	@build/vulnerabilities $(GOVULNCHECK)
	@for t in FuzzJSONFilesComeBack FuzzTOMLFilesComeBack FuzzYAMLFilesComeBack; do \
		$(MAKE) --no-print-directory fuzz T=$$t FUZZTIME=60s || exit 1; done

.PHONY: ui
ui: ui-shipped ui-browser ## Use the window as a person would: what ships by accessibility names, the dev build in a browser

.PHONY: ui-needs
ui-needs: desktop
	@build/need xvfb dbus at-spi fonts dunst openbox xdotool xprop imagemagick

# Four at a time, because they mostly wait.
STORIES = go test -tags ui -count=1 -parallel 4 -timeout 5m ./cmd/sallyport-desktop/uitest ./app/notify

.PHONY: ui-shipped
ui-shipped: ui-needs
	@$(STORIES)

# The dev build answers every web origin, so it is only for tests on loopback, with test data.
.PHONY: ui-dev
ui-dev: ui-needs
	@build/need chromium
	@mkdir -p bin/dev
	@go test -c -tags ui -o bin/uitest ./cmd/sallyport-desktop/uitest
	@go build -tags dev,webkit2_41 -o bin/dev/sallyport-desktop ./cmd/sallyport-desktop
	@cp -f bin/sallyport bin/dev/sallyport

.PHONY: ui-browser
ui-browser: ui-dev
	@build/with-desktop node --test --test-concurrency=1 frontend/e2e/*.test.mjs

.PHONY: screenshots
screenshots: ui-dev ## Draw every screen of the window, light and dark, into docs/images (ONLY="inbox settings": these)
	@build/with-desktop node frontend/e2e/screenshots.mjs $(ONLY)

.PHONY: bench-window
bench-window: ui-needs ## Measure how soon the window is there and what it costs at rest, into docs/performance.md
	@go test -c -tags ui,measure -o bin/measure ./cmd/sallyport-desktop/uitest
	@cd cmd/sallyport-desktop/uitest && ../../../bin/measure -test.v -test.run TestMeasureTheWindow -write

.PHONY: bench-page
bench-page: ui-dev ## Measure how soon the page answers with 5,000 calls on record
	@build/with-desktop node frontend/e2e/measure.mjs

.PHONY: bench
bench: build test-needs ## Measure against a direct connection, a bare relay and a typed proxy, in one run (BEFORE=binary: and an earlier sallyport)
	@go run ./cmd/bench $(if $(BEFORE),-before $(BEFORE)) -everything 'node .cache/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js' -write docs/performance.md

.PHONY: profile
profile: ## Write what the compiler is told of the wrapper's hot path into build/sallyport.pgo, out of benchmarks
	@mkdir -p .cache/profile
	@go test -trimpath -run '^$$' -bench 'Documents|Answer' -benchtime 4s -cpuprofile .cache/profile/inspect -o .cache/profile/inspect.test ./proxy/inspect
	@go test -trimpath -run '^$$' -bench 'Call/session' -benchtime 3s -cpuprofile .cache/profile/session -o .cache/profile/session.test ./proxy
	@go test -trimpath -run '^$$' -bench Response -benchtime 2s -cpuprofile .cache/profile/flow -o .cache/profile/flow.test ./proxy/flow
	@go tool pprof -proto .cache/profile/inspect .cache/profile/session .cache/profile/flow > build/sallyport.pgo

CORPORA ?= ../shared/corpora/dev
.PHONY: eval
eval: ## Measure the detector on corpora of attacks and honest text, into docs/detection.md (CORPORA=folder)
	@go run ./cmd/eval -corpora $(CORPORA) -write docs/detection.md

.PHONY: train
train: ## Fit the second vote of the detector to corpora and made texts, into proxy/inspect/ngram.model (CORPORA=folder)
	@go run ./cmd/eval -corpora $(CORPORA) train

FUZZTIME ?= 60s
.PHONY: fuzz
fuzz: ## Run one fuzz target: make fuzz T=FuzzScan (FUZZTIME=60s)
	@[[ -n "$(T)" ]] || { echo 'which one? make fuzz T=NAME, where NAME is one of:'; \
		grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' . | awk '{ print "  " $$2 }'; exit 2; }
	@files=$$(grep -rlE --include='*_test.go' '^func $(T)\(' .) || { echo 'no fuzz target $(T)'; exit 2; }; \
	for file in $$files; do \
		build/fuzz $(FUZZTIME) $(T) "./$$(dirname "$${file#./}")"; done
