package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// home is a separate Sallyport installation for one run: built, with a hub running.
type home struct {
	dir    string
	binary string
	env    []string
	hub    *exec.Cmd
}

func newHome(ctx context.Context, binary string) (*home, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	h := &home{dir: dir, binary: binary, env: append(given(os.Environ()), "SALLYPORT_HOME="+filepath.Join(dir, "home"))}
	if err := h.set(ctx); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// given is the part of a client's environment that the SDKs pass on to a server. A variable of this shell that loads code would be
// unapproved, and the wrapper would not start the server.
func given(environ []string) (env []string) {
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		switch strings.ToUpper(name) {
		case "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
			"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE":
			env = append(env, variable)
		}
	}
	return env
}

func (h *home) set(ctx context.Context) error {
	if h.binary == "" {
		h.binary = filepath.Join(h.dir, "sallyport")
		if err := build(ctx, h.binary, wrapper); err != nil {
			return err
		}
	}
	h.hub = exec.Command(h.binary, "hub", "--allow-cli-approval")
	h.hub.Env, h.hub.Stderr = h.env, os.Stderr
	if err := h.hub.Start(); err != nil {
		return fmt.Errorf("start hub: %w", err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		if _, code, err := h.run(ctx, "status", "--json"); err == nil && (code == 0 || code == 3) {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.New("the hub does not answer after 30 s")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// allow looks at a server and approves all of it.
func (h *home) allow(ctx context.Context, server []string) error {
	if out, code, err := h.run(ctx, append([]string{"probe", "--"}, server...)...); err != nil || code != 3 {
		return fmt.Errorf("probe the server: status %d, %w\n%s", code, err, out)
	}
	return h.allowAll(ctx)
}

// allowAll approves whatever is in the inbox.
func (h *home) allowAll(ctx context.Context) error {
	out, _, err := h.run(ctx, "inbox", "--json")
	if err != nil {
		return err
	}
	var inbox struct {
		Items []struct {
			Code string `json:"code"`
		} `json:"items"`
	}
	if err := json.Unmarshal(out, &inbox); err != nil {
		return fmt.Errorf("read inbox: %w\n%s", err, out)
	}
	for _, item := range inbox.Items {
		if out, code, err := h.run(ctx, "approve", item.Code, "--all", "--yes"); err != nil || code != 0 {
			return fmt.Errorf("approve the server: status %d, %w\n%s", code, err, out)
		}
	}
	return nil
}

// wrapper is the program that is measured.
const wrapper = "cmd/sallyport"

// build builds one of the project's programs as it ships.
func build(ctx context.Context, path, what string) error {
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", path}
	if what == wrapper {
		profile, err := profileOf(ctx)
		if err != nil {
			return err
		}
		args = append(args, "-pgo", profile)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/sallyport/sallyport/"+what)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", what, err, out)
	}
	return nil
}

// profileOf is where the profile is that the compiler is given (make build).
func profileOf(ctx context.Context) (path string, err error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	return filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "build", "sallyport.pgo"), nil
}

// run runs the command line; err is nil if it ran, whatever its status.
func (h *home) run(ctx context.Context, args ...string) (out []byte, code int, err error) {
	cmd := exec.CommandContext(ctx, h.binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = h.env, &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return append(stdout.Bytes(), stderr.Bytes()...), exit.ExitCode(), nil
	}
	return stdout.Bytes(), 0, err
}

func (h *home) close() {
	if h.hub != nil && h.hub.Process != nil {
		_ = h.hub.Process.Signal(os.Interrupt)
		ended := make(chan struct{})
		go func() { _ = h.hub.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = h.hub.Process.Kill()
			<-ended
		}
	}
	_ = os.RemoveAll(h.dir)
}
