package display

import (
	"cmp"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Summary counts part of the timeline by server, tool or kind.
func (d *Display) Summary(q control.SummaryQuery) (control.Summary, error) {
	switch q.By {
	case control.ByServer, control.ByTool, control.ByKind:
	default:
		return control.Summary{}, office.Answer(control.CodeBadRequest, "a summary is by server, tool or kind")
	}
	s, err := d.office.Reading()
	if err != nil {
		return control.Summary{}, err
	}
	about := d.asked(q.Server)
	q.Server, q.ServerID = about.name, about.id
	counted := counting{by: q.By, servers: about.servers, rows: map[summaryKey]*summaryRow{}}
	if err := s.Measure(q.ActivityQuery, counted.add); err != nil {
		return control.Summary{}, d.office.FailedReading(err)
	}
	return counted.summary(), nil
}

// summaryKey is what the records of a row have in common. A server is its id, or its name for records of a version without ids.
type summaryKey struct{ id, name, tool, kind string }

type summaryRow struct {
	control.SummaryRow
	took []int64 // microseconds
}

// counting is the progress of a summary.
type counting struct {
	by      string
	servers recordServers
	out     control.Summary
	rows    map[summaryKey]*summaryRow
}

func (c *counting) add(m store.Measured) {
	var key summaryKey
	switch c.by {
	case control.ByKind:
		key.kind = string(m.Kind)
	case control.ByTool:
		if m.Tool == "" {
			return
		}
		key.tool = m.Tool
		fallthrough
	case control.ByServer:
		if key.id = m.ServerID; key.id == "" {
			key.name = m.Server
		}
	}
	row := c.rows[key]
	if row == nil {
		row = &summaryRow{SummaryRow: control.SummaryRow{Tool: key.tool, Kind: key.kind, Status: map[string]int{}}}
		c.rows[key] = row
	}
	if c.by != control.ByKind {
		row.Server = m.Server
	}
	row.Records++
	row.Status[string(m.Status)]++
	row.Bytes += m.Bytes
	row.Last = later(row.Last, m.Time)
	if m.DurationUS > 0 {
		row.took = append(row.took, m.DurationUS)
	}
	c.out.Records++
	if c.out.From.IsZero() || m.Time.Before(c.out.From) {
		c.out.From = m.Time
	}
	c.out.To = later(c.out.To, m.Time)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (c *counting) summary() control.Summary {
	names, byID := identity.CalledOf(c.servers), map[string]store.Server{}
	for _, server := range c.servers {
		byID[server.ID] = server
	}
	c.out.By, c.out.Items = c.by, []control.SummaryRow{}
	for key, row := range c.rows {
		if server, known := byID[key.id]; known {
			row.Server = names.Always(server)
		}
		slices.Sort(row.took)
		row.MedianUS, row.P95US = share(row.took, 50), share(row.took, 95)
		c.out.Items = append(c.out.Items, row.SummaryRow)
	}
	slices.SortFunc(c.out.Items, func(a, b control.SummaryRow) int {
		return cmp.Or(b.Records-a.Records, cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Kind, b.Kind))
	})
	return c.out
}

// share is the smallest of the sorted values that a share of them, in percent, does not exceed (nearest rank); 0 if there are none.
func share(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}
