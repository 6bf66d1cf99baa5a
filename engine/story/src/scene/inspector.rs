//! Every field of what is selected: bytes in hex, name, value, meaning, bits; and what the step changed.

use super::diff::PageDiff;
use super::look::Look;
use super::page::{self, PageKind, page_kind};
use super::{Change, InspectorField, InspectorScene, PageScene, PartId, PartRegion, Row, Scene, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::heap::{HeapPage, sequence};
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::fsm::{FSMPageData, FsmPage};
use ffviz_format::page::vm::{VM_BITS, VmPage};
use ffviz_format::page::{
    Bit, BlockNumber, Field, ForkNumber, ItemIdData, OffsetNumber, Page, PageHeaderData, RegionKind,
};
use ffviz_format::state::{PageId, Relation};
use ffviz_format::undo::{UndoPage, UndoPageContents};

/// The fields of the selected part of a picture.
#[must_use]
pub fn inspect(look: &Look<'_>, scene: &Scene, id: Option<PageId>, part: Option<PartId>) -> InspectorScene {
    match (scene, id, part) {
        (Scene::Page(page), _, Some(part)) => of_page(look, page, part),
        (Scene::Page(page), _, None) => summary(page),
        (Scene::Figure(figure), _, Some(part)) => match figure.page_part(part) {
            Some((Some(id), part)) => of_page(look, &page::scene(look, id), part),
            _ => InspectorScene::default(),
        },
        (Scene::RelationMap(_) | Scene::Tree(_), Some(id), Some(PartId::Block(block))) => {
            let mut shown = summary(&page::scene(look, PageId { block, ..id }));
            if let Some(label) = label_of(scene, PartId::Block(block)) {
                shown.intro = label;
            }
            shown
        }
        _ => InspectorScene::default(),
    }
}

/// The words for a cell of a map or a node of a tree.
fn label_of(scene: &Scene, part: PartId) -> Option<String> {
    match scene {
        Scene::RelationMap(map) => map.cells.iter().find(|cell| cell.part == part).map(|cell| cell.label.clone()),
        _ => None,
    }
}

/// The facts of a page, where nothing on it is selected.
fn summary(page: &PageScene) -> InspectorScene {
    let field = |fact: &super::Fact| InspectorField {
        field: Field::new(&fact.label, 0..0, fact.value.clone(), ""),
        hex: String::new(),
        change: Change::Same,
    };
    let fields = page.facts.iter().map(field).collect();
    InspectorScene { title: page.title.clone(), fields, ..InspectorScene::default() }
}

fn of_page(look: &Look<'_>, scene: &PageScene, part: PartId) -> InspectorScene {
    let (Some(relation), Some(page)) = (look.relation(scene.id.relation), look.page(scene.id)) else {
        return summary(scene);
    };
    let sheet = Sheet { look, relation, page, id: scene.id, diff: PageDiff::new(look, scene.id, page) };
    let region = scene.regions.iter().find(|region| region.part == part);
    let row = scene.rows.iter().find(|row| row.part == part);
    let title = match (region, row) {
        (Some(region), _) => region.label.clone(),
        (None, Some(row)) if scene.id.fork == ForkNumber::Fsm => format!("slot {}: {}", cell(row, 0), cell(row, 1)),
        (None, Some(row)) => row.cells.first().cloned().unwrap_or_default(),
        (None, None) => return summary(scene),
    };
    let intro = region.map(|region| intro(&sheet, region)).unwrap_or_default();
    let fields = sheet.fields(part, region);
    let fields = fields.into_iter().map(|field| sheet.shown(field, part)).collect();
    InspectorScene { title, intro, fields, ..InspectorScene::default() }
}

fn cell(row: &Row, n: usize) -> &str {
    row.cells.get(n).map_or("", String::as_str)
}

/// What a part is, where its fields do not say it.
fn intro(sheet: &Sheet<'_>, region: &PartRegion) -> String {
    let rest = || sheet.page.slice(region.bytes.clone()).iter().filter(|byte| **byte != 0).count() as u64;
    match region.part {
        PartId::Region(RegionKind::PageHeader) if sheet.is_undo() => {
            "The first 40 bytes of every page of the undo engine: PostgreSQL's 24, and 16 more.".to_string()
        }
        PartId::Region(RegionKind::PageHeader) => "The first 24 bytes of every page.".to_string(),
        PartId::Region(RegionKind::TransactionItem(_)) => {
            "Rows name the transaction that changed them last by its item here, which leads to their old values."
                .to_string()
        }
        PartId::Region(RegionKind::LinePointer(_)) => {
            "Index entries name a row by block and line pointer; the tuple may move, the line pointer stays."
                .to_string()
        }
        PartId::Region(RegionKind::Hole) => match rest() {
            0 => "Free space: line pointers grow into it from the left, tuples from the right. All zero.".to_string(),
            n => format!(
                "Free space: line pointers grow into it from the left, tuples from the right. {} not zero: what stood here before is not wiped.",
                words::count(n, "byte")
            ),
        },
        PartId::Region(RegionKind::Padding(_)) => {
            "Tuples start at multiples of 8 bytes; these bytes fill up, and keep whatever stood here.".to_string()
        }
        PartId::Region(RegionKind::Residue(_)) => {
            "No line pointer leads here: the remains of a tuple that was removed, until the page is compacted."
                .to_string()
        }
        PartId::Region(RegionKind::New) => {
            "The relation was extended by this page, and nothing was written to it: no header, all bytes are zero."
                .to_string()
        }
        PartId::Bytes(_) if sheet.page.is_new() => {
            "The page header says that nothing is here, so nothing leads to these bytes.".to_string()
        }
        PartId::Bytes(_) => "ffviz does not take apart pages of this access method.".to_string(),
        _ => String::new(),
    }
}

/// A page, and what is needed to read its parts.
struct Sheet<'a> {
    look: &'a Look<'a>,
    relation: &'a Relation,
    page: &'a Page,
    id: PageId,
    diff: PageDiff<'a>,
}

impl Sheet<'_> {
    fn fields(&self, part: PartId, region: Option<&PartRegion>) -> Vec<Field> {
        match part {
            PartId::Region(RegionKind::PageHeader) => self.header_fields(),
            PartId::Region(RegionKind::LinePointer(n)) if self.is_undo() => {
                let view = UndoPage::of(self.page);
                let mut fields = view.lp(n).map_or_else(Vec::new, |lp| lp.fields(n));
                let at = view.lp_at(n);
                fields.iter_mut().for_each(|field| field.bytes = at..at.saturating_add(ItemIdData::SIZE as u16));
                fields.extend(self.tuple_fields(n));
                fields
            }
            PartId::Region(RegionKind::LinePointer(n)) => {
                let lp = self.page.line_pointers().find(|(number, _)| *number == n);
                let mut fields = lp.map_or_else(Vec::new, |(n, lp)| lp.fields(n));
                fields.extend(self.tuple_fields(n));
                fields
            }
            PartId::Region(RegionKind::TransactionItem(n)) => UndoPageContents::xact_fields(self.page, n),
            PartId::Region(RegionKind::Tuple(n)) => self.tuple_fields(n),
            PartId::Region(RegionKind::Special | RegionKind::Meta | RegionKind::FsmNextSlot) => self.own_fields(part),
            PartId::Block(block) => self.block_fields(block),
            _ => region.map(|region| bytes_field(part, &region.bytes)).into_iter().collect(),
        }
    }

    fn is_undo(&self) -> bool {
        page_kind(self.relation, self.id.fork, self.page) == PageKind::Undo
    }

    /// What a checksum means depends on where the page was read.
    fn header_fields(&self) -> Vec<Field> {
        let mut fields = match self.is_undo() {
            true => UndoPageContents::header_fields(self.page, self.id.block),
            false => self.page.header_fields(self.id.block),
        };
        let checksum = fields.iter_mut().find(|field| field.name == "pd_checksum");
        if let (Some(field), true) = (checksum, self.look.state.file.is_some()) {
            field.meaning = super::header::checksum_words(self.look, self.id, self.page);
        }
        fields
    }

    fn tuple_fields(&self, n: OffsetNumber) -> Vec<Field> {
        match page_kind(self.relation, self.id.fork, self.page) {
            PageKind::Heap => {
                let heap = HeapPage::decode(self.page, self.id.block);
                let tuple = heap.item(n).and_then(|item| item.tuple.as_ref());
                tuple.map_or_else(Vec::new, |tuple| tuple.fields(self.page, &self.relation.attributes))
            }
            PageKind::Btree => {
                let tree = BtPage::decode(self.page, self.look.version());
                let tuple = tree.item(n).and_then(|item| item.tuple.as_ref());
                let keys = page::n_keys(self.relation);
                tuple.map_or_else(Vec::new, |tuple| tuple.fields(self.page, &self.relation.attributes, keys))
            }
            PageKind::Undo => UndoPageContents::decode(self.page).item_fields(self.page, n, &self.relation.attributes),
            _ => Vec::new(),
        }
    }

    /// Fields that only the access method knows.
    fn own_fields(&self, part: PartId) -> Vec<Field> {
        let version = self.look.version();
        match (page_kind(self.relation, self.id.fork, self.page), part) {
            (PageKind::Btree, PartId::Region(RegionKind::Special)) => {
                BtPage::decode(self.page, version).special_fields(self.page, version)
            }
            (PageKind::Heap, PartId::Region(RegionKind::Special)) => sequence::special_fields(self.page),
            (PageKind::Fsm, PartId::Region(RegionKind::FsmNextSlot)) => {
                let at = PageHeaderData::SIZE as u16;
                FSMPageData::new(self.page.slice(at..self.page.size())).fields(at)
            }
            (PageKind::Btree, PartId::Region(RegionKind::Meta)) => {
                BtPage::decode(self.page, version).meta_fields(self.page, version)
            }
            _ => Vec::new(),
        }
    }

    /// What the map says of a block: the byte of its slot, or its two bits.
    fn block_fields(&self, block: BlockNumber) -> Vec<Field> {
        let size = self.page.size();
        match page_kind(self.relation, self.id.fork, self.page) {
            PageKind::Fsm => {
                let fsm = FsmPage::decode(self.page, self.id.block);
                let is_it = |slot: &usize| page::target_block(fsm.address.target(*slot as u16, size)) == block;
                let Some(slot) = (0..fsm.slots().len()).find(is_it) else { return Vec::new() };
                let at = size.saturating_sub(fsm.slots().len() as u16) + slot as u16;
                let category = fsm.slots().get(slot).copied().unwrap_or_default();
                let meaning = page::category_words(category, size);
                Vec::from([Field::new("category", at..at + 1, category.to_string(), &meaning)])
            }
            PageKind::Vm => {
                let vm = VmPage::decode(self.page, self.id.block);
                let place = block.saturating_sub(vm.first);
                let at = (PageHeaderData::SIZE as u16).saturating_add((place / 4) as u16);
                let bits = vm.bits(block).unwrap_or_default();
                let word = u32::from(bits.all_visible) | u32::from(bits.all_frozen) << 1;
                let meaning = format!("bits {} and {} of this byte", place % 4 * 2, place % 4 * 2 + 1);
                Vec::from([Field {
                    bits: Bit::spell(word, VM_BITS),
                    ..Field::new("bits", at..at + 1, format!("{word:02b}"), &meaning)
                }])
            }
            _ => Vec::new(),
        }
    }

    /// A field with its bytes; row data hidden where that is asked for.
    fn shown(&self, mut field: Field, part: PartId) -> InspectorField {
        let is_remains = matches!(
            part,
            PartId::Region(RegionKind::Hole | RegionKind::Padding(_) | RegionKind::Residue(_)) | PartId::Bytes(_)
        );
        let hidden = self.look.redact && (field.is_data || is_remains);
        let mut hex = words::hex(self.page.slice(field.bytes.clone()));
        if hidden {
            hex = words::HIDDEN.to_string();
            field.value = words::HIDDEN.to_string();
        }
        let change = self.diff.change(&field.bytes);
        InspectorField { change, hex, field }
    }
}

/// Bytes without a structure of their own.
fn bytes_field(part: PartId, bytes: &Range<u16>) -> Field {
    let length = words::bytes(u64::from(bytes.end - bytes.start));
    Field::new(&part.to_string(), bytes.clone(), length, "")
}
