package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// What is fitted to rows is only measured on others. The sources are in folds, whole; a row is judged by a second vote that was fitted
// without its fold.

const folds = 8

// apart are the folds of attack suites, by the beginning of their names, with the honest rows of the same project.
var apart = []string{"agentdojo|agentdyn", "bipia", "spikee|proventra", "garak", "cyberseceval|fuzzd", "agt-smoke|agent-governance|dvmcp|safe-mcp", "cisco", "mcpproxy|notinject"}

// foldOf is the fold of a row: of its suite, else of the repository that it comes from.
func foldOf(r *row) int {
	repo, _, _ := strings.Cut(r.Source, ":")
	for fold, names := range apart {
		for name := range strings.SplitSeq(names, "|") {
			if strings.HasPrefix(r.Family, name) || strings.Contains(repo, name) {
				return fold
			}
		}
	}
	if !strings.Contains(repo, "/") {
		repo = r.Source
	}
	h := fnv.New32a()
	io.WriteString(h, repo)
	return int(h.Sum32() % folds)
}

// composed reports whether a row is put together from other rows, of more than one fold.
func composed(r *row) bool { return strings.HasPrefix(r.Family, "composed") }

// leftOut are the models of each place, by the fold that they were fitted without.
type leftOut [folds]string

func modelsWithout(dir, place string) (models leftOut, err error) {
	lessons, err := lessonsOf(dir, place)
	if err != nil {
		return models, fmt.Errorf("read what to fit to: %w", err)
	}
	none := strings.Repeat("\x00", inspect.NgramBuckets)
	for fold := range models {
		weights := string(fit(lessons, fold))
		if place == "metadata" {
			models[fold] = weights + none
		} else {
			models[fold] = none + weights
		}
	}
	return models, nil
}

func allWithout(dir string) (map[string]*leftOut, error) {
	models := map[string]*leftOut{}
	for _, place := range []string{"metadata", "responses"} {
		m, err := modelsWithout(dir, place)
		if err != nil {
			return nil, err
		}
		models[place] = &m
	}
	return models, nil
}

// judge judges a row by the model that does not know it. For a composed one no model is sure not to: of all, the one counts that is most
// wrong.
func (m *leftOut) judge(r *row, malicious bool) inspect.Judged {
	if !composed(r) {
		return r.by(m[foldOf(r)])
	}
	worst := r.by(m[0])
	for _, model := range m[1:] {
		if j := r.by(model); malicious == (j.Score < worst.Score) && j.Score != worst.Score {
			worst = j
		}
	}
	return worst
}

// by judges a row by a model of the second vote; "" is the rules alone.
func (r *row) by(model string) inspect.Judged {
	if r.Tool == nil {
		return inspect.WeighBy(model, []inspect.Part{{Text: r.Text}}, inspect.Answer)
	}
	j := inspect.JudgeDefinitionBy(model, r.Tool)
	j.Findings = j.Findings[len(inspect.Definition(r.Tool)):]
	return j
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
