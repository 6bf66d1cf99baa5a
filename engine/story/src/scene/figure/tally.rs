//! What all steps of a statement did, table by table: the line above their figure.
//!
//! ```text
//! customers: DELETE (0,2); orders: 117 rows deleted
//! orders: 117 dead versions removed, 7 line pointers redirected, 234 index entries removed
//! ```

use super::whole::Doer;
use super::{Plot, ddl};
use crate::scene::{Look, words};
use crate::timeline::{Event, EventKind, Explanation, PageChange, headline_of};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::heap::{HeapPage, HeapTuple};
use ffviz_format::page::{ForkNumber, Oid, Page};
use ffviz_format::state::{AccessMethod, RelKind, Relation};

/// What became of the rows of one table.
#[derive(Default)]
struct Rows {
    inserted: usize,
    updated: usize,
    hot: usize,
    deleted: usize,
    locked: usize,
    /// of all these: taken back by a rollback
    void: usize,
}

impl Rows {
    fn add(&mut self, event: &Event) {
        let n = match event.kind {
            EventKind::Insert => &mut self.inserted,
            EventKind::Update => &mut self.updated,
            EventKind::Delete => &mut self.deleted,
            EventKind::Lock => &mut self.locked,
            _ => return,
        };
        *n += event.count;
        self.void += event.rolled_back;
        if event.hot.as_ref().is_some_and(|decision| decision.hot) {
            self.hot += event.count;
        }
    }

    const fn sum(&self) -> usize {
        self.inserted + self.updated + self.deleted + self.locked
    }

    /// How many sorts of changes?
    fn sorts(&self) -> usize {
        [self.inserted, self.updated, self.deleted, self.locked].iter().filter(|n| **n > 0).count()
    }

    /// `7 rows updated, all HOT, 1 inserted`
    fn words(&self) -> String {
        let counts = [
            (self.inserted, "inserted"),
            (self.updated, "updated"),
            (self.deleted, "deleted"),
            (self.locked, "locked"),
        ];
        let mut parts: Vec<String> = Vec::new();
        for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
            parts.push(match parts.is_empty() {
                true => format!("{} {what}", words::count(n as u64, "row")),
                false => format!("{} {what}", words::thousands(n as u64)),
            });
            if what == "updated" {
                parts.extend(self.how_many_hot());
            }
        }
        parts.join(", ") + &self.how_many_void()
    }

    fn how_many_void(&self) -> String {
        match self.void {
            0 => String::new(),
            n if n == self.sum() => String::from(", rolled back"),
            n => format!(", {} of them rolled back", words::thousands(n as u64)),
        }
    }

    /// `trigger t inserted 1 row in audit`, `cascade of foreign key f deleted 3 rows of child`
    fn done_by(&self, who: &str, table: &str) -> String {
        let did = match self {
            Self { inserted: 1.., .. } => "inserted",
            Self { updated: 1.., .. } => "updated",
            Self { deleted: 1.., .. } => "deleted",
            _ => "locked",
        };
        if self.sorts() > 1 {
            return format!("{who} changed {table}: {}", self.words());
        }
        let of = if did == "inserted" { "in" } else { "of" };
        let hot = self.how_many_hot().filter(|_| did == "updated").map_or_else(String::new, |hot| format!(", {hot}"));
        format!("{who} {did} {} {of} {table}{hot}{}", words::count(self.sum() as u64, "row"), self.how_many_void())
    }

    fn how_many_hot(&self) -> Option<String> {
        Some(match (self.hot, self.updated) {
            (0, 1) => String::from("not HOT"),
            (0, _) => String::from("none HOT"),
            (1, 1) => String::from("HOT"),
            (hot, all) if hot == all => String::from("all HOT"),
            (hot, _) => format!("{} HOT", words::thousands(hot as u64)),
        })
    }
}

/// tables that are named, the statement's own among them
const MOST: usize = 4;

/// The line of a statement that changes rows, removes dead ones, or makes other relations of those there are; `None`:
/// what is told of it already says enough.
pub(super) fn of(look: &Look<'_>, plot: Plot, told: &Told<'_>) -> Option<String> {
    match plot {
        Plot::Prune | Plot::FreeLinePointers | Plot::IndexVacuum | Plot::Freeze => {
            tables(look, told).is_empty().then(|| cleaned(look, told.all))?
        }
        Plot::Insert
        | Plot::ManyInserts
        | Plot::HotUpdate
        | Plot::Update
        | Plot::ManyUpdates
        | Plot::Delete
        | Plot::Lock
        | Plot::Toast => changed(look, told),
        Plot::Catalog | Plot::IndexBuild => ddl::of(look),
        _ => None,
    }
}

/// What is told of the steps.
pub(super) struct Told<'a> {
    /// of all together
    pub all: &'a Explanation,
    /// of the one that says most
    pub main: &'a Explanation,
    /// the table of the statement's own rows: triggers and foreign keys change others
    pub own: Option<Oid>,
    /// is `main` about all of them?
    pub is_of_all: bool,
    /// who changed rows in place of the statement
    pub doers: &'a [Doer],
}

const fn is_row(kind: EventKind) -> bool {
    matches!(kind, EventKind::Insert | EventKind::Update | EventKind::Delete | EventKind::Lock)
}

/// The tables whose rows changed, the statement's own first.
fn tables<'a>(look: &'a Look<'_>, told: &Told<'_>) -> Vec<(&'a Relation, Rows)> {
    let mut found: Vec<(&Relation, Rows)> = Vec::new();
    for event in told.all.events.iter().filter(|event| is_row(event.kind)) {
        let Some(table) = look.relation(event.page.relation).filter(|it| it.kind != RelKind::Toast) else { continue };
        let at = found.iter().position(|(known, _)| known.oid == table.oid).unwrap_or_else(|| {
            found.push((table, Rows::default()));
            found.len() - 1
        });
        found[at].1.add(event);
    }
    for (table, rows) in &mut found {
        rows.void = rows.void.max(taken_back(look, table.oid)).min(rows.sum());
    }
    found.sort_by_key(|(table, _)| Some(table.oid) != told.own);
    found
}

/// Of a table's rows those whose transaction, or subtransaction, is known to have been rolled back: no bit of theirs
/// may say it yet.
fn taken_back(look: &Look<'_>, table: Oid) -> usize {
    let pages =
        look.step.pages.iter().filter(|change| change.id.relation == table && change.id.fork == ForkNumber::Main);
    pages.map(|change| taken_back_on(look, change)).sum()
}

fn taken_back_on(look: &Look<'_>, change: &PageChange) -> usize {
    let decode = |page: &Page| HeapPage::decode(page, change.id.block);
    let Some(after) = change.after.as_ref().map(decode) else { return 0 };
    let before = change.before.as_ref().map(decode);
    let is_it = |tuple: &&HeapTuple| match before.as_ref().and_then(|page| page.tuple(tuple.tid.offset)) {
        Some(was) if was.t_xmin == tuple.t_xmin => {
            let is_deleted = was.t_xmax != tuple.t_xmax && tuple.t_ctid == tuple.tid && !tuple.is_locked_only();
            is_deleted && look.fates.is_xmax_void(tuple)
        }
        _ => look.fates.is_aborted(tuple),
    };
    after.items.iter().filter_map(|item| item.tuple.as_ref()).filter(is_it).count()
}

fn changed(look: &Look<'_>, told: &Told<'_>) -> Option<String> {
    let tables = tables(look, told);
    let of = |oid: Oid| move |event: &&Event| is_row(event.kind) && event.page.relation == oid;
    if let [(table, rows)] = &tables[..] {
        let is_told = told.main.events.iter().any(|event| of(table.oid)(&event));
        let is_plain = told.doers.is_empty() && rows.void == 0;
        if is_told && (rows.sum() == 1 || told.is_of_all && rows.sorts() == 1) && is_plain {
            return None;
        }
    }
    let part = |(table, rows): &(&Relation, Rows)| {
        let doers: Vec<&Doer> = told.doers.iter().filter(|doer| doer.table == table.oid).collect();
        if let [doer] = doers[..]
            && doer.rows >= rows.sum()
        {
            return rows.done_by(&doer.who, &table.told());
        }
        let mut events = told.all.events.iter().filter(of(table.oid));
        let mut part = match (rows.sum(), events.next()) {
            (1, Some(one)) if one.kind != EventKind::Lock => {
                headline_of(&[Event { rolled_back: one.rolled_back.max(rows.void), ..one.clone() }])
            }
            _ => format!("{}: {}", table.told(), rows.words()),
        };
        for doer in doers {
            part += &format!(", {} by {}", words::thousands(doer.rows as u64), doer.who);
        }
        part
    };
    let mut parts: Vec<String> = tables.iter().take(MOST).map(part).collect();
    if tables.len() > MOST {
        parts.push(format!("and {}", words::count((tables.len() - MOST) as u64, "more table")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What VACUUM removed, in the order of its doing.
fn cleaned(look: &Look<'_>, all: &Explanation) -> Option<String> {
    let of = |is_toast: bool| {
        let is_it = move |relation: &Relation| {
            relation.am == AccessMethod::Heap && (relation.kind == RelKind::Toast) == is_toast
        };
        look.step.pages.iter().filter(move |change| {
            change.id.fork == ForkNumber::Main && look.relation(change.id.relation).is_some_and(|it| is_it(it))
        })
    };
    let heaps = of(false);
    let first = look.relation(heaps.clone().next()?.id.relation)?;
    if heaps.clone().any(|change| change.id.relation != first.oid) {
        return None;
    }
    let is_its = |event: &&Event| {
        let relation = look.relation(event.page.relation);
        event.page.relation == first.oid
            || relation.is_some_and(|relation| relation.table == Some(first.oid) && relation.kind != RelKind::Toast)
    };
    let events = || all.events.iter().filter(is_its);
    let count = |kind| events().filter(|event| event.kind == kind).map(|event| event.count).sum::<usize>();
    let parts = [
        (heaps.map(removed).sum(), "dead version", " removed"),
        (count(EventKind::Redirect), "line pointer", " redirected"),
        (count(EventKind::LpUnused), "line pointer", " free again"),
        (count(EventKind::IndexDelete), "index entry", " removed"),
        (count(EventKind::Freeze), "tuple", " frozen"),
        (of(true).map(removed).sum(), "TOAST chunk", " removed"),
    ];
    let told = parts.into_iter().filter(|(n, ..)| *n > 0);
    let told: Vec<String> = told.map(|(n, what, end)| words::count(n as u64, what) + end).collect();
    (!told.is_empty()).then(|| format!("{}: {}", first.told(), told.join(", ")))
}

/// Tuples that are gone from a page.
fn removed(change: &PageChange) -> usize {
    let decode = |page: &Page| HeapPage::decode(page, change.id.block);
    let Some(before) = change.before.as_ref().map(decode) else { return 0 };
    // a page may be cut off from the file's end
    let after = change.after.as_ref().map(decode);
    let tuples = before.items.iter().filter(|item| item.tuple.is_some());
    tuples.filter(|item| after.as_ref().is_none_or(|after| after.tuple(item.offset).is_none())).count()
}
