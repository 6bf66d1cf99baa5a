//! The machine a server runs on, where the power can be made to fail. A server reached by its protocol alone has none.

use ffviz_format::page::Lsn;

/// What a crash leaves on disk, besides what the last checkpoint wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// all of the WAL
    Wal,
    /// and the first bytes of a page
    Torn(TornWrite),
    /// the WAL up to a position
    WalUpTo(Lsn),
}

/// A page of which only the first bytes reach the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornWrite {
    /// the file below the data directory, `base/5/16384`
    pub path: String,
    /// where the page begins in it
    pub offset: u64,
    /// the first bytes of its new version
    pub bytes: Vec<u8>,
}

/// Somebody who can stop and start the server.
pub trait Host {
    /// The power fails, is back, and the server has recovered.
    ///
    /// # Errors
    /// A sentence: why it does not start.
    fn crash(&mut self, left: Left) -> Result<(), String>;
}
