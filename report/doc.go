// Package report says what a run found.
//
// Of makes a Report of an analysed run: its words, tables, charts and warnings, all with the
// facts that the numbers rest on. A Report renders itself as Markdown and as a web Page, and
// Write puts both into a folder, with every table as Markdown, CSV and JSON and every chart
// as SVG and PNG. Blocks are the tables by name, for documents that embed them. Equal runs
// give equal bytes.
//
// Below it, each in a package: the tables by subject (sweep, promise for admission, knob for
// studies), the words that they share (caption, column, format), chartdata (what a chart
// shows), chart (how it is drawn), page (the web page), embed (blocks of documents) and table
// (a table as data). Beside it, for other subjects than a run: compared, agreement, verdict,
// flame and loadcheck.
package report
