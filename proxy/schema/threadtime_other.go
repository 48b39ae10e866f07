//go:build !linux && !darwin

package schema

import "time"

var began = time.Now()

// threadTime is time on the clock: the thread can't have had more of the processor.
func threadTime() time.Duration { return time.Since(began) }
