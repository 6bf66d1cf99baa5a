//! Catalog facts: relations made, dropped, rewritten, altered; files longer or shorter; sequences.

use super::words::{count, list, number};
use super::{Captures, EventKind};
use crate::timeline::{Cause, Event, RelationChange};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::Attribute;
use ffviz_format::heap::HeapPage;
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::PgVersion;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, ForkNumber, OffsetNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation, State};

/// What a capture holds, tables before their indexes.
pub fn present(state: &State) -> Vec<Event> {
    let mut events: Vec<(u8, Event)> = Vec::new();
    for relation in state.relations.values() {
        let size = count(relation.blocks.main as usize, "block");
        let what = match relation.am {
            // a file of a map was opened alone
            _ if state.file.is_some() && relation.blocks.main == 0 && maps(relation).is_some() => {
                maps(relation).unwrap_or_default()
            }
            AccessMethod::Btree => format!("index {}, {size}{}", relation.told(), tree_size(state, relation)),
            AccessMethod::Other(ref am) => format!("{am} index {}, {size}", relation.told()),
            _ => format!("{} {}, {size}{}", relation.kind.word(), relation.told(), tuples(state, relation)),
        };
        let why = match &relation.index {
            Some(_) => definition(relation),
            // the catalogs have it; a file says nothing of it
            None if relation.kind == RelKind::Table && state.file.is_none() => {
                format!("fillfactor is {}.", relation.fillfactor.unwrap_or(100))
            }
            None => String::new(),
        };
        let rank = if relation.kind == RelKind::Table { 0 } else { 1 };
        events.push((rank, event(relation, EventKind::Start, what, why)));
    }
    events.sort_by_key(|(rank, _)| *rank);
    events.into_iter().map(|(_, event)| event).collect()
}

/// `free space map 16384_fsm, 3 blocks`; `None` where there is neither map.
fn maps(relation: &Relation) -> Option<String> {
    let forks = [(ForkNumber::Fsm, "free space map"), (ForkNumber::Vm, "visibility map")];
    let (fork, word) = forks.into_iter().find(|(fork, _)| relation.blocks.of(*fork) > 0)?;
    Some(format!("{word} {}, {}", relation.told(), count(relation.blocks.of(fork) as usize, "block")))
}

/// `, 5 tuples` on the pages that were read; where none was, what the statistics have.
fn tuples(state: &State, relation: &Relation) -> String {
    if !matches!(relation.kind, RelKind::Table | RelKind::MaterializedView | RelKind::Toast) {
        return String::new();
    }
    let pages = state.fork(relation.oid, ForkNumber::Main);
    let on =
        |(block, page): (u32, &Page)| HeapPage::decode(page, block).items.iter().filter(|i| i.tuple.is_some()).count();
    let (mut n, mut read): (usize, u32) = (0, 0);
    for page in pages {
        n += on(page);
        read += 1;
    }
    if read == 0 && relation.blocks.main > 0 {
        // 0 also stands for "nobody has counted", as after a crash
        let rows = relation.stats.map(|stats| stats.n_live_tup).filter(|rows| *rows > 0);
        return rows.map_or_else(String::new, |rows| format!(", about {} (estimated)", count(rows as usize, "tuple")));
    }
    let where_ = if read < relation.blocks.main {
        format!(" on {} that {} read", count(read as usize, "page"), if read == 1 { "was" } else { "were" })
    } else {
        String::new()
    };
    format!(", {}{where_}", count(n, "tuple"))
}

/// What became of the relations.
pub fn events(captures: &Captures<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for RelationChange { before, after, .. } in &captures.step.relations {
        match (before.as_deref(), after.as_deref()) {
            (None, Some(new)) => events.push(appeared(captures, new)),
            (Some(old), None) => events.push(dropped(old)),
            (Some(old), Some(new)) if old.filenode != new.filenode => events.push(rewritten(captures, old, new)),
            (Some(old), Some(new)) => {
                events.extend(length(captures, old, new));
                events.extend(altered(old, new));
            }
            (None, None) => {}
        }
    }
    events
}

fn event(relation: &Relation, kind: EventKind, what: String, why: String) -> Event {
    let page = PageId { relation: relation.oid, fork: ForkNumber::Main, block: 0 };
    Event { what, why: (!why.is_empty()).then_some(why), ..Event::new(kind, page) }
}

fn appeared(captures: &Captures<'_>, new: &Relation) -> Event {
    let name = new.told();
    let size = count(new.blocks.main as usize, "block");
    let known = new.table.is_some_and(|table| captures.before.relations.contains_key(&table));
    if !known {
        // a statement's own step knows that the statement made it
        let is_capture = matches!(captures.step.cause, Cause::Capture);
        let why = if is_capture { "Made since the capture before, or not looked at until now." } else { "" };
        return event(
            new,
            EventKind::RelationNew,
            format!("{} {name} appears, {size}", new.kind.word()),
            why.to_string(),
        );
    }
    let built = if new.am == AccessMethod::Btree { tree_size(captures.after, new) } else { String::new() };
    event(new, EventKind::RelationNew, format!("{} {name} created, {size}{built}", new.kind.word()), definition(new))
}

/// How an index was defined, where the server says so.
fn definition(relation: &Relation) -> String {
    let known = relation.index.as_ref().filter(|index| !index.definition.is_empty());
    known.map_or_else(String::new, |index| format!("{}.", index.definition))
}

/// `: 3 leaves, level 1`
fn tree_size(state: &State, index: &Relation) -> String {
    let pages = state.fork(index.oid, ForkNumber::Main);
    let root = pages.map(|(_, page)| BtPage::decode(page, state.server.version)).find_map(|page| page.meta);
    match root {
        Some(meta) if meta.btm_root == 0 => ": empty, a metapage only".to_string(),
        Some(meta) => format!(": root is block {} on level {}", meta.btm_root, meta.btm_level),
        None => String::new(),
    }
}

fn dropped(old: &Relation) -> Event {
    let why = format!("It had {}.", count(old.blocks.main as usize, "block"));
    event(old, EventKind::RelationDropped, format!("{} {} is gone", old.kind.word(), old.told()), why)
}

fn rewritten(captures: &Captures<'_>, old: &Relation, new: &Relation) -> Event {
    let (kind, name) = (new.kind.word(), new.told());
    let blocks = |relation: &Relation| count(relation.blocks.main as usize, "block");
    let what = match (new.kind, new.blocks.main) {
        (RelKind::Index, _) => format!("{kind} {name} rebuilt: {} → {}", blocks(old), blocks(new)),
        (_, 0) if old.blocks.main > 0 => format!("{kind} {name} emptied: {} → 0", blocks(old)),
        _ => format!("{kind} {name} rewritten: {} → {}", blocks(old), blocks(new)),
    };
    let who = match (new.kind, new.blocks.main) {
        (RelKind::Index, _) => "REINDEX, TRUNCATE, VACUUM FULL, CLUSTER or ALTER TABLE made it anew",
        (_, 0) => {
            "TRUNCATE gives the table a new, empty file instead of deleting rows; VACUUM FULL and CLUSTER copy the rows that are alive into it"
        }
        _ if captures.is_measured() => {
            "VACUUM FULL, CLUSTER, an ALTER TABLE or REFRESH wrote the rows anew, each with a new TID; or TRUNCATE emptied the table, and what is there was inserted since"
        }
        _ => "VACUUM FULL, CLUSTER or an ALTER TABLE copied the rows that are alive; each has a new TID",
    };
    event(
        new,
        EventKind::Rewritten,
        what,
        format!("The file is another one, {} instead of {}: {who}.", new.filenode, old.filenode),
    )
}

/// Why a table grew. `RelationGetBufferForTuple` (src/backend/access/heap/hio.c) is not sent to the free space map by
/// `HEAP_INSERT_SKIP_FSM`, nor in 13 for a row that is too long to leave free what fillfactor says;
/// `RelationAddExtraBlocks` (from 16 on `RelationAddBlocks`) adds pages ahead.
fn why_longer(version: PgVersion, was: BlockNumber, is: BlockNumber) -> String {
    let mut why = String::from(if was == 0 { "The file had no block yet." } else { "" });
    if is - was == 1 && was == 0 {
        return why;
    }
    let long = if version.looks_for_an_empty_page() {
        ""
    } else {
        ", nor does 13 for a row that fits on no page beside what fillfactor keeps free"
    };
    let space = if was == 0 { " For the others: either" } else { "Either" };
    why += &format!(
        "{space} no page with enough room was known, or none was looked for: CREATE TABLE AS, and COPY into a file that its own transaction made, do not ask the free space map{long}."
    );
    if is - was > 1 {
        let bulk = if version.extends_in_bulk() { ", COPY and CREATE TABLE AS" } else { "" };
        why += &format!(" Pages are also added ahead of need, for sessions that wait to extend the file{bulk}.");
    }
    why
}

fn length(captures: &Captures<'_>, old: &Relation, new: &Relation) -> Vec<Event> {
    let mut events = Vec::new();
    let (was, is) = (old.blocks.main, new.blocks.main);
    let what = format!("{} {}: {} → {}", new.kind.word(), new.told(), count(was as usize, "block"), number(is.into()));
    if is < was {
        let why = match is == 0 && !captures.is_measured() {
            true => {
                "TRUNCATE empties a file at once where the same transaction has made it; else VACUUM found no row in all of it, and gave its pages back to the operating system."
            }
            false => {
                "VACUUM found no row on the pages at the end of the file and gave them back to the operating system. It tries where that frees 1,000 pages or a sixteenth of the table."
            }
        };
        events.push(event(new, EventKind::Truncated, what, why.to_string()));
    } else if is > was && new.am == AccessMethod::Heap {
        events.push(event(new, EventKind::Extended, what, why_longer(captures.version(), was, is)));
    }
    let made = |fork: ForkNumber| old.blocks.of(fork) == 0 && new.blocks.of(fork) > 0;
    let forks = [
        (
            ForkNumber::Vm,
            "visibility map",
            "VACUUM makes it when it first comes by; from 14 on COPY with FREEZE does too.",
        ),
        (
            ForkNumber::Fsm,
            "free space map",
            "It is made when there is room on a page to be remembered: by VACUUM, when a row did not fit where it was tried first, or when the file grew by more pages than were needed at once.",
        ),
    ];
    for (fork, word, why) in forks {
        if made(fork) && matches!(new.kind, RelKind::Table | RelKind::MaterializedView) {
            let what = format!("{word} of {} created, {}", new.told(), count(new.blocks.of(fork) as usize, "block"));
            events.push(event(new, EventKind::Extended, what, why.to_string()));
        }
    }
    events
}

fn altered(old: &Relation, new: &Relation) -> Vec<Event> {
    let mut events = Vec::new();
    if (&old.schema, &old.name) != (&new.schema, &new.name) {
        let what = format!("{} {}.{} is now {}.{}", old.kind.word(), old.schema, old.name, new.schema, new.name);
        events.push(event(new, EventKind::Altered, what, "Its file is the same.".to_string()));
    }
    if old.fillfactor != new.fillfactor {
        let default = if new.am == AccessMethod::Btree { 90 } else { 100 };
        let (was, is) = (old.fillfactor.unwrap_or(default), new.fillfactor.unwrap_or(default));
        let what = format!("fillfactor of {}: {was} → {is}", new.told());
        let why = "It holds for what is put onto pages from now on. Pages that are fuller stay so.";
        events.push(event(new, EventKind::Altered, what, why.to_string()));
    }
    let added: Vec<&str> = new.attributes.iter().skip(old.attributes.len()).map(|a| a.name.as_str()).collect();
    if !added.is_empty() {
        let why = "No tuple was touched: those that are older have fewer attributes, and the catalog says what the column is in them.";
        events.push(event(
            new,
            EventKind::Altered,
            format!("{}: column {} added", new.told(), list(&added)),
            why.to_string(),
        ));
    }
    let pairs = || old.attributes.iter().zip(&new.attributes);
    let gone: Vec<&str> = pairs().filter(|(o, n)| n.dropped && !o.dropped).map(|(o, _)| o.name.as_str()).collect();
    if !gone.is_empty() {
        let why = "Only the catalog knows: the values stay in the tuples until those are written anew.";
        events.push(event(
            new,
            EventKind::Altered,
            format!("{}: column {} dropped", new.told(), list(&gone)),
            why.to_string(),
        ));
    }
    let differs = |(o, n): &(&Attribute, &Attribute)| !n.dropped && (&o.name, &o.type_name) != (&n.name, &n.type_name);
    let others: Vec<&str> = pairs().filter(differs).map(|(_, n)| n.name.as_str()).collect();
    if !others.is_empty() {
        let what = format!("{}: column {} changed name or type", new.told(), list(&others));
        events.push(event(
            new,
            EventKind::Altered,
            what,
            "The file is the same, so the stored bytes are too.".to_string(),
        ));
    }
    events
}

/// `FormData_pg_sequence_data` (src/include/commands/sequence.h): `last_value`, `log_cnt`, `is_called`.
pub fn sequence(captures: &Captures<'_>, relation: &Relation) -> Option<Event> {
    let change = captures.changes(relation.oid, ForkNumber::Main).next()?;
    let values = |page: &Page| {
        let data = HeapPage::decode(page, 0).tuple(OffsetNumber(1))?.data();
        let bytes = page.slice(data);
        Some((i64::get(bytes), i64::get(bytes.get(8..)?), *bytes.get(16)? != 0))
    };
    let (was, is) = (values(change.before.as_ref()?)?, values(change.after.as_ref()?)?);
    let state = |(last, _, called): (i64, i64, bool)| {
        if called { last.to_string() } else { format!("{last} (not yet given out)") }
    };
    let what = match captures.redact {
        true => format!("sequence {}: last_value changed", relation.told()),
        false => format!("sequence {}: last_value {} → {}", relation.told(), state(was), state(is)),
    };
    if captures.step.cause == Cause::NotLogged {
        let why = "Its records say a value up to 32 ahead, where recovery would go on; the page says what was given out so far.";
        let what = match captures.redact {
            true => format!("sequence {}: last_value on the page", relation.told()),
            false => format!("sequence {}: last_value on the page is {}", relation.told(), state(is)),
        };
        return Some(event(relation, EventKind::Sequence, what, why.to_string()));
    }
    let why = format!(
        "log_cnt {} → {}: so many values may still be given out without a WAL record, since each record covers 32 values ahead. A rollback does not take values back.",
        was.1, is.1
    );
    Some(event(relation, EventKind::Sequence, what, why))
}
