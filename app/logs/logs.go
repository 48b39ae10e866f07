// Package logs keeps what servers print to stderr. It knows neither the hub nor the store, and never waits for the disk: lines go to the
// page cache.
package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

const (
	// A server's ring is two files of half a MiB; the older one is deleted when the newer one is full.
	logHalf = 512 << 10
	// maxLogLine is how much text without a line break is kept as one line.
	maxLogLine = 16 << 10
	// maxLogAnswer limits one response.
	maxLogAnswer = 512 << 10
	defaultLines = 100
)

// logHeader is the first line of a log file; the number is the offset of what follows in everything the server ever printed.
const logHeader = "sallyport log %020d\n"

var headerLength = len(fmt.Sprintf(logHeader, 0))

// Book keeps what servers print to stderr, in one ring per server, even after they are gone. Known secrets are masked before anything
// reaches the disk; control characters are escaped when it is read.
type Book struct {
	dir   string
	mu    sync.Mutex
	files map[string]*serverLog
}

type serverLog struct {
	mu      sync.Mutex
	file    *os.File
	start   int64 // offset of the file's first byte
	size    int64
	partial map[string][]byte // unfinished lines, by session
	secrets map[string][]string
}

func New(dir string) *Book { return &Book{dir: dir, files: map[string]*serverLog{}} }

func (b *Book) paths(server string) (current, older string) {
	return filepath.Join(b.dir, server+".log"), filepath.Join(b.dir, server+".log.1")
}

func (b *Book) server(server string) *serverLog {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.files[server]
	if l == nil {
		l = &serverLog{partial: map[string][]byte{}, secrets: map[string][]string{}}
		b.files[server] = l
	}
	return l
}

// Write takes a piece of output. It writes whole lines, because a secret may be split over two pieces.
func (b *Book) Write(server, session string, secrets []string, chunk []byte) error {
	l := b.server(server)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets[session] = secrets
	text := append(l.partial[session], chunk...)
	var whole []byte
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 && len(text) <= maxLogLine {
			break
		}
		if end == 0 || end > maxLogLine {
			end = maxLogLine
		}
		whole = append(whole, masksLine(text[:end], secrets)...)
		text = text[end:]
	}
	l.partial[session] = bytes.Clone(text)
	return b.append(l, server, whole)
}

func masksLine(line []byte, secrets []string) string {
	body := strings.TrimSuffix(string(line), "\n")
	return mask.Text(body, secrets) + string(line[len(body):])
}

// Flush writes the unfinished line of a session that ends.
func (b *Book) Flush(server, session string) {
	l := b.server(server)
	l.mu.Lock()
	defer l.mu.Unlock()
	b.flush(l, server, session)
}

func (b *Book) flush(l *serverLog, server, session string) {
	if rest := l.partial[session]; len(rest) > 0 {
		_ = b.append(l, server, []byte(masksLine(append(rest, '\n'), l.secrets[session])))
	}
	delete(l.partial, session)
	delete(l.secrets, session)
}

func (b *Book) append(l *serverLog, server string, text []byte) error {
	for len(text) > 0 {
		if err := b.open(l, server); err != nil {
			return err
		}
		if l.size >= logHalf {
			if err := b.turn(l, server); err != nil {
				return err
			}
			continue
		}
		piece := text[:min(int64(len(text)), logHalf-l.size)]
		n, err := l.file.Write(piece)
		l.size += int64(n)
		if err != nil {
			return fmt.Errorf("write log: %w", err)
		}
		text = text[len(piece):]
	}
	return nil
}

// open opens the current file, or starts one. A file with another header is not our log and is put aside.
func (b *Book) open(l *serverLog, server string) error {
	if l.file != nil {
		return nil
	}
	current, older := b.paths(server)
	f, err := disk.Open(current, os.O_RDWR|os.O_APPEND)
	if err == nil {
		start, ok := readHeader(f)
		info, statErr := f.Stat()
		if ok && statErr == nil {
			l.file, l.start, l.size = f, start, info.Size()-int64(headerLength)
			return nil
		}
		f.Close()
		if err := os.Rename(current, current+".unreadable"); err != nil {
			return fmt.Errorf("open log: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open log: %w", err)
	}
	raw, start, _ := readLog(older) // if it can't be read, offsets start again
	return b.fresh(l, server, start+int64(len(raw)))
}

func (b *Book) fresh(l *serverLog, server string, start int64) error {
	current, _ := b.paths(server)
	f, err := disk.Open(current, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return fmt.Errorf("begin log: %w", err)
	}
	if _, err := fmt.Fprintf(f, logHeader, start); err != nil {
		f.Close()
		return fmt.Errorf("begin log: %w", err)
	}
	l.file, l.start, l.size = f, start, 0
	return nil
}

// turn makes the current file the older one and starts a new one.
func (b *Book) turn(l *serverLog, server string) error {
	current, older := b.paths(server)
	next := l.start + l.size
	l.file.Close()
	l.file = nil
	if err := os.Rename(current, older); err != nil {
		return fmt.Errorf("turn log: %w", err)
	}
	return b.fresh(l, server, next)
}

func readHeader(f io.ReaderAt) (int64, bool) {
	header := make([]byte, headerLength)
	if _, err := f.ReadAt(header, 0); err != nil {
		return 0, false
	}
	number, ok := strings.CutPrefix(string(header), "sallyport log ")
	n, err := strconv.ParseInt(strings.TrimSuffix(number, "\n"), 10, 64)
	return n, ok && err == nil && n >= 0
}

// Read is the end of a server's log, or what came after an offset. Text is escaped, line by line.
func (b *Book) Read(server string, q control.LogQuery) (text string, next int64, err error) {
	l := b.server(server)
	l.mu.Lock()
	defer l.mu.Unlock()
	var raw []byte
	var start int64
	current, older := b.paths(server)
	for _, path := range []string{older, current} {
		piece, first, err := readLog(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", 0, err
		}
		if len(raw) == 0 || start+int64(len(raw)) != first {
			raw, start = nil, first // a part that does not join belongs to another ring
		}
		raw = append(raw, piece...)
	}
	end := start + int64(len(raw))
	if q.Follow {
		from := min(max(q.Offset, start), end)
		raw = raw[from-start:]
		raw = raw[:min(len(raw), maxLogAnswer)]
		return legible.Escape(string(raw)), from + int64(len(raw)), nil
	}
	lines := q.Lines
	if lines <= 0 {
		lines = defaultLines
	}
	return legible.Escape(string(lastLines(raw, lines))), end, nil
}

func readLog(path string) ([]byte, int64, error) {
	f, err := disk.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	start, ok := readHeader(f)
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, int64(headerLength), 2*logHalf))
	return raw, start, err
}

func lastLines(raw []byte, n int) []byte {
	from := len(raw)
	if from > 0 && raw[from-1] == '\n' {
		from--
	}
	for ; n > 0 && from > 0; n-- {
		from = bytes.LastIndexByte(raw[:from], '\n')
		if from < 0 {
			return raw
		}
	}
	if n > 0 || from == 0 {
		return raw
	}
	return raw[from+1:]
}

func (b *Book) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for server, l := range b.files {
		l.mu.Lock()
		for session := range l.partial {
			b.flush(l, server, session)
		}
		if l.file != nil {
			l.file.Close()
		}
		l.mu.Unlock()
	}
	b.files = map[string]*serverLog{}
}
