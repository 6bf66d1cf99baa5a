//! A step that is a WAL record: what the record is and costs, in front of what its pages tell; and steps that no record
//! tells of.

use super::words::{bytes, number};
use super::{Captures, EventKind, without_image};
use crate::describe::{Before, RecordPart, Share, cost, headline};
use crate::timeline::xact::{Ending, ending_xid};
use crate::timeline::{Event, Explanation, Step, Unlogged};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::HeapPage;
use ffviz_format::page::{ForkNumber, Lsn, TransactionId};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation};
use ffviz_format::wal::record_type::{SmgrType, XactType, XlogType};
use ffviz_format::wal::{DecodedRecord, Record, RecordType, Rmgr};

/// The step of a record: `events` are what its pages tell.
pub fn explanation(captures: &Captures<'_>, record: &Record, events: Vec<Event>) -> Explanation {
    let Ok(decoded) = record.decode(captures.after.server.version) else {
        return Explanation { headline: format!("a damaged record at {}", record.start), events };
    };
    let mut told = Vec::from([first_event(captures, &decoded)]);
    told.extend(meaning(captures, &decoded));
    if events.is_empty() && captures.step.pages.is_empty() {
        told.extend(unseen(captures, &decoded));
    }
    told.extend(events);
    let line = line(captures, &decoded);
    Explanation { headline: if captures.step.is_redo() { format!("recovery: {line}") } else { line }, events: told }
}

/// What a record does, in a line, with the relation's name where it is about pages.
fn line(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> String {
    let did = if captures.redact { told_without_names(record) } else { headline(record) };
    match relation(captures, record) {
        Some(relation) if !relation.name.is_empty() => format!("{}: {did}", relation.told()),
        _ => did,
    }
}

/// Names that people gave to restore points and prepared transactions are no structure.
#[must_use]
pub fn told_without_names(record: &DecodedRecord<'_>) -> String {
    let line = headline(record);
    match line.split_once(" '") {
        Some((did, _)) if record.rmgr() == Rmgr::TRANSACTION => did.to_string(),
        _ if record.record_type() == RecordType::Xlog(XlogType::RestorePoint) => "restore point".to_string(),
        _ => line,
    }
}

/// The relation of the first block reference that belongs to one.
fn relation<'a>(captures: &Captures<'a>, record: &DecodedRecord<'_>) -> Option<&'a Relation> {
    let all = || captures.after.relations.values().chain(captures.before.relations.values());
    let owner = |file| all().find(|relation| relation.is_file(file)).map(AsRef::as_ref);
    record.blocks.iter().find_map(|block| owner(block.tag.locator))
}

/// Where the record is told: the first page that it changed, else the one that it names first, else any.
fn place(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> PageId {
    let named = || {
        let block = record.blocks.first()?;
        Some(PageId { relation: relation(captures, record)?.oid, fork: block.tag.fork, block: block.tag.block })
    };
    let any = || captures.after.relations.keys().next().copied().unwrap_or_default();
    let first = captures.step.pages.first().map(|change| change.id);
    named().or(first).unwrap_or_else(|| PageId { relation: any(), fork: ForkNumber::Main, block: 0 })
}

fn event(captures: &Captures<'_>, record: &DecodedRecord<'_>, kind: EventKind, what: String, why: String) -> Event {
    let page = place(captures, record);
    Event { what, why: (!why.is_empty()).then_some(why), ..Event::new(kind, page) }
}

/// `Heap HOT_UPDATE, 72 bytes at 0/1A2B3C8`: its parts, and its images.
fn first_event(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> Event {
    let shares = cost(record, &before(captures, record));
    let images = shares.iter().filter(|share| share.part == RecordPart::Image);
    let with = match images.clone().count() {
        0 => String::new(),
        1 => " with a full-page image".to_string(),
        n => format!(" with {n} full-page images"),
    };
    let (rmgr, name, start) = (record.rmgr().name(), record.type_name(), record.record.start);
    let what = format!("WAL record {rmgr}/{name} at {start}: {}{with}", bytes(record.tot_len()));
    let mut why = sum(record.tot_len(), &shares);
    for share in images.take(1) {
        why += &format!(" Image of {}: {}.", bytes(share.bytes), share.why);
    }
    if let Some(size) = without_image::size(captures, record) {
        why += &format!(
            " Without the image the record has {}: so much the next such change of the page costs.",
            bytes(size)
        );
    }
    event(captures, record, EventKind::Record, what, why)
}

/// `24 record header + 20 block reference + 28 main data = 72.`
fn sum(total: u32, shares: &[Share]) -> String {
    let mut parts: Vec<(RecordPart, u32, usize)> = Vec::new();
    for share in shares {
        match parts.iter_mut().find(|(part, ..)| *part == share.part) {
            Some((_, bytes, n)) => (*bytes, *n) = (*bytes + share.bytes, *n + 1),
            None => parts.push((share.part, share.bytes, 1)),
        }
    }
    let words = parts.iter().map(|(part, bytes, n)| {
        let bytes = number(u64::from(*bytes));
        if *n > 1 { format!("{bytes} in {n} {}s", part.name()) } else { format!("{bytes} {}", part.name()) }
    });
    format!("{} = {}.", number(u64::from(total)), words.collect::<Vec<_>>().join(" + "))
}

/// What is known of the time before the record: redo pointer, and the pages' positions.
fn before(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> Before {
    let page_lsn = |block: &ffviz_format::wal::BlockRef<'_>| {
        let oid = captures.before.relations.values().find(|relation| relation.is_file(block.tag.locator))?.oid;
        let id = PageId { relation: oid, fork: block.tag.fork, block: block.tag.block };
        let lsn: Lsn = captures.before.pages.get(&id)?.header().pd_lsn();
        // a torn page says that it is newer, which it was not when the record was written
        (lsn < record.record.end).then_some((block.id, lsn))
    };
    Before { redo: captures.after.redo, page_lsn: record.blocks.iter().filter_map(page_lsn).collect() }
}

/// What a transaction that is rolled back leaves on the pages that are known.
fn left(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> &'static str {
    let ending = Ending::of(record);
    let xids: Vec<TransactionId> = ending.as_ref().map_or_else(Vec::new, |ending| ending.xids().collect());
    let dropped = ending.map_or_else(Vec::new, |ending| ending.dropped);
    // what is in a file that goes with it does not stay
    let is_kept = |relation: &Relation| !dropped.iter().any(|file| relation.is_file(*file));
    let is_heap = |id: &PageId| {
        let relation = captures.after.relations.get(&id.relation);
        id.fork == ForkNumber::Main && relation.is_some_and(|it| it.am == AccessMethod::Heap && is_kept(it))
    };
    let mut has_ended = false;
    for (id, page) in captures.after.pages.iter().filter(|(id, _)| is_heap(id)) {
        let page = HeapPage::decode(page, id.block);
        for tuple in page.items.iter().filter_map(|item| item.tuple.as_ref()) {
            if xids.contains(&tuple.t_xmin) {
                return "Nothing is undone: its versions stay on the pages, and readers find in pg_xact that they do not count, until pruning or \
                        VACUUM removes them. No client waits for this record.";
            }
            has_ended |= !tuple.is_xmax_multi() && xids.contains(&tuple.t_xmax);
        }
    }
    if has_ended {
        return "Nothing is undone: versions that it deleted or locked keep its id as xmax, and readers find in pg_xact that it does not count. \
                No client waits for this record.";
    }
    if !dropped.is_empty() {
        return "The files that it made are deleted with it. On other pages that are known here it left no version and no xmax: there is nothing \
                to undo or to clean up. No client waits for this record.";
    }
    "On the pages that are known here it left no version and no xmax: there is nothing to undo or to clean up. No client waits for this record."
}

/// What records mean that change no page.
fn meaning(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> Option<Event> {
    let xid = ending_xid(record);
    let updates_in_place = captures.after.relations.values().any(|relation| relation.kind == RelKind::Undo);
    let (kind, what, why) = match record.record_type() {
        RecordType::Xact(of) => match of {
            XactType::Commit if updates_in_place => (
                EventKind::TransactionEnd,
                format!("transaction {xid} is committed once this record is on disk"),
                "The pages stay as they are, its undo records too: snapshots that were taken before need the old values.",
            ),
            XactType::Abort if updates_in_place => (
                EventKind::TransactionEnd,
                format!("transaction {xid} is rolled back"),
                "By now its undo records are back in the rows, each with a record of its own: here a rollback costs as much as the changes.",
            ),
            XactType::Commit | XactType::CommitPrepared => (
                EventKind::TransactionEnd,
                format!("transaction {xid} is committed once this record is on disk"),
                "That is all that makes it durable: with synchronous_commit on, the client waits for it. The pages stay as they are; whoever \
                 reads the rows first looks up the transaction in pg_xact and sets their hint bits.",
            ),
            XactType::Abort | XactType::AbortPrepared => {
                (EventKind::TransactionEnd, format!("transaction {xid} is rolled back"), left(captures, record))
            }
            XactType::Prepare => (
                EventKind::TransactionEnd,
                format!("transaction {xid} is prepared"),
                "It is neither committed nor rolled back, also after a crash, until COMMIT PREPARED or ROLLBACK PREPARED. Its locks stay.",
            ),
            XactType::Assignment | XactType::Invalidations => return None,
        },
        RecordType::Xlog(XlogType::CheckpointShutdown | XlogType::CheckpointOnline) => (
            EventKind::Checkpoint,
            "the checkpoint is complete".to_string(),
            "All changes before its redo position are in the data files, so that recovery begins there and older WAL may go. The first change of \
             each page since then carries a full-page image.",
        ),
        RecordType::Xlog(XlogType::CheckpointRedo) => (
            EventKind::Checkpoint,
            "a checkpoint begins: the redo position is here".to_string(),
            "Recovery would start here, once the checkpoint is complete. From now on the first change of each page carries a full-page image.",
        ),
        RecordType::Smgr(SmgrType::Create) => (
            EventKind::Rewritten,
            "a new file".to_string(),
            "It takes the place of the relation's old file, or becomes that of a new relation, when its transaction commits.",
        ),
        _ => return None,
    };
    Some(event(captures, record, kind, what, why.to_string()))
}

/// Why a record about pages shows none.
fn unseen(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> Option<Event> {
    let block = record.blocks.first()?;
    let id = place(captures, record);
    let present = captures.before.relations.get(&id.relation).is_some_and(|now| now.is_file(block.tag.locator));
    let (what, why) = match captures.before.pages.get(&id) {
        _ if !present => (
            "its file is not yet the relation's",
            "A transaction makes a new file; its pages are shown when it commits and the file takes the old one's place.",
        ),
        Some(page) if page.header().pd_lsn() >= record.record.end => (
            "the page has this change already",
            "It was read after the record had been written: its LSN, the end of its last record, says so.",
        ),
        _ if record.lacks(block) => (
            "what the record does to the page is not told",
            "The record was rebuilt from what pg_walinspect tells, which leaves that out; the next capture shows what changed.",
        ),
        Some(_) => (
            "no byte of the page changes",
            "Or the record is one that ffviz does not replay; then the next capture shows what it did.",
        ),
        None => (
            "the page is not known",
            "No capture has read it, and the record has no full-page image: what changed cannot be shown.",
        ),
    };
    Some(event(captures, record, EventKind::Other, what.to_string(), why.to_string()))
}

/// Why a step is measured though there is WAL.
pub fn measured(step: &Step, why: &str) -> Event {
    let what = "measured: the difference of the replayed pages and the capture".to_string();
    provenance(step, what, why)
}

/// Why there is no WAL though it was asked for.
pub fn without_wal(step: &Step, why: &str) -> Event {
    provenance(step, "measured: the difference of two captures, without the WAL between them".to_string(), why)
}

fn provenance(step: &Step, what: String, why: &str) -> Event {
    let relation = || step.relations.first().map(|change| change.oid).unwrap_or_default();
    let first = step.pages.first().map(|change| change.id);
    let page = first.unwrap_or_else(|| PageId { relation: relation(), fork: ForkNumber::Main, block: 0 });
    Event { what, why: Some(why.to_string()), ..Event::new(EventKind::Provenance, page) }
}

/// A change of the simulator's without a record, and why it has none.
pub fn unlogged(captures: &Captures<'_>, why: Unlogged, told: Explanation) -> Explanation {
    let mut events = Vec::from([provenance(captures.step, "not in the WAL".to_string(), why.words())]);
    events.extend(told.events);
    Explanation { headline: format!("not in the WAL: {}", told.headline), events }
}

/// A decision of the simulator's, or the end of a statement that left nothing else to tell.
pub fn told(
    captures: &Captures<'_>,
    sentence: &str,
    facts: &[String],
    about: Option<PageId>,
    others: Vec<Event>,
) -> Explanation {
    let hidden = ("a decision, which is told without redaction only", &[][..]);
    let (sentence, facts) = if captures.redact { hidden } else { (sentence, facts) };
    let relation = || captures.after.relations.keys().next().copied().unwrap_or_default();
    let page = about.unwrap_or_else(|| PageId { relation: relation(), fork: ForkNumber::Main, block: 0 });
    let event = |what: &str| {
        let (kind, what) = (EventKind::Other, what.to_string());
        Event { what, ..Event::new(kind, page) }
    };
    // the headline says the sentence; where it stands alone, it is the event too
    let mut events: Vec<Event> = facts.iter().map(|fact| event(fact)).collect();
    if events.is_empty() {
        events.push(event(sentence));
    }
    events.extend(others);
    Explanation { headline: sentence.to_string(), events }
}

/// A step that no record tells of, though all records are known.
pub fn not_logged(captures: &Captures<'_>, told: Explanation) -> Explanation {
    let what = "not in the WAL: inferred by comparing the replayed pages with the capture".to_string();
    let why = "Hint bits, LP_DEAD marks of index entries and the free space map may get lost in a crash, since they can be found out again: so they are \
               not logged. When each was set is not known, only that it was since the capture before.";
    let catalog =
        "What the catalog says of a table is logged as a change of the catalog, whose WAL is not looked at here.";
    let is_altered = told.events.iter().any(|event| event.kind == EventKind::Altered);
    let why = if is_altered { [why, catalog].join(" ") } else { String::from(why) };
    let mut events = Vec::from([provenance(captures.step, what, &why)]);
    events.extend(told.events);
    Explanation { headline: format!("not in the WAL: {}", told.headline), events }
}
