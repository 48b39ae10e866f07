//go:build !linux && !darwin

package schema

import "time"

// spareMatching is all there is: on a busy machine most of the time on the clock is somebody else's.
const spareMatching = mostMatching

var began = time.Now()

// threadTime is time on the clock: the thread can't have had more of the processor.
func threadTime() time.Duration { return time.Since(began) }
