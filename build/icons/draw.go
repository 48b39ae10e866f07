//go:build ignore

// Draw makes the tray icons from simple shapes: go run build/icons/draw.go app/tray/icons
//
// One silhouette, a shield. The states differ by shape, so that they can be told apart without colour. The colours have a
// medium lightness, because a panel can be light or dark. Shapes are in units of 22, the size of most panels.
package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"
)

var (
	blue  = color.NRGBA{0x4a, 0x7f, 0xc1, 0xff}
	amber = color.NRGBA{0xbf, 0x76, 0x0a, 0xff}
	red   = color.NRGBA{0xd1, 0x2f, 0x36, 0xff}
	grey  = color.NRGBA{0x7d, 0x86, 0x90, 0xff}
	white = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	clear = color.NRGBA{}
)

// paint is the colour of a point.
type paint func(x, y float64) color.NRGBA

const (
	middle   = 11.0
	shoulder = 8.2  // half the width
	waist    = 10.5 // where it begins to narrow
	point    = 21.0
	stroke   = 2.2
)

// halfWidth is half the width of the shield at this height.
func halfWidth(y float64) float64 {
	if y <= waist {
		return shoulder
	}
	t := (y - waist) / (point - waist)
	return shoulder * (1 - math.Pow(t, 2.1))
}

func top(x float64) float64 {
	d := math.Abs(x-middle) / shoulder
	return 1 + 2.2*d*d
}

func shield(x, y float64) bool {
	return y >= top(x) && y <= point && math.Abs(x-middle) <= halfWidth(y)
}

// outline is the inner edge of the shield, one stroke wide.
func outline(x, y float64) bool {
	if !shield(x, y) {
		return false
	}
	for angle := range 24 {
		sin, cos := math.Sincos(float64(angle) * math.Pi / 12)
		if !shield(x+stroke*cos, y+stroke*sin) {
			return true
		}
	}
	return false
}

func within(x, y, cx, cy, r float64) bool { return math.Hypot(x-cx, y-cy) <= r }

func exclamation(x, y float64) bool {
	return math.Abs(x-middle) <= 1.3 && y >= 5.6 && y <= 11.8 || within(x, y, middle, 14.6, 1.5)
}

// states are the icons, named after the moods of package tray.
func states() map[string]paint {
	solid := func(x, y float64, is bool, c color.NRGBA) color.NRGBA {
		if is {
			return c
		}
		return clear
	}
	return map[string]paint{
		"starting": func(x, y float64) color.NRGBA { return solid(x, y, outline(x, y), grey) },
		"guarding": func(x, y float64) color.NRGBA { return solid(x, y, shield(x, y), blue) },
		"attention": func(x, y float64) color.NRGBA {
			switch {
			case within(x, y, 17.4, 17, 3.4):
				return amber
			case within(x, y, 17.4, 17, 5.3):
				return clear
			}
			return solid(x, y, shield(x, y), blue)
		},
		"critical": func(x, y float64) color.NRGBA {
			switch {
			case within(x, y, 14.8, 14.8, 5):
				return red
			case within(x, y, 14.8, 14.8, 7.1):
				return white
			}
			return solid(x, y, shield(x, y), blue)
		},
		"snoozed": func(x, y float64) color.NRGBA {
			// A crescent is a disc minus another one.
			switch {
			case within(x, y, 16.2, 15.6, 5) && !within(x, y, 18.8, 13.8, 4.6):
				return grey
			case within(x, y, 16.2, 15.6, 6.6):
				return clear
			}
			return solid(x, y, shield(x, y), blue)
		},
		"failing": func(x, y float64) color.NRGBA {
			return solid(x, y, outline(x, y) || exclamation(x, y), amber)
		},
	}
}

const samples = 8 // a side of each pixel

func draw(p paint, size int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			var r, g, b, a float64
			for i := range samples * samples {
				at := func(pixel, part int) float64 {
					return (float64(pixel) + (float64(part)+0.5)/samples) * 22 / float64(size)
				}
				c := p(at(x, i%samples), at(y, i/samples))
				alpha := float64(c.A) / 255
				r, g, b, a = r+float64(c.R)*alpha, g+float64(c.G)*alpha, b+float64(c.B)*alpha, a+alpha
			}
			if a > 0 {
				img.SetNRGBA(x, y, color.NRGBA{uint8(r/a + 0.5), uint8(g/a + 0.5), uint8(b/a + 0.5), uint8(a/samples/samples*255 + 0.5)})
			}
		}
	}
	return img
}

// ico has the sizes Windows asks for: 16 at 100 %, 32 at 200 %. Bitmaps, because LoadImage accepts PNG only from 256 on.
func ico(p paint) []byte {
	sizes := []int{16, 32}
	var head, body bytes.Buffer
	write := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			_ = binary.Write(to, binary.LittleEndian, v)
		}
	}
	write(&head, uint16(0), uint16(1), uint16(len(sizes)))
	offset := 6 + 16*len(sizes)
	for _, size := range sizes {
		maskRow := (size + 31) / 32 * 4
		length := 40 + size*size*4 + maskRow*size
		write(&head, uint8(size), uint8(size), uint8(0), uint8(0), uint16(1), uint16(32), uint32(length), uint32(offset))
		offset += length
		write(&body, uint32(40), int32(size), int32(2*size), uint16(1), uint16(32), uint32(0), uint32(size*size*4+maskRow*size), [4]uint32{})
		img := draw(p, size)
		for y := size - 1; y >= 0; y-- {
			for x := range size {
				c := img.NRGBAAt(x, y)
				body.Write([]byte{c.B, c.G, c.R, c.A})
			}
		}
		body.Write(make([]byte, maskRow*size)) // nothing is masked: the alpha channel has the shape
	}
	return append(head.Bytes(), body.Bytes()...)
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run build/icons/draw.go FOLDER")
	}
	save := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	for name, p := range states() {
		for suffix, size := range map[string]int{"-22.png": 22, "-44.png": 44} {
			var out bytes.Buffer
			if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, draw(p, size)); err != nil {
				log.Fatal(err)
			}
			save(name+suffix, out.Bytes())
		}
		save(name+".ico", ico(p))
	}
}
