package app

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Foreign writes down that another program than the proved one wrote on a connection: nobody does that by accident.
func (h *Hub) Foreign(f control.Foreign) {
	if h.store == nil {
		return
	}
	told := control.ForeignRecord(f)
	_, err := h.store.AppendNow(h.record(told.Kind, told.Status, store.Record{Summary: told.Summary, Detail: told.Detail}))
	_ = h.failedReading(err)
	h.changed()
}
