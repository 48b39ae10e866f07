package tray

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var moods = []string{"starting", "guarding", "attention", "critical", "failing", "snoozed"}

// panels are the lightest and the darkest background of our own window, which are near those of most desktops.
var panels = map[string]color.Gray{"light": {0xf7}, "dark": {0x17}}

func read(t *testing.T, file string) image.Image {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return img
}

// grey is the icon on a panel, without colour.
func grey(img image.Image, panel color.Gray) []int {
	var all []int
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			over := int(color.GrayModel.Convert(color.NRGBA{c.R, c.G, c.B, 255}).(color.Gray).Y)
			all = append(all, (over*int(c.A)+int(panel.Y)*(255-int(c.A)))/255)
		}
	}
	return all
}

// differing counts the pixels that a person tells apart: a quarter of the way from black to white.
func differing(a, b []int) (pixels int) {
	for n := range a {
		if d := a[n] - b[n]; d > 64 || d < -64 {
			pixels++
		}
	}
	return pixels
}

func TestTheMoodsAreToldApartWithoutColour(t *testing.T) {
	t.Parallel()
	for name, panel := range panels {
		blank := make([]int, 22*22)
		for n := range blank {
			blank[n] = int(panel.Y)
		}
		for n, one := range moods {
			a := grey(read(t, "icons/"+one+"-22.png"), panel)
			if seen := differing(a, blank); seen < 40 {
				t.Errorf("%s is not seen on a %s panel: %d pixels", one, name, seen)
			}
			for _, other := range moods[n+1:] {
				if d := differing(a, grey(read(t, "icons/"+other+"-22.png"), panel)); d < 10 {
					t.Errorf("%s and %s differ in %d pixels on a %s panel", one, other, d, name)
				}
			}
		}
	}
}

func TestTheIconsAreWhatTheGeneratorDraws(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "../../build/icons/draw.go", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob("icons/*")
	if err != nil || len(files) != 3*len(moods) {
		t.Fatalf("%d files in icons (%v), want %d", len(files), err, 3*len(moods))
	}
	for _, file := range files {
		drawn, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".ico" {
			if len(kept) != len(drawn) {
				t.Errorf("%s has %d bytes, drawn are %d", file, len(kept), len(drawn))
			}
			continue
		}
		// Pixels rather than bytes: compressors differ between releases of Go, the last bit of a sine between processors.
		a, b := read(t, file), read(t, filepath.Join(dir, filepath.Base(file)))
		if a.Bounds() != b.Bounds() {
			t.Fatalf("%s is %v, drawn is %v", file, a.Bounds(), b.Bounds())
		}
		for y := range a.Bounds().Dy() {
			for x := range a.Bounds().Dx() {
				if far(a.At(x, y), b.At(x, y)) {
					t.Fatalf("%s is not what build/icons/draw.go draws at %d, %d: go run build/icons/draw.go app/tray/icons", file, x, y)
				}
			}
		}
	}
}

func far(a, b color.Color) bool {
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	for _, d := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}, {a1, a2}} {
		if math.Abs(float64(d[0])-float64(d[1])) > 8*257 {
			return true
		}
	}
	return false
}
