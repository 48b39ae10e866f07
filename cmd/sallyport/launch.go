package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sallyport/sallyport/proxy"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// server is the wrapped program. It may start late: its launch is compared with the allowed ones first, and a held one starts when a person
// has decided.
type server struct {
	guard   *transport.Prepared
	link    *hubLink
	command transport.Command
	stderr  io.Writer
	launch  *proxy.Launcher
	env     []string // what the server gets, with the values of the secrets that command.Env names; nil: that as it is
	strict  bool     // use strict, whatever the setting: probe --sandbox

	mu      sync.Mutex
	process *transport.ServerProcess
	input   *serverInput
	over    bool // nothing may be started any more
	used    bool // the guard is
}

func prepareServer(guard *transport.Prepared, link *hubLink, command transport.Command, stderr io.Writer) *server {
	return &server{guard: guard, link: link, command: command, stderr: stderr, launch: proxy.NewLauncher(link, command, link.client, 0)}
}

// start starts the program on the guard that was prepared for it.
func (s *server) start(ctx context.Context) (io.Reader, io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, nil, context.Canceled
	}
	var err error
	if s.command.Sandbox, err = s.link.sandbox(s.strict); err != nil {
		s.link.record(vocab.RecordServerStart, vocab.StatusBlocked, plain(err))
		return nil, nil, err
	}
	s.used = true // Start closes a guard that it could not use
	command := s.command
	if s.env != nil {
		command.Env = s.env
	}
	process, err := s.guard.Start(ctx, command, s.stderr, s.link.Stderr)
	if no := new(sandbox.Error); errors.As(err, &no) {
		err = fmt.Errorf("SP-140: %w", err)
	}
	if err != nil {
		s.link.record(vocab.RecordServerStart, vocab.StatusError, plain(err))
		return nil, nil, err
	}
	s.process, s.input = process, &serverInput{process: process}
	s.link.record(vocab.RecordServerStart, vocab.StatusOK, s.link.underWords())
	s.launch.Started(ctx, process, s.command.Sandbox != nil)
	return process.Stdout, s.input, nil
}

// running is the program's process, nil if it was never started. Afterwards nothing can be started any more.
func (s *server) running() *transport.ServerProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.process
}

// hangUp closes the program's input: its client is gone.
func (s *server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.input != nil {
		s.input.Close()
	}
}

// close gives back an unused guard.
func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used && s.guard != nil {
		s.guard.Close()
	}
	s.used, s.over = true, true
}
