// Package disk keeps files and folders: for this user alone, whole or not at all, and there after a power cut.
//
// [OwnFolder] makes or checks a folder, [Open] opens a file in it. [WriteWhole] replaces one of our files and [WriteNew]
// makes one where none is; [Replace] is for a file that belongs to another program and keeps its mode, owner and
// attributes. [Begin] is for a file that stays open. When one of them returns nil, both the text and the name are on the
// disk: only then may a person be told that something was done.
//
// It knows nothing of what the files hold, and imports nothing of ours, so that every room can use it.
package disk
