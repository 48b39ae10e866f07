package control

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

func TestAClientProcessIsKnownByItsStartToo(t *testing.T) {
	p := parentOf()
	if p.PID != os.Getppid() {
		t.Errorf("%+v", p)
	}
	if runtime.GOOS == "linux" && p.Start == 0 {
		t.Error("the start of the parent is not known")
	}
}

func TestAProcessThatNobodyWaitedForHasEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	if Ended(os.Getpid()) {
		t.Error("this process has ended")
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); !Ended(cmd.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a process that ended is taken for one that runs")
		}
	}
	_ = cmd.Wait()
	if !Ended(cmd.Process.Pid) {
		t.Error("a process that is gone is taken for one that runs")
	}
}
