//! Looking at pages, WAL and catalogs from SQL: functions with rows, and relations of pg_catalog.
//!
//! ```text
//!  heap, btree, brin, maps   contrib/pageinspect, pg_visibility, pg_freespacemap     space   contrib/pgstattuple
//!  catalogs            pg_class and its like                                  server  functions with one value
//!  walinspect          contrib/pg_walinspect                                  stats   pg_stat_user_tables and its like
//! ```
//!
//! The tables here say which columns there are in which version; what is in a row is made from what the engine decodes
//! anyway.

mod amcheck;
mod approx;
mod attributes;
mod brin;
mod btree;
mod buffercache;
mod catalogs;
mod columns;
mod constraints;
mod expressions;
mod extended;
mod heap;
mod index_definition;
mod indexes;
mod information;
mod information_constraints;
mod information_views;
mod locks;
mod maps;
mod partitions;
pub(in crate::sql) mod privileges;
mod row_locks;
mod server;
mod session;
mod sets;
mod space;
mod stats;
mod system;
mod triggers;
mod views;
mod walinspect;

pub(in crate::sql) use amcheck::bt_index_check;
pub(in crate::sql) use brin::{desummarize, page_type, summarize};
pub use catalogs::{
    ACTIVITY, ANY_CHARACTER, PG_CLASS, PG_LOCKS, PG_NODE_TREE, WITH_SYSTEM, catalog, has_more_columns,
    is_beginning_of_own, keys, view_text,
};
pub(in crate::sql) use heap::tuple_data_split;
pub(in crate::sql) use information::blocking_pids;
pub(in crate::sql) use locks::{Advisory, OF_OTHERS, OF_RELATIONS, OWN_TYPES, advisory_key, pg_locks_oid};
pub(in crate::sql) use maps::truncate_visibility_map;
pub(in crate::sql) use server::{fsm_page_contents, page_checksum};
pub use session::{is_known_setting, may_be_unknown_setting};
pub(in crate::sql) use sets::lists_columns;
pub use sets::{
    ROW_LOCKS, columns_of_call, estimated_rows, gives_rows, is_of_another_version, is_one_row, names_its_column,
};
pub(in crate::sql) use system::{system_name, system_relation, with_its_indexes};
pub(in crate::sql) use triggers::OWN_TRIGGERS;
pub use views::is_other_type;

use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::push_system_values;
use crate::sql::expr::{Context, walfile_name_offset};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MultiXactMember, RelationData};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{BlockNumber, FIRST_NORMAL_OBJECT_ID, ForkNumber, ItemPointer, Page, precedes};

/// The rows of a sequence that is read as a relation.
pub const SEQUENCE: &str = "sequence";

/// Rows.
pub(in crate::sql) type Rows = Vec<Vec<Value>>;

fn not_simulated(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} is not supported"))
}

impl Database {
    /// The rows of a function or a catalog.
    ///
    /// # Errors
    /// As the function raises them.
    pub(in crate::sql) fn set_function(&mut self, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
        if let Some(rows) = catalogs::rows(self, name) {
            return rows;
        }
        // nearly all of them are strict
        if !sets::takes_null(name, args.len()) && args.iter().any(Value::is_null) {
            return Ok(if sets::gives_one_row(name, args.len()) { Vec::from([Vec::new()]) } else { Vec::new() });
        }
        if let Some(rows) = sets::records(name, args, &self.input()) {
            return rows;
        }
        match name {
            "heap_page_items" | "page_header" | "heap_page_item_attrs" | "heap_tuple_infomask_flags" => {
                heap::rows(self, name, args)
            }
            "bt_metap" | "bt_page_stats" | "bt_multi_page_stats" | "bt_page_items" => btree::rows(self, name, args),
            _ if name.starts_with("brin_") => brin::rows(self, name, args),
            _ if name.starts_with("pg_get_wal_") => walinspect::rows(self, name, args),
            ROW_LOCKS => row_locks::rows(self, &args[0]),
            "pg_walfile_name_offset" => Ok(Vec::from([walfile_name_offset(&args[0], self.cluster.version()).to_vec()])),
            "verify_heapam" => self.looked_at(&args[0]).map(|_| Rows::new()),
            "pgstattuple_approx" => approx::rows(self, &args[0]),
            "pgstattuple" | "pgstatindex" => space::rows(self, name, args),
            SEQUENCE => self.sequence_row(args),
            "pg_partition_ancestors" => self.partition_ancestors(&args[0]),
            "pg_partition_tree" => self.partition_tree(&args[0]),
            "pg_get_multixact_members" => self.multixact_members(&args[0]),
            _ if name.starts_with("pg_visibility") || name == "pg_freespace" || name.starts_with("pg_check_") => {
                maps::rows(self, name, args)
            }
            _ => sets::rows(name, args)
                .unwrap_or_else(|| Err(SqlError::new(NOT_SIMULATED, format!("function {name} is not supported")))),
        }
    }

    /// The relation with pages that a function is given, by its name or its OID.
    fn looked_at(&self, relation: &Value) -> Result<Arc<RelationData>, SqlError> {
        let relation = self.opened(relation)?;
        if !self.cluster.pg.buffers.has_file(relation.file) {
            let message = format!("looking at the partitioned {}, which has no pages, is not supported", relation.name);
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        Ok(relation)
    }

    /// The same of one that may have none.
    fn opened(&self, relation: &Value) -> Result<Arc<RelationData>, SqlError> {
        self.cluster.pg.relation(self.regclass_of_pages(relation)?)
    }

    /// One that is measured, or `None` of a number that no relation has (`try_relation_open`).
    fn measured(&self, relation: &Value) -> Result<Option<Arc<RelationData>>, SqlError> {
        let oid = self.regclass(relation)?;
        match self.cluster.pg.relation(oid) {
            Err(_) if oid == 0 || oid >= FIRST_NORMAL_OBJECT_ID => Ok(None),
            relation => relation.map(Some),
        }
    }

    /// A page of a relation, as a function reads it.
    fn page_of(&self, relation: &RelationData, fork: ForkNumber, block: i64) -> Result<(BlockNumber, Page), SqlError> {
        let blocks = self.cluster.pg.buffers.nblocks(relation.file, fork);
        let name = &relation.name;
        let out_of_range = || {
            let which = if fork == ForkNumber::Main { String::new() } else { format!(" for fork \"{}\"", fork.name()) };
            let message = match fork {
                ForkNumber::Main => format!("block number {block} is out of range for relation \"{name}\""),
                _ => format!("block number {block} is out of range for relation \"{name}\"{which}"),
            };
            SqlError::new("22023", message)
        };
        let number = BlockNumber::try_from(block).ok().filter(|number| *number < blocks).ok_or_else(out_of_range)?;
        let buf = Buffer { file: relation.file, fork, block: number };
        Ok((number, self.cluster.pg.buffers.page(buf).clone()))
    }

    /// `pg_get_multixact_members`
    fn multixact_members(&self, multi: &Value) -> Result<Rows, SqlError> {
        const MODES: [&str; 6] = ["keysh", "sh", "fornokeyupd", "forupd", "nokeyupd", "upd"];
        let Value::Oid(multi) = *multi else { return Ok(Rows::new()) };
        if multi == 0 {
            return Err(SqlError::new("22023", "invalid MultiXactId: 0"));
        }
        if !precedes(multi, self.cluster.pg.multixacts.next) {
            let message = format!("MultiXactId {multi} has not been created yet -- apparent wraparound");
            return Err(SqlError::new("XX000", message));
        }
        let members = self.cluster.pg.multixacts.members(multi);
        if members.is_empty() {
            let message = "the members of a MultiXact that was made before the script are not known";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let row =
            |member: &MultiXactMember| Vec::from([Value::Oid(member.xid), Value::text(MODES[member.status as usize])]);
        Ok(members.iter().map(row).collect())
    }

    /// A sequence as a relation (`FormData_pg_sequence_data`).
    fn sequence_row(&self, args: &[Value]) -> Result<Rows, SqlError> {
        let relation = self.looked_at(&args[0])?;
        let (_, page) = self.page_of(&relation, ForkNumber::Main, 0)?;
        let mut values = Vec::new();
        if let Some((offset, lp)) = page.line_pointers().next() {
            let bytes = page.slice(lp.lp_off()..lp.lp_off() + lp.lp_len());
            relation.desc.deform(bytes, &mut values);
            push_system_values(self, &relation, ItemPointer { block: 0, offset }, &mut values);
        }
        Ok(Vec::from([values]))
    }
}

/// Text of an argument.
fn text_of(value: &Value) -> String {
    String::from_utf8_lossy(value.plain_bytes().unwrap_or(&[])).into_owned()
}

/// The page that a function is given as bytea (`get_page_from_raw`).
fn page_from(value: &Value) -> Result<Page, SqlError> {
    let bytes = value.plain_bytes().unwrap_or(&[]);
    if bytes.len() < ffviz_format::page::PageHeaderData::SIZE {
        return Err(SqlError::new("22023", format!("input page too small ({} bytes)", bytes.len())));
    }
    if bytes.len() != usize::from(crate::storage::BLCKSZ) {
        let detail = format!("Expected {} bytes, got {}.", crate::storage::BLCKSZ, bytes.len());
        return Err(SqlError::new("22023", "invalid page size").with_detail(detail));
    }
    Ok(Page::new(bytes))
}
