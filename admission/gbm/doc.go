// Package gbm trains gradient-boosted trees for a quantile: histogram splits, the
// pinball loss, and monotone constraints, so that more work ahead never lowers a
// predicted latency. There is no kept Go library that trains them.
//
// The method is Friedman's gradient boosting (2001) with his line search per leaf,
// which for the pinball loss is the quantile of the leaf's residuals; splits are found
// on binned features as LightGBM does (Ke et al. 2017), and constraints bound what
// subtrees may return by the mid-point of their parents' children, as XGBoost's do.
package gbm
