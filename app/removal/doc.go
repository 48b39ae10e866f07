// Package removal takes the wrappers of one installation out of the files of every user of a machine, for a package that is about to go. No
// hub is asked: none may run, and the installation may be broken.
//
// [Users] reads who there is. For each user, root starts a process that calls [Become] first and [TakeOut] then: it opens files only as that
// user, below the root folder, so that a link planted in a home leads to nothing that its owner couldn't read and write anyway.
package removal
