//! A page of the undo engine: transaction items, line pointers as rows beside what they lead to, links from a row to
//! its transaction.

use super::heap::{VALUE_WIDTH, VALUES_WIDTH};
use super::{Sheet, anomaly_texts, columns, fact, lp_role, raw};
use crate::scene::{Change, Fact, Link, LinkKind, PageScene, PartId, Role, Row, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Datum};
use ffviz_format::page::{Region, RegionKind};
use ffviz_format::undo::{
    ItemXact, UNDO_DELETE, UNDO_INSERT, UNDO_PAGE, UNDO_SLOTS_PAGE, UndoItem, UndoPageContents, UndoRecPtr, UndoRecord,
    row_is_deleted, row_xact,
};

pub(super) fn scene(sheet: &Sheet<'_>) -> PageScene {
    let page = UndoPageContents::decode(sheet.page);
    let undo = Undo { sheet, page: &page };
    let (titles, details): (&[(&str, bool)], &[&str]) = match page.kind {
        UNDO_PAGE => (&[("lp", true), ("undoes", false), ("row", false), ("xid", true), ("before it", false)], &[]),
        UNDO_SLOTS_PAGE => (&[("slot", true), ("xid", true), ("newest undo page", false)], &[]),
        _ => (
            &[("lp", true), ("state", false), ("off", true), ("len", true), ("item", true), ("row", false)],
            &["state", "off", "len"],
        ),
    };
    PageScene {
        id: sheet.id,
        title: sheet.title(UndoPageContents::kind_word(page.kind)),
        facts: undo.facts(),
        size: sheet.page.size(),
        regions: sheet.regions(&page.regions, |region| undo.region(region)),
        columns: columns(titles, details),
        rows: undo.rows(),
        links: undo.links(),
        anomalies: anomaly_texts(&page.anomalies),
    }
}

struct Undo<'a> {
    sheet: &'a Sheet<'a>,
    page: &'a UndoPageContents,
}

impl Undo<'_> {
    fn bytes(&self, item: &UndoItem) -> &[u8] {
        item.bytes.clone().map_or(&[], |bytes| self.sheet.page.slice(bytes))
    }

    fn record(&self, item: &UndoItem) -> Option<UndoRecord> {
        UndoRecord::decode(self.bytes(item)).filter(|_| self.page.kind == UNDO_PAGE)
    }

    fn role(&self, item: &UndoItem) -> Role {
        match &item.bytes {
            None => lp_role(item.lp.lp_flags()),
            Some(_) if self.page.kind == UNDO_PAGE => Role::UndoRecord,
            Some(_) if row_is_deleted(self.bytes(item)) => Role::TupleDeleted,
            Some(_) => Role::TupleLive,
        }
    }

    fn rows(&self) -> Vec<Row> {
        if self.page.kind == UNDO_SLOTS_PAGE {
            return (1..).zip(&self.page.xacts).map(|(n, xact)| self.slot(n, xact)).collect();
        }
        self.page.items.iter().map(|item| self.row(item)).collect()
    }

    fn slot(&self, n: u16, xact: &ItemXact) -> Row {
        let cells = Vec::from([n.to_string(), xact.xid.to_string(), format!("block {}", xact.undo.block())]);
        let (role, change) = (Role::TransactionItem, self.sheet.diff.change(&xact_bytes(self.page, n)));
        Row { part: PartId::Region(RegionKind::TransactionItem(n)), role, change, cells, chain: None }
    }

    fn row(&self, item: &UndoItem) -> Row {
        let cells = match self.record(item) {
            Some(record) => Vec::from([
                item.offset.to_string(),
                kind_word(record.kind).to_string(),
                format!("({},{})", record.block, record.offset),
                record.xid.to_string(),
                address(record.prev),
            ]),
            None => Vec::from([
                item.offset.to_string(),
                item.lp.lp_flags().name().to_string(),
                item.lp.lp_off().to_string(),
                item.lp.lp_len().to_string(),
                row_xact(self.bytes(item)).to_string(),
                self.values(item),
            ]),
        };
        let bytes = item.bytes.clone().unwrap_or_default();
        let change = if bytes.is_empty() { Change::Same } else { self.sheet.diff.change(&bytes) };
        Row {
            part: PartId::Region(RegionKind::LinePointer(item.offset)),
            role: self.role(item),
            change,
            cells,
            chain: None,
        }
    }

    /// The row's values, shortened.
    fn values(&self, item: &UndoItem) -> String {
        let Some(bytes) = item.bytes.clone() else { return String::new() };
        let Sheet { page, relation, look, .. } = self.sheet;
        let columns = UndoPageContents::columns(page, bytes, &relation.attributes);
        let value = |(datum, attribute): (&Datum, &Attribute)| match look.redact {
            true => words::HIDDEN.to_string(),
            false => words::shorten(words::squeeze(&datum.text(page, attribute)).trim_end(), VALUE_WIDTH),
        };
        let live = columns.iter().zip(&relation.attributes).filter(|(_, attribute)| !attribute.dropped);
        words::shorten(&live.map(value).collect::<Vec<_>>().join(", "), VALUES_WIDTH)
    }

    fn region(&self, region: &Region) -> (Role, Option<Change>, String) {
        let length = words::bytes(u64::from(region.bytes.end - region.bytes.start));
        let item = |n| self.page.item(n);
        match region.kind {
            RegionKind::PageHeader => (Role::PageHeader, None, format!("page header, {length}")),
            RegionKind::TransactionItem(n) => (Role::TransactionItem, None, self.xact_words(n)),
            RegionKind::LinePointer(n) => {
                let Some(item) = item(n) else { return self.common(region) };
                let state = item.lp.lp_flags();
                let words = match &item.bytes {
                    Some(bytes) => format!("{} → byte {}", state.name(), bytes.start),
                    None => state.name().to_string(),
                };
                (lp_role(state), None, format!("line pointer {n}: {words}"))
            }
            RegionKind::Tuple(n) => {
                let Some(item) = item(n) else { return self.common(region) };
                let what = match self.record(item) {
                    Some(record) => format!("undo of {} ({},{})", kind_word(record.kind), record.block, record.offset),
                    None if row_is_deleted(self.bytes(item)) => format!("row {n}, deleted"),
                    None => format!("row {n}"),
                };
                (self.role(item), None, format!("{what}, {length}"))
            }
            _ => self.common(region),
        }
    }

    fn xact_words(&self, n: u16) -> String {
        match self.page.xacts.get(usize::from(n) - 1) {
            Some(ItemXact { xid: 0, .. }) => format!("transaction item {n}: free"),
            Some(ItemXact { xid, undo }) if undo.is_none() => format!("transaction item {n}: transaction {xid}"),
            Some(ItemXact { xid, undo }) => {
                format!("transaction item {n}: transaction {xid}, newest undo record {}", address(*undo))
            }
            None => format!("transaction item {n}"),
        }
    }

    fn common(&self, region: &Region) -> (Role, Option<Change>, String) {
        let (role, label) = raw::common(region);
        (role, None, label)
    }

    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for item in self.page.items.iter().filter(|item| item.bytes.is_some()) {
            let own = PartId::Region(RegionKind::Tuple(item.offset));
            links.push(Link {
                from: PartId::Region(RegionKind::LinePointer(item.offset)),
                to: own,
                kind: LinkKind::Item,
            });
            let n = u16::from(row_xact(self.bytes(item)));
            if self.page.kind != UNDO_PAGE && n > 0 && usize::from(n) <= self.page.xacts.len() {
                links.push(Link {
                    from: own,
                    to: PartId::Region(RegionKind::TransactionItem(n)),
                    kind: LinkKind::Item,
                });
            }
        }
        links
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = self.sheet.space_facts();
        facts.push(fact("transaction items", self.page.xacts.len().to_string()));
        if self.page.kind != UNDO_SLOTS_PAGE {
            let what = if self.page.kind == UNDO_PAGE { "undo records" } else { "rows" };
            let there = self.page.items.iter().filter(|item| item.bytes.is_some()).count();
            facts.push(fact(what, there.to_string()));
        }
        facts.extend(self.sheet.header_facts());
        facts
    }
}

fn xact_bytes(page: &UndoPageContents, n: u16) -> core::ops::Range<u16> {
    let region = page.regions.iter().find(|region| region.kind == RegionKind::TransactionItem(n));
    region.map_or(0..0, |region| region.bytes.clone())
}

fn address(undo: UndoRecPtr) -> String {
    if undo.is_none() { "none".to_string() } else { format!("undo ({},{})", undo.block(), undo.item()) }
}

const fn kind_word(kind: u8) -> &'static str {
    match kind {
        UNDO_INSERT => "INSERT",
        UNDO_DELETE => "DELETE",
        _ => "UPDATE",
    }
}
