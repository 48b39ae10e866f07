// Package bus finds out whether something on the session bus shows notifications, without showing one or starting anything: for doctor,
// which links no window. Whether the person has silenced it, nobody can tell.
package bus

import "context"

// Look says in words what would show a notification in this session, or why nothing would. missing is true if there is a screen and nothing
// would show one there. The words can have a name that the daemon gives itself.
func Look(ctx context.Context) (words string, missing bool) { return look(ctx) }
