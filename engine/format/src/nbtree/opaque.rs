//! `BTPageOpaqueData`, to be written: the last 16 bytes of every B-tree page.

use super::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_INCOMPLETE_SPLIT, BTP_LEAF};
use crate::page::nbtree::BTPageOpaqueData;
use crate::page::{BlockNumber, Page};
use alloc::format;
use alloc::string::String;

/// The special space of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Opaque {
    /// left sibling, 0 for none
    pub btpo_prev: BlockNumber,
    /// right sibling, 0 for none
    pub btpo_next: BlockNumber,
    /// 0 on leaves
    pub btpo_level: u32,
    /// `BTP_…`
    pub btpo_flags: u16,
    /// vacuum cycle of the latest split
    pub btpo_cycleid: u16,
}

impl From<BTPageOpaqueData<'_>> for Opaque {
    #[inline]
    fn from(opaque: BTPageOpaqueData<'_>) -> Self {
        Self {
            btpo_prev: opaque.btpo_prev(),
            btpo_next: opaque.btpo_next(),
            btpo_level: opaque.btpo_level(),
            btpo_flags: opaque.btpo_flags(),
            btpo_cycleid: opaque.btpo_cycleid(),
        }
    }
}

impl Opaque {
    /// That of a page.
    ///
    /// # Errors
    /// A sentence, where it is no B-tree page.
    pub fn of(page: &Page) -> Result<Self, String> {
        Self::read(page).ok_or_else(|| {
            let special = page.size() - page.special_start();
            format!("the page has {special} bytes of special space: no B-tree page")
        })
    }

    /// That of a page; `None` where it is no B-tree page.
    #[must_use]
    #[inline]
    pub fn read(page: &Page) -> Option<Self> {
        let special = page.bytes().get(page.special_start().into()..)?;
        let special = <&[u8; BTPageOpaqueData::SIZE]>::try_from(special).ok().filter(|_| !page.is_new())?;
        Some(Self::from(BTPageOpaqueData::new(special)))
    }

    /// That of a page that is one of an index: its last bytes. A new page has zeros there.
    #[must_use]
    #[inline]
    pub fn at_end(page: &Page) -> Self {
        const NONE: [u8; BTPageOpaqueData::SIZE] = [0; BTPageOpaqueData::SIZE];
        Self::from(BTPageOpaqueData::new(page.bytes().last_chunk().unwrap_or(&NONE)))
    }

    /// Writes it to the end of a B-tree page.
    pub fn write(&self, page: &mut Page) {
        let special = usize::from(page.special_start());
        let place = page.bytes_mut().get_mut(special..).filter(|place| place.len() >= BTPageOpaqueData::SIZE);
        let Some(place) = place else { return };
        BTPageOpaqueData::edit(place)
            .btpo_prev(self.btpo_prev)
            .btpo_next(self.btpo_next)
            .btpo_level(self.btpo_level)
            .btpo_flags(self.btpo_flags)
            .btpo_cycleid(self.btpo_cycleid);
    }

    /// Changes that of a page.
    ///
    /// # Errors
    /// A sentence, where it is no B-tree page.
    pub fn change(page: &mut Page, change: impl FnOnce(&mut Self)) -> Result<(), String> {
        let mut opaque = Self::of(page)?;
        change(&mut opaque);
        opaque.write(page);
        Ok(())
    }

    /// `_bt_pageinit`: an empty page with this special space.
    #[must_use]
    pub fn page(&self, size: u16) -> Page {
        let mut page = Page::init(size, BTPageOpaqueData::SIZE as u16);
        self.write(&mut page);
        page
    }

    /// `P_FIRSTDATAKEY`: number of the first item that is no high key.
    #[must_use]
    pub const fn first_data_key(&self) -> u16 {
        if self.btpo_next == 0 { 1 } else { 2 }
    }
}

impl Opaque {
    /// Is it a leaf?
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        self.btpo_flags & BTP_LEAF != 0
    }

    /// `P_RIGHTMOST`
    #[must_use]
    pub const fn is_rightmost(&self) -> bool {
        self.btpo_next == 0
    }

    /// `P_LEFTMOST`
    #[must_use]
    pub const fn is_leftmost(&self) -> bool {
        self.btpo_prev == 0
    }

    /// `P_IGNORE`: it is on its way out of the tree
    #[must_use]
    pub const fn is_ignored(&self) -> bool {
        self.btpo_flags & (BTP_DELETED | BTP_HALF_DEAD) != 0
    }

    /// `P_INCOMPLETE_SPLIT`
    #[must_use]
    pub const fn is_split_incomplete(&self) -> bool {
        self.btpo_flags & BTP_INCOMPLETE_SPLIT != 0
    }
}
