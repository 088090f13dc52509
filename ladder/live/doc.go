// Package live keeps what is known of a sweep while it runs, and shows it: a Board
// is told what happens and at what time, and gives a View, which is a value. Progress
// shows a View's Lines on a terminal, and a web page, if one is asked for, its JSON.
package live
