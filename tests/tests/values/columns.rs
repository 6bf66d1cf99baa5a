//! Literals of every type put into a column: the server's error or the engine's is the same, the bytes of the rows are,
//! the text is, and so is the order.

use crate::literals::{COLUMNS, Column};
use crate::server::{self, Numbers};
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::input::{Context, input};
use ffviz_format::datum::ops::cast;
use ffviz_format::datum::{FormedTuple, SqlType, TupleDesc, Value};
use ffviz_tests::servers::{Database, MAJORS};
use std::collections::HashMap;

/// Literals made for each column besides those listed.
const RANDOM: usize = 150;

#[derive(Default)]
struct Tally {
    literals: usize,
    errors: usize,
    rows: usize,
    bytes: usize,
}

/// A column on one server, what was compared, and what differs.
struct Check<'a> {
    major: u32,
    column: &'a Column,
    tally: &'a mut Tally,
    wrong: &'a mut Vec<String>,
}

/// A row on the server: where it is, its bytes, `t_infomask`'s three low bits, `t_hoff`, and its text.
struct Row {
    place: String,
    data: Vec<u8>,
    infomask: i32,
    hoff: i16,
    text: String,
}

/// The rows of table `t`, by place.
fn rows(db: &mut Database, order: &str) -> Vec<Row> {
    let sql = format!(
        "SELECT t.ctid::text, i.t_data, i.t_infomask & 7, i.t_hoff, format('%s', t.a)
         FROM generate_series(0, pg_relation_size('t') / 8192 - 1) b, heap_page_items(get_raw_page('t', b::int)) i
         JOIN t ON t.ctid = i.t_ctid WHERE t_ctid = format('(%s,%s)', b, lp)::tid ORDER BY {order}"
    );
    let rows = db.client.query(&sql, &[]).expect("rows");
    rows.iter()
        .map(|row| Row {
            place: row.get(0),
            data: row.get(1),
            infomask: row.get(2),
            hoff: row.get(3),
            text: row.get(4),
        })
        .collect()
}

impl Check<'_> {
    fn differs(&mut self, what: &str, literal: &str, server: &str, ours: &str) {
        let Column { sql, .. } = self.column;
        self.wrong.push(format!("{} {sql} {what} {literal:?}: server {server}, engine {ours}", self.major));
    }

    /// Puts the literals into a table: errors first. What both have taken, by place.
    fn put(&mut self, db: &mut Database, ty: SqlType) -> HashMap<String, (String, Value)> {
        let mut numbers = Numbers(7);
        let random = (0..RANDOM).map(|_| (self.column.random)(&mut numbers));
        let literals: Vec<String> = self.column.literals.split('|').map(str::to_owned).chain(random).collect();
        let table = format!("CREATE TABLE t (a {}) WITH (autovacuum_enabled = off)", self.column.sql);
        db.client.batch_execute(&format!("DROP TABLE IF EXISTS t; {table}")).expect("a table");
        let context = Context::of(self.major);
        // a literal is read first, then gets the column's length
        let plain = SqlType::plain(ty.oid);
        let mut taken = HashMap::new();
        for (literal, answer) in literals.iter().zip(server::each(db, "put", &literals)) {
            let value = input(literal, plain, &context).and_then(|value| cast(&value, plain, ty, false, &context));
            let (place, error) = match answer.unwrap_or_default() {
                error if error.starts_with("ERROR") => (None, Some(error)),
                place => (Some(place), None),
            };
            self.tally.literals += 1;
            self.tally.errors += usize::from(error.is_some());
            let ours = server::error_of(&value);
            if ours != error {
                self.differs("error", literal, error.as_deref().unwrap_or("none"), ours.as_deref().unwrap_or("none"));
            }
            if let (Ok(value), Some(place)) = (value, place) {
                taken.insert(place, (literal.clone(), value));
            }
        }
        taken
    }

    /// Bytes, text and order of the rows.
    fn compare(&mut self, db: &mut Database, ty: SqlType, taken: &HashMap<String, (String, Value)>) {
        let desc = TupleDesc::new(vec![ty.attribute(1, "a")]);
        let rows_by_place = rows(db, "t.ctid");
        for Row { place, data, infomask, hoff, text } in &rows_by_place {
            let Some((literal, value)) = taken.get(place) else { continue };
            let tuple = FormedTuple::new(&desc, std::slice::from_ref(value));
            self.tally.rows += 1;
            self.tally.bytes += data.len();
            if tuple.data() != data || i32::from(tuple.infomask) != *infomask || i16::from(tuple.hoff) != *hoff {
                let server = format!("{infomask:x} {data:02x?}");
                self.differs("bytes", literal, &server, &format!("{:x} {:02x?}", tuple.infomask, tuple.data()));
            }
            let ours = value.output(ty.oid).unwrap_or_default();
            if *text != ours {
                self.differs("text", literal, text, &ours);
            }
        }
        let Some(order) = comparator(ty.oid) else { return };
        let mut sorted: Vec<(&Row, &Value)> =
            rows_by_place.iter().filter_map(|row| Some((row, &taken.get(&row.place)?.1))).collect();
        sorted.sort_by(|a, b| order(a.1, b.1));
        for (theirs, (ours, _)) in rows(db, "t.a, t.ctid").iter().zip(sorted) {
            if theirs.place != ours.place {
                return self.differs("order", "", &theirs.text, &ours.text);
            }
        }
    }
}

#[test]
fn literals_are_read_stored_and_ordered_as_on_each_server() {
    let mut wrong = Vec::new();
    for major in MAJORS {
        let mut db = server::database(major, "ffviz_values_columns");
        let mut tally = Tally::default();
        for column in COLUMNS {
            let named = SqlType::named(column.ty).expect("a type");
            let ty = if column.modifiers.is_empty() { Ok(named) } else { named.with_modifiers(column.modifiers) };
            let mut check = Check { major, column, tally: &mut tally, wrong: &mut wrong };
            let ty = ty.expect("a type with modifiers");
            let taken = check.put(&mut db, ty);
            check.compare(&mut db, ty, &taken);
        }
        let Tally { literals, errors, rows, bytes } = tally;
        println!(
            "PostgreSQL {major}: {literals} literals of {} types, {errors} errors, {rows} rows of {bytes} bytes equal",
            COLUMNS.len()
        );
        assert!(rows > 4000 && errors > 500, "too little was compared");
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.iter().take(400).cloned().collect::<Vec<_>>().join("\n")
    );
}
