//! What a byte of a page is called: the field it belongs to, by the engine's own tables.

use ffviz_format::heap::{HeapPage, sequence};
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::{Field, ForkNumber, FsmPage, LpFlags, Page, PageKind, PgVersion, Region, RegionKind, VmPage};
use std::ops::Range;

/// A name for bytes, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub name: String,
    pub bytes: Range<u16>,
}

/// The fields of a page, in byte order, as far as they have names; what lies between belongs to a region.
pub(super) struct Fields {
    fields: Vec<(String, Field)>,
    regions: Vec<Region>,
}

impl Fields {
    /// Those of a page of a fork.
    pub fn of(page: &Page, fork: ForkNumber, block: u32, version: PgVersion) -> Self {
        let mut fields: Vec<(String, Field)> = Vec::new();
        let mut add = |prefix: &str, new: Vec<Field>| {
            fields.extend(new.into_iter().map(|field| (format!("{prefix}{}", field.name), field)));
        };
        add("", page.header_fields(block));
        let regions = match (fork, page.kind()) {
            (ForkNumber::Fsm, _) => FsmPage::decode(page, block).regions,
            (ForkNumber::Vm, _) => VmPage::decode(page, block).regions,
            (_, PageKind::Btree) => {
                let tree = BtPage::decode(page, version);
                add("", tree.special_fields(page, version));
                add("", tree.meta_fields(page, version));
                for item in &tree.items {
                    let tuple = item.tuple.as_ref().map(|tuple| tuple.fields(page, &[], 0));
                    add(&format!("item {}, ", item.offset), tuple.unwrap_or_default());
                }
                tree.regions
            }
            (_, kind) => {
                let heap = HeapPage::decode(page, block);
                for item in &heap.items {
                    let tuple = item.tuple.as_ref().map(|tuple| tuple.fields(page, &[]));
                    add(&format!("tuple {}, ", item.offset), tuple.unwrap_or_default());
                }
                if kind == PageKind::Sequence {
                    add("", sequence::special_fields(page));
                }
                heap.regions
            }
        };
        Self { fields, regions }
    }

    /// What the byte belongs to.
    pub fn at(&self, page: &Page, at: u16) -> Named {
        if let Some((name, field)) = self.fields.iter().find(|(_, field)| field.bytes.contains(&at)) {
            return Named { name: name.clone(), bytes: field.bytes.clone() };
        }
        let Some(region) = self.regions.iter().find(|region| region.bytes.contains(&at)) else {
            return Named { name: "beyond the page's end".to_owned(), bytes: at..at + 1 };
        };
        let bytes = region.bytes.clone();
        match region.kind {
            RegionKind::LinePointer(n) => Named { name: format!("line pointer {n}"), bytes },
            RegionKind::Tuple(n) => {
                let named = self
                    .fields
                    .iter()
                    .filter(|(_, field)| bytes.start <= field.bytes.start && field.bytes.end <= bytes.end);
                let start =
                    named.map(|(_, field)| field.bytes.end).filter(|end| *end <= at).max().unwrap_or(bytes.start);
                Named { name: format!("row data of tuple {n}"), bytes: start..bytes.end }
            }
            RegionKind::Padding(n) => Named { name: format!("bytes after tuple {n}"), bytes },
            RegionKind::Hole => Named { name: "unused space".to_owned(), bytes: at..bytes.end },
            RegionKind::FsmInner => Named { name: format!("fsm node {}", at - bytes.start), bytes: at..at + 1 },
            RegionKind::FsmLeaf => Named { name: format!("fsm slot {}", at - bytes.start), bytes: at..at + 1 },
            RegionKind::VmBits => {
                Named { name: format!("bits of four heap blocks from {}", 4 * (at - bytes.start)), bytes: at..at + 1 }
            }
            kind => Named { name: format!("{kind:?} of {} bytes", page.size()), bytes },
        }
    }

    /// The value of what was named, as the inspector shows it.
    pub fn value(&self, page: &Page, named: &Named, differs: &Range<u16>) -> String {
        let field = self.fields.iter().find(|(name, field)| *name == named.name && field.bytes == named.bytes);
        if let Some((_, field)) = field {
            let set: Vec<&str> = field.bits.iter().filter(|bit| bit.set).map(|bit| bit.name).collect();
            return if set.is_empty() { field.value.clone() } else { format!("{} {}", field.value, set.join("|")) };
        }
        let n = named.name.strip_prefix("line pointer ").and_then(|n| n.parse::<u16>().ok());
        let pointer = n.and_then(|n| page.line_pointers().find(|(offset, _)| offset.0 == n));
        match pointer.map(|(_, lp)| lp) {
            Some(lp) if lp.lp_flags() == LpFlags::Redirect => format!("{} to {}", lp.lp_flags().name(), lp.lp_off()),
            Some(lp) => format!("{} at {}, {} bytes", lp.lp_flags().name(), lp.lp_off(), lp.lp_len()),
            None => hex(page.slice(differs.clone())),
        }
    }
}

/// The first bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { format!("{digits}… ({} bytes)", bytes.len()) } else { digits }
}
