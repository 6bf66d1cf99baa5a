//! The index tree: boxes level by level, side by side as far as the width goes.

use super::{Options, facts};
use crate::scene::{MapCell, TreeLevel, TreeNode, TreeScene};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

pub(super) fn tree(tree: &TreeScene, options: Options) -> String {
    let mut text = format!("{}\n{}", tree.title, facts(&tree.facts, options));
    for level in &tree.levels {
        let _ = write!(text, "\n{}\n{}{}", level.title, band(level, tree, options), boxes(level, options));
    }
    text
}

/// All pages of a long level: how full each run of them is, in tenths; a bracket where the step came by.
fn band(level: &TreeLevel, tree: &TreeScene, options: Options) -> String {
    if level.band.is_empty() {
        return String::new();
    }
    let cell = |cell: &MapCell| {
        let tenths = cell.percent.map_or('?', |percent| char::from(b'0' + percent.min(99) / 10));
        if tree.is_on_path(cell.part) { format!("[{tenths}]") } else { tenths.to_string() }
    };
    let cells: Vec<char> = level.band.iter().flat_map(|it| cell(it).chars().collect::<Vec<_>>()).collect();
    let lines = cells.chunks(options.columns().max(1)).map(|line| line.iter().collect::<String>() + "\n");
    lines.collect()
}

fn boxes(level: &TreeLevel, options: Options) -> String {
    let drawn: Vec<Vec<String>> = level.nodes.iter().map(|node| node_box(node, options)).collect();
    let mut text = String::new();
    let mut line: Vec<&Vec<String>> = Vec::new();
    let mut used = 0;
    for node in &drawn {
        let width = node.first().map_or(0, |top| top.chars().count());
        if used > 0 && used + 1 + width > options.columns() {
            side_by_side(&mut text, &line);
            (line, used) = (Vec::new(), 0);
        }
        used += width + usize::from(used > 0);
        line.push(node);
    }
    side_by_side(&mut text, &line);
    text
}

fn side_by_side(text: &mut String, nodes: &[&Vec<String>]) {
    let height = nodes.iter().map(|node| node.len()).max().unwrap_or(0);
    for at in 0..height {
        let pieces = nodes.iter().map(|node| match node.get(at) {
            Some(line) => line.clone(),
            None => " ".repeat(node.first().map_or(0, |top| top.chars().count())),
        });
        text.push_str(pieces.collect::<Vec<_>>().join(" ").trim_end());
        text.push('\n');
    }
}

fn node_box(node: &TreeNode, options: Options) -> Vec<String> {
    let mut lines: Vec<String> = node.lines.clone();
    let sign = super::change_sign(node.change);
    if let Some(first) = lines.first_mut() {
        *first = format!(
            "{} {first}{}",
            options.role(node.role),
            if sign == ' ' { String::new() } else { format!(" {sign}") }
        );
    }
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (corner, dash, bar) =
        if options.ascii { (["+"; 4], "-", "|") } else { (["┌", "┐", "└", "┘"], "─", "│") };
    let edge = |left: usize, right: usize| format!("{}{}{}", corner[left], dash.repeat(width + 2), corner[right]);
    let middle = lines.iter().map(|line| format!("{bar} {line}{} {bar}", " ".repeat(width - line.chars().count())));
    [edge(0, 1)].into_iter().chain(middle).chain([edge(2, 3).to_string()]).collect()
}
