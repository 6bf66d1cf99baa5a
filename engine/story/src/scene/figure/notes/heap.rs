//! Notes about rows and line pointers (src/backend/access/heap: heapam.c, pruneheap.c, vacuumlazy.c).

use super::super::heap::{FROZEN, MOVED, ROLLED_BACK, TO_PARTITION};
use super::super::panel::{Band, Chip, Fate, Goal, Panel};
use super::super::stage::Stage;
use super::{from_story_where_nothing, some};
use crate::scene::{PartId, Role, words};
use crate::timeline::{Event, EventKind, HotDecision};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::heap::HeapPage;
use ffviz_format::page::{ForkNumber, ItemPointer, RegionKind};
use ffviz_format::state::{AccessMethod, RelKind};

/// What is drawn of the tables that the notes are about.
fn bands<'a>(stage: &'a Stage<'_>) -> impl Iterator<Item = &'a Band> {
    stage.concerned().flat_map(|(_, panel)| panel.bands())
}

pub(super) fn hot_update(stage: &mut Stage<'_>) {
    next_version(stage);
    stage.note_bands(has_new_xmax, "the old version: xmax is set, t_ctid leads to the new one: a HOT chain");
    let is_version = is_new_version(stage);
    let lock = if bands(stage).any(|band| band.tag.contains("lock kept")) { ", and with it goes the lock" } else { "" };
    stage.note_bands(is_version, format!("the new version has room on the same page: a heap-only tuple{lock}"));
    let is_entry = |band: &Band| band.fate == Fate::Concerned;
    let name = one_of_several(stage, &is_entry).unwrap_or_else(|| String::from("the index"));
    stage.note_bands(is_entry, format!("{name} is not touched: its entry still leads to the beginning of the chain"));
    let root = bands(stage).find(|band| is_entry(band)).and_then(|band| band.goal?.row());
    // an entry names a line pointer, not a tuple
    let root =
        root.and_then(|tid| stage.chip_place(0, |chip| chip.is(PartId::Region(RegionKind::LinePointer(tid.offset)))));
    stage.arrow(stage.place(is_entry), root, false, "unchanged");
}

/// The name of the index whose entry is drawn, where the table has others.
fn one_of_several(stage: &Stage<'_>, is_entry: &dyn Fn(&Band) -> bool) -> Option<String> {
    let page = stage.concerned().find(|(_, panel)| panel.bands().any(is_entry))?.1.page?;
    let index = stage.look.relation(page.relation)?;
    let is_one_of = stage.look.state.indexes(index.table?).nth(1).is_some();
    is_one_of.then(|| index.told().into_owned())
}

/// The arrow from an old version to the one that its `t_ctid` leads to: of several rows, the first that is drawn with
/// its successor.
fn next_version(stage: &mut Stage<'_>) {
    let is_of = |band: &Band, tid: ItemPointer| band.goal.and_then(Goal::row) == Some(tid);
    let new_ones = || bands(stage).filter(|band| is_new(band));
    let successor = |page: &HeapPage, old: &Band| {
        let tid = old.goal?.row()?;
        let next = page.tuple(tid.offset)?.t_ctid;
        new_ones().any(|new| is_of(new, next)).then_some((tid, next))
    };
    let of_panel = |panel: &Panel| {
        let id = panel.page?;
        let page = HeapPage::decode(stage.look.page(id)?, id.block);
        panel.bands().filter(|band| has_new_xmax(band)).find_map(|old| successor(&page, old))
    };
    let Some((old, new)) = stage.concerned().map(|(_, panel)| panel).find_map(of_panel) else { return };
    let from = stage.place(|band| has_new_xmax(band) && is_of(band, old));
    let to = stage.place(|band| is_new(band) && is_of(band, new));
    stage.arrow(from, to, true, "next version");
}

pub(super) const fn is_tuple(role: Role) -> bool {
    matches!(
        role,
        Role::TupleUpdated
            | Role::TupleHotUpdated
            | Role::TupleLive
            | Role::TupleHeapOnly
            | Role::TupleLocked
            | Role::TupleDeleted
            | Role::TupleAborted
    )
}

/// A tuple that is new: entries of indexes have notes of their own.
const fn is_new(band: &Band) -> bool {
    super::is_new(band) && is_tuple(band.role)
}

/// A tuple that changed.
const fn is_changed(band: &Band) -> bool {
    super::is_changed(band) && is_tuple(band.role)
}

/// A tuple whose xmax was set: others may have new hint bits only.
pub(super) fn has_new_xmax(band: &Band) -> bool {
    is_changed(band) && (band.tag.contains('→') || is_locking(band))
}

/// Was it only locked?
pub(super) fn is_locking(band: &Band) -> bool {
    band.tag.contains("locked by ") || band.tag.contains("locked FOR ")
}

/// A tuple that is gone.
const fn is_gone(band: &Band) -> bool {
    super::is_gone(band) && is_tuple(band.role)
}

pub(super) fn update(stage: &mut Stage<'_>) {
    next_version(stage);
    let decision = stage.decision();
    let elsewhere = decision.is_some_and(|decision| decision.old.is_some() && !decision.same_page());
    let blocked = decision.is_some_and(HotDecision::is_blocked);
    let why = match decision {
        Some(decision) if decision.is_blocked() => {
            format!("a column that an index needs has another value: {}", columns(stage, decision))
        }
        Some(decision) if elsewhere => no_room(decision),
        _ => String::from("the new version stands elsewhere"),
    };
    stage.note_bands(has_new_xmax, format!("the old version: xmax is set, t_ctid leads to the new one; {why}"));
    let entry =
        if has_index(stage) { "every index gets an entry for it" } else { "an index would need an entry for it" };
    let new = match (elsewhere, blocked) {
        (true, _) => format!("the new version is on another page: a HOT chain cannot go there, so {entry}"),
        (false, true) => format!("the new version is on the same page, and yet not HOT: {entry}"),
        (false, false) => format!("the new version: not heap-only, so {entry}"),
    };
    let is_version = is_new_version(stage);
    stage.note_bands(is_version, new);
}

/// Has the table that is drawn first an index?
fn has_index(stage: &Stage<'_>) -> bool {
    let table = stage.concerned().find_map(|(_, panel)| Some(stage.table_of(panel.page?.relation)));
    table.is_none_or(|table| stage.look.state.indexes(table).next().is_some())
}

/// A tuple that the `t_ctid` of another leads to: what a statement inserted besides, as MERGE does, is no version of a
/// row that was there. Where the old ones are not in sight, all new ones are taken for such.
fn is_new_version(stage: &Stage<'_>) -> impl Fn(&Band) -> bool + use<> {
    let mut next: BTreeSet<ItemPointer> = BTreeSet::new();
    for id in stage.concerned().filter_map(|(_, panel)| panel.page) {
        let relation = stage.look.relation(id.relation);
        if id.fork == ForkNumber::Main && relation.is_some_and(|relation| relation.am == AccessMethod::Heap) {
            let page = stage.look.page(id).map(|page| HeapPage::decode(page, id.block));
            let tuples = page.iter().flat_map(|page| &page.items).filter_map(|item| item.tuple.as_ref());
            next.extend(tuples.filter(|tuple| tuple.t_ctid != tuple.tid).map(|tuple| tuple.t_ctid));
        }
    }
    move |band| {
        is_new(band) && (next.is_empty() || band.goal.and_then(Goal::row).is_some_and(|tid| next.contains(&tid)))
    }
}

fn columns(stage: &Stage<'_>, decision: &HotDecision) -> String {
    let table = stage
        .panels
        .iter()
        .filter_map(|panel| panel.page)
        .find_map(|id| stage.look.relation(id.relation).filter(|r| r.kind != RelKind::Index));
    let name = |attnum: &u16| {
        let attribute = table?.attributes.get(usize::from(*attnum).checked_sub(1)?)?;
        Some(attribute.name.clone())
    };
    let names: Vec<String> = decision.blocking.iter().flatten().filter_map(name).collect();
    names.join(", ")
}

fn no_room(decision: &HotDecision) -> String {
    match decision.free {
        Some(free) if free < decision.needed => format!(
            "its page has no room: {} needed, {} free",
            words::thousands(decision.needed.into()),
            words::thousands(free.into())
        ),
        _ => String::from("it did not stay on this page"),
    }
}

pub(super) fn insert(stage: &mut Stage<'_>) {
    let reused = stage.concerned().flat_map(|(_, panel)| panel.chips()).any(|chip| chip.fate == Fate::Changed);
    let rows = bands(stage).filter(|band| is_tuple(band.role)).count();
    let what = match (reused, rows) {
        (true, _) => "a new tuple; it uses a line pointer again that was free",
        (false, 0 | 1) => "the page's first tuple, at its end, and the first line pointer",
        (false, _) => "a new tuple, put in front of the others, and a new line pointer to it",
    };
    stage.note_bands(is_new, what);
    from_story_where_nothing(stage);
}

pub(super) fn many_inserts(stage: &mut Stage<'_>) {
    let n = stage.told.events.iter().find(|event| event.kind == EventKind::Insert).map_or(1, |event| event.count);
    let n = n.max(bands(stage).filter(|band| is_new(band)).count());
    stage.note_bands(
        is_new,
        format!("{}: each takes the free space's end, and a line pointer", some(n, "new tuple", "a")),
    );
    from_story_where_nothing(stage);
}

/// Many rows: how many of the updates were HOT, and an arrow for the first of them.
pub(super) fn many_updates(stage: &mut Stage<'_>) {
    let updates = || stage.told.events.iter().filter(|event| event.kind == EventKind::Update);
    let n: usize = updates().map(|event| event.count).sum();
    let is_hot = |event: &&Event| event.hot.as_ref().is_some_and(|decision| decision.hot);
    let hot: usize = updates().filter(is_hot).map(|event| event.count).sum();
    let rows = words::count(n as u64, "row");
    let how = match hot {
        0 => String::from("none of them HOT"),
        hot if hot == n => String::from("all of them HOT"),
        hot => format!("{} of them HOT", words::thousands(hot as u64)),
    };
    next_version(stage);
    stage.note_bands(
        has_new_xmax,
        format!("{rows} updated: of the old versions xmax is set, and t_ctid leads to the new one"),
    );
    let is_version = is_new_version(stage);
    stage.note_bands(is_version, format!("as many new versions, {how}"));
    from_story_where_nothing(stage);
}

pub(super) fn delete(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| has_new_xmax(band) && band.tag.contains(TO_PARTITION),
        "xmax is set, and t_ctid says that the row went to another partition: it does not lead to the new version",
    );
    stage.note_bands(
        |band| has_new_xmax(band) && !band.tag.contains(TO_PARTITION),
        "only xmax changes: the tuple keeps its place until nobody can see it and pruning or VACUUM removes it",
    );
    from_story_where_nothing(stage);
}

pub(super) fn lock(stage: &mut Stage<'_>) {
    let is_over = |band: &Band| is_changed(band) && band.tag.contains("was locked ");
    let what = "locked, not deleted: the locker stands in xmax, with a flag that says so";
    stage.note_bands(
        |band| is_changed(band) && band.tag.contains("locked by multixact"),
        "several transactions lock the row: in xmax is the number of their multixact, whose members pg_multixact has",
    );
    stage.note_bands(is_over, format!("{what}; the lock ended with its transaction, and xmax stays as it is"));
    stage.note_bands(is_changed, what);
    from_story_where_nothing(stage);
}

pub(super) fn prune(stage: &mut Stage<'_>) {
    stage.note_bands(is_gone, "dead versions, which nobody can see any more: removed, and their bytes are free");
    redirects(stage);
    stage.note_chips(
        |chip| chip.fate == Fate::Changed && chip.role == Role::LpDead,
        "LP_DEAD: an index may still lead here, so VACUUM has to clean the indexes first",
    );
    let unused = match stage.is_whole {
        true => "LP_UNUSED: no index leads here any more, so the line pointer can be used again",
        false => "LP_UNUSED: no index leads here, so the line pointer can be used again at once",
    };
    stage.note_chips(|chip| chip.fate == Fate::Changed && chip.role == Role::LpUnused, unused);
    let hints = bands(stage).any(|band| is_changed(band) && band.tag.contains("hint"));
    let way = if hints { "; hint bits were set on the way" } else { "" };
    stage.note_bands(|band| is_changed(band) && band.tag.contains(FROZEN), super::FROZEN);
    let has_moved = |band: &Band| is_tuple(band.role) && band.tag.contains(MOVED);
    stage.note_bands(has_moved, format!("what stays moves together: the free space is one piece{way}"));
    if !stage.is_whole {
        stage.note_bands(is_changed, "its header changed");
    }
    from_story_where_nothing(stage);
}

fn redirects(stage: &mut Stage<'_>) {
    let is_it = |chip: &Chip| chip.fate == Fate::Changed && chip.role == Role::LpRedirect;
    stage.note_chips(is_it, "LP_REDIRECT: index entries still lead here, and from here to the version that is left");
    let first = stage.concerned().find_map(|(n, panel)| {
        let chip = panel.chips().find(|chip| is_it(chip))?;
        Some((n, PartId::Region(RegionKind::Tuple(chip.target?))))
    });
    if let Some((n, target)) = first {
        stage.arrow(stage.chip_place(n, is_it), stage.tuple_place(n, target), true, "redirect");
    }
}

pub(super) fn free_line_pointers(stage: &mut Stage<'_>) {
    stage.note_chips(
        |chip| chip.fate == Fate::Changed && chip.role == Role::LpUnused,
        "LP_DEAD → LP_UNUSED: no index leads here any more, so new rows can use them",
    );
    stage.note_chips(|chip| chip.fate == Fate::Gone, "unused ones at the end of the array are cut off");
    from_story_where_nothing(stage);
}

pub(super) fn freeze(stage: &mut Stage<'_>) {
    stage.note_bands(is_changed, super::FROZEN);
    from_story_where_nothing(stage);
}

pub(super) fn hint_bits(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| is_changed(band) && band.role == Role::TupleAborted,
        "pg_xact says that its transaction was rolled back, and that is noted here: it counts for nobody, and pruning or VACUUM removes it",
    );
    stage.note_bands(
        is_changed,
        "what pg_xact says of the transaction is noted in the tuple, so that the next reader need not look there; not in the WAL",
    );
    from_story_where_nothing(stage);
}

pub(super) fn sequence(stage: &mut Stage<'_>) {
    stage.note_bands(is_changed, super::SEQUENCE);
    from_story_where_nothing(stage);
}

pub(super) fn in_place(stage: &mut Stage<'_>) {
    stage.note_bands(
        is_changed,
        "overwritten where it stands, by no new version: at once seen by everybody, and no rollback takes it back",
    );
    from_story_where_nothing(stage);
}

/// The chunks of a long value, and the row that points to them.
pub(super) fn toast(stage: &mut Stage<'_>) {
    let chunks = || stage.concerned().filter(|(_, panel)| is_toast(stage, panel));
    let gone = chunks().flat_map(|(_, panel)| panel.bands()).any(is_changed);
    let first = chunks().find_map(|(n, _)| stage.place_in(n, is_new));
    let rows = stage.concerned().find(|(_, panel)| !is_toast(stage, panel));
    let row = rows.and_then(|(n, _)| stage.place_in(n, |band| is_tuple(band.role) && band.fate.takes_part()));
    stage.arrow(row, first, true, "TOAST pointer");
    stage.note_bands(
        |band| is_new(band) && band.text.starts_with("chunk_id"),
        "the value, cut into chunks: rows of the TOAST table of at most a quarter of a page",
    );
    if gone {
        stage.note_bands(
            |band| is_changed(band) && band.text.starts_with("chunk_id"),
            "chunks of a value that no row points to any more: deleted like rows, and VACUUM removes them",
        );
    }
    stage.note_bands(
        |band| is_new(band) || band.fate == Fate::Concerned,
        "the row has a pointer of 18 bytes in place of the value",
    );
    from_story_where_nothing(stage);
}

fn is_toast(stage: &Stage<'_>, panel: &Panel) -> bool {
    let relation = panel.page.and_then(|id| stage.look.relation(id.relation));
    relation.is_some_and(|relation| relation.kind == RelKind::Toast)
}

pub(super) fn rolled_back(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| super::is_changed(band) && band.role == Role::TupleAborted,
        "put there by a transaction that was rolled back: it counts for nobody, and pruning or VACUUM removes it",
    );
    stage.note_bands(
        |band| is_changed(band) && band.tag.contains("xmax invalid"),
        "deleted or updated by a transaction that was rolled back: so it was not, and is seen as before",
    );
    from_story_where_nothing(stage);
}

/// Rows whose transaction, or a part of it, was rolled back in the steps that are drawn.
pub(super) fn taken_back(stage: &mut Stage<'_>) -> bool {
    let is_void = |band: &Band| band.tag.contains(ROLLED_BACK) && is_tuple(band.role);
    let new = stage.note_bands(
        |band| is_void(band) && band.fate == Fate::New,
        "rolled back: the new tuple stays on the page and counts for nobody, until pruning or VACUUM removes it",
    );
    let old = stage.note_bands(
        |band| is_void(band) && band.fate == Fate::Changed,
        "rolled back: nothing is undone on the page, but an xmax that was rolled back does not count: the row is as before",
    );
    new || old
}
