package launch

import (
	"path/filepath"
	"strings"
)

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
