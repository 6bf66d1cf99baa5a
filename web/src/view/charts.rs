//! Charts of all captures: curves, each with its sign beside its colour, a line at the current capture, and below the
//! numbers as a table, which is the legend too.

use ffviz_story::scene::plot::{SIGNS, Series};
use ffviz_story::scene::{ChartScene, ChartsScene, Column, PlotScene};
use std::fmt::Write;
use yew::prelude::*;

/// Size of a picture in its own coordinates, and of what is around its grid.
const WIDTH: i32 = 640;
const HEIGHT: i32 = 210;
const LEFT: i32 = 72;
const RIGHT: i32 = 20;
const TOP: i32 = 12;
const BOTTOM: i32 = 26;
/// How many signs a curve has.
const EACH: usize = 5;
/// Families of colours of ffviz.css, the terminal's.
const FAMILIES: [&str; 7] = ["f-hot", "f-dead", "f-settled", "f-redirect", "f-cold", "f-lock", "f-pointer"];

/// Title, how to read them, charts. Not inlined: it is fetched after the first picture.
#[inline(never)]
pub fn draw(scene: &ChartsScene) -> Html {
    html! {
        <section class="charts">
            <h2>{ &scene.title }</h2>
            <p class="hint">{ &scene.hint }</p>
            <div class="plots">{ for scene.charts.iter().map(|chart| one(chart, scene.current)) }</div>
        </section>
    }
}

fn one(chart: &ChartScene, current: usize) -> Html {
    let plot = &chart.plot;
    html! {
        <article>
            <h3>{ &plot.title }{ " " }<span class="step">{ format!("{} over {}", plot.y.label, plot.x.label) }</span></h3>
            if !plot.is_empty() { { picture(chart, current) }{ numbers(chart) } }
            { for plot.notes.iter().map(|note| html! { <p class="hint">{ note }</p> }) }
        </article>
    }
}

/// Where a place of the axes lies in the picture.
struct Grid<'a>(&'a PlotScene);

impl Grid<'_> {
    fn x(&self, at: f64) -> i32 {
        LEFT + (at / self.0.x.end * f64::from(WIDTH - LEFT - RIGHT)) as i32
    }

    fn y(&self, at: f64) -> i32 {
        HEIGHT - BOTTOM - (at / self.0.y.end * f64::from(HEIGHT - TOP - BOTTOM)) as i32
    }
}

fn picture(chart: &ChartScene, current: usize) -> Html {
    let plot = &chart.plot;
    let grid = Grid(plot);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let up = plot.y.ticks.iter().map(|tick| {
        let y = grid.y(tick.at);
        html! {
            <>
                <path class="grid" d={format!("M{LEFT} {y}H{right}")} />
                <text class="number" x={(LEFT - 8).to_string()} y={(y + 4).to_string()} text-anchor="end">{ &tick.label }</text>
            </>
        }
    });
    let along = plot.x.ticks.iter().map(|tick| {
        let x = grid.x(tick.at).to_string();
        html! { <text class="number" {x} y={(bottom + 18).to_string()} text-anchor="middle">{ &tick.label }</text> }
    });
    let here = grid.x(current as f64);
    let count = plot.series.len();
    html! {
        <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} role="img" aria-label={said(chart)}>
            { for up }{ for along }
            <path class="here" d={format!("M{here} {TOP}V{}", bottom + 6)} />
            { for plot.series.iter().enumerate().map(|(n, series)| curve(&grid, series, n, count)) }
        </svg>
    }
}

/// What the picture shows, for those who do not see it: of each curve the first value, the last and the most.
fn said(chart: &ChartScene) -> String {
    let titles = &chart.table.columns;
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().zip(titles).skip(1).filter(|(cell, _)| !cell.is_empty());
        cells.map(|(cell, column)| format!(", {} {cell}", column.title)).collect::<String>()
    };
    let mut text = chart.plot.title.clone();
    for (cells, series) in chart.table.rows.iter().zip(&chart.plot.series) {
        let _ = write!(text, "; {}{}", series.name, row(cells));
    }
    text
}

/// A line and some signs; those of different curves stand side by side.
fn curve(grid: &Grid<'_>, series: &Series, n: usize, count: usize) -> Html {
    let mut path = String::new();
    for (x, y) in &series.points {
        let _ = write!(path, "{}{} {}", if path.is_empty() { 'M' } else { 'L' }, grid.x(*x), grid.y(*y));
    }
    let every = series.points.len().div_ceil(EACH).max(1);
    let signs = series.points.iter().skip(every * n / count.max(1)).step_by(every).map(|(x, y)| {
        let (x, y) = (grid.x(*x).to_string(), (grid.y(*y) + 4).to_string());
        html! { <text class="sign" {x} {y} text-anchor="middle">{ sign(n) }</text> }
    });
    html! { <g class={FAMILIES[n % FAMILIES.len()]}><path class="curve" d={path} />{ for signs }</g> }
}

fn sign(n: usize) -> char {
    SIGNS[n % SIGNS.len()][0]
}

/// A row a curve, with its sign.
fn numbers(chart: &ChartScene) -> Html {
    let right = |column: &Column| column.right.then_some("right");
    let title = |column: &Column| html! { <th scope="col" class={right(column)}>{ &column.title }</th> };
    let row = |(n, cells): (usize, &Vec<String>)| {
        let cell = |(at, (cell, column)): (usize, (&String, &Column))| {
            let sign = (at == 0).then(|| html! { <span class="sign" aria-hidden="true">{ sign(n) }{ " " }</span> });
            html! { <td class={right(column)}>{ sign }{ cell }</td> }
        };
        let cells = cells.iter().zip(&chart.table.columns).enumerate().map(cell);
        html! { <tr class={FAMILIES[n % FAMILIES.len()]}>{ for cells }</tr> }
    };
    html! {
        <div class="table" tabindex="0" role="group" aria-label={chart.plot.title.clone()}>
            <table>
                <thead><tr>{ for chart.table.columns.iter().map(title) }</tr></thead>
                <tbody>{ for chart.table.rows.iter().enumerate().map(row) }</tbody>
            </table>
        </div>
    }
}
