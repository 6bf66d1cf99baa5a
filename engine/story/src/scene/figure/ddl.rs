//! What became of relations: the line above the figure of a statement that creates, alters or drops them.
//!
//! ```text
//! table orders created, with an index
//! orders: 3 rows copied into a new file; column amount is bigint now
//! index orders_amount built: 3 entries
//! ```

use super::relations;
use crate::scene::{Look, words};
use crate::timeline::{PageChange, RelationChange};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::heap::HeapPage;
use ffviz_format::nbtree::{BtKind, BtPage, IndexTuple, IndexTupleKind};
use ffviz_format::page::{ForkNumber, Oid, Page};
use ffviz_format::state::{AccessMethod, RelKind, Relation};

/// relations that are named
const MOST: usize = 3;

/// What became of a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Created,
    Dropped,
    Rewritten,
    Altered,
}

/// A relation that became another, or none.
struct Change<'a> {
    of: &'a RelationChange,
    /// as it is, or was
    relation: &'a Relation,
    fate: Fate,
}

/// What the steps did to relations; `None` where nothing is known of it.
pub(super) fn of(look: &Look<'_>) -> Option<String> {
    let changes: Vec<Change<'_>> = look.step.relations.iter().filter_map(change).collect();
    let least = changes.iter().map(|change| rank(change.relation)).min()?;
    let is_main = |change: &&Change<'_>| rank(change.relation) == least;
    let first = changes.iter().find(is_main)?;
    let main: Vec<&Change<'_>> = changes.iter().filter(is_main).filter(|change| change.fate == first.fate).collect();
    Some(match first.fate {
        Fate::Created if first.relation.kind == RelKind::Index => built(look, &main),
        Fate::Created => format!("{} created{}", named(&main), with(&changes, first)),
        Fate::Dropped => format!("{} dropped{}", named(&main), with(&changes, first)),
        Fate::Rewritten => format!("{}: {}{}", names(&main), rewritten(look, &main), also(first)),
        Fate::Altered => renamed(first).or_else(|| Some(format!("{}: {}", names(&main), altered(first)?)))?,
    })
}

fn change(of: &RelationChange) -> Option<Change<'_>> {
    let (before, after) = (of.before.as_deref(), of.after.as_deref());
    let fate = match (before, after) {
        (None, _) => Fate::Created,
        (_, None) => Fate::Dropped,
        _ if of.is_rewritten() => Fate::Rewritten,
        (Some(was), Some(is)) => relations::altered(was, is).map(|_| Fate::Altered)?,
    };
    Some(Change { of, relation: after.or(before)?, fate })
}

/// What a statement is about first: a table before what belongs to it.
const fn rank(relation: &Relation) -> u8 {
    match relation.kind {
        RelKind::Table | RelKind::PartitionedTable | RelKind::MaterializedView => 0,
        RelKind::Index | RelKind::PartitionedIndex => 1,
        RelKind::Sequence => 2,
        _ => 3,
    }
}

/// `table t`, `tables a, b`
fn named(main: &[&Change<'_>]) -> String {
    let [first, others @ ..] = main else { return String::new() };
    if others.iter().any(|other| other.relation.kind != first.relation.kind) {
        return names(main);
    }
    let plural = match (others.is_empty(), first.relation.kind) {
        (true, _) => "",
        (false, RelKind::Index | RelKind::PartitionedIndex) => "es",
        (false, _) => "s",
    };
    format!("{}{plural} {}", first.relation.kind.word(), names(main))
}

/// `a, b, c and 4 more`
fn names(main: &[&Change<'_>]) -> String {
    let named: Vec<_> = main.iter().take(MOST).map(|change| change.relation.told()).collect();
    match main.len().saturating_sub(MOST) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// `, with 2 indexes and a TOAST table`: what came or went with the first.
fn with(changes: &[Change<'_>], first: &Change<'_>) -> String {
    let toast: Vec<Oid> =
        changes.iter().filter(|change| change.relation.kind == RelKind::Toast).map(|change| change.of.oid).collect();
    let is_of_toast = |change: &&Change<'_>| change.relation.table.is_some_and(|table| toast.contains(&table));
    let of = |is_it: fn(&RelKind) -> bool| {
        let same = changes.iter().filter(|change| change.fate == first.fate && is_it(&change.relation.kind));
        same.filter(|change| change.relation.kind == RelKind::Toast || !is_of_toast(change)).count()
    };
    let counts = [
        (of(|kind| matches!(kind, RelKind::Index | RelKind::PartitionedIndex)), "an index", "indexes"),
        (of(|kind| *kind == RelKind::Toast), "a TOAST table", "TOAST tables"),
        (of(|kind| *kind == RelKind::Sequence), "a sequence", "sequences"),
    ];
    let others =
        counts.into_iter().filter(|(_, one, _)| !(first.relation.kind == RelKind::Sequence && *one == "a sequence"));
    let told: Vec<String> = others
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| if n == 1 { one.to_owned() } else { format!("{} {many}", words::thousands(n as u64)) })
        .collect();
    match &told[..] {
        [] => String::new(),
        [all @ .., last] if !all.is_empty() => format!(", with {} and {last}", all.join(", ")),
        [one, ..] => format!(", with {one}"),
    }
}

/// The rows in the file that a table has now.
fn rewritten(look: &Look<'_>, main: &[&Change<'_>]) -> String {
    if main.iter().all(|change| change.relation.kind == RelKind::Index) {
        return format!("built anew, {}", words::count(entries(look, main), "entry"));
    }
    let count = |page: fn(&PageChange) -> Option<&Page>| -> u64 {
        let pages = pages(look, main).filter_map(|change| Some((page(change)?, change.id.block)));
        pages
            .map(|(page, block)| HeapPage::decode(page, block).items.iter().filter(|i| i.tuple.is_some()).count())
            .sum::<usize>() as u64
    };
    match (count(|change| change.after.as_ref()), count(|change| change.before.as_ref())) {
        (0, 0) => String::from("a new file; there were no rows, and are none"),
        (0, gone) => format!("a new, empty file; {} gone with the old one", words::count(gone, "tuple")),
        (rows, _) if main.iter().all(|change| change.relation.kind == RelKind::MaterializedView) => {
            format!("the query ran again, {} in a new file", words::count(rows, "row"))
        }
        (rows, _) => format!("{} copied into a new file", words::count(rows, "row")),
    }
}

/// What else is new of a table that was written anew.
fn also(first: &Change<'_>) -> String {
    columns(first).map_or_else(String::new, |what| format!("; {what}"))
}

fn altered(first: &Change<'_>) -> Option<String> {
    let (was, is) = (first.of.before.as_deref()?, first.of.after.as_deref()?);
    columns(first).or_else(|| relations::altered(was, is))
}

/// `table orders is named purchases now`
fn renamed(first: &Change<'_>) -> Option<String> {
    let (was, is) = (first.of.before.as_deref()?, first.of.after.as_deref()?);
    (was.told() != is.told()).then(|| format!("{} {} is named {} now", is.kind.word(), was.told(), is.told()))
}

/// What became of columns.
fn columns(first: &Change<'_>) -> Option<String> {
    let (was, is) = (first.of.before.as_deref()?, first.of.after.as_deref()?);
    let pairs = || was.attributes.iter().zip(&is.attributes).filter(|(was, _)| !was.dropped);
    let added = is.attributes.iter().skip(was.attributes.len());
    let added = added.map(|column| format!("column {} added", column.name));
    let dropped = pairs().filter(|(_, is)| is.dropped).map(|(was, _)| format!("column {} dropped", was.name));
    let kept = || pairs().filter(|(_, is)| !is.dropped);
    let renamed = kept().filter(|(was, is)| was.name != is.name);
    let renamed = renamed.map(|(was, is)| format!("column {} is named {} now", was.name, is.name));
    let typed = kept().filter(|(was, is)| (was.typid, was.typmod) != (is.typid, is.typmod));
    let typed = typed.map(|(was, is)| match was.type_name == is.type_name {
        true => format!("column {} is {} of another length", is.name, is.type_name),
        false => format!("column {} is {} now", is.name, is.type_name),
    });
    let not_null = kept().filter(|(was, is)| was.not_null != is.not_null);
    let not_null = not_null.map(|(_, is)| match is.not_null {
        true => format!("column {} is NOT NULL now", is.name),
        false => format!("column {} may be NULL now", is.name),
    });
    let told: Vec<String> = dropped.chain(added).chain(renamed).chain(typed).chain(not_null).take(MOST).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

fn built(look: &Look<'_>, main: &[&Change<'_>]) -> String {
    let what = named(main);
    match main.iter().all(|change| change.relation.am == AccessMethod::Btree) {
        true => format!("{what} built: {}", words::count(entries(look, main), "entry")),
        false => format!("{what} built"),
    }
}

/// The entries of leaves of these indexes, each row of a posting list by itself.
fn entries(look: &Look<'_>, main: &[&Change<'_>]) -> u64 {
    let leaves = pages(look, main).filter_map(|change| change.after.as_ref().filter(|_| change.id.block > 0));
    let decoded = leaves.map(|page| BtPage::decode(page, look.version())).filter(|page| page.kind == BtKind::Leaf);
    let rows = |tuple: &IndexTuple| match &tuple.kind {
        IndexTupleKind::Posting(tids) => tids.len() as u64,
        _ => 1,
    };
    decoded.map(|page| page.data_items().iter().filter_map(|item| item.tuple.as_ref()).map(rows).sum::<u64>()).sum()
}

/// The changed pages of these relations' own files.
fn pages<'a>(look: &'a Look<'_>, main: &'a [&Change<'_>]) -> impl Iterator<Item = &'a PageChange> {
    let is_its = |oid: Oid| main.iter().any(|change| change.of.oid == oid);
    look.step.pages.iter().filter(move |change| change.id.fork == ForkNumber::Main && is_its(change.id.relation))
}
