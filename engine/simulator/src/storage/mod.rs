//! What PostgreSQL keeps in shared memory: an [`Instance`] is its buffers, WAL, transactions and sessions, which the
//! access methods work on.

mod advisory;
mod backend;
mod buffers;
mod changes;
mod checksum;
mod error;
mod freespace;
mod instance;
mod interrupt;
mod lockmgr;
mod multixact;
mod pgstat;
mod predicate;
mod relcache;
mod settings;
mod snapshot;
mod trace;
mod transam;
mod usage;
mod visibilitymap;
mod xid;
mod xlog;

pub use advisory::{AdvisoryKey, AdvisoryLock, AdvisoryLocks};
pub use backend::{Backend, INVALID_BLOCK};
pub use buffers::{BLCKSZ, Buffer, Buffers, FileId, Persistence};
pub use changes::{AddedItem, ChangedItems, ItemMut};
pub use checksum::{InvalidPage, page_is_verified};
pub use error::{Outcome, Stop, WaitFor};
pub use instance::{IndexAm, Instance};
pub use interrupt::Interrupt;
pub use lockmgr::{LockMode, LockTable, ObjectLock, RelationLock, ShownLock};
pub use multixact::{FIRST_MULTIXACT_ID, MultiXactId, MultiXactMember, MultiXactStatus, MultiXacts};
pub use pgstat::{LastTimes, RelationStats, Statistics};
pub use predicate::{MySerializableXact, PredicateLocks, ShownPredicateLock};
pub use relcache::{
    Deferrable, GistForm, IndexForm, IndexKey, IndexedColumn, RelationData, ReplicaIdentity, TableAm, VacuumOptions,
};
pub use settings::{ConstraintExclusion, PlanCacheMode, PredicateLockLimits, SUPERUSER, SessionSettings, Settings};
pub use snapshot::{GlobalVis, MvccSnapshot};
pub use trace::{Happening, Telling, Trace};
pub use transam::{CommandId, IsolationLevel, Transam, Xact, XactLevel, XidStatus};
pub use usage::BufferUsage;
pub(crate) use xlog::count_at_hand;
pub use xlog::{MAX_PENDING_WRITES, Registered};
