package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc"
)

// impostorProgram takes a socket, leaves it to a child and becomes a program of the installation: args are how, the socket, that program and
// a file for what the child hears.
func impostorProgram(args []string) error {
	how, at, program, log := args[0], args[1], args[2], args[3]
	var (
		socket *os.File
		child  = "answerer"
	)
	switch how {
	case "listen", "answered":
		ln, err := net.Listen("unix", at)
		if err != nil {
			return err
		}
		if how == "listen" {
			socket, err = ln.(*net.UnixListener).File()
			if err != nil {
				return err
			}
			break
		}
		fmt.Println("ready")
		// It answers before it is what it will be taken for, without having been asked.
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		for id := range 4 {
			_, _ = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", id, evilResult)
		}
		child = "listener"
		if socket, err = conn.(*net.UnixConn).File(); err != nil {
			return err
		}
	case "connect", "spoken":
		conn, err := net.Dial("unix", at)
		if err != nil {
			return err
		}
		child = "talker"
		if how == "spoken" {
			_, _ = io.WriteString(conn, evilWords)
			child = "listener"
		}
		if socket, err = conn.(*net.UnixConn).File(); err != nil {
			return err
		}
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, child, log)
	cmd.ExtraFiles = []*os.File{socket}
	if err := cmd.Start(); err != nil {
		return err
	}
	// It waits, as a hub of another home.
	return syscall.Exec(program, []string{"sallyport", "hub"}, append(os.Environ(), "SALLYPORT_HOME="+log+".home"))
}

const (
	evilResult = `"result":{"challenge":"x","protocol":2,"version":"evil","pid":1,"revision":9,"name":"evil","open":true,"items":{"tool:evil":{"state":"approved"}}}`
	evilWords  = `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"version":"x","role":"cli"}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"enter","params":{"challenge":""}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"decide","params":{"code":"any"}}` + "\n"
)

// answererProgram answers whoever connects to its socket as a hub that allows everything.
func answererProgram(args []string) error {
	ln, err := net.FileListener(os.NewFile(3, "socket"))
	if err != nil {
		return err
	}
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			said := bufio.NewReader(conn)
			for {
				line, err := said.ReadBytes('\n')
				if err != nil {
					return
				}
				var m message
				_ = json.Unmarshal(line, &m)
				_ = appendLine(args[0], "heard "+m.Method)
				_, _ = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, evilResult)
			}
		}()
	}
}

// talkerProgram speaks as a client on its socket, and writes down what it is answered.
func talkerProgram(args []string) error {
	conn, err := net.FileConn(os.NewFile(3, "socket"))
	if err != nil {
		return err
	}
	_, _ = io.WriteString(conn, evilWords)
	return listenTo(conn, args[0])
}

func listenerProgram(args []string) error {
	conn, err := net.FileConn(os.NewFile(3, "socket"))
	if err != nil {
		return err
	}
	return listenTo(conn, args[0])
}

func listenTo(conn net.Conn, log string) error {
	heard, _ := io.ReadAll(conn)
	return appendLine(log, fmt.Sprintf("heard %d bytes %s", len(heard), heard))
}

// impostor starts one, and returns once it has become the program of the installation.
func impostor(t *testing.T, how, at string) (log string, becomes func() int) {
	t.Helper()
	log = filepath.Join(testHome(t).Dir + "-heard")
	cmd := command(t, Home{}, stranger(t), "impostor", how, at, self(t), log)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, cmd)
	if how == "answered" {
		bufio.NewScanner(out).Scan()
	}
	return log, func() int {
		t.Helper()
		own, err := os.Stat("/proc/self/exe")
		if err != nil {
			t.Fatal(err)
		}
		within(t, "the impostor is a program of the installation", func() bool {
			file, err := proc.Executable(cmd.Process.Pid)
			argv, _ := proc.Args(cmd.Process.Pid) // they come after the executable
			return err == nil && os.SameFile(own, file) && len(argv) > 0
		})
		return cmd.Process.Pid
	}
}

func heardIn(t *testing.T, log string) string {
	t.Helper()
	var text string
	within(t, "the impostor has heard the end", func() bool {
		raw, _ := os.ReadFile(log)
		text = string(raw)
		return strings.HasSuffix(text, "\n")
	})
	return text
}

// evil says whether a state is one that an impostor made up.
func evil(s *State) bool { return s.Open || s.Name == "evil" || len(s.Items["tool:evil"].State) > 0 }

func (h *testHub) foreigners() []Foreign {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Foreign(nil), h.foreign...)
}

// serves waits until the link is with a hub of this installation that answers, and says how long that took.
func serves(t *testing.T, l *Link) time.Duration {
	t.Helper()
	begin := time.Now()
	within(t, "the real hub serves", func() bool {
		if evil(l.State()) {
			t.Fatalf("the impostor was believed: %+v", l.State())
		}
		if !l.Connected() {
			return false
		}
		_, err := l.Report(testContext(t), Report{})
		return err == nil
	})
	return time.Since(begin)
}

func TestWhoListensAndBecomesTheRealProgramAnswersNobody(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	killHubs(t, h)
	log, becomes := impostor(t, "listen", h.Socket)
	becomes()
	if _, err := Dial(testContext(t), h, RoleCLI); !errors.Is(err, peer.ErrForeign) {
		t.Errorf("Dial: %v", err)
	}
	if heard := heardIn(t, log); heard != "heard hello\n" {
		t.Errorf("it was told more than a greeting: %q", heard)
	}

	t.Run("and the wrapper that meets it first starts the real hub", func(t *testing.T) {
		l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
		took := serves(t, l)
		if t.Logf("the real hub served after %s", took); took > 5*time.Second {
			t.Errorf("it took %s", took)
		}
		tellsOnce(t, h)
		if heard := heardIn(t, log); strings.Contains(heard, "register") {
			t.Errorf("it was told what only a hub may know: %q", heard)
		}
	})
}

// tellsOnce waits for the record of foreign messages, which a wrapper leaves once however often it met them.
func tellsOnce(t *testing.T, h Home) {
	t.Helper()
	foreign := func() (n int) {
		for _, r := range readRecords(filepath.Join(h.Dir, "records")) {
			if r.Kind == "guard_problem" && strings.Contains(string(r.Detail), `"check":"sender"`) {
				n++
			}
		}
		return n
	}
	within(t, "the hub has the record of it", func() bool { return foreign() > 0 })
	if n := foreign(); n != 1 {
		t.Errorf("%d records of foreign messages", n)
	}
}

func TestAKilledHubIsFollowedByTheRealOneAndNotByWhoTookItsSocket(t *testing.T) {
	h := testHome(t)
	killHubs(t, h)
	l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
	serves(t, l)
	waiting := h.Socket + ".waiting"
	log, becomes := impostor(t, "listen", waiting)
	becomes()
	first := l.HubPID()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(waiting, h.Socket); err != nil {
		t.Fatal(err)
	}
	within(t, "the impostor is visited", func() bool { _, err := os.Stat(log); return err == nil })
	took := serves(t, l)
	if t.Logf("the real hub served %s after the impostor was met", took); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if l.HubPID() == first {
		t.Error("it is the hub that was killed")
	}
	tellsOnce(t, h)
	if heard := heardIn(t, log); strings.Contains(heard, "register") {
		t.Errorf("it was told what only a hub may know: %q", heard)
	}
}

func TestASilentImpostorKeepsNoHubFromStarting(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	killHubs(t, h)
	idle := command(t, Home{}, stranger(t), "squat-idle", h.Socket, self(t))
	out, err := idle.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startProgram(t, idle)
	bufio.NewScanner(out).Scan()
	l := testLink(t, LinkOptions{Home: h, Exe: self(t)})
	took := serves(t, l)
	if t.Logf("the real hub served after %s", took); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// squatIdleProgram listens, says so and becomes a program of the installation that never answers.
func squatIdleProgram(args []string) error {
	ln, err := net.Listen("unix", args[0])
	if err != nil {
		return err
	}
	f, err := ln.(*net.UnixListener).File()
	if err != nil {
		return err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
		return err
	}
	fmt.Println("listening")
	return syscall.Exec(args[1], []string{"sallyport", "plain", "sleep", "60"}, os.Environ())
}

func TestWhatOwnsTheHomeAndIsForeignIsNotReplaced(t *testing.T) {
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if h.vacant(peer.ErrForeign) {
		t.Error("a home that is owned takes another hub")
	}
	if !h.vacant(fmt.Errorf("%w: x", ErrNoHub)) {
		t.Error("no hub, and none may start")
	}
	ln.Close()
	if !h.vacant(peer.ErrForeign) {
		t.Error("nobody owns the home, and no hub may start")
	}
}

func TestAnAnswerWrittenBeforeTheQuestionCountsForNothing(t *testing.T) {
	h := testHome(t)
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	_, becomes := impostor(t, "answered", h.Socket)
	ctx := testContext(t)
	conn, err := connect(ctx, h.Socket)
	if err != nil || conn == nil {
		t.Fatal(err)
	}
	becomes() // only now, as with a client that was stopped after it connected
	in, err := peer.OurInstallation(installed())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if c, err := greet(ctx, conn, h.Socket, in, h, DialOptions{Role: RoleCLI}); !errors.Is(err, peer.ErrForeignMessage) {
		t.Errorf("greet: %+v, %v", c, err)
	}
}

func TestWhoConnectsAndBecomesTheRealProgramIsNotAnswered(t *testing.T) {
	for how, name := range map[string]string{
		"connect": "a child speaks for it",
		"spoken":  "it spoke before it was looked at",
	} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t)
			hub := newTestHub()
			ln, err := Listen(h)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			log, becomes := impostor(t, how, h.Socket)
			pid := becomes()
			ctx, stop := context.WithCancel(context.Background())
			served := make(chan error, 1)
			go func() { served <- Serve(ctx, ln, hub, Options{}) }()
			defer func() { stop(); <-served }()
			heard := heardIn(t, log)
			if strings.Contains(heard, "version") || strings.Contains(heard, "code") || strings.Count(heard, "\n") > 2 {
				t.Errorf("it was answered: %q", heard)
			}
			if how == "connect" && heard != "heard 0 bytes \n" {
				t.Errorf("a foreign sender %q", heard)
			}
			within(t, "the hub tells", func() bool { return len(hub.foreigners()) == 1 })
			if f := hub.foreigners()[0]; f.PID != pid || f.Count != 1 || !strings.Contains(f.Why, strconv.Itoa(pid)) {
				t.Errorf("told: %+v", f)
			}
			dial(t, h, RoleCLI) // the honest are served
		})
	}
}

func TestForeignMessagesAreToldOnceAMinute(t *testing.T) {
	var f tally
	now := time.Now()
	var told []int
	for _, at := range []time.Duration{0, 1, 2, tallyInterval, tallyInterval + 1} {
		told = append(told, f.met(now.Add(at)))
	}
	if fmt.Sprint(told) != "[1 0 0 3 0]" {
		t.Error(told)
	}
}

// Two processes write on one connection: the kernel keeps their pieces apart, whatever is read at once, and the line that both made is foreign.
func TestALineOfTwoSendersIsForeign(t *testing.T) {
	h := testHome(t)
	ln, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := connect(testContext(t), h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hubs, err := ln.door.accept()
	if err != nil {
		t.Fatal(err)
	}
	defer hubs.Close()
	mine, err := conn.File()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	write := func(text string) {
		t.Helper()
		cmd := exec.Command("printf", "%s", text)
		cmd.Stdout = mine
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Stat("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	cred, err := peer.CredentialsOf(hubs)
	if err != nil {
		t.Fatal(err)
	}
	defer cred.Release()
	in := linesOf(&peer.Witness{Conn: hubs, Cred: cred, File: file})
	const whole = `{"jsonrpc":"2.0","method":"a","params":{}}` + "\n"
	if _, err := io.WriteString(conn, whole+`{"jsonrpc":"2.0",`); err != nil {
		t.Fatal(err)
	}
	write(`"method":"b","params":{}}` + "\n")
	if m, err := in.next(1000); err != nil || m.Method != "a" {
		t.Errorf("the line of one: %+v, %v", m, err)
	}
	if m, err := in.next(1000); !errors.Is(err, peer.ErrForeignMessage) {
		t.Errorf("the line of two: %+v, %v", m, err)
	}
}

func fileOf(t *testing.T, conn *net.UnixConn) *os.File {
	t.Helper()
	defer conn.Close()
	f, err := conn.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAProgramThatWasGivenTheHubsSocketForAStreamEnds(t *testing.T) {
	h := testHome(t)
	serveHub(t, h, newTestHub(), Options{})
	conn, err := connect(testContext(t), h.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	socket, err := conn.File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Remove(h.Socket); err != nil {
		t.Fatal(err)
	}
	within(t, "the hub has its socket again", func() bool { return answers(t, h) })
	again := fileOf(t, must(connect(testContext(t), h.Socket)))
	ln, err := net.Listen("unix", h.Socket+".evil")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := os.Rename(h.Socket+".evil", h.Socket); err != nil {
		t.Fatal(err)
	}
	visitor := must(connect(testContext(t), h.Socket))
	defer visitor.Close()
	accepted := fileOf(t, must(ln.Accept()).(*net.UnixConn))
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[1])
	pair := os.NewFile(uintptr(ends[0]), "pair")
	defer pair.Close()
	for name, give := range map[string]func(*exec.Cmd){
		"stdin":  func(cmd *exec.Cmd) { cmd.Stdin = socket },
		"stdout": func(cmd *exec.Cmd) { cmd.Stdout = socket },
		"stderr": func(cmd *exec.Cmd) { cmd.Stderr = socket },
		"stdout, after the hub took its socket's place again": func(cmd *exec.Cmd) { cmd.Stdout = again },
		"stdout, of a socket that was renamed to a hub's":     func(cmd *exec.Cmd) { cmd.Stdout = accepted },
		"none":                              func(*exec.Cmd) {},
		"none, but a socket without a name": func(cmd *exec.Cmd) { cmd.Stdout = pair },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, h, self(t), "borrowed")
			give(cmd)
			if err := cmd.Run(); (err != nil) == strings.HasPrefix(name, "none") {
				t.Errorf("%v", err)
			}
		})
	}
}
