//! Where files of WAL are: in the server's pg_wal, in a folder of this machine, or in either.

use super::folder::Folder;
use crate::{Failure, ServerFiles};

/// Places with segments and history files, asked in this order.
#[derive(Debug, Default)]
pub struct Files<'a> {
    /// pg_wal of a server, by `pg_read_binary_file`
    pub server: Option<ServerFiles<'a>>,
    /// a folder: an archive, a copy
    pub folder: Option<&'a mut Folder>,
}

impl Files<'_> {
    /// A piece of a file; `None` when there is no such file.
    ///
    /// # Errors
    /// What the server, or the operating system, says.
    pub async fn read(&mut self, name: &str, offset: u64, length: u64) -> Result<Option<Vec<u8>>, Failure> {
        if let Some(server) = &mut self.server
            && let Some(bytes) = server.read(name, offset, length).await?
        {
            return Ok(Some(bytes));
        }
        let Some(folder) = &mut self.folder else { return Ok(None) };
        Ok(folder.read(name, offset, length)?)
    }

    /// The end of a sentence about a segment that is not there.
    #[must_use]
    pub fn missing(&self) -> String {
        let folder = self.folder.as_ref().map(|folder| folder.path().display());
        match (&self.server, folder) {
            (Some(_), None) => {
                "is not on the server any more: it was recycled; wal_keep_size (or an archive and --wal) would keep it"
                    .to_owned()
            }
            (Some(_), Some(folder)) => format!("is neither on the server any more nor in {folder}"),
            (None, Some(folder)) => format!("is not in {folder}"),
            (None, None) => "cannot be read".to_owned(),
        }
    }
}
