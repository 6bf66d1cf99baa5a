//! Functions with one value that read what the server is and has (src/backend/utils/adt/dbsize.c, xid8funcs.c,
//! version.c; src/backend/access/transam/xlogfuncs.c).

use super::{maps, page_from, text_of};
use crate::cluster::Class;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::namespace::PG_TOAST;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Context, enum_in};
use crate::sql::tcop::Database;
use crate::storage::{BLCKSZ, MultiXactId, RelationData, Xact, XidStatus};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::bits::BIT;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::input::input;
use ffviz_format::datum::record::record_in;
use ffviz_format::datum::{Attribute, SqlError, SqlType, Value};
use ffviz_format::page::{BlockNumber, ForkNumber, FsmPage, Oid, TransactionId};
use ffviz_format::state::RelKind;

const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

impl Database {
    /// The place of a label among those of its type.
    pub(in crate::sql) fn enum_rank(&self, args: &[Value]) -> Result<Value, SqlError> {
        let (Value::Oid(label), Value::Oid(of)) = (&args[0], &args[1]) else { return Ok(Value::Null) };
        let labels = self.cluster.catalog.enum_type(*of).map_or(&[][..], |ty| &ty.labels);
        Ok(labels.iter().position(|(known, _)| known == label).map_or(Value::Null, |at| Value::Int4(at as i32)))
    }

    pub(in crate::sql) fn enum_in(&self, args: &[Value]) -> Result<Value, SqlError> {
        let ty = if let Value::Oid(oid) = args[1] { self.cluster.catalog.enum_type(oid) } else { None };
        let missing = || SqlError::new(NOT_SIMULATED, "an enum type that was dropped meanwhile is not supported");
        enum_in(args[0].plain_bytes().unwrap_or_default(), ty.ok_or_else(missing)?)
    }

    pub(in crate::sql) fn enum_out(&self, label: &Value) -> Value {
        let Value::Oid(oid) = label else { return Value::Null };
        self.cluster.name_enums(&mark(*oid)).map_or(Value::Null, |text| Value::text(&text))
    }

    /// `record_in`, of text that is known only now.
    pub(in crate::sql) fn record_in(&mut self, args: &[Value]) -> Result<Value, SqlError> {
        let ty = if let Value::Oid(oid) = args[1] { self.cluster.row_type(oid) } else { None };
        let missing = || SqlError::new(NOT_SIMULATED, "a type of rows that was dropped meanwhile is not supported");
        let ty = ty.ok_or_else(missing)?;
        let row = record_in(&text_of(&args[0]), &ty, |text, column| self.column_in(text, column))?;
        self.check_domains(&row)?;
        Ok(row)
    }

    /// Asks what the domains of a row's columns ask, and of the rows within it.
    pub(in crate::sql) fn check_domains(&mut self, row: &Value) -> Result<(), SqlError> {
        let Value::Record(record) = row else { return Ok(()) };
        for (column, value) in record.columns() {
            match column.domain() {
                Some(domain) => self.coerce_to_domain(&value, domain).map(drop)?,
                None => self.check_domains(&value)?,
            }
        }
        Ok(())
    }

    /// The value of a row's column that the text is.
    fn column_in(&self, text: &str, column: &Attribute) -> Result<Value, SqlError> {
        if let Some(row) = self.cluster.row_type(column.typid) {
            return record_in(text, &row, |text, column| self.column_in(text, column));
        }
        match self.cluster.catalog.enum_type(column.typid) {
            Some(ty) => enum_in(text.as_bytes(), ty),
            None => input(text, column.ty(), &Context::input(self)),
        }
    }

    pub(in crate::sql) fn regclassin(&self, name: &Value) -> Result<Value, SqlError> {
        Ok(Value::Oid(self.regclass_in(&text_of(name))?))
    }

    pub(in crate::sql) fn regclassout(&self, class: &Value) -> Value {
        match class {
            Value::Oid(oid) => Value::text(&self.regclass_out(*oid)),
            text => {
                let found = self.regclass_in(&text_of(text));
                Value::text(&found.map_or_else(|_| text_of(text), |oid| self.regclass_out(oid)))
            }
        }
    }

    /// `regtypeout`: a number where there is no such type.
    pub(in crate::sql) fn regtypeout(&self, of: &Value) -> Value {
        let Value::Oid(oid) = of else { return Value::Null };
        let is_own = self.cluster.schema_of_type(*oid).is_some();
        let of_enum = if is_own { self.cluster.name_enums(&mark(*oid)) } else { self.cluster.row_type_name(*oid) };
        let name = match *oid {
            BIT => String::from("bit"),
            // without a length
            1042 => String::from("character"),
            2278 => String::from("void"),
            2279 => String::from("trigger"),
            oid => SqlType::plain(oid).name(),
        };
        let known = || Some(name).filter(|name| name != "???");
        let none = if *oid == 0 { String::from("-") } else { oid.to_string() };
        Value::text(&of_enum.or_else(known).unwrap_or(none))
    }

    /// `regnamespacein`
    pub(in crate::sql) fn regnamespacein(&self, name: &Value) -> Result<Value, SqlError> {
        let text = text_of(name);
        if let Ok(oid) = text.parse() {
            return Ok(Value::Oid(oid));
        }
        let bare = text.trim_matches('"');
        let found = namespaces(self).find(|(known, _)| *known == bare).map(|(_, oid)| Value::Oid(oid));
        found.ok_or_else(|| crate::cluster::namespace::missing(bare))
    }

    /// `regnamespaceout`: a number where there is no such schema.
    pub(in crate::sql) fn regnamespaceout(&self, of: &Value) -> Value {
        let Value::Oid(oid) = of else { return Value::Null };
        let found = namespaces(self).find(|(_, known)| known == oid);
        Value::text(&found.map_or_else(|| oid.to_string(), |(name, _)| quote_identifier(name)))
    }

    pub(in crate::sql) fn pg_freespace(&mut self, args: &[Value]) -> Result<Value, SqlError> {
        let relation = self.looked_at(&args[0])?;
        let block = BlockNumber::try_from(args[1].integer().unwrap_or(0));
        let block = block.map_err(|_| SqlError::new("22023", "invalid block number"))?;
        Ok(maps::free(self, &relation, block))
    }

    /// `pg_get_indexdef`: of an index, or of one of its columns, counted from 1; with the schema unless it is to be
    /// pretty.
    pub(in crate::sql) fn pg_get_indexdef(&self, args: &[Value]) -> Result<Value, SqlError> {
        let Value::Oid(oid) = args[0] else { return Ok(Value::Null) };
        let column = args.get(1).and_then(Value::integer).and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        let is_pretty = args.get(2) == Some(&Value::Bool(true));
        let text = match column.checked_sub(1) {
            Some(place) => self.index_column(oid, place, is_pretty)?,
            None => self.index_definition(oid, is_pretty)?,
        };
        Ok(text.map_or(Value::Null, |text| Value::text(&text)))
    }

    pub(in crate::sql) fn get_raw_page(&self, args: &[Value]) -> Result<Value, SqlError> {
        let relation = self.looked_at(&Value::text(&text_of(&args[0])))?;
        let fork = match args {
            [_, fork, _] => fork_of(&text_of(fork))?,
            _ => ForkNumber::Main,
        };
        let block = args.last().and_then(Value::integer).unwrap_or(0);
        if block < 0 {
            return Err(SqlError::new("22023", "invalid block number"));
        }
        let (_, page) = self.page_of(&relation, fork, block)?;
        Ok(Value::Bytea(page.bytes().into()))
    }

    /// `format_type`: a type with its modifier.
    pub(in crate::sql) fn format_type(&self, args: &[Value]) -> Result<Value, SqlError> {
        let Value::Oid(oid) = args[0] else { return Ok(Value::Null) };
        let named = self.cluster.catalog.enums().iter().find(|ty| ty.oid == oid).map(|ty| &ty.name);
        if let Some(name) = named.or_else(|| self.cluster.catalog.domain(oid).map(|domain| &domain.name)) {
            return Ok(Value::text(&quote_identifier(name)));
        }
        let typmod = match args[1] {
            Value::Int4(typmod) => typmod,
            _ if oid == 1042 => return Ok(Value::text("character")),
            _ if oid == BIT => return Ok(Value::text("bit")),
            _ => -1,
        };
        match (oid, SqlType { oid, typmod }.name()) {
            (0, _) => Ok(Value::text("-")),
            (_, unknown) if unknown == "???" => {
                Err(SqlError::new(NOT_SIMULATED, format!("format_type of the type {oid} is not supported")))
            }
            (_, name) => Ok(Value::text(&name)),
        }
    }

    /// `pg_get_serial_sequence`: the sequence that belongs to a column.
    pub(in crate::sql) fn serial_sequence(&self, args: &[Value]) -> Result<Value, SqlError> {
        let (table, column) = (self.regclass_of_pages(&args[0])?, text_of(&args[1]));
        let relation = self.cluster.pg.relation(table)?;
        let is_it = |attribute: &&Attribute| !attribute.dropped && attribute.name == column;
        let missing = || {
            let message = format!("column \"{column}\" of relation \"{}\" does not exist", relation.name);
            SqlError::new("42703", message)
        };
        let attribute = relation.desc.attributes().iter().find(is_it).ok_or_else(missing)?;
        let belongs = |class: &&Arc<Class>| {
            class.kind == RelKind::Sequence && class.table == Some(table) && class.depends == [attribute.num]
        };
        let name = |class: &Arc<Class>| {
            Value::text(&format!("{}.{}", quote_identifier(&class.schema), quote_identifier(&class.name)))
        };
        Ok(self.cluster.catalog.classes().find(belongs).map_or(Value::Null, name))
    }

    fn bytes(&self, relation: &RelationData, forks: &[ForkNumber]) -> i64 {
        let blocks: u32 = forks.iter().map(|fork| self.cluster.pg.buffers.nblocks(relation.file, *fork)).sum();
        i64::from(blocks) * i64::from(BLCKSZ)
    }

    fn bytes_of_all(&self, oids: &[Oid]) -> i64 {
        oids.iter().filter_map(|oid| self.cluster.pg.relation(*oid).ok()).map(|it| self.bytes(&it, &FORKS)).sum()
    }

    /// `calculate_toast_table_size`
    fn toast_bytes(&self, relation: &RelationData) -> i64 {
        let toast: Vec<Oid> = relation.toast.into_iter().collect();
        let indexes = toast.iter().filter_map(|oid| self.cluster.pg.relation(*oid).ok());
        let indexes: Vec<Oid> = indexes.flat_map(|toast| toast.indexes.clone()).collect();
        self.bytes_of_all(&toast) + self.bytes_of_all(&indexes)
    }

    /// The size of a relation: none of a view, which has no file; NULL where there is no such relation.
    fn size(
        &self,
        relation: &Value,
        of: impl FnOnce(&RelationData) -> Result<i64, SqlError>,
    ) -> Result<Value, SqlError> {
        if self.view_meant(relation)?.is_some() {
            return Ok(Value::Int8(0));
        }
        self.measured(relation)?.map_or(Ok(Value::Null), |relation| of(&relation).map(Value::Int8))
    }

    pub(in crate::sql) fn pg_relation_size(&self, args: &[Value]) -> Result<Value, SqlError> {
        let fork = args.get(1).map_or(Ok(ForkNumber::Main), |fork| fork_of(&text_of(fork)));
        self.size(&args[0], |relation| Ok(self.bytes(relation, &[fork?])))
    }

    /// `pg_relpages`
    pub(in crate::sql) fn pg_relpages(&self, relation: &Value) -> Result<Value, SqlError> {
        let relation = self.looked_at(relation)?;
        Ok(Value::Int8(self.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main).into()))
    }

    /// `pg_prewarm` (contrib/pg_prewarm): how many blocks are read; all pages are in memory here anyway.
    pub(in crate::sql) fn pg_prewarm(&self, args: &[Value]) -> Result<Value, SqlError> {
        let relation = self.looked_at(&args[0])?;
        let error = |message: String| SqlError::new("22023", message);
        let mode = args.get(1).map_or_else(|| String::from("buffer"), text_of);
        if !["prefetch", "read", "buffer"].contains(&mode.as_str()) {
            return Err(error(String::from("invalid prewarm type")));
        }
        let name = args.get(2).map_or_else(|| String::from("main"), text_of);
        let fork = fork_of(&name)?;
        let blocks = i64::from(self.cluster.pg.buffers.nblocks(relation.file, fork));
        if blocks == 0 && fork != ForkNumber::Main {
            return Err(error(format!("fork \"{name}\" does not exist for this relation")));
        }
        let bound = |n: usize, which: &str, default: i64| match args.get(n).and_then(Value::integer) {
            Some(block) if (0..blocks).contains(&block) => Ok(block),
            Some(_) => Err(error(format!("{which} block number must be between 0 and {}", blocks - 1))),
            None => Ok(default),
        };
        let (first, last) = (bound(3, "starting", 0)?, bound(4, "ending", blocks - 1)?);
        Ok(Value::Int8((last - first + 1).max(0)))
    }

    pub(in crate::sql) fn pg_table_size(&self, table: &Value) -> Result<Value, SqlError> {
        self.size(table, |relation| Ok(self.bytes(relation, &FORKS) + self.toast_bytes(relation)))
    }

    pub(in crate::sql) fn pg_indexes_size(&self, table: &Value) -> Result<Value, SqlError> {
        self.size(table, |relation| Ok(self.bytes_of_all(&relation.indexes)))
    }

    pub(in crate::sql) fn pg_total_relation_size(&self, table: &Value) -> Result<Value, SqlError> {
        self.size(table, |relation| {
            let indexes = self.bytes_of_all(&relation.indexes);
            Ok(self.bytes(relation, &FORKS) + self.toast_bytes(relation) + indexes)
        })
    }

    pub(in crate::sql) fn pg_relation_filenode(&self, relation: &Value) -> Result<Value, SqlError> {
        Ok(Value::Oid(self.cluster.pg.buffers.locator(self.looked_at(relation)?.file).rel))
    }

    pub(in crate::sql) fn pg_relation_filepath(&self, relation: &Value) -> Result<Value, SqlError> {
        let file = self.looked_at(relation)?.file;
        let locator = self.cluster.pg.buffers.locator(file);
        let is_temporary = self.cluster.pg.buffers.is_temporary(file);
        let owner = if is_temporary { format!("t{}_", self.cluster.proc_number()) } else { String::new() };
        Ok(Value::text(&format!("base/{}/{owner}{}", locator.db, locator.rel)))
    }

    pub(in crate::sql) fn insert_lsn(&self) -> Value {
        Value::Int8(self.cluster.pg.wal.position().insert_lsn().0.cast_signed())
    }

    pub(in crate::sql) fn flush_lsn(&self) -> Value {
        Value::Int8(self.cluster.pg.flushed.0.cast_signed())
    }

    pub(in crate::sql) fn pg_switch_wal(&mut self) -> Value {
        Value::Int8(self.cluster.pg.switch_wal().0.cast_signed())
    }

    /// Of one relation, or of all.
    pub(in crate::sql) fn pg_stat_reset(&mut self, relation: Option<&Value>) -> Value {
        let oid = relation.and_then(|oid| if let Value::Oid(oid) = oid { Some(*oid) } else { None });
        self.cluster.pg.stats.reset(oid);
        Value::text("")
    }

    /// `pg_stat_clear_snapshot`
    pub(in crate::sql) fn clear_snapshot(&mut self) -> Value {
        if let Some(xact) = &mut self.cluster.pg.backend_mut().xact {
            xact.shown = None;
        }
        Value::text("")
    }

    pub(in crate::sql) fn pg_current_xact_id(&mut self) -> Value {
        Value::Int8(self.cluster.pg.top_xid().into())
    }

    fn assigned_xid(&self) -> Option<TransactionId> {
        self.cluster.pg.backend().xact.as_ref().and_then(Xact::top_xid)
    }

    pub(in crate::sql) fn xact_id_if_assigned(&self) -> Value {
        self.assigned_xid().map_or(Value::Null, |xid| Value::Int8(xid.into()))
    }

    /// `xid_age`
    pub(in crate::sql) fn age(&self, xid: TransactionId) -> Value {
        // `GetStableLatestTransactionId`
        let next = self.assigned_xid().unwrap_or(self.cluster.pg.transam.next_xid);
        Value::Int4(match xid {
            0..3 => i32::MAX,
            xid => next.wrapping_sub(xid).cast_signed(),
        })
    }

    /// `mxid_age`
    pub(in crate::sql) fn mxid_age(&self, multi: MultiXactId) -> Value {
        let next = self.cluster.pg.multixacts.next;
        Value::Int4(if multi == 0 { i32::MAX } else { next.wrapping_sub(multi).cast_signed() })
    }

    pub(in crate::sql) fn xact_status(&self, xid: TransactionId) -> Result<Value, SqlError> {
        if xid == 0 {
            return Ok(Value::Null);
        }
        if xid >= self.cluster.pg.transam.next_xid {
            return Err(SqlError::new("22023", format!("transaction ID {xid} is in the future")));
        }
        Ok(Value::text(match self.cluster.pg.transam.status(xid) {
            XidStatus::InProgress => "in progress",
            XidStatus::Committed => "committed",
            XidStatus::Aborted => "aborted",
        }))
    }

    /// `xmin:xmax:xip,…` of the statement's snapshot.
    pub(in crate::sql) fn snapshot_text(&mut self) -> String {
        let snapshot = match &self.running.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.cluster.take_snapshot(),
        };
        let running: Vec<String> = snapshot.xip.iter().map(|xid| format!("{xid}")).collect();
        format!("{}:{}:{}", snapshot.xmin, snapshot.xmax, running.join(","))
    }

    pub(in crate::sql) fn current_schema(&self) -> Value {
        self.cluster.search_path().first().map_or(Value::Null, |schema| Value::text(schema))
    }

    pub(in crate::sql) fn pg_backend_pid(&self) -> Value {
        Value::Int4(self.cluster.pg.me as i32 + 1000)
    }

    /// `pg_trigger_depth`: 0 outside of triggers.
    pub(in crate::sql) fn pg_trigger_depth(&self) -> Value {
        Value::Int4(self.sessions.get(&self.cluster.pg.me).map_or(0, |session| session.trigger_depth))
    }

    pub(in crate::sql) fn version_text(&self) -> Value {
        Value::text(&format!("PostgreSQL {}", self.cluster.version().major()))
    }
}

fn fork_of(name: &str) -> Result<ForkNumber, SqlError> {
    FORKS.into_iter().find(|fork| fork.name() == name).ok_or_else(|| SqlError::new("22023", "invalid fork name"))
}

pub(in crate::sql) fn page_checksum(args: &[Value]) -> Result<Value, SqlError> {
    let page = page_from(&args[0])?;
    let block = args[1].integer().unwrap_or(0) as BlockNumber;
    Ok(page.checksum(block).map_or(Value::Null, |checksum| Value::Int2(checksum.cast_signed())))
}

/// `fsm_page_contents`: the nodes that are not 0, a line each.
pub(in crate::sql) fn fsm_page_contents(page: &Value) -> Result<Value, SqlError> {
    let fsm = FsmPage::decode(&page_from(page)?, 0);
    let mut lines = String::new();
    for (n, node) in fsm.nodes.iter().enumerate().filter(|(_, node)| **node != 0) {
        lines.push_str(&format!("{n}: {node}\n"));
    }
    lines.push_str(&format!("fp_next_slot: {}\n", fsm.fp_next_slot));
    Ok(Value::text(&lines))
}

/// The schemas that are known, with those of the system.
fn namespaces(db: &Database) -> impl Iterator<Item = (&str, Oid)> {
    const PG_CATALOG: (&str, Oid) = ("pg_catalog", 11);
    db.cluster.catalog.schemas().chain([PG_CATALOG, PG_TOAST])
}
