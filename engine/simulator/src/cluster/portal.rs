//! What cursors keep of a session between statements: the pins of their scans, and their snapshot's xmin
//! (src/backend/utils/mmgr/portalmem.c; `SnapshotResetXmin`, src/backend/utils/time/snapmgr.c).

use super::Cluster;
use crate::storage::{Buffer, FileId};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{TransactionId, precedes};

/// A cursor that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenPortal {
    name: String,
    /// depth of the (sub)transaction that declared it
    pub depth: usize,
    /// pages that its scan holds pinned
    pins: Vec<Buffer>,
    /// of its snapshot
    xmin: TransactionId,
    /// WITH HOLD: it stays when its transaction commits
    hold: bool,
    /// has it stayed?
    is_held: bool,
}

impl Cluster {
    /// A cursor is open from now on, until its transaction ends.
    pub fn open_portal(&mut self, name: &str, xmin: TransactionId, hold: bool) {
        let depth = self.depth();
        let portal = OpenPortal { name: name.to_string(), depth, pins: Vec::new(), xmin, hold, is_held: false };
        self.session().portals.push(portal);
    }

    /// The cursors WITH HOLD of the transaction that commits.
    #[must_use]
    pub fn portals_to_hold(&self) -> Vec<String> {
        let wanted = self.portals().iter().filter(|portal| portal.hold && !portal.is_held);
        wanted.map(|portal| portal.name.clone()).collect()
    }

    /// `HoldPortal`: its rows are kept, and nothing else of the transaction.
    pub fn hold_portal(&mut self, name: &str) {
        if let Some(portal) = self.session().portals.iter_mut().find(|portal| portal.name == name) {
            portal.is_held = true;
            portal.pins.clear();
        }
        let pins = self.portal_pins();
        self.pg.backend_mut().pins = pins;
    }

    /// Is the cursor one that an earlier transaction has left?
    #[must_use]
    pub fn is_held_portal(&self, name: &str) -> bool {
        self.portals().iter().any(|portal| portal.name == name && portal.is_held)
    }

    /// `AtCommit_Portals`, `AtCleanup_Portals`
    pub(super) fn end_portals(&mut self) {
        self.session().portals.retain(|portal| portal.is_held);
    }

    /// Has the running session a cursor of that name?
    #[must_use]
    pub fn has_portal(&self, name: &str) -> bool {
        self.portals().iter().any(|portal| portal.name == name)
    }

    /// Is the cursor of that name, where there is one, WITH HOLD?
    #[must_use]
    pub fn holds_portal(&self, name: &str) -> Option<bool> {
        self.portals().iter().find(|portal| portal.name == name).map(|portal| portal.hold)
    }

    /// `PortalDrop`: one cursor, or all. Gives whether there was one.
    pub fn close_portal(&mut self, name: Option<&str>) -> bool {
        let before = self.portals().len();
        self.session().portals.retain(|portal| name.is_some_and(|name| portal.name != name));
        self.portals().len() < before
    }

    /// The cursor has run: what its scan holds pinned now is whatever no other cursor does.
    pub fn keep_pins(&mut self, name: &str) {
        let mut pins = self.pg.backend().pins.clone();
        let others = self.portals().iter().filter(|portal| portal.name != name);
        for pinned in others.flat_map(|portal| &portal.pins) {
            if let Some(at) = pins.iter().position(|pin| pin == pinned) {
                pins.swap_remove(at);
            }
        }
        if let Some(portal) = self.session().portals.iter_mut().find(|portal| portal.name == name) {
            portal.pins = pins;
        }
    }

    /// Does a cursor of whichever session hold a page of the file pinned?
    #[must_use]
    pub fn is_held(&self, file: FileId) -> bool {
        let all = self.sessions.iter().flat_map(|session| &session.portals);
        all.flat_map(|portal| &portal.pins).any(|pin| pin.file == file)
    }

    fn portals(&self) -> &[OpenPortal] {
        self.sessions.get(self.pg.me).map_or(&[], |session| &session.portals)
    }

    /// The pages that cursors hold pinned while nothing runs.
    pub(super) fn portal_pins(&self) -> Vec<Buffer> {
        self.portals().iter().flat_map(|portal| portal.pins.iter().copied()).collect()
    }

    /// The oldest xmin of the snapshots of cursors.
    pub(super) fn portal_xmin(&self) -> Option<TransactionId> {
        let all = self.portals().iter().filter(|portal| !portal.is_held).map(|portal| portal.xmin);
        all.reduce(|oldest, xmin| if precedes(xmin, oldest) { xmin } else { oldest })
    }

    /// `AtSubAbort_Portals`, `AtAbort_Portals`: those of the levels from `depth` on are gone.
    pub(super) fn abort_portals(&mut self, depth: usize) {
        self.session().portals.retain(|portal| portal.is_held || portal.depth < depth);
        self.pg.backend_mut().pins = self.portal_pins();
    }
}
