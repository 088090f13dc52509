// Package calibrate measures what a step costs on a backend and fits the twin's
// cost model to it. The rows come from two sources: scripted batches that cover the
// model's terms (Script), and batches that a real scheduler made (Recorder around
// the backend of an engine). The package reads no clock: the backend and the engine
// tell how long a step took.
package calibrate
