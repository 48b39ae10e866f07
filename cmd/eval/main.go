// Command eval measures the detector on corpora of malicious and honest text: how much of each family is flagged and blocked. It writes the
// figures of docs/detection.md. `eval train` fits the second vote. No figure is of text that the second vote was fitted to.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	set := flag.NewFlagSet("eval", flag.ContinueOnError)
	dir := set.String("corpora", filepath.Join("..", "shared", "corpora", "dev"), "the `folder` of the corpora")
	write := set.String("write", "", "put the figures between the markers of this `file`")
	show := set.String("show", "", "print the rows of `FILE:FAMILY:VERDICT` instead; without a family, of all")
	look := set.String("secrets", "", "print what is `missed` of the secrets, or what is `false` among what is none, instead")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.Arg(0) == "train" {
		return train(*dir, filepath.Join("proxy", "inspect", "ngram.model"))
	}
	if *look != "" {
		return missed(os.Stdout, *dir, *look)
	}
	models, err := allWithout(*dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: -corpora names the folder", err)
	}
	if err != nil {
		return err
	}
	var all []*corpus
	for _, name := range []string{"metadata_malicious", "metadata_benign", "responses_malicious", "responses_benign"} {
		c, err := load(*dir, name, models)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no corpus %s: -corpora names the folder", filepath.Join(*dir, name+".jsonl.gz"))
		}
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	if *show != "" {
		return list(os.Stdout, all, *show)
	}
	found, err := secretsFound(*dir, all)
	if err != nil {
		return err
	}
	var rewritten strings.Builder
	if err := lost(&rewritten, all, models["responses"]); err != nil {
		return err
	}
	text := report(all) + rewritten.String() + found
	fmt.Print(text)
	if *write == "" {
		return nil
	}
	return insert(*write, text)
}

// corpus is one judged file.
type corpus struct {
	name      string
	malicious bool
	rows      []row
}

type row struct {
	ID     string          `json:"id"`
	Family string          `json:"family"`
	Source string          `json:"source"`
	Attack string          `json:"attack"`
	Text   string          `json:"text"`
	Tool   json.RawMessage `json:"tool"`
	Hard   any             `json:"hard_negative"`
	inspect.Judged
	alone inspect.Judged // by the rules alone
}

// known is the one sentence that every list of patterns has. Results without it are the honest figure.
var known = regexp.MustCompile(`(?i)(ignore|disregard|forget)\s+(all\s+|any\s+|the\s+|your\s+|of\s+)*(previous|prior|above|earlier|preceding|instructions)`)

func (r *row) commonplace() bool { return known.MatchString(r.Text) || known.Match(r.Tool) }

func each(dir, name string, line func(raw []byte) error) error {
	f, err := os.Open(filepath.Join(dir, name+".jsonl.gz"))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	return lines.Err()
}

func load(dir, name string, models map[string]*leftOut) (*corpus, error) {
	place, _, _ := strings.Cut(name, "_")
	c := &corpus{name: name, malicious: strings.HasSuffix(name, "_malicious")}
	return c, each(dir, name, func(raw []byte) error {
		var r row
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		r.alone = r.by("")
		r.Judged = models[place].judge(&r, c.malicious)
		c.rows = append(c.rows, r)
		return nil
	})
}
