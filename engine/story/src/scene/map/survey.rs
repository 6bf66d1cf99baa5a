//! What is known of each block of a relation, and of a run of blocks taken together.

use crate::scene::page::{max_align, page_role};
use crate::scene::{Change, Look, Measure, Role, words};
use crate::timeline::changed_bytes;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::heap::{heap_free_space, is_old_version};
use ffviz_format::page::fsm::{FsmAddress, slots_per_page};
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, Lsn, Oid, Page, PageHeaderData};
use ffviz_format::state::{AccessMethod, PageId, Relation};

/// pages from which the average length of a row version is taken
const SAMPLE: usize = 32;

/// A relation, its maps at hand.
pub(super) struct Survey<'a> {
    pub relation: Option<&'a Relation>,
    pub blocks: BlockNumber,
    pub page_size: u16,
    /// average length of a row version in bytes, aligned
    pub average: Option<u16>,
    look: &'a Look<'a>,
    oid: Oid,
    /// the newest position there is, where ages are asked for
    now: Option<Lsn>,
    /// the slots of each leaf page of the free space map, where it was read
    fsm: Vec<Option<&'a [u8]>>,
    /// the bits of each page of the visibility map, where it was read
    vm: Vec<Option<&'a [u8]>>,
}

/// A run of blocks taken together; counts are of blocks, unless they say otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub blocks: u32,
    /// of which the page bytes are known
    pub read: u32,
    /// of which the free space is known, from bytes or from the map
    pub fill_known: u32,
    /// bytes for line pointers and tuples of those
    pub room_bytes: u64,
    /// free ones among them
    pub free_bytes: u64,
    /// of which dead row versions are known
    pub dead_known: u32,
    /// bytes of them
    pub dead_bytes: u64,
    /// that the visibility map tells about
    pub vm_known: u32,
    pub visible: u32,
    pub frozen: u32,
    /// of which it is known whether an update fits
    pub room_known: u32,
    /// where one fits
    pub room: u32,
    /// bytes changed by the step
    pub changed_bytes: u64,
    /// WAL written since the page that was written last, in bytes
    pub age: Option<u64>,
    /// as what it is drawn: the role of all its blocks, or `Block`; `None` where none was read and the visibility map
    /// does not tell
    pub role: Option<Role>,
    pub change: Change,
    page_size: u64,
}

impl<'a> Survey<'a> {
    pub(super) fn new(look: &'a Look<'a>, oid: Oid, measure: Measure) -> Self {
        let relation = look.relation(oid).map(AsRef::as_ref);
        let page_size = look.state.server.block_size;
        let blocks = relation.map_or(0, |relation| relation.blocks.main);
        let id = |fork, block| PageId { relation: oid, fork, block };
        let slots = slots_per_page(page_size).max(1);
        let fsm_leaf = |logpageno: u32| {
            let page = look.page(id(ForkNumber::Fsm, FsmAddress { level: 0, logpageno }.block(page_size)))?;
            Some(page.slice(page.size().saturating_sub(slots)..page.size())).filter(|_| !page.is_new())
        };
        let vm_page = |block: u32| {
            let page = look.page(id(ForkNumber::Vm, block))?;
            Some(page.slice(PageHeaderData::SIZE as u16..page.size())).filter(|_| !page.is_new())
        };
        // the free space map of an index knows whole free pages only
        let is_heap = relation.is_some_and(|relation| relation.am == AccessMethod::Heap);
        let pages = |per_page: u32| if is_heap { blocks.div_ceil(per_page) } else { 0 };
        Self {
            relation,
            blocks,
            page_size,
            average: if is_heap { average(look, oid, relation) } else { None },
            look,
            oid,
            now: (measure == Measure::Age).then(|| newest(look, oid)),
            fsm: (0..pages(slots.into())).map(fsm_leaf).collect(),
            vm: (0..pages(heap_blocks_per_page(page_size).max(1))).map(vm_page).collect(),
        }
    }

    /// Takes a run of blocks together.
    pub(super) fn tally(&self, run: &Range<BlockNumber>, measure: Measure) -> Tally {
        let mut tally = Tally { blocks: run.end - run.start, page_size: self.page_size.into(), ..Tally::default() };
        self.add_vm(run, &mut tally);
        self.add_fsm(run, &mut tally);
        let from = PageId { relation: self.oid, fork: ForkNumber::Main, block: run.start };
        let to = PageId { block: run.end, ..from };
        for (id, page) in self.look.state.pages.range(from..to) {
            self.add_page(*id, page, measure, &mut tally);
        }
        tally.role = self.role(run, &tally);
        tally
    }

    fn add_vm(&self, run: &Range<BlockNumber>, tally: &mut Tally) {
        let per_page = heap_blocks_per_page(self.page_size).max(1);
        for (page, part) in split(run, per_page) {
            let Some(Some(bits)) = self.vm.get(page) else { continue };
            tally.vm_known += part.end - part.start;
            let (visible, frozen) = count_bits(bits, &part);
            tally.visible += visible;
            tally.frozen += frozen;
        }
        // all tuples of an all-visible page are alive
        tally.dead_known = tally.visible;
    }

    fn add_fsm(&self, run: &Range<BlockNumber>, tally: &mut Tally) {
        let step = u64::from(self.page_size / 256);
        let needed = self.average.map(|average| u64::from(average).div_ceil(step.max(1)));
        for (page, part) in split(run, slots_per_page(self.page_size).max(1).into()) {
            let Some(Some(slots)) = self.fsm.get(page) else { continue };
            let slots = slots.get(part.start as usize..(part.end as usize).min(slots.len())).unwrap_or(&[]);
            tally.fill_known += slots.len() as u32;
            let room = u64::from(self.page_size).saturating_sub(PageHeaderData::SIZE as u64);
            tally.room_bytes += slots.len() as u64 * room;
            tally.free_bytes += slots.iter().map(|category| u64::from(*category)).sum::<u64>() * step;
            if let Some(needed) = needed {
                tally.room_known += slots.len() as u32;
                tally.room += slots.iter().map(|category| u32::from(u64::from(*category) >= needed)).sum::<u32>();
            }
        }
    }

    /// What the bytes of a page say goes before what the maps say.
    fn add_page(&self, id: PageId, page: &Page, measure: Measure, tally: &mut Tally) {
        let one = id.block..id.block + 1;
        let mut map = Tally::default();
        self.add_vm(&one, &mut map);
        self.add_fsm(&one, &mut map);
        let header = page.header();
        tally.read += 1;
        // a header that no page has does not tell what is free
        if !page.is_new() || page.is_zero() {
            tally.fill_known += 1 - map.fill_known;
            tally.room_bytes = (tally.room_bytes + u64::from(page.room())).saturating_sub(map.room_bytes);
            tally.free_bytes = (tally.free_bytes + u64::from(page.free())).saturating_sub(map.free_bytes);
        }
        if measure == Measure::Dead {
            tally.dead_known += 1 - map.dead_known;
            tally.dead_bytes += u64::from(self.dead_bytes(page));
        }
        if let Some(now) = self.now.filter(|_| !page.is_new()) {
            let age = now.0.saturating_sub(header.pd_lsn().0);
            tally.age = Some(tally.age.map_or(age, |other| other.min(age)));
        }
        if let Some(average) = self.average {
            tally.room_known += 1 - map.room_known;
            tally.room = tally.room + u32::from(heap_free_space(page) >= average) - map.room;
        }
        let Some(change) = self.look.change(id) else { return };
        let (kind, bytes) = match &change.before {
            None => (Change::Added, u64::from(page.size())),
            Some(before) => {
                (Change::Modified, changed_bytes(before, page).iter().map(|run| u64::from(run.end - run.start)).sum())
            }
        };
        tally.change = tally.change.and(kind);
        tally.changed_bytes += bytes;
    }

    /// Bytes of row versions that are old, and of line pointers that are dead; of an index, of killed entries.
    fn dead_bytes(&self, page: &Page) -> u16 {
        let is_heap = self.relation.is_some_and(|relation| relation.am == AccessMethod::Heap);
        let dead = |lp: ffviz_format::page::ItemIdData| match lp.lp_flags() {
            LpFlags::Dead => max_align(lp.lp_len()) + 4,
            LpFlags::Normal if is_heap && is_old_version(page, lp) => max_align(lp.lp_len()),
            _ => 0,
        };
        page.line_pointers().map(|(_, lp)| dead(lp)).sum::<u64>().min(page.size().into()) as u16
    }

    /// As what a cell is drawn.
    fn role(&self, run: &Range<BlockNumber>, tally: &Tally) -> Option<Role> {
        let single =
            (tally.blocks == 1).then_some(PageId { relation: self.oid, fork: ForkNumber::Main, block: run.start });
        let page = single.and_then(|id| self.look.page(id));
        match page {
            Some(page) if page.is_zero() => return Some(Role::New),
            Some(page) if self.relation.is_some_and(|relation| relation.am == AccessMethod::Btree) => {
                return Some(page_role(page));
            }
            _ => {}
        }
        if tally.frozen == tally.blocks {
            Some(Role::BlockAllFrozen)
        } else if tally.visible == tally.blocks {
            Some(Role::BlockAllVisible)
        } else if tally.read > 0 {
            Some(Role::Block)
        } else {
            None
        }
    }
}

impl Tally {
    /// Takes another run in.
    pub(super) fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.read += other.read;
        self.fill_known += other.fill_known;
        self.room_bytes += other.room_bytes;
        self.free_bytes += other.free_bytes;
        self.vm_known += other.vm_known;
        self.visible += other.visible;
        self.frozen += other.frozen;
        self.page_size = other.page_size;
    }

    /// Share of a measure among the blocks of which it is known.
    pub(super) fn percent(&self, measure: Measure) -> Option<u8> {
        if measure == Measure::Age {
            return self.age.map(age_percent);
        }
        let bytes = |blocks: u32| u64::from(blocks) * self.page_size;
        let (known, part, whole) = match measure {
            Measure::Fill => (self.fill_known, self.room_bytes.saturating_sub(self.free_bytes), self.room_bytes),
            Measure::Dead => (self.dead_known, self.dead_bytes, bytes(self.dead_known)),
            Measure::Visibility => (self.vm_known, self.visible.into(), self.vm_known.into()),
            Measure::HotRoom => (self.room_known, self.room.into(), self.room_known.into()),
            Measure::Change | Measure::Age => (self.read, self.changed_bytes, bytes(self.read)),
        };
        (known > 0).then(|| words::percent(part, whole))
    }
}

/// Steps of an age, each four times as much WAL as the one before; the first ends at 256 bytes, the last begins at 1
/// GB.
const AGES: u32 = 12;

/// An age as a share of the oldest that is told apart.
fn age_percent(age: u64) -> u8 {
    let fours = (64 - (age >> 8).leading_zeros()).div_ceil(2);
    (fours.min(AGES) * 100 / AGES) as u8
}

/// The newest position: of the state, or of a page that is younger, having been read after it.
fn newest(look: &Look<'_>, oid: Oid) -> Lsn {
    let pages = look.state.fork(oid, ForkNumber::Main).map(|(_, page)| page.header().pd_lsn());
    pages.chain(look.state.lsn).max().unwrap_or_default()
}

/// The parts of a run that lie in pages of so many entries, with the entries counted from each page's start.
fn split(run: &Range<BlockNumber>, per_page: u32) -> impl Iterator<Item = (usize, Range<u32>)> + use<> {
    let run = run.clone();
    (run.start / per_page..run.end.div_ceil(per_page)).map(move |page| {
        let first = page * per_page;
        (page as usize, run.start.max(first) - first..run.end.min(first.saturating_add(per_page)) - first)
    })
}

/// All-visible and all-frozen blocks among those of a page of the visibility map.
fn count_bits(bits: &[u8], part: &Range<u32>) -> (u32, u32) {
    if !part.start.is_multiple_of(4) || !part.end.is_multiple_of(4) {
        let both = |place: u32| bits.get((place / 4) as usize).map_or(0, |byte| byte >> (place % 4 * 2));
        return part
            .clone()
            .map(both)
            .fold((0, 0), |(v, f), both| (v + u32::from(both & 1), f + u32::from(both >> 1 & 1)));
    }
    let bytes = bits.get((part.start / 4) as usize..((part.end / 4) as usize).min(bits.len())).unwrap_or(&[]);
    let count = |mask: u8| bytes.iter().map(|byte| (byte & mask).count_ones()).sum();
    (count(0x55), count(0xAA))
}

/// Average length of a row version: of the first pages that were read, else as the statistics have it.
fn average(look: &Look<'_>, oid: Oid, relation: Option<&Relation>) -> Option<u16> {
    let pages = look.state.fork(oid, ForkNumber::Main).map(|(_, page)| page).take(SAMPLE);
    let lengths = pages.flat_map(Page::line_pointers).filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal);
    let (n, sum) = lengths.fold((0_u64, 0_u64), |(n, sum), (_, lp)| (n + 1, sum + max_align(lp.lp_len())));
    if let Some(average) = u64::checked_div(sum, n) {
        return Some(average as u16);
    }
    let rows = u64::try_from(relation?.stats?.n_live_tup).ok().filter(|rows| *rows > 0)?;
    let bytes = u64::from(relation?.blocks.main) * u64::from(look.state.server.block_size);
    Some((bytes / rows).clamp(24, 8160) as u16)
}
