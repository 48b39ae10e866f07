package clientconfig

import (
	"slices"

	"github.com/tailscale/hujson"
)

// A file of any format is a tree of package hujson's values, whose offsets are those of the text.

func member(object *hujson.Object, key string) *hujson.ObjectMember {
	if object == nil {
		return nil
	}
	for i := range object.Members {
		if literal(object.Members[i].Name) == key {
			return &object.Members[i]
		}
	}
	return nil
}

// part is member for a key that a client's shape may not have.
func part(object *hujson.Object, key string) *hujson.ObjectMember {
	if key == "" {
		return nil
	}
	return member(object, key)
}

func membersOf(object *hujson.Object) []hujson.ObjectMember {
	if object == nil {
		return nil
	}
	return object.Members
}

func literal(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

func kindOf(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	default:
		return "true or false"
	}
}

// same reports whether two values mean the same, the edited values aside.
func same(a, b *hujson.Value, editedA, editedB map[*hujson.Value]bool) bool {
	if editedA[a] && editedB[b] {
		return true
	}
	switch x := a.Value.(type) {
	case *hujson.Object:
		y, ok := b.Value.(*hujson.Object)
		if !ok {
			return false
		}
		left, right := unedited(x, editedA), unedited(y, editedB)
		return slices.EqualFunc(left, right, func(m, n *hujson.ObjectMember) bool {
			return literal(m.Name) == literal(n.Name) && same(&m.Value, &n.Value, editedA, editedB)
		})
	case *hujson.Array:
		y, ok := b.Value.(*hujson.Array)
		if !ok || len(x.Elements) != len(y.Elements) {
			return false
		}
		for i := range x.Elements {
			if !same(&x.Elements[i], &y.Elements[i], editedA, editedB) {
				return false
			}
		}
		return true
	case hujson.Literal:
		y, ok := b.Value.(hujson.Literal)
		return ok && x.Kind() == y.Kind() && (x.Kind() == '"' && x.String() == y.String() || string(x) == string(y))
	}
	return false
}

// unedited are the members of an object whose values are not edited.
func unedited(object *hujson.Object, edited map[*hujson.Value]bool) (members []*hujson.ObjectMember) {
	for i := range object.Members {
		if !edited[&object.Members[i].Value] {
			members = append(members, &object.Members[i])
		}
	}
	return members
}
