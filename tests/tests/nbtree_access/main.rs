//! The B-tree access method against real servers: the same entries in the same order make the same pages, byte for
//! byte.

mod workloads;

use ffviz_format::datum::{SqlType, TupleDesc, Value};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, Lsn, OffsetNumber, PgVersion};
use ffviz_format::state::RelKind;
use ffviz_format::wal::RelFileLocator;
use ffviz_simulator::access::nbtree::{Index, LastInsert, NewEntry, Spool, UniqueCheck};
use ffviz_simulator::access::transam::{InsertPosition, Keep, WalLevel, WalSettings, WalWriter};
use ffviz_simulator::storage::{
    Buffer, Deferrable, FileId, IndexForm, IndexKey, Instance, RelationData, ReplicaIdentity, Settings, TableAm,
    Transam, VacuumOptions,
};
use ffviz_tests::servers::Database;
use postgres::Client;
use std::sync::Arc;
use workloads::{WORKLOADS, Workload};

/// The values of an entry, and its row.
type Entry = (Vec<Value>, ItemPointer);

/// Entries, and the pages that they make.
type Made = (Vec<Entry>, Vec<Vec<u8>>);

/// What the server has: the entries in the order of their insertion, and the pages of the index.
struct Server {
    version: PgVersion,
    entries: Vec<Entry>,
    pages: Vec<Vec<u8>>,
}

fn on_server(client: &mut Client, work: &Workload) -> Server {
    let columns: Vec<String> = work.columns.iter().map(|(name, ty)| format!("{name} {}", ty.name())).collect();
    let unique = if work.unique { "unique" } else { "" };
    let index = format!("create {unique} index i on t {}", work.index);
    let rows = format!("insert into t {}", work.rows);
    let (first, second) = if work.build { (&rows, &index) } else { (&index, &rows) };
    let sql = format!(
        "drop table if exists t; create table t ({}) with (autovacuum_enabled = off); {first}; {second};",
        columns.join(", ")
    );
    client.batch_execute(&sql).expect(work.name);
    let names: Vec<String> = work.columns.iter().map(|(name, _)| format!("{name}::text")).collect();
    let order = if work.columns.iter().any(|(name, _)| *name == "o") { "t.o" } else { "t.ctid" };
    let sql = format!("select ctid::text, {} from t order by {order}", names.join(", "));
    let entries = client.query(&sql, &[]).expect("rows").into_iter().map(|row| {
        let values = work.keys.iter().map(|(column, ..)| value(work.columns[*column].1, row.get(column + 1)));
        (values.collect(), tid(row.get(0)))
    });
    let entries = entries.collect();
    let sql = "select get_raw_page('i', n::int) from generate_series(0, pg_relation_size('i') / 8192 - 1) n order by n";
    let pages = client.query(sql, &[]).expect("pages").iter().map(|row| row.get(0)).collect();
    Server { version: ffviz_tests::wal::version(client), entries, pages }
}

fn tid(text: &str) -> ItemPointer {
    let (block, offset) = text.trim_matches(['(', ')']).split_once(',').expect("a TID");
    ItemPointer { block: block.parse().expect("a block"), offset: OffsetNumber(offset.parse().expect("a number")) }
}

fn value(ty: SqlType, text: Option<&str>) -> Value {
    let Some(text) = text else { return Value::Null };
    match ty {
        SqlType::INT8 => Value::Int8(text.parse().expect("a number")),
        SqlType::INT4 => Value::Int4(text.parse().expect("a number")),
        SqlType::FLOAT8 => Value::Float8(text.parse().expect("a number")),
        _ => Value::text(text),
    }
}

/// A server of ours with an empty table and the index of the workload.
fn ours(version: PgVersion, work: &Workload) -> (Instance, RelationData) {
    let settings =
        WalSettings { version, level: WalLevel::Replica, compression: None, consistency_checking: Vec::new() };
    let start = Lsn(0x0100_0028);
    let position = InsertPosition::new(start, start, 16 << 20);
    let wal = WalWriter::new(settings, position, start, Keep::Records);
    let mut pg = Instance::new(Settings::default(), wal, Transam::new(1000, 16384));
    let mut relation = |name: &str, rel, kind, attributes: Vec<SqlType>, index| {
        let file = pg.buffers.create(RelFileLocator { spc: 1663, db: 5, rel }, true);
        let attributes = (1..).zip(attributes).map(|(n, ty)| ty.attribute(n, "c")).collect();
        RelationData {
            oid: rel,
            name: name.to_owned(),
            kind,
            file,
            am: TableAm::Heap,
            permanent: true,
            created_by: None,
            desc: Arc::new(TupleDesc::new(attributes)),
            fillfactor: None,
            toast_tuple_target: 2032,
            vacuum: VacuumOptions::default(),
            replica_identity: ReplicaIdentity::Default,
            toast: None,
            indexes: Vec::new(),
            indexed: Vec::new(),
            index,
        }
    };
    let table = relation("t", 16384, RelKind::Table, work.columns.iter().map(|(_, ty)| *ty).collect(), None);
    let columns = work.keys.iter().map(|(column, desc, nulls_first)| IndexKey {
        attnum: *column as u16 + 1,
        desc: *desc,
        nulls_first: *nulls_first,
        pattern: false,
    });
    let form = IndexForm {
        table: 16384,
        unique: work.unique,
        primary: false,
        deferrable: Deferrable::No,
        nulls_not_distinct: false,
        summarizing: false,
        gist: None,
        columns: columns.collect(),
        n_keys: work.n_keys,
        partial: false,
        deduplicate_items: work.dedup,
        check_xmin: None,
        invalid: false,
        key_names: None,
    };
    let types = work.keys.iter().map(|(column, ..)| work.columns[*column].1).collect();
    let mut index = relation("i", 16385, RelKind::Index, types, Some(form));
    index.fillfactor = work.fillfactor;
    pg.relations.insert(table.oid, Arc::new(table));
    (pg, index)
}

/// Makes the index of the entries; its pages.
fn simulate(server: &Server, work: &Workload) -> Vec<Vec<u8>> {
    let (mut pg, rel) = ours(server.version, work);
    pg.current_xid();
    let mut index = Index::new(&mut pg, &rel);
    if work.build {
        let mut spool = Spool::new(&rel);
        for (values, tid) in &server.entries {
            spool.put(&rel, values, *tid, true).expect("entries that fit");
        }
        index.build(spool, work.allequalimage).expect("entries that fit");
    } else {
        index.build(Spool::default(), work.allequalimage).expect("no entries");
        let unique = if work.unique { UniqueCheck::Yes } else { UniqueCheck::No };
        let mut last = LastInsert::new(&rel);
        for (values, tid) in &server.entries {
            let new = NewEntry { tid: *tid, unique, unchanged: false, replaces: None };
            index.insert(values, new, &mut last).expect(work.name);
        }
    }
    pages(&pg, rel.file)
}

fn pages(pg: &Instance, file: FileId) -> Vec<Vec<u8>> {
    let blocks: BlockNumber = pg.buffers.nblocks(file, ForkNumber::Main);
    (0..blocks).map(|block| pg.buffers.page(Buffer::main(file, block)).bytes().to_vec()).collect()
}

/// All bytes but `pd_lsn` and `pd_checksum`: what else a page says does not depend on where the WAL stands.
fn difference(ours: &[Vec<u8>], servers: &[Vec<u8>]) -> Option<String> {
    const LSN_AND_CHECKSUM: usize = 10;
    if ours.len() != servers.len() {
        return Some(format!("{} pages, the server has {}", ours.len(), servers.len()));
    }
    for (block, (ours, server)) in ours.iter().zip(servers).enumerate() {
        if let Some(at) = (LSN_AND_CHECKSUM..ours.len()).find(|at| ours[*at] != server[*at]) {
            return Some(format!("block {block}, byte {at}: {:#04x}, the server has {:#04x}", ours[at], server[at]));
        }
    }
    None
}

#[test]
fn pages_are_those_of_the_oldest_and_the_newest_server() {
    check(&[13, 18]);
}

#[test]
#[ignore = "two minutes"]
fn pages_are_those_of_all_servers() {
    check(&ffviz_tests::servers::MAJORS);
}

fn check(majors: &[u32]) {
    let (mut workloads, mut n_pages, mut n_entries) = (0, 0, 0);
    let mut wrong = Vec::new();
    // insertions and builds are the same in all versions: ours are made as 13 and as 18 make them, and again where a
    // server's rows differ
    let mut made: Vec<Option<Made>> = WORKLOADS.iter().map(|_| None).collect();
    for major in majors.iter().copied() {
        let mut db = Database::create(major, "ffviz_nbtree_access");
        for (work, made) in WORKLOADS.iter().zip(&mut made) {
            let server = on_server(&mut db.client, work);
            let known = made.take().filter(|(entries, _)| major != 18 && *entries == server.entries);
            let ours = known.map_or_else(|| simulate(&server, work), |(_, pages)| pages);
            let found = difference(&ours, &server.pages);
            wrong.extend(found.map(|why| format!("{major}, {}: {why}", work.name)));
            workloads += 1;
            n_pages += server.pages.len();
            n_entries += server.entries.len();
            *made = Some((server.entries, ours));
        }
    }
    println!("{workloads} workloads, {n_entries} entries, {n_pages} index pages compared, {} differ", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_pages > 1000);
}
