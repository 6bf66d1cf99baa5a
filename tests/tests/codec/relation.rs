//! A relation of a fixture: what the catalog says of it, its pages, and which comparisons are made of them.

use crate::tally::{Row, Tally};
use crate::{btree, heap, maps};
use ffviz_format::datum::Attribute;
use ffviz_format::page::{Oid, Page};
use postgres::{Client, SimpleQueryMessage};

/// What is needed to read the pages of a relation.
pub struct Relation {
    /// `pg_class.oid`
    pub oid: Oid,
    /// quoted and qualified name
    pub name: String,
    /// `relkind`
    pub kind: String,
    /// of an index: quoted and qualified name of its table
    pub table: Option<String>,
    /// `indnkeyatts`
    pub n_keys: u16,
    /// expression of each column of an index
    pub expressions: Vec<String>,
    /// all columns
    pub attributes: Vec<Attribute>,
}

const RELATIONS: &str = "
WITH own AS (SELECT oid, reltoastrelid FROM pg_class WHERE relnamespace = $1::text::regnamespace AND relkind IN ('r','i','S','m')),
     toast AS (SELECT reltoastrelid AS oid FROM own WHERE reltoastrelid <> 0),
     every AS (SELECT oid FROM own UNION SELECT oid FROM toast UNION SELECT indexrelid FROM pg_index JOIN toast ON indrelid = oid)
SELECT c.oid, c.oid::regclass::text, c.relkind::text, i.indrelid::regclass::text, coalesce(i.indnkeyatts, 0)::int2,
       ARRAY(SELECT pg_get_indexdef(c.oid, n, true) FROM generate_series(1, i.indnatts) n),
       (SELECT json_agg(json_strip_nulls(json_build_object(
          'num', attnum, 'name', attname, 'typid', atttypid::bigint,
          'type', CASE WHEN attisdropped THEN '' ELSE format_type(atttypid, atttypmod) END,
          'base', nullif(typbasetype, 0)::bigint,
          'labels', (SELECT json_object_agg(e.oid, enumlabel) FROM pg_enum e WHERE enumtypid = atttypid),
          'len', attlen, 'align', attalign, 'byval', attbyval, 'storage', attstorage, 'dropped', attisdropped,
          'missing', CASE WHEN atthasmissing THEN (attmissingval::text::text[])[1] END)) ORDER BY attnum)::text
        FROM pg_attribute LEFT JOIN pg_type t ON t.oid = atttypid WHERE attrelid = c.oid AND attnum > 0)
FROM every JOIN pg_class c USING (oid) LEFT JOIN pg_index i ON i.indexrelid = c.oid ORDER BY c.relkind DESC, c.relname";

impl Relation {
    /// Tables, indexes, sequences and materialized views of a schema, with their TOAST tables and indexes of these.
    pub fn of_schema(client: &mut Client, schema: &str) -> Vec<Self> {
        let rows = client.query(RELATIONS, &[&schema]).expect("the catalog can be read");
        assert!(!rows.is_empty(), "the fixture {schema} makes no relation");
        let relation = |row: &postgres::Row| Self {
            oid: row.get(0),
            name: row.get(1),
            kind: row.get(2),
            table: row.get(3),
            n_keys: u16::try_from(row.get::<_, i16>(4)).expect("a count"),
            expressions: row.get(5),
            attributes: serde_json::from_str(row.get(6)).expect("a list of attributes"),
        };
        rows.iter().map(relation).collect()
    }

    /// Compares every page of every fork.
    pub fn compare(&self, client: &mut Client, tally: &mut Tally) {
        for fork in ["main", "init", "fsm", "vm"] {
            let pages = self.pages(client, fork);
            if pages.is_empty() {
                continue;
            }
            tally.saw(format!("{fork} fork"));
            maps::compare_headers(self, fork, &pages, client, tally);
            match (fork, self.kind.as_str()) {
                ("fsm", _) => maps::compare_fsm(self, &pages, client, tally),
                ("vm", _) => maps::compare_vm(self, &pages, client, tally),
                (_, "i") => btree::compare(self, fork, &pages, client, tally),
                _ => heap::compare(self, fork, &pages, client, tally),
            }
        }
        if self.pages(client, "main").is_empty() {
            tally.saw("empty relation");
        }
    }

    /// The pages of a fork in block order.
    pub fn pages(&self, client: &mut Client, fork: &str) -> Vec<Page> {
        let sql = "SELECT get_raw_page($1, $2, n::int) FROM
                   generate_series(0, pg_relation_size($1::text::regclass, $2) / current_setting('block_size')::int - 1) n";
        let rows = client.query(sql, &[&self.name, &fork]).expect("pages can be read");
        rows.iter().map(|row| Page::new(row.get(0))).collect()
    }

    /// A function of pageinspect on each page of a fork: its columns after the block number `n`. In `call`, `$page` is
    /// the page and `n` its number.
    pub fn ask(&self, client: &mut Client, fork: &str, from: usize, pages: usize, call: &str) -> Vec<Row> {
        let call = call.replace("$page", &format!("get_raw_page('{}', '{fork}', n::int)", self.name));
        ask(client, &format!("SELECT n, f.* FROM generate_series({from}, {pages}::bigint - 1) n, {call} f"))
    }
}

/// The answer to a query, as text.
pub fn ask(client: &mut Client, sql: &str) -> Vec<Row> {
    let answer = client.simple_query(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let row = |message: &SimpleQueryMessage| {
        let SimpleQueryMessage::Row(row) = message else { return None };
        let columns = row.columns().iter().enumerate();
        Some(Row(columns.map(|(i, column)| (column.name().to_owned(), row.get(i).map(str::to_owned))).collect()))
    };
    answer.iter().filter_map(row).collect()
}
