//! Writing to the maps: `visibilitymap_set`, `visibilitymap_clear`, `visibilitymap_prepare_truncate`
//! (src/backend/access/heap/visibilitymap.c), `fsm_set_avail`, `fsm_truncate_avail`
//! (src/backend/storage/freespace/fsmpage.c).

use super::fsm::{FSMPageData, inner_nodes, max_request, slots_per_page};
use super::vm::heap_blocks_per_page;
use super::{BlockNumber, Page, PageHeaderData};

/// `VISIBILITYMAP_VALID_BITS`
pub const VISIBILITYMAP_VALID_BITS: u8 = 0x03;
/// `VISIBILITYMAP_ALL_VISIBLE`
pub const VISIBILITYMAP_ALL_VISIBLE: u8 = 0x01;
/// `VISIBILITYMAP_ALL_FROZEN`
pub const VISIBILITYMAP_ALL_FROZEN: u8 = 0x02;

/// `fp_nodes` starts here.
const NODES: u16 = (PageHeaderData::SIZE + FSMPageData::SIZE) as u16;

/// The category of so much free space (`fsm_space_avail_to_cat`).
#[must_use]
pub const fn category(free: u16, page_size: u16) -> u8 {
    let step = page_size / 256;
    if step == 0 || free >= max_request(page_size) {
        return u8::MAX;
    }
    let category = free / step;
    if category < 254 { category as u8 } else { 254 }
}

/// The category that a page needs to have so much room (`fsm_space_needed_to_cat`).
#[must_use]
pub const fn category_needed(space: u16, page_size: u16) -> u8 {
    let step = page_size / 256;
    if space == 0 || step == 0 {
        return 1;
    }
    let category = space.div_ceil(step);
    if category < u8::MAX as u16 { category as u8 } else { u8::MAX }
}

impl Page {
    /// Where the bits of a heap block are on its page of the visibility map: the byte, and how far to shift.
    fn vm_place(&self, heap_block: BlockNumber) -> (u16, u32) {
        let within = heap_block % heap_blocks_per_page(self.size()).max(1);
        (PageHeaderData::SIZE as u16 + (within / 4) as u16, within % 4 * 2)
    }

    fn byte(&self, at: u16) -> u8 {
        self.bytes().get(usize::from(at)).copied().unwrap_or(0)
    }

    /// The two bits of a heap block (`visibilitymap_get_status`).
    #[must_use]
    pub fn vm_bits(&self, heap_block: BlockNumber) -> u8 {
        let (at, shift) = self.vm_place(heap_block);
        self.byte(at) >> shift & VISIBILITYMAP_VALID_BITS
    }

    /// Sets bits of a heap block (`visibilitymap_set`).
    pub fn set_vm_bits(&mut self, heap_block: BlockNumber, bits: u8) {
        let (at, shift) = self.vm_place(heap_block);
        let byte = self.byte(at) | (bits & VISIBILITYMAP_VALID_BITS) << shift;
        self.write(at, &byte);
    }

    /// Clears bits of a heap block (`visibilitymap_clear`). Were any set?
    pub fn clear_vm_bits(&mut self, heap_block: BlockNumber, bits: u8) -> bool {
        let (at, shift) = self.vm_place(heap_block);
        let (byte, mask) = (self.byte(at), (bits & VISIBILITYMAP_VALID_BITS) << shift);
        if byte & mask == 0 {
            return false;
        }
        self.write(at, &(byte & !mask));
        true
    }

    /// Clears the bits of a heap block and of all behind it on this page of the map (`visibilitymap_prepare_truncate`).
    pub fn truncate_vm(&mut self, heap_block: BlockNumber) -> bool {
        let (at, shift) = self.vm_place(heap_block);
        let (first, from) = (self.byte(at), usize::from(at) + 1);
        let is_set = first >> shift != 0 || self.bytes().iter().skip(from).any(|byte| *byte != 0);
        if is_set {
            self.write(at, &(first & ((1 << shift) - 1)));
            self.bytes_mut().iter_mut().skip(from).for_each(|byte| *byte = 0);
        }
        is_set
    }

    fn fsm_node(&self, node: u16) -> u8 {
        if node < self.size().saturating_sub(NODES) { self.byte(NODES + node) } else { 0 }
    }

    /// The greater of an inner node's children.
    fn fsm_greatest(&self, node: u16) -> u8 {
        self.fsm_node(2 * node + 1).max(self.fsm_node(2 * node + 2))
    }

    /// Greatest category on a page of the free space map (`fsm_get_max_avail`).
    #[must_use]
    pub fn fsm_root(&self) -> u8 {
        self.fsm_node(0)
    }

    /// Category of a slot (`fsm_get_avail`).
    #[must_use]
    pub fn fsm_slot(&self, slot: u16) -> u8 {
        self.fsm_node(inner_nodes(self.size()).saturating_add(slot))
    }

    /// Sets where the next search starts.
    pub fn set_fp_next_slot(&mut self, slot: u16) {
        let start = PageHeaderData::SIZE as u16;
        if FSMPageData::new(self.slice(start..NODES)).fp_next_slot() != i32::from(slot) {
            self.write(start, &i32::from(slot));
        }
    }

    /// A slot with at least that category, to the right of the last answer, round and round (`fsm_search_avail`).
    #[must_use]
    pub fn search_fsm(&self, needed: u8) -> Option<u16> {
        if self.fsm_root() < needed {
            return None;
        }
        let (inner, slots) = (inner_nodes(self.size()), slots_per_page(self.size()));
        let next = FSMPageData::new(self.slice(PageHeaderData::SIZE as u16..NODES)).fp_next_slot();
        let start = u16::try_from(next).ok().filter(|slot| *slot < slots).unwrap_or(0);
        let mut node = inner + start;
        while node > 0 && self.fsm_node(node) < needed {
            // the right neighbour, round to the first of its level, and then up
            let right = node + 1;
            node = (if (right + 1).is_power_of_two() { (right - 1) / 2 } else { right } - 1) / 2;
        }
        while node < inner {
            node = 2 * node + 1 + u16::from(self.fsm_node(2 * node + 1) < needed);
        }
        Some(node - inner)
    }

    /// Writes the category of a slot and of the nodes above it (`fsm_set_avail`). Was it another?
    pub fn set_fsm_slot(&mut self, slot: u16, category: u8) -> bool {
        let mut node = inner_nodes(self.size()).saturating_add(slot);
        if slot >= slots_per_page(self.size()) || (self.fsm_node(node) == category && category <= self.fsm_root()) {
            return false;
        }
        self.write(NODES + node, &category);
        while node > 0 {
            node = (node - 1) / 2;
            let greatest = self.fsm_greatest(node);
            if self.fsm_node(node) == greatest {
                break;
            }
            self.write(NODES + node, &greatest);
        }
        if category > self.fsm_root() {
            self.rebuild_fsm();
        }
        true
    }

    /// Clears the slots from this one on (`fsm_truncate_avail`). Was any set?
    pub fn truncate_fsm(&mut self, slot: u16) -> bool {
        let from = usize::from((NODES + inner_nodes(self.size())).saturating_add(slot));
        let is_set = self.bytes().iter().skip(from).any(|category| *category != 0);
        if is_set {
            self.bytes_mut().iter_mut().skip(from).for_each(|category| *category = 0);
            self.rebuild_fsm();
        }
        is_set
    }

    /// `fsm_rebuild_page`: all inner nodes from the slots.
    fn rebuild_fsm(&mut self) {
        for node in (0..inner_nodes(self.size())).rev() {
            let greatest = self.fsm_greatest(node);
            self.write(NODES + node, &greatest);
        }
    }
}
