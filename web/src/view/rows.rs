//! Rows of a list or of a page's line pointers, with the arrows between them in a gutter, as brackets that do not
//! cross.
//!
//! ```text
//!   ╭─ ● 1  LP_REDIRECT
//!   ╰▶ ◆ 2  …
//! ```
//!
//! Rows have keys: without them a list is compared by position from its end, so that one new row writes every other one
//! anew.

use super::canvas::{swatch, whole};
use crate::theme;
use ffviz_format::page::RegionKind;
use ffviz_story::app::View;
use ffviz_story::scene::{Change, Column, Link, LinkKind, PartId, Role, Row};
use yew::prelude::*;

/// height of a row in rem, as in ffviz.css
const ROW: f32 = 1.625;
/// pixels a rem in the gutter's own coordinates
const UNIT: f32 = 16.0;
/// between two brackets side by side, in the gutter's own coordinates
const LANE: f32 = 9.0;
/// brackets side by side at most; more share the outermost
const LANES: usize = 10;

/// The table and its gutter; `name` says what of, to those who do not see what stands around it.
pub fn draw(name: &str, columns: &[Column], rows: &[Row], links: &[Link], view: &View) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    let brackets = lay_out(rows, links);
    html! {
        <div class="rows" tabindex="0" role="group" aria-label={name.to_owned()}>
            if !brackets.is_empty() { { gutter(&brackets, rows.len()) } }
            <table>
                <thead>
                    <tr><td class="sign"></td>{ for columns.iter().map(heading) }</tr>
                </thead>
                <tbody>{ for rows.iter().map(|row| table_row(row, columns, view)) }</tbody>
            </table>
        </div>
    }
}

fn heading(column: &Column) -> Html {
    html! { <th scope="col" class={classes(column)}>{ &column.title }</th> }
}

fn classes(column: &Column) -> Classes {
    classes!(column.right.then_some("right"), column.detail.then_some("detail"))
}

fn table_row(row: &Row, columns: &[Column], view: &View) -> Html {
    let selected = view.row == Some(row.part);
    let class = theme::classes(row.role, row.change, selected);
    let (part, role) = (row.part.to_string(), row.role.word());
    if row.role == Role::Heading {
        let colspan = (columns.len() + 1).to_string();
        return html! {
            <tr key={part.clone()} class="heading" data-part={part} data-role={role}>
                <th {colspan} scope="rowgroup" aria-label={format!("{role} {}", row.cells.join(" "))}>{ row.cells.join(" ") }</th>
            </tr>
        };
    }
    // what is opened by a click can be reached and pressed without a mouse too
    let opens = matches!(row.part, PartId::Entry(_));
    let cell = |(at, (text, column)): (usize, (&String, &Column))| {
        let face = if opens && at == 0 {
            html! { <button type="button">{ text }</button> }
        } else {
            html! { text }
        };
        html! { <td class={classes(column)} title={whole(text)}>{ face }</td> }
    };
    html! {
        <tr key={part.clone()} {class} data-part={part} data-role={role} aria-current={selected.then_some("true")}
            aria-description={change_word(row.change)}>
            <td class="sign">{ swatch(row.role, true) }</td>
            { for row.cells.iter().zip(columns).enumerate().map(cell) }
        </tr>
    }
}

/// What the colour at the edge says to those who do not see it.
const fn change_word(change: Change) -> Option<&'static str> {
    match change {
        Change::Same => None,
        Change::Added => Some("new in this step"),
        Change::Modified => Some("changed in this step"),
        Change::Moved => Some("moved in this step"),
    }
}

/// An arrow between two rows, in a lane of the gutter.
#[derive(Debug, PartialEq)]
struct Bracket {
    from: usize,
    to: usize,
    kind: LinkKind,
    lane: usize,
}

/// Gives every arrow between rows a lane: short ones next to the table, none over another.
fn lay_out(rows: &[Row], links: &[Link]) -> Vec<Bracket> {
    let place = |part: PartId| rows.iter().position(|row| line(row.part) == line(part));
    let between = links.iter().filter(|link| link.kind != LinkKind::Item).filter_map(|link| {
        let (from, to) = (place(link.from)?, place(link.to)?);
        (from != to).then_some(Bracket { from, to, kind: link.kind, lane: 0 })
    });
    let mut brackets: Vec<Bracket> = between.collect();
    brackets.sort_by_key(|bracket| (bracket.from.abs_diff(bracket.to), bracket.from));
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for bracket in &mut brackets {
        let (low, high) = (bracket.from.min(bracket.to), bracket.from.max(bracket.to));
        let free = lanes.iter().position(|taken| taken.iter().all(|(from, to)| high <= *from || low >= *to));
        let lane = free.unwrap_or(lanes.len()).min(LANES - 1);
        if lane == lanes.len() {
            lanes.push(Vec::new());
        }
        lanes[lane].push((low, high));
        bracket.lane = lane;
    }
    brackets
}

/// A line pointer and its tuple share a row.
const fn line(part: PartId) -> PartId {
    match part {
        PartId::Region(RegionKind::Tuple(n)) => PartId::Region(RegionKind::LinePointer(n)),
        other => other,
    }
}

fn gutter(brackets: &[Bracket], rows: usize) -> Html {
    let lanes = brackets.iter().map(|bracket| bracket.lane).max().unwrap_or(0);
    let width = (lanes + 2) as f32 * LANE;
    let height = (rows + 1) as f32 * ROW * UNIT;
    let arrow = |bracket: &Bracket| {
        let down = if bracket.from < bracket.to { 1.0 } else { -1.0 };
        // arrows leave and arrive a little apart, so that a chain's do not touch
        let y = |row: usize, nudge: f32| (row as f32 + 1.5) * ROW * UNIT + nudge * down;
        let (from, to) = (y(bracket.from, 4.0), y(bracket.to, -4.0));
        let x = width - (bracket.lane + 1) as f32 * LANE - 3.0;
        let edge = width - 1.0;
        let bend = 5.0;
        let path = format!(
            "M{edge} {from}H{}Q{x} {from} {x} {}V{}Q{x} {to} {} {to}H{edge}",
            x + bend,
            from + bend * down,
            to - bend * down,
            x + bend
        );
        let class = theme::link_class(bracket.kind);
        html! { <path class={classes!("link", class)} d={path} marker-end={format!("url(#ffviz-{class})")} /> }
    };
    html! {
        <svg class="gutter" aria-hidden="true" viewBox={format!("0 0 {width} {height}")}
            width={format!("{}rem", width / UNIT)} height={format!("{}rem", height / UNIT)}>
            { for brackets.iter().map(arrow) }
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_format::page::OffsetNumber;

    fn lanes(links: &[(u16, u16)]) -> Vec<(usize, usize, usize)> {
        let pointer = |n: u16| PartId::Region(RegionKind::LinePointer(OffsetNumber(n)));
        let rows: Vec<Row> = (1..=9)
            .map(|n| Row {
                part: pointer(n),
                role: Role::LpNormal,
                change: Change::Same,
                cells: Vec::new(),
                chain: None,
            })
            .collect();
        let links: Vec<Link> = links
            .iter()
            .map(|(from, to)| Link { from: pointer(*from), to: pointer(*to), kind: LinkKind::HotUpdate })
            .collect();
        lay_out(&rows, &links).iter().map(|b| (b.from + 1, b.to + 1, b.lane)).collect()
    }

    #[test]
    fn a_chain_of_neighbours_takes_one_lane() {
        assert_eq!(lanes(&[(1, 2), (2, 3), (3, 4)]), [(1, 2, 0), (2, 3, 0), (3, 4, 0)]);
    }

    #[test]
    fn arrows_over_one_another_take_lanes_of_their_own() {
        assert_eq!(lanes(&[(1, 9), (3, 5), (8, 4)]), [(3, 5, 0), (8, 4, 1), (1, 9, 2)]);
    }

    #[test]
    fn arrows_to_no_row_are_left_out() {
        assert_eq!(lanes(&[(1, 77), (4, 4)]), []);
    }
}
