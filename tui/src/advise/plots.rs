//! What each fillfactor comes to, as plots.

use super::report::Report;
use ffviz_simulator::advice::Case;
use ffviz_story::scene::PlotScene;
use ffviz_story::scene::plot::Series;

/// The plots, over the room that is left on a page: an axis that begins at fillfactor 100.
pub(super) fn plots(report: &Report<'_>) -> Vec<PlotScene> {
    const X: &str = "% of a page left free (100 - fillfactor)";
    let series = |name: &str, figure: &dyn Fn(&Case) -> f64| Series {
        name: name.to_owned(),
        points: report.cases.iter().map(|case| (f64::from(100 - case.fillfactor), figure(case))).collect(),
    };
    let table = series("table", &|case| report.megabytes(case.heap_pages));
    let whole = series("table and indexes", &|case| report.megabytes(case.pages()));
    let plots = [
        PlotScene::new("HOT updates", X, "% of the updates", vec![series("HOT", &|case| case.hot * 100.0)]),
        PlotScene::new("Size", X, "MB", vec![table, whole]),
        PlotScene::new("WAL", X, "bytes an update", vec![series("WAL", &|case| case.wal)])
            .with_note("without full-page images"),
        PlotScene::new("Pages", X, "pages changed an update", vec![series("pages", &|case| case.touched)]),
    ];
    plots.into_iter().filter(|plot| !plot.is_empty()).collect()
}
