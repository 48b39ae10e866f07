package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// policies are the scheduling policies of a process's threads, each once: 0 is the ordinary one, 3 SCHED_BATCH.
func policies(pid int) (all []int) {
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range paths {
		if fields := stat(path); fields != nil {
			policy, _ := strconv.Atoi(fields[41-3])
			all = append(all, policy)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// children are the processes below pid.
func children(pid int) (all []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		if fields := stat(path); fields != nil && fields[4-3] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(append(all, child), children(child)...)
		}
	}
	return all
}

// With many calls in flight the wrapper's threads give way to programs that compute. The server's threads don't, nor those of a hub that the
// wrapper starts meanwhile. When calls are few again, the wrapper is scheduled like any other program.
func TestOnlyAWrapperGivesWayAndOnlyInACrowd(t *testing.T) {
	h := install(t)
	dir := folder(t)
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), script(t, dir, "server.json", strings.Replace(plainServer, "DRIFT", filepath.Join(dir, "drift"), 1))...))
	s.handshake("2025-06-18")
	s.request("tools/list", `{}`)
	h.approve()
	s.heard("list_changed")

	wrapper := s.cmd.Process.Pid
	is := func(pid, policy int) bool { return slices.Equal(policies(pid), []int{policy}) }
	if !is(wrapper, 0) {
		t.Fatalf("the wrapper begins with the policies %v", policies(wrapper))
	}
	sent, answered := 0, 0
	crowd := func() { // a thousand calls, 64 in flight
		for end := answered + 1000; answered < end; answered++ {
			for ; sent < answered+64; sent++ {
				s.start(fmt.Sprintf(`"crowd-%d"`, sent), "tools/call", `{"name":"echo","arguments":{}}`)
			}
			if got := s.answer(fmt.Sprintf(`"crowd-%d"`, answered)); !strings.Contains(got, "again") {
				t.Fatalf("call %d: %s", answered, got)
			}
			s.entries = nil
		}
	}
	wait(t, "the wrapper gives way in a crowd", func() bool { crowd(); return is(wrapper, 3) })

	killed := h.signalHub(syscall.SIGKILL)
	hub := 0
	wait(t, "another hub comes in the crowd", func() bool { crowd(); hub = h.hubPID(); return hub != 0 && hub != killed })
	if !is(hub, 0) {
		t.Errorf("the hub that it started has the policies %v", policies(hub))
	}
	below := children(wrapper)
	if len(below) < 2 {
		t.Errorf("below the wrapper there are %v, want a guard and a server", below)
	}
	for _, pid := range below {
		if pid != hub && !is(pid, 0) {
			t.Errorf("a process below the wrapper has the policies %v", policies(pid))
		}
	}

	for ; answered < sent; answered++ {
		s.answer(fmt.Sprintf(`"crowd-%d"`, answered))
	}
	wait(t, "one call after the other, nobody gives way", func() bool { s.call("echo", `{}`); return is(wrapper, 0) })
}
