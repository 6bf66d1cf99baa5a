//! Why an UPDATE was, or was not, HOT: `heap_update` (src/backend/access/heap/heapam.c) asked again, of the bytes.
//!
//! HOT ⇔ the new version fits on the old one's page, and no column changed that an index depends on
//! (from 16 on: other than a summarising index, BRIN), and, in 13 and 14, `PD_PAGE_FULL` was not set on the page.

use super::rows::{PagePair, TableDiff, Update, Version, maxalign};
use super::{Captures, HotDecision};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Datum, Storage, deform};
use ffviz_format::page::header::PD_PAGE_FULL;
use ffviz_format::page::{ItemIdData, Page, PageHeaderData};
use ffviz_format::state::Relation;

const LINE_POINTER: u16 = ItemIdData::SIZE as u16;

/// What an UPDATE decided on, and the columns it changed.
pub struct Judged<'a> {
    /// the update
    pub update: Update<'a>,
    /// the decision
    pub decision: HotDecision,
    /// columns whose stored values differ; none where row data is redacted, since filler tells nothing
    pub changed: Vec<&'a Attribute>,
    /// columns whose value is compressed or in the TOAST table
    pub toasted: Vec<&'a Attribute>,
    /// those that an index depends on: changed or not, the comparison may have said so
    pub doubtful: Vec<&'a Attribute>,
    /// does the new version take a line pointer that was `LP_UNUSED`?
    pub reuses: bool,
    /// the table's indexes
    pub indexes: Vec<&'a Relation>,
}

impl<'a> Judged<'a> {
    /// Looks at one UPDATE.
    pub fn new(captures: &Captures<'a>, diff: &'a TableDiff<'_>, update: Update<'a>) -> Self {
        let indexes: Vec<&Relation> = captures.indexes(diff.relation.oid);
        // Filler says nothing about what the columns held.
        let known = update.old.is_some() && !captures.before.redacted && !captures.after.redacted;
        let (mut changed, toasted) = match update.old {
            Some(old) => compare(diff.relation, &old, &update.new),
            None => (Vec::new(), Vec::new()),
        };
        changed.retain(|_| known);
        let stands_in_the_way = |a: &&Attribute| indexes.iter().any(|index| blocks_hot(captures, index, a.num));
        let home = update.old.map_or(update.new.tid.block, |old| old.tid.block);
        let doubtful: Vec<&Attribute> = toasted.iter().copied().filter(stands_in_the_way).collect();
        let full = |page: &Page| page.header().pd_flags() & PD_PAGE_FULL != 0;
        let pair = diff.page(home);
        // nothing but pruning takes the flag away
        let was_full = pair.is_some_and(|pair| {
            !pair.was_pruned() && full(pair.after.0) && pair.before.as_ref().is_some_and(|(page, _)| full(page))
        });
        let decision = HotDecision {
            old: update.old.map(|old| old.tid),
            new: update.new.tid,
            hot: update.new.tuple.is_heap_only(),
            blocking: known.then(|| changed.iter().filter(|a| stands_in_the_way(a)).map(|a| a.num).collect()),
            needed: maxalign(update.new.len()) + LINE_POINTER,
            free: free_before(captures, diff, &update),
            pruned: captures.is_measured() && pair.is_some_and(PagePair::was_pruned),
            page_full: !captures.version().hot_ignores_page_full()
                && pair.is_some_and(|pair| full(pair.after.0))
                && update.old.is_some_and(|old| old.tid.block == update.new.tid.block),
            // redo does not take the flag away as pruning does: of a replayed page it tells nothing by itself
            surely_full: was_full && (captures.is_measured() || known && doubtful.is_empty()),
        };
        let reuses =
            diff.page(update.new.tid.block).is_some_and(|pair| !is_new_line_pointer(captures, pair, &update.new));
        Self { update, decision, changed, toasted, doubtful, reuses, indexes }
    }
}

/// Does a change of this column keep an UPDATE from being HOT?
pub fn blocks_hot(captures: &Captures<'_>, index: &Relation, attnum: u16) -> bool {
    index.index.as_ref().is_some_and(|i| {
        i.depends.contains(&attnum) && (!captures.version().hot_ignores_summarizing() || !i.summarizing)
    })
}

/// The columns whose stored values differ, and those whose value is compressed or stored elsewhere.
fn compare<'a>(table: &'a Relation, old: &Version<'_>, new: &Version<'_>) -> (Vec<&'a Attribute>, Vec<&'a Attribute>) {
    let columns = |v: &Version<'_>| {
        let nulls = v.page.slice(v.tuple.null_bitmap());
        deform(v.page, v.tuple.data(), nulls, v.tuple.natts(), &table.attributes)
    };
    let (mut changed, mut toasted) = (Vec::new(), Vec::new());
    for ((attribute, was), is) in table.attributes.iter().zip(columns(old)).zip(columns(new)) {
        if attribute.dropped {
            continue;
        }
        if !same_value(attribute, (old, &was), (new, &is)) {
            changed.push(attribute);
        }
        if matches!(is.storage, Storage::Compressed | Storage::External) {
            toasted.push(attribute);
        }
    }
    (changed, toasted)
}

/// `heap_attr_equals`: the stored bytes are compared, not what they mean.
fn same_value(attribute: &Attribute, (old, was): (&Version<'_>, &Datum), (new, is): (&Version<'_>, &Datum)) -> bool {
    match (was.storage, is.storage) {
        // The old version is older than the column, and has the value that ALTER TABLE gave it.
        (Storage::Missing, Storage::Null | Storage::Missing) => {
            attribute.missing.is_none() || was.storage == is.storage
        }
        (Storage::Missing, _) => attribute.missing.as_deref() == Some(is.text(new.page, attribute).as_str()),
        _ => was.storage == is.storage && old.page.slice(was.bytes.clone()) == new.page.slice(is.bytes.clone()),
    }
}

/// Bytes between `pd_lower` and `pd_upper` on the old version's page just before the new version was to be put there.
fn free_before(captures: &Captures<'_>, diff: &TableDiff<'_>, update: &Update<'_>) -> Option<u16> {
    let old = update.old?;
    let pair = diff.page(old.tid.block)?;
    if old.tid.block == update.new.tid.block {
        return Some(free_before_putting(captures, pair, &update.new));
    }
    // It did not fit: so less was free than needed, before anything was put there later or freed since.
    let needed = maxalign(update.new.len()) + LINE_POINTER;
    let free = |header: PageHeaderData<'_>| header.pd_upper().saturating_sub(header.pd_lower());
    let candidates = [Some(free(pair.after.0.header())), pair.before.as_ref().map(|(page, _)| free(page.header()))];
    candidates.into_iter().flatten().find(|free| *free < needed)
}

/// Tuples are put from `pd_upper` downwards: what lies above a tuple was there before it.
pub fn free_before_putting(captures: &Captures<'_>, pair: &PagePair<'_>, new: &Version<'_>) -> u16 {
    let upper = new.tuple.bytes.start.saturating_add(maxalign(new.len()));
    let later = |offset| {
        pair.version_after(offset).is_some_and(|v| !pair.kept(offset) && v.tuple.bytes.start < new.tuple.bytes.start)
    };
    let others = pair.after.1.items.iter().filter(|i| i.offset != new.tid.offset && !later(i.offset));
    let mut line_pointers = others.map(|i| i.offset.0).max().unwrap_or(0);
    if !is_new_line_pointer(captures, pair, new) {
        line_pointers = line_pointers.max(new.tid.offset.0);
    }
    upper.saturating_sub(PageHeaderData::SIZE as u16 + LINE_POINTER * line_pointers)
}

/// Was the line pointer added for this version, rather than used again?
pub fn is_new_line_pointer(captures: &Captures<'_>, pair: &PagePair<'_>, new: &Version<'_>) -> bool {
    let n = usize::from(new.tid.offset.0);
    // From 15 on pruning cuts unused line pointers off the end of the array.
    let cut = || {
        captures.version().hot_ignores_page_full()
            && pair.pruned()
            && pair.after.1.items.iter().skip(n - 1).all(|i| i.tuple.is_some() && !pair.kept(i.offset))
    };
    n > pair.items_before() || cut()
}
