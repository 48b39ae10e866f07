//go:build !unix

package main

import (
	"context"
	"os"
)

func pollable(any, int) (file *os.File, restore func()) { return nil, func() {} }

func watchHangup(context.Context, any, any, func()) {}

func readable(any) bool { return false }
