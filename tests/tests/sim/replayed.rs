//! The simulator's WAL against its own pages: replayed by `redo` from the first record on, it gives the same pages,
//! after every record those that the record is about, after every statement all of them. No server is needed.
//!
//! ```text
//!  script ──▶ simulator ─┬─▶ records ──redo───────▶ pages ─┬─▶ equal under the mask, pd_lsn too
//!                        └─▶ pages ────────────────────────┘
//! ```
//!
//! Left out is what is not logged: free space maps, pages of unlogged tables, blocks of zeros that a file was extended
//! by, the values of a sequence between two that are logged. Before 16 an init fork is written before its record has a
//! position (`btbuildempty`).

use super::random::number;
use super::scripts;
use ffviz_format::page::{ForkNumber, Lsn, Page, PageKind, PgVersion};
use ffviz_format::wal::{BlockTag, Record};
use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::{Directive, Item, Script};
use ffviz_simulator::storage::{BLCKSZ, Happening};
use ffviz_story::redo::{Disk, PageShape, mask, redo};
use ffviz_tests::generator::{Level, script};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

ffviz_tests::each_version!(replay_gives_the_same_pages: super::check);

/// A visibility map that VACUUM has made and set no bit of, as others were at work: nothing is logged of it
/// (`vm_extend`).
fn is_empty_map(tag: BlockTag, page: &Page) -> bool {
    const HEADER: usize = 24;
    tag.fork == ForkNumber::Vm && page.bytes().iter().skip(HEADER).all(|byte| *byte == 0)
}

/// What was compared.
#[derive(Debug, Default)]
struct Totals {
    records: usize,
    /// pages right after a record about them
    after_record: usize,
    /// pages after a statement that were not equal already after its last record
    after_statement: usize,
    wrong: Vec<String>,
}

/// A script at work.
struct Replayed {
    simulator: Simulator,
    disk: Disk,
    /// end of the last record that was replayed
    done: Lsn,
    /// pages as they were compared last: by redo, in the simulator
    equal: BTreeMap<BlockTag, (Page, Page)>,
    totals: Totals,
}

impl Replayed {
    fn new(version: PgVersion) -> Self {
        let simulator = Simulator::new(&RunOptions::new(version), false, true).expect("no setting is given");
        Self {
            simulator,
            disk: Disk::new(version, BLCKSZ, false),
            done: Lsn(0),
            equal: BTreeMap::new(),
            totals: Totals::default(),
        }
    }

    /// Runs an item, replays what it wrote, and compares.
    fn item(&mut self, item: &Item) {
        let mut pages: BTreeMap<_, Vec<(BlockTag, Page)>> = BTreeMap::new();
        let happenings = self.simulator.item(item).happenings;
        let pg = &self.simulator.db.cluster.pg;
        for happening in happenings {
            if let Happening::Record(record, changed) = happening {
                let known = changed.into_iter().map(|(buf, page)| (pg.buffers.tag(buf), page));
                pages.insert(record.start, known.filter(|(tag, _)| tag.fork != ForkNumber::Fsm).collect());
            }
        }
        self.disk.log_hints = pg.settings.log_hints();
        let files: BTreeSet<_> = pg.buffers.files().map(|file| pg.buffers.locator(file)).collect();
        let known = self.disk.only.replace(files.clone()).unwrap_or_default();
        files.difference(&known).for_each(|file| self.disk.without_map(*file));
        let records: Vec<Record> =
            pg.wal.records().iter().filter(|record| record.start >= self.done).cloned().collect();
        for record in &records {
            self.record(record, pages.get(&record.start).map_or(&[], Vec::as_slice));
        }
        self.done = records.last().map_or(self.done, |last| last.end);
        if matches!(
            item,
            Item::Directive { directive: Directive::CrashTorn { .. } | Directive::CrashBefore { .. }, .. }
        ) {
            self.adopt();
        }
        self.whole();
    }

    fn record(&mut self, record: &Record, pages: &[(BlockTag, Page)]) {
        let decoded = record.decode(self.disk.version).expect("the simulator's own record");
        let effects = redo(&decoded, &mut self.disk);
        self.totals.records += 1;
        self.totals.wrong.extend(effects.anomalies.iter().map(ToString::to_string));
        for (tag, page) in pages.iter().filter(|(tag, _)| decoded.blocks.iter().any(|block| block.tag == *tag)) {
            let place = format!("after {} at {}", decoded.type_name(), record.start);
            self.totals.after_record += usize::from(self.page(*tag, page, &place));
        }
    }

    /// Compares a page of the simulator, unless neither has changed since. Pages of dropped files are not there any
    /// more.
    fn page(&mut self, tag: BlockTag, page: &Page, place: &str) -> bool {
        let Some(ours) = self.disk.page(tag).filter(|_| self.disk.wants(tag.locator)) else {
            if self.disk.wants(tag.locator) && !page.is_new() && !is_empty_map(tag, page) {
                self.totals.wrong.push(format!("{tag} {place}: not known to redo"));
            }
            return false;
        };
        if self.equal.get(&tag).is_some_and(|(one, other)| one.same(ours) && other.same(page)) {
            return false;
        }
        let told = difference(ours, page, tag, self.disk.version);
        self.equal.insert(tag, (ours.clone(), page.clone()));
        self.totals.wrong.extend(told.map(|told| format!("{tag} {place}: {told}")));
        true
    }

    /// Compares all pages.
    fn whole(&mut self) {
        let buffers = &self.simulator.db.cluster.pg.buffers;
        let is_logged = |fork, file| fork != ForkNumber::Fsm && buffers.is_permanent(file) || fork == ForkNumber::Init;
        let pages: Vec<(BlockTag, Page)> = buffers
            .all()
            .filter(|buf| is_logged(buf.fork, buf.file))
            .map(|buf| (buffers.tag(buf), buffers.page(buf).clone()))
            .collect();
        let there: BTreeSet<BlockTag> = pages.iter().map(|(tag, _)| *tag).collect();
        for (tag, page) in &pages {
            self.totals.after_statement += usize::from(self.page(*tag, page, "after the statement"));
        }
        let is_left = |(tag, page): &(BlockTag, &Page)| {
            tag.fork != ForkNumber::Fsm && self.disk.wants(tag.locator) && !page.is_new() && !there.contains(tag)
        };
        let left: Vec<String> =
            self.disk.pages().filter(is_left).map(|(tag, _)| format!("{tag}: cut off in the simulator")).collect();
        self.totals.wrong.extend(left);
    }

    /// What a torn page has become is not in the WAL; nor are the records that were lost.
    fn adopt(&mut self) {
        self.done = self.simulator.db.cluster.pg.wal.records().last().map_or(self.done, |last| last.end);
        let buffers = &self.simulator.db.cluster.pg.buffers;
        for buf in buffers.all().filter(|buf| buffers.is_permanent(buf.file)) {
            self.disk.put(buffers.tag(buf), buffers.page(buf).clone());
        }
    }
}

/// Where two pages differ, in words.
fn difference(redo: &Page, simulator: &Page, tag: BlockTag, version: PgVersion) -> Option<String> {
    let shape = match (tag.fork, simulator.kind()) {
        (ForkNumber::Vm, _) => PageShape::Vm,
        (_, PageKind::Heap) => PageShape::Heap,
        (_, PageKind::Btree) => PageShape::Btree,
        (_, PageKind::Sequence) => PageShape::Sequence,
        _ => PageShape::Other,
    };
    let lsns = [redo, simulator].map(|page| page.header().pd_lsn());
    if lsns[0] != lsns[1] && !(tag.fork == ForkNumber::Init && version.major() < 16) {
        return Some(format!("pd_lsn is {} by redo, {} in the simulator", lsns[0], lsns[1]));
    }
    if redo == simulator {
        return None;
    }
    let [one, other] = [redo, simulator].map(|page| mask(page, shape, tag.block));
    if one == other {
        return None;
    }
    let differs = |at: &usize| one.bytes()[*at] != other.bytes()[*at];
    let values = if shape == PageShape::Sequence { values_of(simulator) } else { 0..0 };
    let first = (0..usize::from(simulator.size())).find(|at| differs(at) && !values.contains(at))?;
    let hex = |page: &Page| page.bytes()[first..].iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
    Some(format!("from byte {first} on {} by redo, {} in the simulator", hex(&one), hex(&other)))
}

/// `last_value`, `log_cnt` and `is_called` of a sequence's row.
fn values_of(page: &Page) -> Range<usize> {
    let end = page.line_pointers().next().map_or(0, |(_, lp)| usize::from(lp.lp_off() + lp.lp_len()));
    end.saturating_sub(17)..end
}

fn check(major: u32) {
    // what one version does not replay, two others do
    let all = scripts::all().into_iter().skip(major as usize % 3).step_by(3);
    let mut cases: Vec<(String, Script)> = all.map(|case| (case.name, case.script)).collect();
    let first = number("FFVIZ_SEED", 1);
    cases.extend((first..first + number("FFVIZ_SCRIPTS", 14)).map(|seed| {
        let level = number("FFVIZ_LEVEL", u64::from(Level::of_seed(seed).0)) as u32;
        (format!("seed {seed}"), script(seed, Level(level), number("FFVIZ_STATEMENTS", 50) as usize))
    }));
    let (mut sums, mut wrong) = ([0; 3], Vec::new());
    for (name, script) in &cases {
        let mut replayed = Replayed::new(newest(major));
        for item in &script.items {
            replayed.item(item);
            if let Some(first) = replayed.totals.wrong.first() {
                wrong.push(format!("{name}, {item:?}: {first} ({} in all)", replayed.totals.wrong.len()));
                break;
            }
        }
        let Totals { records, after_record, after_statement, .. } = replayed.totals;
        sums = [sums[0] + records, sums[1] + after_record, sums[2] + after_statement];
    }
    let [records, after_record, after_statement] = sums;
    let told = format!(
        "{major}: {} scripts, {records} records replayed; {after_record} pages compared after a record, {after_statement} after a statement",
        cases.len()
    );
    println!("{told}");
    assert!(wrong.is_empty(), "{told}\n{}", wrong.join("\n"));
    assert!(after_record > 10_000 && after_statement > 100, "too little was compared: {told}");
}
