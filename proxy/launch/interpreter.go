package launch

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// told is what an interpreter's arguments tell it to run.
type told struct {
	script string // a file, as in the arguments
	words  string // something that is not a file: "module http.server", "code in the arguments"
	module string // from -m
	beside bool   // a module in the working folder takes precedence over an installed one
	loads  []string
	after  []string // arguments after a script that may really be the value of an unknown flag
}

// dialect describes the command line of one interpreter.
type dialect struct {
	values string   // flags that take the next argument, each followed by a space
	code   string   // flags whose value is code
	loads  string   // flags whose value is a file to load before the script
	verbs  []string // words that may precede the script: deno run
}

// dialectOf returns an interpreter's dialect. An unknown flag is assumed to take no value: the next word is the script if it is a file.
func dialectOf(name string) (dialect, bool) {
	switch name {
	case "node", "nodejs", "electron", "tsx", "ts-node", "ts-node-esm", "ts-node-script":
		return dialect{
			values: "-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --inspect-port --input-type --title " +
				"--icu-data-dir --openssl-config --redirect-warnings --diagnostic-dir --report-dir --report-directory --report-filename --report-signal --disable-warning " +
				"--experimental-config-file --localstorage-file --unhandled-rejections --dns-result-order --trace-require-module --watch-path --tsconfig -P --project -O --compiler-options ",
			code: "-e --eval -p --print -pe ", loads: "-r --require --import --loader --experimental-loader ",
		}, true
	case "python", "pythonw", "pypy", "py":
		return dialect{code: "-c ", values: "--check-hash-based-pycs "}, true
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "busybox":
		return dialect{values: "-o +o -O +O --rcfile --init-file ", code: "-c -lc -ic -lic -ec -euc -xc -cl ", loads: "--rcfile --init-file ", verbs: []string{"sh", "ash"}}, true
	case "deno":
		return dialect{
			values: "-c --config --import-map --lock --cert --location --seed -L --log-level --env-file --unsafely-ignore-certificate-errors ",
			code:   "eval ", verbs: []string{"run", "serve"},
		}, true
	case "bun":
		return dialect{values: "-r --preload --require --import --cwd -c --config --port --env-file -d --define -l --loader --tsconfig-override ", code: "-e --eval -p --print ", loads: "-r --preload --require --import ", verbs: []string{"run"}}, true
	case "ruby", "jruby", "truffleruby":
		return dialect{values: "-C -E -I -r --encoding ", code: "-e ", loads: "-r "}, true
	case "perl":
		return dialect{values: "-I ", code: "-e -E "}, true
	case "php", "php-cgi":
		return dialect{values: "-c -d -z --define ", code: "-r -R -B -E --run "}, true
	case "lua", "luajit":
		return dialect{values: "-l ", code: "-e "}, true
	case "java", "javaw":
		return dialect{values: "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads --patch-module --source ", loads: "-cp -classpath --class-path -p --module-path "}, true
	case "pwsh", "powershell":
		return dialect{values: "-ExecutionPolicy -ep -WorkingDirectory -OutputFormat -InputFormat -Version -ConfigurationName ", code: "-c -Command -EncodedCommand -e -ec "}, true
	case "rscript", "r":
		return dialect{code: "-e "}, true
	}
	return dialect{}, false
}

// interpreterName is a program's name for dialectOf: without path, extension and version.
func interpreterName(path string) string {
	name := strings.ToLower(filepath.Base(filepath.ToSlash(path)))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	trimmed := strings.TrimRight(name, "0123456789.-")
	if _, ok := dialectOf(name); !ok && trimmed != "" {
		name = trimmed
	}
	return name
}

const (
	codeInArguments = "code in the arguments"
	codeFromInput   = "code from its input"
)

// scriptOf finds what the interpreter of this name runs with these arguments. ok is false for an unknown program.
func scriptOf(name string, args []string) (t told, ok bool) {
	d, ok := dialectOf(name)
	if !ok {
		return told{}, false
	}
	python, java, shell := strings.HasPrefix(name, "py"), strings.HasPrefix(name, "java"), name == "pwsh" || name == "powershell"
	beside, unknown := python, false
	var loads []string
	defer func() { t.loads, t.beside = loads, beside && t.module != "" }()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		flag, rest, joined := strings.Cut(arg, "=")
		value := func() string {
			if i+1 < len(args) {
				return args[i+1]
			}
			return ""
		}
		loose := unknown
		unknown = false
		switch {
		case arg == "--" && i+1 < len(args):
			return told{script: args[i+1]}, true
		case arg == "--":
			return told{words: codeFromInput}, true
		case python && strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && arg != "-":
			t, skip := pythonFlags(arg[1:], value(), &beside)
			if t.words != "" {
				return t, true
			}
			i += skip
		case java && arg == "-jar":
			return told{script: value()}, true
		case java && (arg == "-m" || arg == "--module"):
			return told{words: "module " + value(), module: value()}, true
		case java && strings.HasPrefix(arg, "-javaagent:"):
			agent, _, _ := strings.Cut(strings.TrimPrefix(arg, "-javaagent:"), "=")
			loads = append(loads, agent)
		case shell && (strings.EqualFold(arg, "-File") || strings.EqualFold(arg, "-f")), strings.HasPrefix(name, "php") && (arg == "-f" || arg == "--file"):
			return told{script: value()}, true
		case slices.Contains(strings.Fields(d.code), flag):
			return told{words: codeInArguments}, true
		case slices.Contains(strings.Fields(d.values), flag):
			if !joined {
				rest = value()
				i++
			}
			if slices.Contains(strings.Fields(d.loads), flag) {
				loads = append(loads, listed(rest, java)...)
			}
			if prepended, ok := strings.CutPrefix(rest, "auto_prepend_file="); ok {
				loads = append(loads, prepended)
			}
		case strings.HasPrefix(arg, "-") && arg != "-", strings.HasPrefix(arg, "+") && strings.Contains(d.values, "+o "):
			unknown = !joined
		case arg == "-":
			return told{words: codeFromInput}, true
		case java:
			if strings.HasSuffix(arg, ".java") {
				return told{script: arg}, true
			}
			return told{words: "class " + arg}, true
		case strings.Contains(arg, "://") || strings.HasPrefix(arg, "npm:") || strings.HasPrefix(arg, "jsr:"):
			return told{words: "what " + address(arg) + " names"}, true
		case slices.Contains(d.verbs, arg):
			d.verbs = nil // only once
		case loose:
			return told{script: arg, after: args[i+1:]}, true
		default:
			return told{script: arg}, true
		}
	}
	return told{words: codeFromInput}, true
}

// listed returns the files in a flag's value; a class path has several.
func listed(value string, several bool) []string {
	if several {
		return filepath.SplitList(value)
	}
	return []string{value}
}

// address removes possible secrets from an address.
func address(arg string) string {
	u, err := url.Parse(arg)
	if err != nil {
		return "an address"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// pythonFlags reads one word of combined short flags. skip is 1 if it takes the next word. beside becomes false if the working folder is
// not searched.
func pythonFlags(letters, next string, beside *bool) (t told, skip int) {
	for i, c := range letters {
		rest := letters[i+1:]
		switch c {
		case 'I', 'P':
			*beside = false
		case 'c':
			return told{words: codeInArguments}, 0
		case 'm':
			if rest == "" {
				rest = next
			}
			return told{words: "module " + rest, module: rest}, 0
		case 'W', 'X', 'Q':
			if rest == "" {
				return told{}, 1
			}
			return told{}, 0
		}
	}
	return told{}, 0
}

// runner is a program that fetches a package and runs it: only its processes show which.
type runner struct {
	manager  string // npm, pypi, docker
	optional bool   // it may also run something that is not a package
	image    string // docker: as in the arguments
}

// runnerOf reports whether a package manager decides what a command runs.
func runnerOf(name string, args []string) (runner, bool) {
	verb := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			verb = a
			break
		}
	}
	switch name {
	case "npx", "pnpx", "bunx":
		return runner{manager: "npm"}, true
	case "npm":
		return runner{manager: "npm", optional: verb != "exec" && verb != "x"}, true
	case "pnpm", "yarn":
		return runner{manager: "npm", optional: verb != "dlx"}, true
	case "bun":
		if verb == "x" {
			return runner{manager: "npm"}, true
		}
	case "uvx":
		return runner{manager: "pypi"}, true
	case "uv":
		return runner{manager: "pypi", optional: verb != "tool"}, true
	case "pipx":
		return runner{manager: "pypi", optional: verb != "run"}, true
	case "docker", "podman", "nerdctl":
		if image := imageOf(args); image != "" {
			return runner{manager: "docker", image: image}, true
		}
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "cmd", "pwsh", "powershell", "env", "mise", "asdf", "volta", "fnm", "direnv", "nix", "nix-shell", "poetry", "hatch", "rye", "conda", "micromamba":
		return runner{optional: true}, true
	}
	return runner{}, false
}

// maxLoads limits the files loaded before one command's script: a class path may name hundreds.
const maxLoads = 16

// toldBy is what a program at this path is told to run by its arguments in a folder: the words, the script if it is a file, and the files
// loaded before it.
func toldBy(path string, args []string, dir string) (t told, script string, loads []string, ok bool) {
	name := interpreterName(path)
	t, ok = scriptOf(name, args)
	if !ok {
		return t, "", nil, false
	}
	for {
		script = t.file(dir)
		if script != "" || t.after == nil {
			break
		}
		next, _ := scriptOf(name, t.after) // the last word was the value of an unknown flag
		if next.words == codeFromInput {
			break
		}
		next.loads = append(t.loads, next.loads...)
		t = next
	}
	node := strings.HasPrefix(name, "node") || name == "electron" || strings.HasPrefix(name, "ts")
	for _, value := range t.loads {
		if load := loaded(value, dir, node); load != "" && len(loads) < maxLoads {
			loads = append(loads, load)
		}
	}
	return t, script, loads, true
}

// file is the file that is told to run, "" if it doesn't exist.
func (t told) file(dir string) string {
	if t.module != "" && t.beside {
		below := filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(t.module, ".", "/")))
		for _, candidate := range []string{filepath.Join(below, "__main__.py"), below + ".py"} {
			if regular(candidate) {
				return candidate
			}
		}
	}
	if t.script == "" {
		return ""
	}
	script := withIndex(filepath.Clean(absolute(t.script, dir)))
	if !regular(script) {
		return ""
	}
	return script
}

// loaded is the file that an option loads first, "" for the name of an installed module.
func loaded(value, dir string, node bool) string {
	value = strings.TrimPrefix(value, "file://")
	if node && !filepath.IsAbs(value) && !strings.HasPrefix(value, "./") && !strings.HasPrefix(value, "../") {
		return ""
	}
	if value == "" {
		return ""
	}
	path := withIndex(filepath.Clean(absolute(value, dir)))
	if !regular(path) {
		return ""
	}
	return path
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
