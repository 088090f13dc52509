// Package stats has the statistics of measurements that queue behind each other: order
// statistics of latencies of which some are only known to exceed a bound, trends and
// block lengths of series whose values depend on those before them, and proportions. It
// is pure: numbers in, numbers out.
//
// What gonum/stat has is taken from there. The quantile is its own, as gonum's knows
// neither censored observations nor the interval of an order statistic.
package stats
