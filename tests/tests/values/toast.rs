//! Tuples of many columns, long values among them: what is compressed and what is moved out of line, and all bytes, as
//! on each server.

use crate::server::Numbers;
use ffviz_format::datum::form::index_form_tuple;
use ffviz_format::datum::toast::{Decision, TOAST_TUPLE_TARGET, Toaster};
use ffviz_format::datum::{FormedTuple, SqlType, TupleDesc, Value};
use ffviz_tests::servers::{Database, MAJORS};

const ROWS: u64 = 400;

/// Columns with their `attstorage`, in an order that makes padding.
const COLUMNS: &[(&str, &str, char)] = &[
    ("id", "int4", 'p'),
    ("flag", "bool", 'p'),
    ("a", "text", 'x'),
    ("big", "int8", 'p'),
    ("b", "text", 'm'),
    ("small", "int2", 'p'),
    ("c", "text", 'e'),
    ("id2", "uuid", 'p'),
    ("d", "text", 'x'),
    ("e", "text", 'p'),
    ("f", "float8", 'p'),
];

fn desc() -> TupleDesc {
    let attributes = (1..).zip(COLUMNS).map(|(num, (name, ty, storage))| {
        let mut attribute = SqlType::named(ty).expect("a type").attribute(num, name);
        attribute.storage = *storage;
        attribute
    });
    TupleDesc::new(attributes.collect())
}

/// Text of a length that is often near a limit, of few or many different letters; the text of storage plain stays
/// short.
fn text(n: &mut Numbers, storage: char) -> String {
    let most = if storage == 'p' { 300 } else { n.below(4) * n.below(4) * 600 + 200 };
    let len = if n.below(4) == 0 { n.below(130) } else { n.below(most) };
    let alphabet =
        n.one(&["a", "ab", "abcdefgh", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "éx"]);
    let letters: Vec<char> = alphabet.chars().collect();
    let period = n.below(40) + 1;
    let repeats = n.below(2) == 0;
    let mut made: Vec<char> = Vec::new();
    for at in 0..len {
        let same = (repeats && at >= period && n.below(50) > 0).then(|| made[(at - period) as usize]);
        let letter = letters[n.below(letters.len() as u64) as usize];
        made.push(same.unwrap_or(letter));
    }
    made.into_iter().collect()
}

fn value(n: &mut Numbers, ty: &str, storage: char) -> Value {
    match ty {
        _ if n.below(6) == 0 => Value::Null,
        "int4" => Value::Int4(n.below(1000) as i32),
        "bool" => Value::Bool(n.below(2) == 0),
        "int8" => Value::Int8(n.below(1 << 31) as i64 * -3),
        "int2" => Value::Int2(n.below(1000) as i16),
        "uuid" => Value::Uuid(std::array::from_fn(|_| n.below(256) as u8)),
        "float8" => Value::Float8(n.below(1000) as f64 / 8.0),
        _ => Value::text(&text(n, storage)),
    }
}

/// The value as SQL writes it.
fn literal(value: &Value, ty: &str) -> String {
    let oid = SqlType::named(ty).expect("a type").oid;
    value.output(oid).map_or("NULL".to_owned(), |text| format!("'{text}'"))
}

struct Stored {
    data: Vec<u8>,
    infomask: i32,
    nulls: String,
    hoff: i16,
}

fn stored(db: &mut Database) -> Vec<Stored> {
    let sql = "SELECT i.t_data, i.t_infomask & 7, coalesce(i.t_bits, ''), i.t_hoff
        FROM generate_series(0, pg_relation_size('t') / 8192 - 1) AS s(blk)
        CROSS JOIN LATERAL heap_page_items(get_raw_page('t', blk::int)) i
        JOIN t ON t.ctid = format('(%s,%s)', blk, i.lp)::tid ORDER BY t.n";
    let rows = db.client.query(sql, &[]).expect("rows");
    rows.iter()
        .map(|row| Stored { data: row.get(0), infomask: row.get(1), nulls: row.get(2), hoff: row.get(3) })
        .collect()
}

/// What the server's TOAST table has under that `chunk_id`.
fn chunks(db: &mut Database, id: u32) -> Vec<u8> {
    let table: String = db
        .client
        .query_one("SELECT reltoastrelid::regclass::text FROM pg_class WHERE relname = 't'", &[])
        .expect("a TOAST table")
        .get(0);
    let sql = format!("SELECT string_agg(chunk_data, '' ORDER BY chunk_seq) FROM {table} WHERE chunk_id = $1");
    db.client.query_one(&sql, &[&id]).expect("chunks").get(0)
}

#[derive(Default)]
struct Tally {
    tuples: usize,
    bytes: usize,
    compressed: usize,
    external: usize,
    external_bytes: usize,
}

/// The tuple as the engine makes it; pointers get the value ids that the server gave, found in its tuple by place.
fn form(
    db: &mut Database,
    desc: &TupleDesc,
    values: &[Value],
    server: &Stored,
    target: usize,
    tally: &mut Tally,
) -> FormedTuple {
    let tuple = FormedTuple::inserted(desc, values);
    if tuple.bytes.len() <= TOAST_TUPLE_TARGET {
        return tuple;
    }
    // pointers of the server's tuple, which has each column where ours has it once all decisions are the same
    let mut theirs = Vec::new();
    let nulls: Vec<u8> =
        server.nulls.as_bytes().chunks(8).map(|bits| (0..).zip(bits).map(|(n, bit)| (bit - b'0') << n).sum()).collect();
    desc.read(&server.data, &nulls, desc.attributes().len(), &mut theirs);
    let mut values = Vec::new();
    desc.read(tuple.data(), tuple.nulls(), usize::from(tuple.natts), &mut values);
    let mut toaster = Toaster::new(desc, values, target, true);
    while let Some(decision) = toaster.next_decision() {
        match decision {
            Decision::Compress { .. } => tally.compressed += 1,
            Decision::Incompressible { .. } => {}
            Decision::Externalize { index } => {
                let Value::Stored(pointer) = &theirs[index] else {
                    panic!("column {index} is not out of line on the server")
                };
                let word =
                    |at: usize| u32::from_le_bytes(pointer[at..at + 4].try_into().expect("a pointer of 18 bytes"));
                let saved = chunks(db, word(10));
                let (ours, raw) = match toaster.value(index) {
                    Value::Stored(stored) => {
                        (stored[4..].to_vec(), u32::from_le_bytes(stored[4..8].try_into().expect("a size")))
                    }
                    plain => (
                        plain.plain_bytes().expect("text").to_vec(),
                        plain.plain_bytes().map_or(0, |bytes| bytes.len() as u32),
                    ),
                };
                assert_eq!(ours, saved, "what is stored of column {index}");
                assert_eq!((word(2), word(6) & 0x3FFF_FFFF), (raw + 4, ours.len() as u32), "sizes of the pointer");
                tally.external += 1;
                tally.external_bytes += saved.len();
                toaster.externalized(index, theirs[index].clone());
            }
        }
    }
    FormedTuple::new(desc, &toaster.into_values())
}

/// Fills the table; the rows' values in order.
fn fill(db: &mut Database, seed: u64, target: usize) -> Vec<Vec<Value>> {
    let columns: Vec<String> = COLUMNS.iter().map(|(name, ty, _)| format!("{name} {ty}")).collect();
    let storage = |word: char| match word {
        'x' => "EXTENDED",
        'm' => "MAIN",
        'e' => "EXTERNAL",
        _ => "PLAIN",
    };
    let alter: Vec<String> =
        COLUMNS.iter().map(|(name, _, word)| format!("ALTER {name} SET STORAGE {}", storage(*word))).collect();
    // the number of the row stands last, where it moves nothing
    let sql = format!(
        "DROP TABLE IF EXISTS t; CREATE TABLE t ({}, n int4) WITH (toast_tuple_target = {target}, autovacuum_enabled = off); ALTER TABLE t {}",
        columns.join(", "),
        alter.join(", ")
    );
    db.client.batch_execute(&sql).expect("a table");
    let mut n = Numbers(seed);
    let rows: Vec<Vec<Value>> = (0..ROWS as i32)
        .map(|row| {
            let values = COLUMNS.iter().map(|(_, ty, storage)| value(&mut n, ty, *storage));
            values.chain([Value::Int4(row)]).collect()
        })
        .collect();
    for chunk in rows.chunks(100) {
        let tuples: Vec<String> = chunk
            .iter()
            .map(|row| {
                let types = COLUMNS.iter().map(|(_, ty, _)| *ty).chain(["int4"]);
                format!(
                    "({})",
                    row.iter().zip(types).map(|(value, ty)| literal(value, ty)).collect::<Vec<_>>().join(",")
                )
            })
            .collect();
        db.client.batch_execute(&format!("INSERT INTO t VALUES {}", tuples.join(","))).expect("rows");
    }
    rows
}

#[test]
fn tuples_are_formed_and_toasted_as_on_each_server() {
    for major in MAJORS {
        let mut db = Database::create(major, "ffviz_values_toast");
        let mut tally = Tally::default();
        for (seed, target) in [(1, TOAST_TUPLE_TARGET), (2, 500), (3, 4000)] {
            let mut attributes = desc().attributes().to_vec();
            attributes.push(SqlType::INT4.attribute(12, "n"));
            let desc = TupleDesc::new(attributes);
            let rows = fill(&mut db, seed, target);
            let theirs = stored(&mut db);
            assert_eq!(rows.len(), theirs.len());
            for (n, (values, server)) in rows.into_iter().zip(&theirs).enumerate() {
                let tuple = form(&mut db, &desc, &values, server, target, &mut tally);
                let what = format!("PostgreSQL {major}, target {target}, row {n}");
                assert_eq!(
                    (i32::from(tuple.infomask), i16::from(tuple.hoff)),
                    (server.infomask, server.hoff),
                    "{what}"
                );
                assert_eq!(tuple.data(), server.data, "{what}");
                tally.tuples += 1;
                tally.bytes += tuple.bytes.len();
            }
        }
        let Tally { tuples, bytes, compressed, external, external_bytes } = tally;
        println!(
            "PostgreSQL {major}: {tuples} tuples of {bytes} bytes, {compressed} values compressed, {external} moved out ({external_bytes} bytes)"
        );
        assert!(compressed > 100 && external > 100, "too little was compared");
    }
}

#[test]
fn index_tuples_are_formed_as_on_each_server() {
    for major in MAJORS {
        let mut db = Database::create(major, "ffviz_values_index");
        db.client.batch_execute("CREATE TABLE t (a int4, b text, c int8, d numeric, n int4); CREATE INDEX i ON t (a, b, c, d) WITH (deduplicate_items = off)").or_else(|_| db.client.batch_execute("CREATE TABLE t (a int4, b text, c int8, d numeric, n int4); CREATE INDEX i ON t (a, b, c, d)")).expect("an index");
        let types = ["int4", "text", "int8", "numeric"].map(|name| SqlType::named(name).expect("a type"));
        let desc = TupleDesc::new((1..).zip(types).map(|(num, ty)| ty.attribute(num, "k")).collect());
        let mut n = Numbers(5);
        let mut compared = 0;
        for row in 0..150 {
            let word: String = (0..n.below(300)).map(|_| char::from(b'a' + n.below(26) as u8)).collect();
            // longer than what is let alone in an index, and compressible
            let word = if n.below(3) == 0 { word.repeat(n.below(9) as usize) } else { word };
            let numeric = ffviz_format::datum::input::input(
                &n.below(1_000_000).to_string(),
                types[3],
                &ffviz_format::datum::input::Context::of(major),
            );
            let full =
                [Value::Int4(row), Value::text(&word), Value::Int8(n.below(99) as i64), numeric.expect("a number")];
            let values = full.map(|value| if n.below(4) == 0 { Value::Null } else { value });
            let literals: Vec<String> =
                values.iter().zip(["int4", "text", "int8", "numeric"]).map(|(value, ty)| literal(value, ty)).collect();
            db.client
                .batch_execute(&format!("TRUNCATE t; INSERT INTO t VALUES ({})", literals.join(",")))
                .expect("a row");
            let item = db
                .client
                .query_one("SELECT itemlen, nulls, vars, data FROM bt_page_items('i', 1)", &[])
                .expect("an item");
            let tuple = index_form_tuple(&desc, &values).expect("short enough");
            let info = u16::from_le_bytes([tuple[6], tuple[7]]);
            let ours = (tuple.len() as i16, info & 0x8000 != 0, info & 0x4000 != 0);
            assert_eq!(ours, (item.get(0), item.get(1), item.get(2)), "PostgreSQL {major}, row {row}");
            // what bt_page_items calls data begins after the bitmap
            let start = if ours.1 { 16 } else { 8 };
            let hex: Vec<String> = tuple[start..].iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex.join(" "), item.get::<_, String>(3), "PostgreSQL {major}, row {row}");
            compared += 1;
        }
        println!("PostgreSQL {major}: {compared} index tuples");
    }
}
