//! Two versions of a page, byte by byte.

use super::Comparer;
use super::field::{Fields, Named};
use ffviz_format::page::{ForkNumber, Page};
use std::ops::Range;

/// Where `pd_lsn` is, which is compared as the record that it is the end of, and `pd_checksum`, which depends on it:
/// that both have one is compared.
const PD_LSN: Range<u16> = 0..8;
const PD_CHECKSUM: Range<u16> = 8..10;
/// Differences of one page that are told one by one; the others as a number.
const TOLD: usize = 12;

impl Comparer {
    /// Compares a page of both.
    pub(super) fn page(&mut self, rel: Option<&str>, at: (ForkNumber, u32), server: &Page, engine: &Page) {
        let place = &format!("page {}:{}", super::file_name(rel, at.0), at.1);
        self.found.counts.pages += 1;
        self.found.counts.bytes += u64::from(server.size());
        self.page_lsn(place, rel, server, engine);
        if server.size() != engine.size() {
            self.differs(place, "size in bytes", server.size(), engine.size());
            return;
        }
        let (theirs, ours) = (server.header().pd_checksum(), engine.header().pd_checksum());
        if (theirs == 0) != (ours == 0) {
            self.differs(place, "pd_checksum", theirs, ours);
        }
        let compared = usize::from(PD_CHECKSUM.end)..usize::from(server.size());
        if server.bytes().get(compared.clone()) == engine.bytes().get(compared) {
            return;
        }
        let is_compared = |byte: &u16| !PD_LSN.contains(byte) && !PD_CHECKSUM.contains(byte);
        let byte = |page: &Page, at: u16| page.bytes().get(usize::from(at)).copied();
        let mut differing: Vec<u16> =
            (0..server.size()).filter(is_compared).filter(|at| byte(server, *at) != byte(engine, *at)).collect();
        let (fork, block) = at;
        let theirs = Fields::of(server, fork, block, self.version);
        let ours = Fields::of(engine, fork, block, self.version);
        let mut told = 0;
        while let Some(first) = differing.first().copied() {
            let named = theirs.at(server, first);
            let here = differing.partition_point(|at| *at < named.bytes.end.max(first + 1));
            let run = first..differing[here - 1] + 1;
            differing.drain(..here);
            told += 1;
            if told > TOLD {
                self.differs(
                    place,
                    "further bytes",
                    format!("{} differ from byte {first} on", differing.len() + here),
                    "",
                );
                return;
            }
            let Named { name, bytes } = &named;
            let field = format!("{name} (bytes {} to {})", run.start.max(bytes.start), run.end - 1);
            let same = ours.at(engine, first);
            let engine_value = if same == named {
                ours.value(engine, &named, &run)
            } else {
                format!("{} in {}", super::field::hex(engine.slice(run.clone())), same.name)
            };
            self.differs(place, &field, theirs.value(server, &named, &run), engine_value);
        }
    }

    /// Is `pd_lsn` the end of the same record?
    fn page_lsn(&mut self, place: &str, rel: Option<&str>, server: &Page, engine: &Page) {
        let (theirs, ours) = &self.orders;
        if !(theirs.is_known() && ours.is_known()) {
            return;
        }
        let (at_server, at_engine) = (server.header().pd_lsn(), engine.header().pd_lsn());
        self.found.counts.lsns += 1;
        let is_same = theirs.at(rel, at_server) == ours.at(rel, at_engine) && (at_server.0 == 0) == (at_engine.0 == 0);
        if !is_same {
            let (server, engine) = (theirs.tell(rel, at_server), ours.tell(rel, at_engine));
            self.differs(place, "pd_lsn", server, engine);
        }
    }
}
