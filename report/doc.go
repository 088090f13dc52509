// Package report turns an analysed sweep into things to read: tables as data
// with Markdown and terminal renderers, charts as SVG and PNG, one
// self-contained HTML page, and blocks embedded in other documents that a check
// keeps true. The same input always gives the same bytes.
package report
