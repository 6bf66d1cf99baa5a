//! Files of a server's pg_wal, piece by piece, no faster than pages.

use crate::failure::Failure;
use crate::pages::Pace;
use crate::session::{Parameter, Session};
use ffviz_format::wal::XLOG_BLCKSZ;
use std::fmt;
use tokio_postgres::types::Type;

/// pg_wal, by `pg_read_binary_file`.
pub struct ServerFiles<'a> {
    /// the connection
    pub session: &'a Session,
    /// how fast
    pub pace: &'a mut Pace,
}

impl fmt::Debug for ServerFiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerFiles")
    }
}

impl ServerFiles<'_> {
    /// A piece of a file; `None` when there is no such file.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read(&mut self, name: &str, offset: u64, length: u64) -> Result<Option<Vec<u8>>, Failure> {
        self.pace.wait(length.div_ceil(u64::from(XLOG_BLCKSZ)) as usize).await;
        let (offset, length) = (i64::try_from(offset).unwrap_or(0), i64::try_from(length).unwrap_or(0));
        let parameters: [Parameter<'_>; 3] = [(&name, Type::TEXT), (&offset, Type::INT8), (&length, Type::INT8)];
        let rows = self.session.read(include_str!("../sql/wal_file.sql"), &parameters).await?;
        Ok(rows.first().map_or(Ok(None), |row| row.try_get("bytes"))?)
    }
}
