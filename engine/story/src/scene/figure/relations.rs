//! What the catalogs say of relations, and how long their files are, as panels.

use super::panel::{Band, Fate, Panel, PanelLine};
use crate::scene::{Look, PartId, Role, words};
use crate::timeline::RelationChange;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid, Page};
use ffviz_format::state::{AccessMethod, PageId, Relation};

/// characters of columns' names
const COLUMNS: usize = 40;
/// how the names of TOAST tables and their indexes begin
const TOAST: &str = "pg_toast_";
/// files at most
const FILES: usize = 3;

/// Relations that are new, gone, or described otherwise.
pub(super) fn catalog(look: &Look<'_>) -> Option<Panel> {
    let changes = with_one_toast(&look.step.relations);
    let bands = changes.iter().zip(0..).filter_map(|(change, n)| described(change, n));
    let bands: Vec<PanelLine> = bands.map(PanelLine::Band).collect();
    (!bands.is_empty()).then(|| panel(None, "system catalogs", String::new(), bands))
}

/// A table that is written anew gets another TOAST table, of the same name: told as one that has another file.
fn with_one_toast(changes: &[RelationChange]) -> Vec<RelationChange> {
    let name = |change: &RelationChange| change.after.as_ref().or(change.before.as_ref()).map(|it| it.name.clone());
    let is_gone = |change: &RelationChange| change.after.is_none();
    let is_new = |change: &RelationChange| change.before.is_none();
    let successor = |gone: &RelationChange| {
        let is_toast = name(gone).is_some_and(|name| name.starts_with(TOAST));
        changes.iter().find(|new| is_toast && is_gone(gone) && is_new(new) && name(new) == name(gone))
    };
    let successors: Vec<Oid> = changes.iter().filter_map(successor).map(|new| new.oid).collect();
    let told = changes.iter().filter(|change| !successors.contains(&change.oid));
    told.map(|change| match successor(change) {
        Some(new) => RelationChange { after: new.after.clone(), ..change.clone() },
        None => change.clone(),
    })
    .collect()
}

fn panel(page: Option<PageId>, title: impl Into<String>, status: String, lines: Vec<PanelLine>) -> Panel {
    let (goals, tags, title) = (Vec::new(), Vec::new(), title.into());
    Panel { page, title, status, is_new: false, row: 0, mark: None, lines, goals, tags }
}

fn band(part: PartId, text: String, role: Role, fate: Fate, tag: String) -> Band {
    let (label, values, leads, goal, mark) = (String::new(), Vec::new(), String::new(), None, None);
    Band { part, label, text, values, leads, tag, role, fate, goal, bytes: 8, mark }
}

fn described(change: &RelationChange, n: u32) -> Option<Band> {
    let (fate, tag) = match (change.before.as_deref(), change.after.as_deref()) {
        (None, Some(_)) => (Fate::New, String::from("NEW")),
        (Some(_), None) => (Fate::Gone, String::from("dropped")),
        (Some(was), Some(is)) => (Fate::Changed, altered(was, is)?),
        (None, None) => return None,
    };
    let relation = change.after.as_deref().or(change.before.as_deref())?;
    let named = relation.attributes.iter().filter(|attribute| !attribute.dropped).map(|a| a.name.as_str());
    let mut text = format!("{} {}", relation.kind.word(), relation.told());
    // they are what a new relation is, or one that is described otherwise
    if fate != Fate::Gone && !change.is_rewritten() {
        let columns = words::shorten(&named.collect::<Vec<_>>().join(", "), COLUMNS);
        text += &format!(" ({columns})");
    }
    Some(band(PartId::Entry(n), text, Role::Entry, fate, tag))
}

/// What is said otherwise of a relation that stays.
pub(super) fn altered(was: &Relation, is: &Relation) -> Option<String> {
    let default = if is.am == AccessMethod::Btree { 90 } else { 100 };
    let fillfactor = |relation: &Relation| relation.fillfactor.unwrap_or(default);
    let live = |relation: &Relation| relation.attributes.iter().filter(|attribute| !attribute.dropped).count();
    if was.filenode != is.filenode {
        Some(format!("file {} → {}", was.filenode, is.filenode))
    } else if fillfactor(was) != fillfactor(is) {
        Some(format!("fillfactor {} → {}", fillfactor(was), fillfactor(is)))
    } else if was.told() != is.told() {
        Some(format!("was {}", was.told()))
    } else if live(was) != live(is) {
        Some(format!("{} → {} columns", live(was), live(is)))
    } else if was.attributes != is.attributes {
        Some(String::from("columns changed"))
    } else {
        None
    }
}

/// The files that are longer or shorter now, a band a block.
pub(super) fn files(look: &Look<'_>) -> Vec<Panel> {
    let forks = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm];
    let changes = look.step.relations.iter().filter(|change| change.before.is_some() && change.after.is_some());
    let files = changes.flat_map(|change| forks.map(|fork| file(look, change, fork)));
    files.flatten().take(FILES).collect()
}

fn file(look: &Look<'_>, change: &RelationChange, fork: ForkNumber) -> Option<Panel> {
    let (before, after) = (change.before.as_deref()?, change.after.as_deref()?);
    let (was, is) = (before.blocks.of(fork), after.blocks.of(fork));
    if was == is || before.filenode != after.filenode {
        return None;
    }
    let id = |block| PageId { relation: after.oid, fork, block };
    let lines = (0..was.max(is)).map(|block| PanelLine::Band(block_of(look, id(block), was, is))).collect();
    let status = format!("{} → {}", words::thousands(was.into()), words::count(is.into(), "block"));
    let mut panel = panel(Some(id(0)), format!("{} · file", words::relation_fork(after, fork)), status, lines);
    super::abridge::panel(&mut panel, "block");
    Some(panel)
}

fn block_of(look: &Look<'_>, id: PageId, was: BlockNumber, is: BlockNumber) -> Band {
    let (fate, tag) = match id.block {
        block if block >= is => (Fate::Gone, "cut off"),
        block if block < was => (Fate::Same, ""),
        _ => (Fate::New, "NEW"),
    };
    let is_zero = look.page(id).is_some_and(Page::is_zero);
    let (role, what) = if is_zero { (Role::New, ": zeros") } else { (Role::Block, "") };
    band(PartId::Block(id.block), format!("block {}{what}", id.block), role, fate, tag.to_string())
}
