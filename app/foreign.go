package app

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Foreign records that another program than the proved one wrote on a connection, which never happens by accident.
func (h *Hub) Foreign(f control.Foreign) {
	h.attacked(control.ForeignRecord(f))
}

// Displaced records that another program replaced the hub's socket.
func (h *Hub) Displaced(d control.Displaced) { h.attacked(control.DisplacedRecord(d)) }

func (h *Hub) attacked(told control.Record) {
	if h.office.Store == nil {
		return
	}
	_, err := h.office.Store.AppendNow(h.office.Record(told.Kind, told.Status, store.Record{Summary: told.Summary, Detail: told.Detail}))
	_ = h.office.FailedReading(err)
	h.office.Changed()
}
