package desktop

import (
	"context"
	"errors"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"github.com/sallyport/sallyport/app/notify"
)

// wailsNotes are the notifications of Wails, for systems other than Linux (app/notify). Nobody has run them.
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
