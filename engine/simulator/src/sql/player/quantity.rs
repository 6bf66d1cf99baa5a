//! What a figure is computed from: the trace of a section's SQL, and the server as it is after it.

use super::Ran;
use crate::sql::executor::single_value;
use crate::sql::parse::parse;
use crate::sql::trace::{TraceLine, WalTrace};
use crate::storage::{Buffer, RelationData};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::{HeapPage, TupleState};
use ffviz_format::nbtree::{BtKind, BtPage, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, OffsetNumber, Page, PageHeaderData};
use ffviz_story::lesson::Quantity;

impl Ran<'_> {
    /// The value of a quantity, as text.
    ///
    /// # Errors
    /// A relation, page or record that there is not: a sentence.
    pub fn value(&self, quantity: &Quantity) -> Result<String, String> {
        let sum = |of: fn(&WalTrace) -> u64| self.wal().map(of).sum::<u64>().to_string();
        let count = |is_it: &dyn Fn(&str) -> bool| self.lengths().filter(|(kind, _)| is_it(kind)).count().to_string();
        Ok(match quantity {
            Quantity::WalRecords => self.wal().count().to_string(),
            Quantity::WalBytes => sum(|wal| u64::from(wal.len)),
            Quantity::WalImages => sum(|wal| wal.blocks.iter().filter(|block| block.fpi_len > 0).count() as u64),
            Quantity::WalImageBytes => sum(|wal| u64::from(wal.fpi)),
            Quantity::WalCount(kind) => count(&|found| found == kind),
            Quantity::WalLen(kind) => {
                let first = self.lengths().find(|(found, _)| found == kind);
                first.ok_or_else(|| self.no_record(kind))?.1.to_string()
            }
            Quantity::PagesDirtied => self.pages_dirtied().to_string(),
            Quantity::Updates => count(&|kind| is_update(kind) || is_hot_update(kind)),
            Quantity::Hot => count(&is_hot_update),
            Quantity::Splits => count(&|kind| kind.starts_with("SPLIT")),
            Quantity::Blocks(name) => self.pages(name)?.len().to_string(),
            Quantity::Free(name, block) => free(&self.page(name, *block)?).to_string(),
            Quantity::Lps(name, block) => self.page(name, *block)?.item_count().to_string(),
            Quantity::Lp(name, block, n) => {
                let page = self.page(name, *block)?;
                let found = page.line_pointers().find(|(number, _)| *number == OffsetNumber(*n));
                let (_, lp) = found.ok_or_else(|| format!("block {block} of {name} has no line pointer {n}"))?;
                lp.lp_flags().name().to_string()
            }
            Quantity::Level(name) => self.level(name)?,
            Quantity::Entries(name, block) => entries(&self.tree_page(name, *block)?).to_string(),
            Quantity::Density(name) => {
                density(&self.pages(name)?, |page| self.decode(page).kind == BtKind::Leaf).to_string()
            }
            Quantity::Live(name) => self.tuples(name, true)?,
            Quantity::Dead(name) => self.tuples(name, false)?,
            Quantity::Query(sql) => self.query(sql)?,
        })
    }

    /// The records about the lesson's relations.
    fn wal(&self) -> impl Iterator<Item = &WalTrace> {
        self.lines.iter().flat_map(|line| match line {
            TraceLine::Statement(statement) => statement.wal.as_slice(),
            TraceLine::Directive(directive) => directive.wal.as_slice(),
            TraceLine::Resumed(_) => &[],
        })
    }

    /// Type and length of all records.
    fn lengths(&self) -> impl Iterator<Item = (String, u32)> {
        let version = self.simulator.db.cluster.version();
        let decoded = self.records.iter().filter_map(move |record| record.decode(version).ok());
        decoded.map(|record| (record.type_name(), record.tot_len()))
    }

    fn no_record(&self, kind: &str) -> String {
        let mut kinds: Vec<String> = self.lengths().map(|(kind, _)| kind).collect();
        kinds.sort();
        kinds.dedup();
        format!("there is no record {kind}; there are {}", kinds.join(", "))
    }

    fn pages_dirtied(&self) -> usize {
        let pages = self.lines.iter().flat_map(|line| match line {
            TraceLine::Statement(statement) => statement.pages.as_slice(),
            TraceLine::Directive(directive) => directive.pages.as_slice(),
            TraceLine::Resumed(_) => &[],
        });
        let different: BTreeSet<_> = pages.map(|page| (page.rel.clone(), page.fork, page.blk)).collect();
        different.len()
    }

    fn relation(&self, name: &str) -> Result<&RelationData, String> {
        self.simulator.db.cluster.find_traced(name).ok_or_else(|| format!("there is no relation {name} here"))
    }

    /// All pages of the main fork.
    fn pages(&self, name: &str) -> Result<Vec<Page>, String> {
        let (file, buffers) = (self.relation(name)?.file, &self.simulator.db.cluster.pg.buffers);
        let blocks = 0..buffers.nblocks(file, ForkNumber::Main);
        Ok(blocks.map(|block| buffers.page(Buffer::main(file, block)).clone()).collect())
    }

    fn page(&self, name: &str, block: BlockNumber) -> Result<Page, String> {
        let pages = self.pages(name)?;
        let length = pages.len();
        let page = pages.into_iter().nth(block as usize);
        page.ok_or_else(|| format!("{name} has {length} blocks, and no block {block}"))
    }

    fn decode(&self, page: &Page) -> BtPage {
        BtPage::decode(page, self.simulator.db.cluster.version())
    }

    fn tree_page(&self, name: &str, block: BlockNumber) -> Result<BtPage, String> {
        Ok(self.decode(&self.page(name, block)?))
    }

    fn level(&self, name: &str) -> Result<String, String> {
        let meta = self.tree_page(name, 0)?.meta.ok_or_else(|| format!("{name} is no B-tree"))?;
        Ok(meta.btm_level.to_string())
    }

    /// Row versions that are not deleted, or the others.
    fn tuples(&self, name: &str, live: bool) -> Result<String, String> {
        let is_live = |state| matches!(state, TupleState::Live | TupleState::HeapOnly | TupleState::Locked);
        let pages = self.pages(name)?;
        let pages = pages.iter().zip(0..).map(|(page, block)| HeapPage::decode(page, block));
        let items = pages.flat_map(|page| page.items);
        let states = items.filter_map(|item| Some(item.tuple?.state()));
        Ok(states.filter(|state| is_live(*state) == live).count().to_string())
    }

    /// Asked on a copy of the server, so that the question leaves no trace.
    fn query(&self, sql: &str) -> Result<String, String> {
        let failed = |error: crate::sql::StatementError| format!("{sql}: {error}");
        let value = single_value(&mut self.simulator.db.clone(), parse(sql).map_err(failed)?);
        value.map_err(failed)?.ok_or_else(|| format!("{sql}: gives no value"))
    }
}

fn is_update(kind: &str) -> bool {
    matches!(kind, "UPDATE" | "UPDATE+INIT")
}

fn is_hot_update(kind: &str) -> bool {
    matches!(kind, "HOT_UPDATE" | "HOT_UPDATE+INIT")
}

/// Bytes of the hole.
fn free(page: &Page) -> u16 {
    page.header().pd_upper().saturating_sub(page.header().pd_lower())
}

fn entries(page: &BtPage) -> usize {
    let is_entry = |kind: &IndexTupleKind| !matches!(kind, IndexTupleKind::HighKey { .. });
    page.items.iter().filter(|item| item.tuple.as_ref().is_some_and(|tuple| is_entry(&tuple.kind))).count()
}

/// `avg_leaf_density` of `pgstatindex`, rounded to whole percent.
fn density(pages: &[Page], is_leaf: impl Fn(&Page) -> bool) -> u64 {
    let (mut available, mut unused) = (0, 0);
    for page in pages.iter().filter(|page| is_leaf(page)) {
        available += u64::from(page.special_start().saturating_sub(PageHeaderData::SIZE as u16));
        unused += u64::from(free(page));
    }
    let used: u64 = (available - unused) * 100;
    used.checked_add(available / 2).and_then(|used| used.checked_div(available)).unwrap_or(0)
}
