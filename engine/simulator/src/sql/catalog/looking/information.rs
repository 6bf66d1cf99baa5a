//! Functions about names, privileges and other sessions that read what there is (src/backend/catalog/namespace.c;
//! src/backend/utils/adt/acl.c, lockfuncs.c, partitionfuncs.c; src/backend/commands/sequence.c).

use super::{Rows, is_other_type, text_of};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::type_of_name;
use crate::sql::tcop::Database;
use crate::storage::Buffer;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

const INT4: Oid = 23;
const TEXT: Oid = 25;

impl Database {
    /// `current_schemas`: the search path, perhaps with what is searched without being named.
    pub(in crate::sql) fn current_schemas(&self, with_implicit: &Value) -> Value {
        let implicit = *with_implicit == Value::Bool(true);
        let path = if implicit { self.cluster.search_path_with_temp() } else { self.cluster.search_path() };
        let mut names: Vec<Value> = path.iter().map(|name| Value::text(name)).collect();
        if implicit && !path.contains(&"pg_catalog") {
            // behind that of temporary tables
            let at = usize::from(path.len() > self.cluster.search_path().len());
            names.insert(at, Value::text("pg_catalog"));
        }
        make_array(TEXT, &names)
    }

    /// `pg_table_is_visible`: would the relation be found without its schema? NULL where there is none.
    pub(in crate::sql) fn table_is_visible(&self, oid: &Value) -> Value {
        let Value::Oid(oid) = oid else { return Value::Null };
        if let Some(class) = self.cluster.catalog.class(*oid) {
            return Value::Bool(self.cluster.find(None, &class.name) == Some(*oid));
        }
        let view = self.cluster.catalog.views().find(|(_, view)| view.oid == *oid);
        view.map_or(Value::Null, |((_, name), _)| {
            Value::Bool(self.cluster.find_view(None, name).is_some_and(|(_, found)| found.oid == *oid))
        })
    }

    /// `to_regtype`
    pub(in crate::sql) fn to_regtype(&self, name: &Value) -> Result<Value, SqlError> {
        let name = text_of(name);
        let bare = name.trim().trim_matches('"');
        let of_enum = self.cluster.catalog.enums().iter().find(|ty| ty.name == bare).map(|ty| ty.oid);
        match of_enum.or_else(|| type_of_name(&name).map(|ty| ty.oid)) {
            Some(oid) => Ok(Value::Oid(oid)),
            None if bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !self.may_be_type(bare) => {
                Ok(Value::Null)
            }
            None => Err(SqlError::new(NOT_SIMULATED, format!("to_regtype of {name} is not supported"))),
        }
    }

    /// Could it be a type all the same: of a table's rows, a domain, or one that is not simulated?
    fn may_be_type(&self, name: &str) -> bool {
        let is_made = self.cluster.catalog.classes().any(|class| class.name == name);
        is_other_type(name)
            || is_made
            || name.ends_with("range")
            || self.cluster.catalog.views().any(|((_, it), _)| it == name)
            || self.cluster.catalog.domains().iter().any(|domain| domain.name == name)
    }

    /// `pg_partition_root`
    pub(in crate::sql) fn partition_root(&self, table: &Value) -> Result<Value, SqlError> {
        let ancestors = self.partition_ancestors(table)?;
        Ok(ancestors.into_iter().next_back().and_then(|mut row| row.pop()).unwrap_or(Value::Null))
    }

    /// `pg_partition_ancestors`: the relation and what it is a partition of; nothing of one that is outside of all.
    pub(super) fn partition_ancestors(&self, table: &Value) -> Result<Rows, SqlError> {
        let oid = self.regclass(table)?;
        let parent = |oid: Oid| self.cluster.catalog.class(oid).and_then(|class| class.partitioning.parent);
        let has_pages = self.cluster.pg.relation(oid).is_ok_and(|it| self.cluster.pg.buffers.has_file(it.file));
        if has_pages && parent(oid).is_none() || self.cluster.catalog.class(oid).is_none() {
            return Ok(Rows::new());
        }
        Ok(core::iter::successors(Some(oid), |oid| parent(*oid)).map(|oid| Vec::from([Value::Oid(oid)])).collect())
    }

    /// `pg_sequence_last_value`: NULL before the first one.
    pub(in crate::sql) fn last_value(&self, sequence: &Value) -> Result<Value, SqlError> {
        let oid = self.regclass_of_pages(sequence)?;
        let is_sequence = self.cluster.catalog.class(oid).is_some_and(|class| class.kind == RelKind::Sequence);
        if !is_sequence {
            let message = "pg_sequence_last_value of what is no sequence is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let relation = self.cluster.pg.relation(oid)?;
        let page = self.cluster.pg.buffers.page(Buffer::main(relation.file, 0));
        let row = crate::cluster::sequence::read_row(page);
        Ok(if row.is_called { Value::Int8(row.last_value) } else { Value::Null })
    }
}

/// `pg_blocking_pids`
pub(in crate::sql) fn blocking_pids(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let session = args[0].integer().and_then(|pid| usize::try_from(pid - 1000).ok());
    let backends = &db.cluster.pg.backends;
    let waits = session.and_then(|session| Some((session, backends.get(session)?.waits?)));
    let Some((session, on)) = waits else { return Ok(make_array(INT4, &[])) };
    // those that came before wait in front of it
    if backends.iter().filter(|backend| backend.waits.is_some()).count() > 1 {
        let message = "pg_blocking_pids where more than one session waits is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let holders = db.cluster.holders(session, on);
    Ok(make_array(INT4, &holders.into_iter().map(super::locks::pid).collect::<Vec<_>>()))
}
