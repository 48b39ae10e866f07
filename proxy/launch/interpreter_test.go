package launch

import (
	"strings"
	"testing"
)

func TestWhatAnInterpreterIsToldToRun(t *testing.T) {
	for command, want := range map[string]string{
		"node server.js data.json":                               "server.js",
		"node --no-warnings --max-old-space-size=64 server.js":   "server.js",
		"node -r ./hook.js --import tsx --env-file .env srv.mjs": "srv.mjs",
		"node -- --odd.js":                                       "--odd.js",
		"node -e code server.js":                                 "code in the arguments",
		"node -p 1":                                              "code in the arguments",
		"node":                                                   "code from its input",
		"node -":                                                 "code from its input",
		"/opt/node20/bin/node20 a.js":                            "a.js",
		"python server.py --config x.toml":                       "server.py",
		"python3.11 -u -B server.py":                             "server.py",
		"python -W ignore -X dev server.py":                      "server.py",
		"python -Wignore -uBX dev server.py":                     "server.py",
		"python -m mcp_server_git --repository .":                "module mcp_server_git",
		"python -um mcp.server":                                  "module mcp.server",
		"python -mmcp.server":                                    "module mcp.server",
		"python -c print() server.py":                            "code in the arguments",
		"python -Ic print()":                                     "code in the arguments",
		"python -":                                               "code from its input",
		"pypy3 -X faulthandler a.py":                             "a.py",
		"sh run.sh x":                                            "run.sh",
		"bash --rcfile x -o pipefail run.sh":                     "run.sh",
		"bash -c script.sh":                                      "code in the arguments",
		"bash -lc npx":                                           "code in the arguments",
		"zsh +o nomatch run.zsh":                                 "run.zsh",
		"deno run --allow-net --config deno.json s.ts":           "s.ts",
		"deno run -A npm:@a/server@1.0.0":                        "what npm:@a/server@1.0.0 names",
		"deno run https://example.com/server.ts":                 "what https://example.com/server.ts names",
		"deno eval 1":                                            "code in the arguments",
		"bun server.ts":                                          "server.ts",
		"bun run --preload x.ts server.ts":                       "server.ts",
		"bun -e 1":                                               "code in the arguments",
		"ruby -I lib -r json server.rb":                          "server.rb",
		"ruby -e 1 server.rb":                                    "code in the arguments",
		"perl -Ilib -w server.pl":                                "server.pl",
		"php -d x=1 -f server.php":                               "server.php",
		"php -r 1":                                               "code in the arguments",
		"java -Xmx64m -jar server.jar --port 1":                  "server.jar",
		"java -cp a.jar:b.jar com.example.Main":                  "class com.example.Main",
		"java -m a.b/c.D":                                        "module a.b/c.D",
		"pwsh -NoProfile -ExecutionPolicy x -File s.ps1":         "s.ps1",
		"tsx watch.ts":                                           "watch.ts",
		"NODE.EXE server.js":                                     "server.js",
	} {
		argv := strings.Fields(command)
		got, ok := scriptOf(interpreterName(argv[0]), argv[1:])
		if said := got.script + got.words; !ok || said != want {
			t.Errorf("%s: %q (known: %t), want %q", command, said, ok, want)
		}
	}
	for _, command := range []string{"mcp-server-time", "/usr/bin/env", "uvx", "server"} {
		if _, ok := scriptOf(interpreterName(command), nil); ok {
			t.Errorf("%s is taken for an interpreter", command)
		}
	}
}

func TestWhoChoosesWhatRuns(t *testing.T) {
	for command, want := range map[string]string{
		"npx -y pkg": "npm", "bunx pkg": "npm", "bun x pkg": "npm", "npm exec pkg": "npm", "pnpm dlx pkg": "npm", "yarn dlx pkg": "npm",
		"npm run start": "npm?", "uvx pkg": "pypi", "uv tool run pkg": "pypi", "uv run server.py": "pypi?", "pipx run pkg": "pypi",
		"docker run -i --rm mcp/fetch": "docker mcp/fetch", "docker ps": "-", "node server.js": "-", "bun server.ts": "-", "sh -c x": "?", "cmd /c npx x": "?",
	} {
		argv := strings.Fields(command)
		r, ok := runnerOf(interpreterName(argv[0]), argv[1:])
		got := "-"
		if ok {
			got = r.manager
			if r.optional {
				got += "?"
			}
			if r.image != "" {
				got += " " + r.image
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestTheImageOfDockerRun(t *testing.T) {
	for command, want := range map[string]string{
		"run -i --rm mcp/fetch": "mcp/fetch",
		"run -i --rm -e TOKEN -v /a:/b --network none img:1 --flag x": "img:1",
		"run -itv /a:/b img": "img",
		"run --init --env=A=b --mount type=bind,src=/a,dst=/b img": "img",
		"--context far run -i img@sha256:00":                       "img@sha256:00",
		"container run -i img":                                     "img",
		"run -- img":                                               "img",
		"run -i":                                                   "",
		"compose up":                                               "",
		"exec -i c cmd":                                            "",
	} {
		if got := imageOf(strings.Fields(command)); got != want {
			t.Errorf("docker %s: %q, want %q", command, got, want)
		}
	}
}

func TestTheCommandBehindEnv(t *testing.T) {
	for args, want := range map[string]string{
		"node":                       "node",
		"-S node --experimental":     "node --experimental",
		"A=b -i node x.js":           "node x.js",
		"-u HOME A=b C=d python3 -u": "python3 -u",
		"-i":                         "",
	} {
		e := envOf(strings.Fields(args))
		if got := strings.TrimSpace(e.command + " " + strings.Join(e.rest, " ")); got != want {
			t.Errorf("env %s: %q, want %q", args, got, want)
		}
	}
	e := envOf(strings.Fields("-C /srv -S PATH=/opt --chdir=/other node x.js"))
	if e.dir != "/other" || e.command != "node" || !e.setsPath() {
		t.Errorf("%+v", e)
	}
}
