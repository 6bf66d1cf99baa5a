//! What a server has counted so far.

use super::Instance;
use ffviz_story::timeline::Usage;

impl Instance {
    /// Everything so far, of all sessions.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        let (pages_changed, blks_dirtied) = (self.buffers.changed(), self.buffers.dirtied());
        Usage { wal: self.wal.usage(), pages_changed, blks_dirtied, ..self.counted }
    }
}
