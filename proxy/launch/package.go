package launch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
)

// maxManifest limits what is read of a package's metadata; RECORD of the largest wheels is smaller.
const maxManifest = 16 << 20

func readManifest(path string) ([]byte, error) {
	if !regular(path) {
		return nil, errNoFile
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(raw) > maxManifest {
		err = errors.New("too large")
	}
	return raw, err
}

// manifestLines are the lines of a file of a distribution, none if it can't be read.
func manifestLines(dist, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		raw, err := readManifest(filepath.Join(dist, name))
		for lines := bufio.NewScanner(bytes.NewReader(raw)); err == nil && lines.Scan() && yield(lines.Text()); {
			continue
		}
	}
}

// packageOf is the installed package that a script or module belongs to, nil if none. through is the interpreter as it was started: the
// python of a virtual environment is inside it.
func packageOf(script, module, through string) *pin.LaunchPackage {
	if script != "" {
		real, err := filepath.EvalSymlinks(script)
		if err != nil {
			real = script
		}
		if p := npmPackage(real); p != nil {
			return p
		}
		for _, path := range []string{script, real} {
			if p := pythonPackage(filepath.Dir(filepath.Dir(path)), entryPoint(path)); p != nil {
				return p
			}
		}
		return nil
	}
	if module == "" || through == "" {
		return nil
	}
	top, _, _ := strings.Cut(module, ".")
	return pythonPackage(filepath.Dir(filepath.Dir(through)), holdsModule(top))
}

// npmPackage finds the package.json above a file inside node_modules.
func npmPackage(real string) *pin.LaunchPackage {
	slashed := filepath.ToSlash(real)
	at := strings.LastIndex(slashed, "/node_modules/")
	if at < 0 {
		return nil
	}
	parts := strings.Split(slashed[at+len("/node_modules/"):], "/")
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = 2
	}
	if len(parts) <= n {
		return nil
	}
	root := filepath.FromSlash(slashed[:at] + "/node_modules/" + strings.Join(parts[:n], "/"))
	raw, err := readManifest(filepath.Join(root, "package.json"))
	if err != nil {
		return nil
	}
	var manifest struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if json.Unmarshal(raw, &manifest) != nil || manifest.Name == "" {
		return nil
	}
	p := &pin.LaunchPackage{Manager: "npm", Name: clip(manifest.Name), Version: clip(manifest.Version), Entry: plain(strings.Join(parts[n:], "/"))}
	if stamp, err := read(real, real); err == nil {
		p.Digest = stamp.SHA256
	}
	return p
}

// pythonPackage finds the distribution below an environment that is accepts.
func pythonPackage(prefix string, is func(dist string) bool) *pin.LaunchPackage {
	var dists []string
	for _, pattern := range []string{"lib/python*/site-packages/*.dist-info", "Lib/site-packages/*.dist-info", "lib/python*/dist-packages/*.dist-info", "lib64/python*/site-packages/*.dist-info"} {
		found, _ := filepath.Glob(filepath.Join(escapeGlob(prefix), filepath.FromSlash(pattern)))
		dists = append(dists, found...)
	}
	for _, dist := range dists {
		if !is(dist) {
			continue
		}
		p := &pin.LaunchPackage{Manager: "pypi"}
		for line := range manifestLines(dist, "METADATA") {
			if line == "" {
				break
			}
			switch name, value, ok := strings.Cut(line, ": "); {
			case ok && strings.EqualFold(name, "Name"):
				p.Name = clip(value)
			case ok && strings.EqualFold(name, "Version"):
				p.Version = clip(value)
			}
		}
		if p.Name == "" {
			continue
		}
		p.Digest = recordDigest(dist)
		return p
	}
	return nil
}

// entryPoint matches the distribution that has a file in bin as its console script.
func entryPoint(script string) func(string) bool {
	name := strings.TrimSuffix(filepath.Base(script), ".exe")
	return func(dist string) bool {
		for line := range manifestLines(dist, "entry_points.txt") {
			if key, _, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == name {
				return true
			}
		}
		return false
	}
}

// holdsModule matches the distribution that installed a module.
func holdsModule(top string) func(string) bool {
	return func(dist string) bool {
		for line := range manifestLines(dist, "RECORD") {
			if strings.HasPrefix(line, top+"/") || strings.HasPrefix(line, top+".py,") {
				return true
			}
		}
		return false
	}
}

// recordDigest covers the list of files and hashes that a wheel installed, except what differs between environments: scripts with the
// environment's own path in their first line, and the installer's own files.
func recordDigest(dist string) string {
	raw, err := readManifest(filepath.Join(dist, "RECORD"))
	if err != nil {
		return ""
	}
	own := filepath.Base(dist) + "/"
	var files []string
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.Contains(line, ",sha256=") && !strings.HasPrefix(line, "..") && !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, own) {
			files = append(files, line)
		}
	}
	slices.Sort(files)
	sum := sha256.Sum256([]byte(strings.Join(files, "\n")))
	return hex.EncodeToString(sum[:])
}

// clip limits a package's claims about itself.
func clip(s string) string {
	s = plain(s)
	if len(s) > 214 { // npm's limit for a name
		s = s[:214]
	}
	return s
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(s)
}
