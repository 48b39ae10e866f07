package control

import "encoding/json"

// method is one call as the hub answers it.
type method func(c *hubEnd, params json.RawMessage) (any, error)

// methods is everything the socket carries. The names mirror Handler and Client, one to one.
var methods = map[string]method{
	"register": with(func(c *hubEnd, r Register) (any, error) {
		r.PID = c.cred.PID // the kernel knows it better
		c.from = r
		peer := c.peer(false)
		peer.Within = c.within
		return c.server.handler.Register(c, peer, r)
	}),
	"report": with(func(c *hubEnd, r Report) (any, error) {
		return c.server.handler.Report(c, r)
	}),
	"launch": with(func(c *hubEnd, r LaunchReport) (any, error) {
		return c.server.handler.Launch(c, r)
	}),
	"records": with(func(c *hubEnd, r Records) (any, error) {
		return c.server.handler.Records(c, r)
	}),
	"attention": with(func(c *hubEnd, a Attention) (any, error) {
		return c.server.handler.Attention(c, a)
	}),
	"hold": with(func(c *hubEnd, h Held) (any, error) {
		return c.server.handler.Hold(c, h)
	}),
	"take": with(func(c *hubEnd, t Take) (any, error) {
		return c.server.handler.Take(c, t)
	}),
	"interaction": with(func(c *hubEnd, i Interaction) (any, error) {
		return c.server.handler.Interaction(c, i)
	}),
	"unseen": with(func(c *hubEnd, u Unseen) (any, error) {
		return nothing{}, c.server.handler.Unseen(c, u)
	}),
	"status": with(func(c *hubEnd, _ nothing) (any, error) {
		return c.server.handler.Status()
	}),
	"servers": with(func(c *hubEnd, _ nothing) (any, error) {
		return list(c.server.handler.Servers())
	}),
	"inbox": with(func(c *hubEnd, _ nothing) (any, error) {
		return list(c.server.handler.Inbox())
	}),
	"item": with(func(c *hubEnd, n named) (any, error) {
		return c.server.handler.Item(n.Name)
	}),
	"decide": with(func(c *hubEnd, d Decide) (any, error) {
		return c.server.handler.Decide(c.peer(true), d)
	}),
	"clean": with(func(c *hubEnd, q CleanQuery) (any, error) {
		return c.server.handler.Clean(q)
	}),
	"allow_clean": with(func(c *hubEnd, q CleanQuery) (any, error) {
		return c.server.handler.AllowClean(c.peer(true), q)
	}),
	"block": with(func(c *hubEnd, b Block) (any, error) {
		return c.server.handler.Block(c.peer(true), b)
	}),
	"release": with(func(c *hubEnd, r Release) (any, error) {
		return c.server.handler.Release(c.peer(true), r)
	}),
	"held_set": with(func(c *hubEnd, q HeldQuery) (any, error) {
		return c.server.handler.HeldSet(q)
	}),
	"discard_held": with(func(c *hubEnd, d DiscardHeld) (any, error) {
		return c.server.handler.DiscardHeld(c.peer(true), d)
	}),
	"exceptions": with(func(c *hubEnd, _ nothing) (any, error) {
		return list(c.server.handler.Exceptions())
	}),
	"except": with(func(c *hubEnd, e Except) (any, error) {
		return list(c.server.handler.Except(c.peer(true), e))
	}),
	"end_exception": with(func(c *hubEnd, n named) (any, error) {
		return c.server.handler.EndException(c.peer(true), n.Name)
	}),
	"activity": with(func(c *hubEnd, q ActivityQuery) (any, error) {
		return c.server.handler.Activity(q)
	}),
	"record": with(func(c *hubEnd, n named) (any, error) {
		return c.server.handler.Record(n.Name)
	}),
	"verify": with(func(c *hubEnd, _ nothing) (any, error) {
		return c.server.handler.Verify()
	}),
	"settings": with(func(c *hubEnd, q SettingQuery) (any, error) {
		return list(c.server.handler.Settings(q))
	}),
	"set_setting": with(func(c *hubEnd, q SettingQuery) (any, error) {
		return c.server.handler.SetSetting(c.peer(true), q)
	}),
	"log": with(func(c *hubEnd, q LogQuery) (any, error) {
		return c.server.handler.Log(q)
	}),
	"protect": with(func(c *hubEnd, p Protect) (any, error) {
		return c.server.handler.Protect(c.peer(true), p)
	}),
	"unprotect": with(func(c *hubEnd, p Protect) (any, error) {
		return c.server.handler.Unprotect(c.peer(true), p)
	}),
	"coverage": with(func(c *hubEnd, q CoverageQuery) (any, error) {
		return c.server.handler.Coverage(q)
	}),
	"backups": with(func(c *hubEnd, _ nothing) (any, error) {
		return list(c.server.handler.Backups())
	}),
	"restore_backup": with(func(c *hubEnd, r RestoreBackup) (any, error) {
		return c.server.handler.RestoreBackup(c.peer(true), r)
	}),
	"show": with(func(c *hubEnd, n named) (any, error) {
		return nothing{}, c.server.handler.Show(c.peer(true), n.Name)
	}),
	"step_down": with(func(c *hubEnd, _ nothing) (any, error) {
		return nothing{}, c.server.handler.StepDown(c.peer(true))
	}),
	// Messages of a connection are read in order, so an answer says that all before it arrived.
	"flush": with(func(*hubEnd, nothing) (any, error) {
		return nothing{}, nil
	}),
}

// needsRegister are the calls of a wrapper.
var needsRegister = map[string]bool{"report": true, "launch": true, "records": true, "attention": true, "hold": true, "take": true, "interaction": true, "unseen": true}

// stderr is the one notification.
var stderr = with(func(c *hubEnd, s Stderr) (any, error) {
	c.server.handler.Stderr(c, s)
	return nil, nil
})

func with[Params any](f func(*hubEnd, Params) (any, error)) method {
	return func(c *hubEnd, raw json.RawMessage) (any, error) {
		var params Params
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, &Error{Code: CodeBadRequest, Message: "parameters that cannot be read"}
		}
		return f(c, params)
	}
}

// list goes out as a list, an empty one too.
func list[Item any](items []Item, err error) ([]Item, error) {
	if items == nil {
		items = []Item{}
	}
	return items, err
}
