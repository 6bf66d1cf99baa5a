//! What functions with a memory ask for: clock, chance, sequences, transaction id.

use super::Database;
use super::database::{SequenceMemory, SessionMemory};
use crate::cluster::pg_class::ColumnDefault;
use crate::cluster::roles::{AclMode, Kind, rights};
use crate::cluster::sequence::Fetched;
use crate::sql::ast::Set;
use crate::sql::executor::select::source::Rows;
use crate::sql::expr::{Context, Scope, SubPlan};
use crate::sql::guc::settings::needs_restart;
use crate::sql::permission;
use crate::storage::FileId;
use crate::version::Behaviour;
use alloc::format;
use alloc::sync::Arc;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::random::Random;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Seconds from 1970 to 2000.
const EPOCH_SHIFT: i64 = ffviz_format::datum::EPOCH_SHIFT;
/// A call of the clock is later than the one before by this, so that identifiers made from it differ.
const TICK: i64 = 1;

impl Database {
    /// `init_sequence`: the relation of that OID, which is a sequence.
    pub(in crate::sql) fn sequence(&self, oid: Oid) -> Result<Oid, SqlError> {
        let relation = self.cluster.pg.relation(oid)?;
        let (kinds, name) = match relation.kind {
            RelKind::Sequence => return Ok(oid),
            RelKind::Index => ("indexes", &relation.name),
            RelKind::Toast => ("TOAST tables", &relation.name),
            _ => ("tables", &relation.name),
        };
        if self.cluster.version().opens_sequences_by_kind() {
            let detail = format!("This operation is not supported for {kinds}.");
            return Err(SqlError::new("42809", format!("cannot open relation \"{name}\"")).with_detail(detail));
        }
        Err(SqlError::new("42809", format!("\"{name}\" is not a sequence")))
    }

    /// The sequence that a function is given.
    fn sequence_of(&self, value: &Value) -> Result<Oid, SqlError> {
        self.sequence(self.regclass_of_pages(value)?)
    }
}

impl Database {
    /// `pg_class_aclcheck` of a sequence; that of an identity column goes with its table.
    fn check_sequence(&self, oid: Oid, wanted: AclMode) -> Result<(), SqlError> {
        let catalog = &self.cluster.catalog;
        let table = catalog.class(oid).and_then(|class| catalog.class(class.table?));
        let is_it = |default: &ColumnDefault| {
            matches!(default, ColumnDefault::Identity { .. }) && default.sequence() == Some(oid)
        };
        match table.is_some_and(|table| table.defaults.iter().any(is_it)) {
            true => Ok(()),
            false => permission::check_any(self, Kind::Sequence, oid, wanted),
        }
    }
}

impl Context for Database {
    fn input(&self) -> Input {
        let me = self.cluster.pg.me;
        let now = self.sessions.get(&me).map_or(self.cluster.clock, |session| session.xact_start);
        Input { major: self.cluster.version().major(), now, style: self.cluster.pg.backend().settings.style }
    }

    fn random(&mut self) -> &mut Random {
        &mut self.session().random
    }

    fn set_random(&mut self, random: Random) {
        self.session().random = random;
    }

    fn clock(&mut self) -> u64 {
        self.cluster.clock += TICK;
        ((self.cluster.clock / 1_000_000 + EPOCH_SHIFT) * 1_000_000_000 + self.cluster.clock % 1_000_000 * 1000)
            .unsigned_abs()
    }

    fn nextval(&mut self, sequence: &Value) -> Result<i64, SqlError> {
        let oid = self.sequence_of(sequence)?;
        self.cluster.lock_sequence(oid);
        self.check_sequence(oid, rights::USAGE | rights::UPDATE)?;
        super::read_only::prevent_unless_temporary(self, oid, "nextval()")?;
        let file = self.cluster.pg.relation(oid)?.file;
        let known = self.session().sequences.get(&oid).copied().unwrap_or_default();
        let memory = match known.next_cached(file) {
            Some(memory) => memory,
            None => SequenceMemory::new(file, self.cluster.nextval(oid)?),
        };
        let session = self.session();
        session.sequences.insert(oid, memory);
        session.last_sequence = Some(oid);
        memory.last.ok_or_else(|| SqlError::new("XX000", "a sequence gave no value"))
    }

    fn lastval(&mut self) -> Result<i64, SqlError> {
        let last = self.session().last_sequence.filter(|oid| self.cluster.catalog.class(*oid).is_some());
        last.iter().for_each(|oid| self.cluster.lock_sequence(*oid));
        let value = last.and_then(|oid| self.session().sequences.get(&oid)?.last);
        last.map_or(Ok(()), |oid| self.check_sequence(oid, rights::USAGE | rights::SELECT))?;
        value.ok_or_else(|| SqlError::new("55000", "lastval is not yet defined in this session"))
    }

    fn currval(&mut self, sequence: &Value) -> Result<i64, SqlError> {
        let oid = self.sequence_of(sequence)?;
        self.cluster.lock_sequence(oid);
        self.check_sequence(oid, rights::USAGE | rights::SELECT)?;
        if let Some(last) = self.session().sequences.get(&oid).and_then(|memory| memory.last) {
            return Ok(last);
        }
        let name = &self.cluster.pg.relation(oid)?.name;
        Err(SqlError::new("55000", format!("currval of sequence \"{name}\" is not yet defined in this session")))
    }

    fn setval(&mut self, sequence: &Value, value: i64, is_called: bool) -> Result<(), SqlError> {
        let oid = self.sequence_of(sequence)?;
        self.cluster.lock_sequence(oid);
        self.check_sequence(oid, rights::UPDATE)?;
        super::read_only::prevent_unless_temporary(self, oid, "setval()")?;
        self.cluster.setval(oid, value, is_called)?;
        let memory = self.session().sequences.entry(oid).or_default();
        if is_called {
            memory.last = Some(value);
        }
        memory.forget_cached();
        Ok(())
    }

    fn txid_current(&mut self) -> Result<i64, SqlError> {
        Ok(i64::from(self.cluster.pg.top_xid()))
    }

    fn current_setting(&mut self, name: &str, missing_ok: bool) -> Result<Option<alloc::string::String>, SqlError> {
        self.show_setting(name, missing_ok)
    }

    fn set_config(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<alloc::string::String, SqlError> {
        let name = name.to_ascii_lowercase();
        let set = Set { name: Some(name.clone()), value: value.map(Into::into), reset: false, local };
        crate::sql::guc::settings::set(self, &set)?;
        Ok(self.show_setting(&name, false)?.unwrap_or_default())
    }

    fn reload_conf(&mut self) {
        let pending = core::mem::take(&mut self.pending_settings);
        let major = self.cluster.version().major();
        let (later, now) = pending.into_iter().partition(|set| needs_restart(set, major));
        self.pending_settings = later;
        self.apply_settings(now);
    }

    fn database(&mut self) -> Option<&mut Database> {
        Some(self)
    }

    fn query(&mut self, plan: &Arc<SubPlan>, scope: Scope<'_>, most: Option<usize>) -> Result<Arc<Rows>, SqlError> {
        self.sub_query(plan, scope, most)
    }

    fn sleep(&mut self, seconds: f64) -> Result<(), SqlError> {
        self.check_sleep(seconds)?;
        self.cluster.clock += (seconds.max(0.0) * 1e6) as i64;
        Ok(())
    }
}

impl SequenceMemory {
    /// After a call of `nextval` that has fetched values.
    const fn new(file: FileId, fetched: Fetched) -> Self {
        Self { file: Some(file), last: Some(fetched.first), cached: Some(fetched.last), increment: fetched.increment }
    }

    /// With the next of the values that are kept, if there is one. What was kept of another file is worth nothing
    /// (`init_sequence`).
    fn next_cached(self, file: FileId) -> Option<Self> {
        let last = self.last.filter(|_| self.file == Some(file) && self.last != self.cached)?;
        Some(Self { last: Some(last.wrapping_add(self.increment)), ..self })
    }

    /// Values that were fetched ahead are not given out.
    pub const fn forget_cached(&mut self) {
        self.cached = self.last;
    }
}

impl SessionMemory {
    /// A session's memory, with a generator that begins with a seed of its own: a server's begins with chance.
    pub fn new(session: usize, major: u32, clock: i64) -> Self {
        let seed = 0.5 / (session as f64 + 1.0);
        let random = Random::setseed(seed, major).unwrap_or(Random::Erand48(0));
        Self {
            random,
            global_random: random,
            sequences: alloc::collections::BTreeMap::new(),
            last_sequence: None,
            placeholders: alloc::collections::BTreeSet::new(),
            xact_start: clock,
            prepared: alloc::collections::BTreeMap::new(),
            portals: alloc::collections::BTreeMap::new(),
            routines: alloc::collections::BTreeMap::new(),
            depth: 0,
            unnamed_portals: 0,
            sqlstates: alloc::collections::BTreeMap::new(),
            trigger_depth: 0,
            checks: alloc::collections::BTreeMap::new(),
            deferred: alloc::collections::BTreeMap::new(),
            due: crate::sql::commands::deferred::Due::default(),
            fires_all: false,
        }
    }
}
