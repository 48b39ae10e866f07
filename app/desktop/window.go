package desktop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"github.com/sallyport/sallyport/app/notify"
)

// WindowOptions of RunWindow.
type WindowOptions struct {
	Shell  *Shell
	Page   *Page
	Shapes []any // bound beside the page when only its bindings are written
	Assets fs.FS // the built page
	Hidden bool
	Width  int // 0 means the default
	Height int
	Lock   string                // for Wails' own lock, a second barrier behind the hub's socket
	Notes  chan<- notify.Toolkit // receives the toolkit's notifications; nil if unwanted
	Quit   func()                // as in the icon's menu, once confirmed
}

// wailsWindow is a Wails window.
type wailsWindow struct {
	ctx      context.Context
	quitting *atomic.Bool
}

func (w *wailsWindow) Emit(event string, data ...any) { runtime.EventsEmit(w.ctx, event, data...) }
func (w *wailsWindow) Hide()                          { runtime.WindowHide(w.ctx) }
func (w *wailsWindow) Minimise()                      { runtime.WindowMinimise(w.ctx) }
func (w *wailsWindow) Minimised() bool                { return runtime.WindowIsMinimised(w.ctx) }
func (w *wailsWindow) Reload()                        { runtime.WindowReloadApp(w.ctx) }

func (w *wailsWindow) Size() (width, height int, ok bool) {
	if runtime.WindowIsMaximised(w.ctx) || runtime.WindowIsFullscreen(w.ctx) {
		return 0, 0, false
	}
	width, height = runtime.WindowGetSize(w.ctx)
	return width, height, true
}

func (w *wailsWindow) ChooseFile(title string) (string, error) {
	return runtime.OpenFileDialog(w.ctx, runtime.OpenDialogOptions{
		Title: title, ShowHiddenFiles: true, // most of these files are hidden, or in a hidden folder
		Filters: []runtime.FileFilter{{DisplayName: "JSON files (*.json)", Pattern: "*.json"}},
	})
}

func (w *wailsWindow) Show() {
	runtime.WindowShow(w.ctx)
	runtime.WindowUnminimise(w.ctx)
}

// Stand minimises first: a window that is shown after that begins minimised.
func (w *wailsWindow) Stand() {
	runtime.WindowMinimise(w.ctx)
	runtime.WindowShow(w.ctx)
}

func (w *wailsWindow) Quit() {
	w.quitting.Store(true)
	cancelDialogs()
	runtime.Quit(w.ctx)
}

// RunWindow opens the window and returns when the program is to end. It must run on the main goroutine.
func RunWindow(o WindowOptions) (err error) {
	// If a display is named but does not answer, the toolkit's binding panics.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("open the window: %v", p)
		}
	}()
	quitting, gone := &atomic.Bool{}, &atomic.Bool{}
	app := &options.App{
		Title: "Sallyport", Width: cmp.Or(o.Width, usualWidth), Height: cmp.Or(o.Height, usualHeight), MinWidth: leastWidth, MinHeight: leastHeight,
		StartHidden: o.Hidden,
		AssetServer: &assetserver.Options{Assets: o.Assets, Middleware: withPolicy},
		Logger:      logger.NewDefaultLogger(), LogLevel: logger.ERROR, LogLevelProduction: logger.ERROR,
		Bind:           append([]any{o.Page}, o.Shapes...),
		ErrorFormatter: FormatError,
		OnStartup: func(ctx context.Context) {
			select {
			case o.Notes <- wailsNotes{ctx}:
			default:
			}
			o.Shell.Opened(&wailsWindow{ctx: ctx, quitting: quitting}, !o.Hidden)
		},
		OnDomReady: func(context.Context) {
			gone.Store(false) // a quit before the toolkit's loop began may be lost
			o.Shell.Loaded()
		},
		OnBeforeClose: func(context.Context) bool {
			if !quitting.Load() {
				o.Shell.Closing()
				return true
			}
			return !gone.CompareAndSwap(false, true) // once: Wails hears a signal, too
		},
		Linux: &linux.Options{ProgramName: "sallyport", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	}
	if o.Lock != "" {
		app.SingleInstanceLock = &options.SingleInstanceLock{
			UniqueId: o.Lock,
			// It comes over the session bus, from anyone. Our own socket decides who may raise the window.
			OnSecondInstanceLaunch: func(options.SecondInstanceData) {},
		}
	}
	keepOwnPage() // as soon as the toolkit's loop runs
	return wails.Run(app)
}

// wailsNotes are Wails' notifications, for systems other than Linux (app/notify). They compile, but nobody has run them.
type wailsNotes struct{ ctx context.Context }

func (w wailsNotes) Available() bool          { return runtime.IsNotificationAvailable(w.ctx) }
func (w wailsNotes) Initialize() error        { return runtime.InitializeNotifications(w.ctx) }
func (w wailsNotes) Authorize() (bool, error) { return runtime.RequestNotificationAuthorization(w.ctx) }

func (w wailsNotes) Hear(heard func(notify.Response)) {
	runtime.OnNotificationResponse(w.ctx, func(r runtime.NotificationResult) {
		if r.Error == nil {
			heard(notify.Response{ID: r.Response.ID, Action: r.Response.ActionIdentifier})
		}
	})
}

func (w wailsNotes) Register(category string, buttons []notify.Button) error {
	c := runtime.NotificationCategory{ID: category}
	for _, b := range buttons {
		c.Actions = append(c.Actions, runtime.NotificationAction{ID: b.ID, Title: b.Label})
	}
	return runtime.RegisterNotificationCategory(w.ctx, c)
}

func (w wailsNotes) Send(t notify.Toast) error {
	o := runtime.NotificationOptions{ID: t.ID, Title: t.Title, Body: t.Body, CategoryID: t.Category}
	if t.Category == "" {
		return runtime.SendNotification(w.ctx, o)
	}
	return runtime.SendNotificationWithActions(w.ctx, o)
}

func (w wailsNotes) Remove(id string) error {
	return errors.Join(runtime.RemovePendingNotification(w.ctx, id), runtime.RemoveDeliveredNotification(w.ctx, id))
}

// withPolicy sets the page's content security policy on everything served to it: our own files and nothing else.
func withPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy())
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// strictPolicy was measured in WebKitGTK: it blocks inline scripts, eval, requests and pictures from outside, style elements and
// innerHTML. Only Svelte's own policy name can make a template.
const strictPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-src 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
