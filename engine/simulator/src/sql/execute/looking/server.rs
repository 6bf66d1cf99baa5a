//! Functions with one value that read what the server is and has (src/backend/utils/adt/dbsize.c, xid8funcs.c, version.c;
//! src/backend/access/transam/xlogfuncs.c).

use super::{maps, page_from, text_of};
use crate::cluster::Class;
use crate::cluster::ddl::quote_identifier;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::execute::Database;
use crate::storage::{BLCKSZ, RelationData, XidStatus};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, Value};
use ffviz_format::page::{BlockNumber, ForkNumber, FsmPage, Oid, TransactionId};
use ffviz_format::state::RelKind;

const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

impl Database {
    /// The value of a function that is asked.
    ///
    /// # Errors
    /// As the function raises them.
    pub(in crate::sql::execute) fn answer(&mut self, name: &str, args: &[Value]) -> Result<Value, SqlError> {
        match name {
            "get_raw_page" => self.get_raw_page(args),
            "page_checksum" => page_checksum(args),
            "fsm_page_contents" => Ok(Value::text(&fsm_page_contents(&page_from(&args[0])?))),
            "regclassin" => Ok(Value::Oid(self.regclass_in(&text_of(&args[0]))?)),
            "to_regclass" => Ok(self.regclass_in(&text_of(&args[0])).map_or(Value::Null, Value::Oid)),
            "regclassout" => Ok(Value::text(
                &self.regclass(&args[0]).map_or_else(|_| text_of(&args[0]), |oid| self.regclass_out(oid)),
            )),
            "pg_freespace" => {
                let relation = self.looked_at(&args[0])?;
                let block = args[1].integer().unwrap_or(0);
                Ok(BlockNumber::try_from(block).map_or(Value::Int2(0), |block| maps::free(self, &relation, block)))
            }
            "pg_get_indexdef" => match &args[0] {
                Value::Oid(oid) => Ok(self.index_definition(*oid)?.map_or(Value::Null, |text| Value::text(&text))),
                _ => Ok(Value::Null),
            },
            "pg_get_serial_sequence" => self.serial_sequence(&text_of(&args[0]), &text_of(&args[1])),
            _ if name.contains("size") || name.starts_with("pg_relation_file") => self.size(name, args),
            _ if name.contains("wal") || name.contains("lsn") => self.position(name),
            _ => self.transaction(name, args).unwrap_or_else(|| self.session_value(name)),
        }
    }

    fn get_raw_page(&self, args: &[Value]) -> Result<Value, SqlError> {
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

    /// `pg_get_serial_sequence`: the sequence that belongs to a column.
    fn serial_sequence(&self, table: &str, column: &str) -> Result<Value, SqlError> {
        let table = self.regclass_in(table)?;
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

    fn size(&self, name: &str, args: &[Value]) -> Result<Value, SqlError> {
        let missing = |name: &str| SqlError::new(NOT_SIMULATED, format!("function {name} is not supported"));
        let relation = self.looked_at(args.first().ok_or_else(|| missing(name))?)?;
        let toast = || {
            let toast: Vec<Oid> = relation.toast.into_iter().collect();
            let indexes = toast.iter().filter_map(|oid| self.cluster.pg.relation(*oid).ok());
            let indexes: Vec<Oid> = indexes.flat_map(|toast| toast.indexes.clone()).collect();
            self.bytes_of_all(&toast) + self.bytes_of_all(&indexes)
        };
        Ok(match name {
            "pg_relation_size" => {
                let fork = args.get(1).map_or(Ok(ForkNumber::Main), |fork| fork_of(&text_of(fork)))?;
                Value::Int8(self.bytes(&relation, &[fork]))
            }
            "pg_table_size" => Value::Int8(self.bytes(&relation, &FORKS) + toast()),
            "pg_indexes_size" => Value::Int8(self.bytes_of_all(&relation.indexes)),
            "pg_total_relation_size" => {
                Value::Int8(self.bytes(&relation, &FORKS) + toast() + self.bytes_of_all(&relation.indexes))
            }
            "pg_relation_filenode" => Value::Oid(self.cluster.pg.buffers.locator(relation.file).rel),
            "pg_relation_filepath" => {
                let locator = self.cluster.pg.buffers.locator(relation.file);
                Value::text(&format!("base/{}/{}", locator.db, locator.rel))
            }
            _ => return Err(missing(name)),
        })
    }

    fn position(&mut self, name: &str) -> Result<Value, SqlError> {
        let lsn = match name {
            "pg_current_wal_insert_lsn" | "pg_current_wal_lsn" => self.cluster.pg.wal.position().insert_lsn(),
            "pg_switch_wal" => self.cluster.pg.switch_wal(),
            "pg_current_wal_flush_lsn" => self.cluster.pg.flushed,
            _ => return Err(SqlError::new(NOT_SIMULATED, format!("function {name} is not supported"))),
        };
        Ok(Value::Int8(lsn.0.cast_signed()))
    }

    fn transaction(&mut self, name: &str, args: &[Value]) -> Option<Result<Value, SqlError>> {
        let xid = |args: &[Value]| match args.first() {
            Some(Value::Oid(xid)) => *xid,
            other => other.and_then(Value::integer).unwrap_or(0) as TransactionId,
        };
        Some(Ok(match name {
            "pg_current_xact_id" => Value::Int8(self.cluster.pg.top_xid().into()),
            "txid_current_if_assigned" | "pg_current_xact_id_if_assigned" => {
                let xact = self.cluster.pg.backend().xact.as_ref();
                xact.and_then(crate::storage::Xact::top_xid).map_or(Value::Null, |xid| Value::Int8(xid.into()))
            }
            "pg_current_snapshot" | "txid_current_snapshot" => Value::text(&self.snapshot_text()),
            "age" => {
                // `GetStableLatestTransactionId`
                let own = self.cluster.pg.backend().xact.as_ref().and_then(crate::storage::Xact::top_xid);
                let next = own.unwrap_or(self.cluster.pg.transam.next_xid);
                let age = match xid(args) {
                    0..3 => i32::MAX,
                    xid => next.wrapping_sub(xid).cast_signed(),
                };
                Value::Int4(age)
            }
            "txid_status" | "pg_xact_status" => {
                let xid = xid(args);
                if xid >= self.cluster.pg.transam.next_xid {
                    let message = format!("transaction ID {xid} is in the future");
                    return Some(Err(SqlError::new("22023", message)));
                }
                Value::text(match self.cluster.pg.transam.status(xid) {
                    XidStatus::InProgress => "in progress",
                    XidStatus::Committed => "committed",
                    XidStatus::Aborted => "aborted",
                })
            }
            _ => return None,
        }))
    }

    /// `xmin:xmax:xip,…` of the statement's snapshot.
    fn snapshot_text(&mut self) -> String {
        let snapshot = match &self.running.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.cluster.take_snapshot(),
        };
        let running: Vec<String> = snapshot.xip.iter().map(|xid| format!("{xid}")).collect();
        format!("{}:{}:{}", snapshot.xmin, snapshot.xmax, running.join(","))
    }

    fn session_value(&mut self, name: &str) -> Result<Value, SqlError> {
        Ok(match name {
            "current_user" | "session_user" | "user" | "current_role" => Value::text("postgres"),
            "current_database" | "current_catalog" => Value::text("postgres"),
            "current_schema" => self.cluster.search_path().first().map_or(Value::Null, |schema| Value::text(schema)),
            "pg_is_in_recovery" => Value::Bool(false),
            "pg_backend_pid" => Value::Int4(self.cluster.pg.me as i32 + 1000),
            "pg_stat_force_next_flush" | "pg_stat_reset" | "pg_stat_clear_snapshot" => Value::text(""),
            "version" => {
                let version = self.cluster.version();
                Value::text(&format!("PostgreSQL {}", version.major()))
            }
            _ => return Err(SqlError::new(NOT_SIMULATED, format!("function {name} is not supported"))),
        })
    }
}

fn fork_of(name: &str) -> Result<ForkNumber, SqlError> {
    FORKS.into_iter().find(|fork| fork.name() == name).ok_or_else(|| SqlError::new("22023", "invalid fork name"))
}

fn page_checksum(args: &[Value]) -> Result<Value, SqlError> {
    let page = page_from(&args[0])?;
    let block = args[1].integer().unwrap_or(0) as BlockNumber;
    Ok(page.checksum(block).map_or(Value::Null, |checksum| Value::Int2(checksum.cast_signed())))
}

/// `fsm_page_contents`: the nodes that are not 0, a line each.
fn fsm_page_contents(page: &ffviz_format::page::Page) -> String {
    let fsm = FsmPage::decode(page, 0);
    let mut lines = String::new();
    for (n, node) in fsm.nodes.iter().enumerate().filter(|(_, node)| **node != 0) {
        lines.push_str(&format!("{n}: {node}\n"));
    }
    lines.push_str(&format!("fp_next_slot: {}\n", fsm.fp_next_slot));
    lines
}
