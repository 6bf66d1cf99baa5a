//! A crash: what was not written is lost (`ResetUnloggedRelations`, src/backend/storage/file/reinit.c); recovery
//! follows.
//!
//! ```text
//!  memory   ├ page ┤├ page*┤├ page*┤        * dirty
//!  disk     ├ page ┤├ old  ┤├ new … old ┤   a page that is being written is torn: its first sectors are there, the others are not
//! ```

#[cfg(test)]
mod tests;

use super::{Cluster, ControlFile, Session};
use crate::storage::{Backend, Buffer, FileId, PredicateLocks};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{ForkNumber, thousands};
use ffviz_format::wal::Rmgr;
use ffviz_story::timeline::Unlogged;

/// A page of which only the first bytes reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// which page
    pub buf: Buffer,
    /// how many bytes
    pub bytes: u16,
}

impl Cluster {
    /// The power fails when all WAL is on disk and no page is but those that a checkpoint wrote, save for the one that
    /// is being written; then the server starts again and recovers.
    ///
    /// # Errors
    /// Where what is on disk was not kept; then nothing is changed. Where recovery fails on a damaged page: then the
    /// cluster is down, its pages are those on disk, and each statement fails.
    pub fn crash(&mut self, torn: Option<Torn>) -> Result<(), SqlError> {
        let control = self.control();
        if !self.pg.settings.keep_disk || !self.pg.wal.keeps_since(control.redo) {
            return Err(SqlError::new("55000", "a crash needs the disk image and the WAL, and this run keeps neither"));
        }
        self.end_sessions();
        self.lose_buffers(torn);
        self.reset_unlogged();
        self.restart(control)
    }

    /// Before a crash: the last record of a type, and what comes after it, is not on disk yet.
    ///
    /// # Errors
    /// Where there is none since the last checkpoint, or a transaction or a checkpoint ended after it: that was told
    /// when it was on disk.
    pub fn lose_wal_before(&mut self, kind: &str) -> Result<(), SqlError> {
        let refuse = |why: &str| Err(SqlError::new("55000", format!("{why}: nothing crashes")));
        for record in self.pg.wal.records().iter().rev() {
            let decoded = record.decode(self.pg.version).map_err(|why| SqlError::new("XX001", why))?;
            let (name, start) = (decoded.type_name(), record.start);
            if name == kind {
                self.pg.wal.lose_from(start);
                return Ok(());
            }
            if decoded.rmgr() == Rmgr::TRANSACTION || name.starts_with("CHECKPOINT_") {
                return refuse(&format!("{name} came after the last {kind}, and was on disk when it was done"));
            }
        }
        refuse(&format!("no {kind} was written"))
    }

    /// All connections are gone, and with them what their transactions did to the catalog. Sessions of the same names
    /// connect again.
    fn end_sessions(&mut self) {
        let last = self.pg.me;
        for me in 0..self.pg.backends.len() {
            self.pg.me = me;
            let orphans: Vec<FileId> = self.session().created.iter().map(|(file, _)| *file).collect();
            self.undo(0);
            // the files stay on disk, but nothing names them any more
            self.unlink(&orphans);
        }
        self.pg.me = last;
        self.lose_temporary();
        self.sessions.iter_mut().for_each(|session| *session = Session::default());
        self.pg.locks.clear();
        self.pg.predicate = PredicateLocks::default();
        let names: Vec<String> = self.pg.backends.iter().map(|backend| backend.name.clone()).collect();
        let settings = &self.pg.settings.of_sessions;
        let backend = |name| Backend::new(name, self.pg.wal.backend(), settings.clone());
        self.pg.backends = names.into_iter().map(backend).collect();
    }

    /// Every page is as it is on disk.
    fn lose_buffers(&mut self, torn: Option<Torn>) {
        let all: Vec<Buffer> = self.pg.buffers.all().collect();
        let mut lost = Vec::new();
        for buf in all {
            let memory = self.pg.buffers.page(buf).clone();
            let mut disk = self.pg.with_checksum(self.pg.buffers.on_disk(buf).clone(), buf);
            if let Some(torn) = torn.filter(|torn| torn.buf == buf) {
                let (new, length) = (self.pg.with_checksum(memory.clone(), buf), usize::from(torn.bytes));
                disk.bytes_mut()[..length].copy_from_slice(&new.bytes()[..length]);
            }
            if disk != memory {
                lost.push(buf);
            }
            self.pg.buffers.replace(buf, disk);
            self.pg.buffers.written_past(buf);
        }
        self.pg.trace.tell(torn.map(|torn| torn.buf), || match torn {
            Some(torn) => format!(
                "the power fails, and what was in memory is lost; block {} was being written: its first {} bytes are new, the rest is old",
                torn.buf.block,
                thousands(torn.bytes.into())
            ),
            None => String::from("the power fails, and what was in memory is lost; the pages are as they were last written"),
        });
        for buf in lost {
            self.pg.note_unlogged(Unlogged::Crash, buf);
        }
    }

    /// Files that are not logged lose all forks but the one that they are made anew from.
    fn reset_unlogged(&mut self) {
        let buffers = &mut self.pg.buffers;
        let unlogged: Vec<FileId> = buffers.files().filter(|file| !buffers.is_permanent(*file)).collect();
        for file in unlogged {
            for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm] {
                buffers.remove_fork(file, fork);
            }
            let blocks = buffers.nblocks(file, ForkNumber::Init);
            buffers.extend(file, ForkNumber::Main, blocks);
            for block in 0..blocks {
                let page = buffers.page(Buffer { file, fork: ForkNumber::Init, block }).clone();
                buffers.replace(Buffer::main(file, block), page);
            }
        }
    }

    /// The server starts: recovery from the redo pointer, then connections.
    fn restart(&mut self, control: ControlFile) -> Result<(), SqlError> {
        self.down = self.recover(control).err();
        match self.down.clone() {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }
}
