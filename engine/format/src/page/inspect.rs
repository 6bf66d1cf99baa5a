//! Page header and line pointers, field by field, with what each value means here: what the inspector shows.

use super::checksum::ChecksumState;
use super::header::PD_FLAGS;
use super::{Bit, BlockNumber, Field, ItemIdData, LpFlags, OffsetNumber, Page};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Page {
    /// `PageHeaderData` of the page that is that block of its fork.
    #[must_use]
    pub fn header_fields(&self, block: BlockNumber) -> Vec<Field> {
        let mut fields = self.header().fields(0);
        for field in &mut fields {
            if let Some(meaning) = self.header_meaning(&field.name, block) {
                field.meaning = meaning;
            }
            if field.name == "pd_flags" {
                field.value = format!("{:#06x}", self.header().pd_flags());
                field.bits = Bit::spell(self.header().pd_flags(), PD_FLAGS);
            }
        }
        fields
    }

    /// What the value of a header field means on this page; `None` where its general sentence says it all.
    fn header_meaning(&self, name: &str, block: BlockNumber) -> Option<String> {
        let header = self.header();
        let free = header.pd_upper().saturating_sub(header.pd_lower());
        let special = self.size() - self.special_start();
        Some(match name {
            "pd_lsn" if header.pd_lsn().0 == 0 => "no WAL record changed the page yet".to_string(),
            "pd_checksum" => match self.verify_checksum(block) {
                ChecksumState::None => "none: checksums are off, or the page was never written out".to_string(),
                ChecksumState::Correct => format!("correct for block {block}: the bytes are those last written out"),
                ChecksumState::Different(right) => {
                    format!("the bytes give {right}: changed since the page was last written out, or damaged")
                }
            },
            "pd_lower" => format!("end of {} line pointers, start of the hole", self.item_count()),
            "pd_upper" if self.is_new() => "0: the page was never initialised".to_string(),
            "pd_upper" => format!("end of the hole, start of the tuples: {free} bytes between pd_lower and here"),
            "pd_special" if special == 0 => "end of the page: no special space".to_string(),
            "pd_special" => format!("start of {special} bytes of special space"),
            "pd_pagesize_version" => {
                format!("page of {} bytes, layout version {}", header.page_size(), header.layout_version())
            }
            "pd_prune_xid" if header.pd_prune_xid() == 0 => "none: nothing to prune is known".to_string(),
            _ => return None,
        })
    }
}

impl ItemIdData {
    /// The three parts of line pointer `n`; they share its four bytes.
    #[must_use]
    pub fn fields(self, n: OffsetNumber) -> Vec<Field> {
        let lp_off = match self.lp_flags() {
            LpFlags::Redirect => format!("line pointer {} is where the HOT chain goes on", self.lp_off()),
            LpFlags::Normal => "the tuple starts at this byte of the page".to_string(),
            LpFlags::Dead if self.lp_len() > 0 => "the killed index tuple starts at this byte of the page".to_string(),
            LpFlags::Dead | LpFlags::Unused => "0: no tuple".to_string(),
        };
        let lp_flags = match self.lp_flags() {
            LpFlags::Unused => "free: the next tuple may take it",
            LpFlags::Normal => "points to a tuple",
            LpFlags::Redirect => {
                "indexes point here; the first version of the chain is gone, lp_off names the next one's number"
            }
            LpFlags::Dead if self.lp_len() > 0 => "killed: its heap tuple is dead, scans skip it",
            LpFlags::Dead => "its tuple is gone; kept until VACUUM has removed index entries that may point here",
        };
        let lp_len = if self.lp_len() == 0 { "0: no storage" } else { "length of the tuple in bytes" };
        Vec::from([
            Field::new("lp_off", n.bytes(), self.lp_off().to_string(), &lp_off),
            Field::new("lp_flags", n.bytes(), self.lp_flags().name().to_string(), lp_flags),
            Field::new("lp_len", n.bytes(), self.lp_len().to_string(), lp_len),
        ])
    }
}
