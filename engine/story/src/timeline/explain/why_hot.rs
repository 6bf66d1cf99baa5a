//! The decision about HOT in words.

use super::hot::{Judged, blocks_hot};
use super::words::{bytes, list, number};
use super::{Captures, HotDecision};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::Attribute;
use ffviz_format::heap::HeapPage;
use ffviz_format::page::{ItemPointer, OffsetNumber};
use ffviz_format::state::Relation;

/// What decided, in the order in which a reader wants to hear it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// it was HOT
    Hot,
    /// a column that an index depends on changed
    Column,
    /// the new version did not fit
    Room,
    /// 13, 14: `PD_PAGE_FULL`
    PageFull,
    /// 13, 14: `PD_PAGE_FULL`, or something else
    PerhapsPageFull,
    /// the old version is gone
    Unseen,
    /// row data is redacted
    Redacted,
    /// the captures do not show it
    Unknown,
}

impl Reason {
    /// The reason for one decision.
    pub fn of(decision: &HotDecision) -> Self {
        match decision {
            d if d.hot => Self::Hot,
            d if d.old.is_none() => Self::Unseen,
            d if d.is_blocked() => Self::Column,
            d if !d.same_page() => Self::Room,
            d if d.page_full && d.surely_full => Self::PageFull,
            d if d.page_full => Self::PerhapsPageFull,
            d if d.blocking.is_none() => Self::Redacted,
            _ => Self::Unknown,
        }
    }

    /// The end of `UPDATE … : `.
    pub fn verdict(self, judged: &Judged<'_>) -> String {
        match self {
            Self::Hot => "HOT".to_string(),
            Self::Column => format!("not HOT, indexed column {} changed", list(&blocking(judged))),
            Self::Room => format!("not HOT, no room on block {}", judged.decision.block()),
            Self::PageFull => "not HOT, PD_PAGE_FULL was set".to_string(),
            Self::PerhapsPageFull => "not HOT, perhaps PD_PAGE_FULL was set".to_string(),
            Self::Unseen | Self::Redacted | Self::Unknown => "not HOT".to_string(),
        }
    }

    /// The same of many UPDATEs.
    pub const fn verdict_of_many(self) -> &'static str {
        match self {
            Self::Hot => "HOT",
            Self::Column => "not HOT, an indexed column changed",
            Self::Room => "not HOT, no room on the page",
            Self::PageFull => "not HOT, PD_PAGE_FULL was set",
            Self::PerhapsPageFull => "not HOT, perhaps PD_PAGE_FULL was set",
            Self::Unseen | Self::Redacted | Self::Unknown => "not HOT",
        }
    }
}

fn names<'a>(attributes: impl IntoIterator<Item = &'a &'a Attribute>) -> Vec<&'a str> {
    attributes.into_iter().map(|a| a.name.as_str()).collect()
}

/// `column a`, `columns a and b`
fn column_names(names: &[&str]) -> String {
    format!("column{} {}", if names.len() == 1 { "" } else { "s" }, list(names))
}

/// With a capital at its start.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
}

fn blocking<'a>(judged: &'a Judged<'_>) -> Vec<&'a str> {
    let blocking = judged.decision.blocking.as_deref().unwrap_or_default();
    judged.changed.iter().filter(|a| blocking.contains(&a.num)).map(|a| a.name.as_str()).collect()
}

/// `UPDATE (0,1) → (0,4): HOT`
pub fn what(judged: &Judged<'_>) -> String {
    let HotDecision { old, new, .. } = &judged.decision;
    let verdict = Reason::of(&judged.decision).verdict(judged);
    let end = if judged.update.new.tuple.is_xmin_invalid() { " (rolled back)" } else { "" };
    match old {
        Some(old) => format!("UPDATE {old} → {new}: {verdict}{end}"),
        None => format!("UPDATE … → {new}: {verdict}{end}"),
    }
}

/// Why, with the numbers.
pub fn why(captures: &Captures<'_>, judged: &Judged<'_>, table: &Relation, page: &HeapPage) -> String {
    match Reason::of(&judged.decision) {
        Reason::Hot if judged.decision.old.is_none() => unseen(judged, page),
        Reason::Hot => hot(captures, judged, table, page),
        Reason::Column => column(captures, judged),
        Reason::Room => format!("{} {}", no_room(captures, judged, table), new_entries(judged)),
        Reason::PageFull => page_full(judged),
        Reason::Unseen => unseen(judged, page),
        Reason::Redacted | Reason::PerhapsPageFull => perhaps(captures, judged),
        Reason::Unknown => unknown(captures, judged),
    }
}

/// 13, 14: `PD_PAGE_FULL`, beside which a column may have stood in the way as well that is compared before it is
/// toasted.
fn page_full(judged: &Judged<'_>) -> String {
    let full = format!(
        "PD_PAGE_FULL was set: an UPDATE before this one found no room on block {}. Servers up to 14 then take no \
         UPDATE of the page for HOT until it is pruned, even where there is room{}.",
        judged.decision.block(),
        room_numbers(judged).map_or_else(String::new, |numbers| format!(" ({numbers})")),
    );
    let columns = column_names(&names(&judged.doubtful));
    match judged.doubtful.is_empty() {
        true => full,
        false => format!(
            "{full} If the UPDATE set {columns}, that alone would have prevented HOT, even with the same value: values are compared before they \
             are compressed or moved to the TOAST table, and an index depends on it."
        ),
    }
}

/// What may have kept an UPDATE from being HOT whose new version is on the old one's page, where neither columns nor
/// the page tell.
fn perhaps(captures: &Captures<'_>, judged: &Judged<'_>) -> String {
    let decision = &judged.decision;
    let mut reasons = Vec::new();
    if decision.page_full {
        reasons.push(format!(
            "PD_PAGE_FULL, which is set on block {}, was set then (servers up to 14 take no UPDATE of such a page for HOT until it is pruned, even where there is room)",
            decision.block()
        ));
    } else if may_have_been_full(captures, judged) {
        reasons.push("PD_PAGE_FULL was set on the page then, which up to 14 prevents HOT".to_string());
    }
    if decision.blocking.is_none() {
        reasons.push("a column changed that an index depends on".to_string());
    }
    if !judged.doubtful.is_empty() {
        let columns = column_names(&names(&judged.doubtful));
        reasons
            .push(format!("{columns} was set, which is compared before it is compressed or moved to the TOAST table"));
    }
    if captures.is_measured() {
        reasons.push("the indexes were other ones then".to_string());
    }
    let redacted = match decision.blocking {
        None => "Row data is redacted, so what changed cannot be told. ",
        Some(_) => "",
    };
    let room = match room_numbers(judged) {
        Some(numbers) => format!("There was room ({numbers})"),
        None => "There was room, since it stayed on its page".to_string(),
    };
    format!("{redacted}{room}. Perhaps {}.", reasons.join("; or "))
}

/// May `PD_PAGE_FULL` have been set when the UPDATE ran, though it is not now? Pruning takes it away, and WAL does not
/// tell of it.
fn may_have_been_full(captures: &Captures<'_>, judged: &Judged<'_>) -> bool {
    !captures.version().hot_ignores_page_full() && (judged.decision.pruned || !captures.is_measured())
}

fn hot(captures: &Captures<'_>, judged: &Judged<'_>, table: &Relation, page: &HeapPage) -> String {
    let changed = column_names(&names(&judged.changed));
    let summarised = summarised(captures, judged);
    let columns = match &judged.decision {
        _ if judged.indexes.is_empty() => "The table has no index.".to_string(),
        decision if decision.blocking.is_none() => {
            let except = judged
                .indexes
                .iter()
                .any(|index| captures.version().hot_ignores_summarizing() && is_summarizing(index));
            let aside = if except { ", but for those that only summarise block ranges" } else { "" };
            format!(
                "Row data is redacted, but since it was HOT no column changed that an index of that time depended on{aside}."
            )
        }
        decision if decision.is_blocked() => {
            format!(
                "{} changed, and an index depends on it: perhaps it was made after this UPDATE, or dropped before it.",
                sentence(&changed)
            )
        }
        _ if judged.changed.is_empty() => "No column changed its value.".to_string(),
        _ if !summarised.is_empty() => format!("{} changed.", sentence(&changed)),
        _ => format!("Only {changed} changed, and no index depends on it."),
    };
    let mut text = format!("{columns}{summarised} {}", enough_room(judged, table));
    if judged.reuses {
        let n = judged.decision.new.offset;
        text.push_str(&format!(
            " Line pointer {n} was LP_UNUSED and is used again; room for a new one is asked for all the same."
        ));
    }
    if !judged.indexes.is_empty() {
        let root = ItemPointer {
            offset: root(page, judged.decision.old.unwrap_or(judged.decision.new).offset),
            ..judged.decision.new
        };
        text.push_str(&format!(
            " So no index needs a new entry: index entries point to {root}, and t_ctid leads on from there."
        ));
    }
    text
}

fn is_summarizing(index: &Relation) -> bool {
    index.index.as_ref().is_some_and(|i| i.summarizing)
}

/// BRIN and its like: since 16 no obstacle, before 16 one.
fn summarised(captures: &Captures<'_>, judged: &Judged<'_>) -> String {
    let summarising = judged.indexes.iter().filter(|index| {
        let changed = |num: &u16| judged.changed.iter().any(|a| a.num == *num);
        is_summarizing(index) && index.index.as_ref().is_some_and(|i| i.depends.iter().any(changed))
    });
    let names: Vec<&str> = summarising.map(|index| index.name.as_str()).collect();
    match (names.is_empty(), captures.version().hot_ignores_summarizing()) {
        (true, _) => String::new(),
        (_, true) => format!(
            " {} depends on it but only summarises block ranges: from 16 on that does not prevent HOT; the index itself is brought up to date.",
            list(&names)
        ),
        (_, false) => {
            format!(" {} only summarises block ranges, but up to 15 that prevents HOT as well.", list(&names))
        }
    }
}

fn column(captures: &Captures<'_>, judged: &Judged<'_>) -> String {
    let decision = &judged.decision;
    let depends = |index: &&&Relation| decision.blocking.iter().flatten().any(|num| blocks_hot(captures, index, *num));
    let (with, without): (Vec<&Relation>, Vec<&Relation>) = judged.indexes.iter().partition(|index| depends(index));
    let with: Vec<&str> = with.iter().map(|i| i.name.as_str()).collect();
    let without: Vec<&str> = without.iter().map(|i| i.name.as_str()).collect();
    let verb = if with.len() == 1 { "depends" } else { "depend" };
    let changed = column_names(&blocking(judged));
    let mut text = format!("{} changed, and {} {verb} on it.", sentence(&changed), list(&with));
    text.push_str(&summarised(captures, judged));
    text.push_str(" So the new version needs index entries of its own");
    if !without.is_empty() {
        text.push_str(&format!(", in {} too although nothing changed there", list(&without)));
    }
    text.push('.');
    let block = decision.block();
    match (decision.same_page(), room_numbers(judged)) {
        (true, Some(numbers)) => text.push_str(&format!(" Room was not the reason: {numbers} on block {block}.")),
        (true, None) => text.push_str(&format!(" Room was not the reason, since it stayed on block {block}.")),
        (false, _) => {
            let free = decision.free.map_or_else(String::new, |free| match captures.is_measured() {
                true => format!("; the captures show {} free there", number(free.into())),
                false => format!(", {} free", number(free.into())),
            });
            text.push_str(&format!(" It did not fit on block {block} either: {}{free}.", needed(judged)));
        }
    }
    text
}

/// `44 bytes needed`; of a row with large values the length that counts is that with those packed or put away
/// (`heap_update` asks again after `heap_toast_insert_or_update`).
fn needed(judged: &Judged<'_>) -> String {
    let needed = bytes(judged.decision.needed);
    match judged.toasted.is_empty() {
        true => format!("{needed} needed"),
        false => {
            let columns = column_names(&names(&judged.toasted));
            format!("{needed} needed with {columns} compressed or in the TOAST table")
        }
    }
}

/// `44 bytes needed, 7,892 free`; nothing where the page was pruned since, and what the UPDATE found there is not
/// known.
fn room_numbers(judged: &Judged<'_>) -> Option<String> {
    let decision = &judged.decision;
    let free = decision.free.filter(|_| !decision.pruned)?;
    Some(format!("{}, {} free", needed(judged), number(free.into())))
}

fn needs(judged: &Judged<'_>) -> String {
    let needed = judged.decision.needed;
    let toasted = match judged.toasted.is_empty() {
        true => String::new(),
        false => format!(" with {} compressed or in the TOAST table", column_names(&names(&judged.toasted))),
    };
    let tuple = number(u64::from(needed) - 4);
    format!("The new version needs {}{toasted} ({tuple} and 4 for a line pointer)", bytes(needed))
}

fn reserve(table: &Relation, page_size: u16) -> u16 {
    let fillfactor = u32::from(table.fillfactor.unwrap_or(100).min(100));
    (u32::from(page_size) * (100 - fillfactor) / 100) as u16
}

fn enough_room(judged: &Judged<'_>, table: &Relation) -> String {
    let decision = &judged.decision;
    let Some(free) = decision.free else { return format!("{}.", needs(judged)) };
    if decision.pruned {
        return format!(
            "{}; block {} had as much. The page was pruned since the capture before, so how much was free then is not known.",
            needs(judged),
            decision.block()
        );
    }
    let reserve = reserve(table, judged.update.new.page.size());
    let mut text = format!("{}; {} were free on block {}.", needs(judged), number(free.into()), decision.block());
    if reserve > 0 && free < reserve.saturating_add(decision.needed) {
        text.push_str(&format!(
            " An INSERT may not use the last {}: fillfactor {} keeps them for updates such as this one.",
            bytes(reserve),
            table.fillfactor.unwrap_or(100)
        ));
    }
    text
}

fn no_room(captures: &Captures<'_>, judged: &Judged<'_>, table: &Relation) -> String {
    let decision = &judged.decision;
    let block = decision.block();
    let mut text = match decision.free {
        Some(free) if captures.is_measured() => {
            format!("{}; block {block} had less, the captures show {} free there", needs(judged), number(free.into()))
        }
        Some(free) => format!("{}; only {} were free on block {block}", needs(judged), number(free.into())),
        None => format!("{}, and block {block} had less, though the captures do not show how much", needs(judged)),
    };
    text.push_str(&format!(", so it went to block {}.", decision.new.block));
    let fillfactor = table.fillfactor.unwrap_or(100);
    match reserve(table, judged.update.new.page.size()) {
        0 => text.push_str(" fillfactor is 100: inserts fill a page and keep no room for updates."),
        kept if kept < decision.needed => {
            text.push_str(&format!(
                " fillfactor {fillfactor} keeps {} of a page free of inserts, which is too little.",
                bytes(kept)
            ));
        }
        kept => text.push_str(&format!(
            " fillfactor {fillfactor} keeps {} of a page free of inserts, but other versions have taken them already.",
            bytes(kept)
        )),
    }
    text
}

fn new_entries(judged: &Judged<'_>) -> String {
    let indexes: Vec<&str> = judged.indexes.iter().map(|i| i.name.as_str()).collect();
    match indexes.len() {
        0 => "A HOT chain cannot leave its page.".to_string(),
        1 => format!("A HOT chain cannot leave its page, so {} needs a new entry.", indexes[0]),
        n => format!("A HOT chain cannot leave its page, so each of the {n} indexes needs a new entry."),
    }
}

fn unseen(judged: &Judged<'_>, page: &HeapPage) -> String {
    let HotDecision { new, hot, .. } = &judged.decision;
    let root = root(page, new.offset);
    match hot {
        true if root != new.offset => format!(
            "The version before it was pruned between the two captures. {new} is heap-only: index entries lead to line pointer {root}, and from there to it."
        ),
        true => {
            "The version before it was pruned between the two captures. The tuple is heap-only, so that UPDATE was HOT."
                .to_string()
        }
        false => {
            "The version before it is not to be seen: pruned between the two captures, or on a page that was not read."
                .to_string()
        }
    }
}

fn unknown(captures: &Captures<'_>, judged: &Judged<'_>) -> String {
    if judged.doubtful.is_empty() {
        return "The captures show neither a changed indexed column nor a lack of room: \
                the page, or the indexes, were different when the UPDATE ran."
            .to_string();
    }
    let full = match may_have_been_full(captures, judged) {
        true => " Or PD_PAGE_FULL was set on the page then, which up to 14 prevents HOT.",
        false => "",
    };
    format!(
        "{} is stored compressed, or in the TOAST table. PostgreSQL compares the new value before it is compressed, so setting such a \
         column counts as a change even when the value is the same; and an index depends on it.{full}",
        sentence(&column_names(&names(&judged.doubtful)))
    )
}

/// The line pointer that indexes point to.
fn root(page: &HeapPage, member: OffsetNumber) -> OffsetNumber {
    page.chains.iter().find(|chain| chain.members.contains(&member)).map_or(member, |chain| chain.root)
}
