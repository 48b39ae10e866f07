package launch

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/pin"
)

// imageOf is the image in the arguments of `docker run`, "" if there is none.
func imageOf(args []string) string {
	i, run := 0, false
	for ; i < len(args) && !run; i++ {
		switch a := args[i]; {
		case a == "run":
			run = true
		case strings.HasPrefix(a, "-"):
			if strings.Contains(dockerGlobal, " "+a+" ") {
				i++
			}
		case a != "container":
			return ""
		}
	}
	if !run {
		return ""
	}
	for ; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if i+1 < len(args) {
				return args[i+1]
			}
			return ""
		case !strings.HasPrefix(a, "-"):
			return a
		case strings.Contains(a, "="):
		case strings.HasPrefix(a, "--"):
			if !strings.Contains(dockerAlone, " "+a+" ") {
				i++
			}
		case strings.ContainsRune("aceghlmpuvw", rune(a[len(a)-1])):
			i++ // the last of combined short flags takes a value: -it, but -itv DIR
		}
	}
	return ""
}

const (
	dockerGlobal = " --config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey "
	// dockerAlone are the long flags of run without a value; all others take one.
	dockerAlone = " --detach --disable-content-trust --help --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet --read-only --rm --sig-proxy --tty --use-api-socket "
)

const dockerLimit = 5 * time.Second

// image asks docker which image runs in the container started by this command: the newest container of that image since the server began.
// The reference alone would be a guess, because a tag may have moved.
func (l *Look) image(ctx context.Context, since time.Time) *pin.LaunchPackage {
	ctx, cancel := context.WithTimeout(ctx, dockerLimit)
	defer cancel()
	ids := strings.Fields(string(l.docker(ctx, "ps", "--quiet", "--no-trunc")))
	if len(ids) == 0 {
		return nil
	}
	var all []struct {
		Image  string
		Config struct{ Image string }
		State  struct{ StartedAt time.Time }
	}
	if json.Unmarshal(l.docker(ctx, append([]string{"inspect", "--type", "container"}, ids...)...), &all) != nil {
		return nil
	}
	var digest string
	newest := since.Add(-time.Second) // the daemon's clock may differ
	for _, c := range all {
		if c.Config.Image == l.runner.image && c.State.StartedAt.After(newest) {
			digest, newest = c.Image, c.State.StartedAt
		}
	}
	if digest == "" {
		return nil
	}
	p := l.runner.unseen()
	p.Digest, p.Unseen = clip(digest), false
	return p
}

// unseen is the package with only its name known.
func (r runner) unseen() *pin.LaunchPackage {
	name, tag := r.image, ""
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') && !strings.Contains(name, "@") {
		name, tag = name[:at], name[at+1:]
	}
	return &pin.LaunchPackage{Manager: r.manager, Name: clip(name), Version: clip(tag), Unseen: true}
}

// docker runs the server's own docker command, in the server's environment.
func (l *Look) docker(ctx context.Context, args ...string) []byte {
	path := l.target.Path
	if l.Form.Interpreter != nil && interpreterName(path) == "env" {
		path = l.looked[1].real
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Dir = l.target.Env, l.target.Dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return out
}
