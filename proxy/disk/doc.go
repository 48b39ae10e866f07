// Package disk writes files and folders for this user alone, whole or not at all, and durably.
//
// [OwnFolder] makes or checks a folder, [Open] opens a file in it, [Read] reads one. [WriteWhole] replaces one of our files and [WriteNew] creates a new one;
// [Replace] is for a file that belongs to another program and keeps its mode, owner and attributes. [Begin] is for a file that stays open.
// When one of them returns nil, both the content and the name are on the disk: only then tell a person that something was done.
//
// It knows nothing about what the files hold, and imports nothing of ours, so that every package can use it.
package disk
