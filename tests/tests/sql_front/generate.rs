//! Random expressions over the columns of one table, nearly all of them well typed.

/// A generator of numbers; the same seed gives the same expressions.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Bool,
    Int,
    Numeric,
    Float,
    Text,
    Date,
    Timestamp,
    Interval,
    Other,
}

const SORTS: [Sort; 9] = [
    Sort::Bool,
    Sort::Int,
    Sort::Numeric,
    Sort::Float,
    Sort::Text,
    Sort::Date,
    Sort::Timestamp,
    Sort::Interval,
    Sort::Other,
];

/// Columns of the table that the expressions are about: name, type, value.
pub const COLUMNS: &[(&str, &str, &str)] = &[
    ("i2", "smallint", "'-32768'"),
    ("i4", "int", "'77'"),
    ("i8", "bigint", "'9223372036854775807'"),
    ("f4", "real", "'1.25'"),
    ("f8", "double precision", "'-1e300'"),
    ("n", "numeric", "'12345.6789'"),
    ("n2", "numeric(10,2)", "'-0.05'"),
    ("t", "text", "'Hello, wörld'"),
    ("v", "varchar(20)", "'abc'"),
    ("c", "char(6)", "'ab'"),
    ("q", "\"char\"", "'x'"),
    ("by", "bytea", "'\\x00ff10'"),
    ("b", "boolean", "'t'"),
    ("d", "date", "'2024-02-29'"),
    ("ti", "time", "'23:59:59.5'"),
    ("ts", "timestamp", "'2024-12-31 23:59:59.999999'"),
    ("tz", "timestamptz", "'2000-01-01 00:00:00+00'"),
    ("iv", "interval", "'1 month -2 days 03:04:05.5'"),
    ("u", "uuid", "'123e4567-e89b-12d3-a456-426614174000'"),
    ("js", "jsonb", "'{\"a\": [1, 2]}'"),
    ("ip", "inet", "'10.1.2.3/8'"),
    ("ia", "int[]", "'{1,NULL,3}'"),
    ("nul", "int", "NULL"),
    ("nt", "text", "NULL"),
];

/// An expression of any sort, at most so deep.
pub fn expression(random: &mut Random, depth: u32) -> String {
    let sort = SORTS[random.below(SORTS.len())];
    of(random, sort, depth)
}

fn of(r: &mut Random, sort: Sort, depth: u32) -> String {
    if depth == 0 {
        return leaf(r, sort);
    }
    let d = depth - 1;
    if r.below(8) == 0 {
        let (when, then, otherwise) = (of(r, Sort::Bool, d), of(r, sort, d), of(r, sort, d));
        return format!("case when {when} then {then} else {otherwise} end");
    }
    match sort {
        Sort::Bool => boolean(r, d),
        Sort::Int => match r.below(6) {
            0 => format!("length({})", of(r, Sort::Text, d)),
            1 => format!("abs({})", of(r, Sort::Int, d)),
            2 => format!("mod({}, {})", of(r, Sort::Int, d), of(r, Sort::Int, d)),
            3 => format!("-{}", of(r, Sort::Int, 0)),
            _ => arithmetic(r, Sort::Int, Sort::Int, &["+", "-", "*", "/", "%"], d),
        },
        Sort::Numeric => match r.below(6) {
            0 => format!("({})::numeric(12,3)", of(r, Sort::Float, d)),
            1 => format!("abs({})", of(r, Sort::Numeric, d)),
            2 => arithmetic(r, Sort::Numeric, Sort::Int, &["+", "-", "*", "/", "%"], d),
            _ => arithmetic(r, Sort::Numeric, Sort::Numeric, &["+", "-", "*", "/", "%"], d),
        },
        Sort::Float => match r.below(4) {
            0 => format!("({})::float8", of(r, Sort::Numeric, d)),
            1 => arithmetic(r, Sort::Float, Sort::Int, &["+", "-", "*", "/"], d),
            _ => arithmetic(r, Sort::Float, Sort::Float, &["+", "-", "*", "/"], d),
        },
        Sort::Text => text(r, d),
        Sort::Date => match r.below(3) {
            0 => format!("({})::date", of(r, Sort::Timestamp, d)),
            _ => {
                format!("({} {} {})", of(r, Sort::Date, d), r.one(&["+", "-"]), r.one(&["1", "i4", "400", "(i4 % 5)"]))
            }
        },
        Sort::Timestamp => {
            format!("({} {} {})", of(r, Sort::Timestamp, d), r.one(&["+", "-"]), of(r, Sort::Interval, d))
        }
        Sort::Interval => match r.below(4) {
            0 => format!("({} - {})", of(r, Sort::Timestamp, d), of(r, Sort::Timestamp, 0)),
            1 => format!("({} * {})", of(r, Sort::Interval, d), r.one(&["2", "0.5", "f4", "-1.25"])),
            2 => format!("({} / {})", of(r, Sort::Interval, d), r.one(&["2", "3", "f4", "0"])),
            _ => arithmetic(r, Sort::Interval, Sort::Interval, &["+", "-"], d),
        },
        Sort::Other => cast(r, d),
    }
}

fn arithmetic(r: &mut Random, left: Sort, right: Sort, ops: &[&str], d: u32) -> String {
    format!("({} {} {})", of(r, left, d), r.one(ops), of(r, right, d))
}

fn boolean(r: &mut Random, d: u32) -> String {
    let sort = SORTS[1 + r.below(SORTS.len() - 2)];
    match r.below(9) {
        0 => format!("({} and {})", of(r, Sort::Bool, d), of(r, Sort::Bool, d)),
        1 => format!("({} or {})", of(r, Sort::Bool, d), of(r, Sort::Bool, d)),
        2 => format!("not {}", of(r, Sort::Bool, 0)),
        3 => format!("({} is {}null)", of(r, sort, d), r.one(&["", "not "])),
        4 => {
            let list: Vec<String> = (0..1 + r.below(4)).map(|_| of(r, sort, 0)).collect();
            format!("({} {}in ({}))", of(r, sort, d), r.one(&["", "not "]), list.join(", "))
        }
        5 => format!("({} {}between {} and {})", of(r, sort, d), r.one(&["", "not "]), of(r, sort, 0), of(r, sort, 0)),
        6 => {
            let column = COLUMNS[r.below(COLUMNS.len())].0;
            format!("({column} {} {column})", r.one(&["=", "<>", "<", "<=", ">", ">="]))
        }
        _ => arithmetic(r, sort, sort, &["=", "<>", "<", "<=", ">", ">="], d),
    }
}

fn text(r: &mut Random, d: u32) -> String {
    let count = r.one(&["0", "1", "3", "-2", "10", "i4 % 7"]);
    match r.below(10) {
        0 => format!("upper({})", of(r, Sort::Text, d)),
        1 => format!("lower({})", of(r, Sort::Text, d)),
        2 => format!("left({}, {count})", of(r, Sort::Text, d)),
        3 => format!("substr({}, {count})", of(r, Sort::Text, d)),
        4 => format!("substr({}, {}, {count})", of(r, Sort::Text, d), r.one(&["1", "-1", "2", "0"])),
        5 => format!("lpad({}, {count}, {})", of(r, Sort::Text, d), r.one(&["'xy'", "''", "t"])),
        6 => format!("repeat({}, {count})", of(r, Sort::Text, 0)),
        7 => format!("md5({})", of(r, Sort::Text, d)),
        8 => {
            let sort = SORTS[r.below(SORTS.len())];
            format!("({} || {})", of(r, Sort::Text, d), of(r, sort, d))
        }
        _ => format!("({} || {})", of(r, Sort::Text, d), of(r, Sort::Text, d)),
    }
}

const TYPES: &[&str] = &[
    "smallint",
    "int",
    "bigint",
    "real",
    "float8",
    "numeric",
    "numeric(5,1)",
    "text",
    "varchar(3)",
    "char(4)",
    "\"char\"",
    "boolean",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "interval",
    "uuid",
    "jsonb",
    "bytea",
    "inet",
    "int[]",
    "text[]",
];

/// Casts of all to all: many are errors, which must be the same.
fn cast(r: &mut Random, d: u32) -> String {
    match r.below(3) {
        0 => {
            let sort = SORTS[r.below(SORTS.len())];
            format!("({})::{}", of(r, sort, d), r.one(TYPES))
        }
        1 => format!("{}::{}", COLUMNS[r.below(COLUMNS.len())].0, r.one(TYPES)),
        _ => format!(
            "{}::{}",
            r.one(&["'12'", "' 7 '", "'x'", "'2024-01-31'", "'t'", "'1.5e3'", "'{1,2}'", "''"]),
            r.one(TYPES)
        ),
    }
}

fn leaf(r: &mut Random, sort: Sort) -> String {
    r.one(match sort {
        Sort::Bool => &["true", "false", "b", "null::boolean", "'yes'::bool"],
        Sort::Int => &[
            "0",
            "1",
            "-7",
            "42",
            "i2",
            "i4",
            "i8",
            "nul",
            "2147483647",
            "9223372036854775807",
            "100000::int8",
            "3::int2",
        ],
        Sort::Numeric => {
            &["n", "n2", "1.5", "-0.001", "99999999999999999999", "1e-5", "3.14159265358979", "0.0", "'NaN'::numeric"]
        }
        Sort::Float => {
            &["f4", "f8", "1.5::float8", "-2.5e10::float8", "'infinity'::float8", "0.1::float4", "1e-300::float8"]
        }
        Sort::Text => &["t", "v", "c", "'abc'::text", "''::text", "nt", "'Ünïcode ☃'::text", "'x'::varchar", "q"],
        Sort::Date => &["d", "'2000-01-01'::date", "date '1999-12-31'", "'infinity'::date", "'0044-03-15 BC'::date"],
        Sort::Timestamp => {
            &["ts", "tz", "'2001-02-03 04:05:06.789'::timestamp", "'1970-01-01'::timestamptz", "timestamp '2024-02-29'"]
        }
        Sort::Interval => &[
            "iv",
            "'1 day'::interval",
            "interval '1 year 2 months'",
            "'-00:00:01.5'::interval",
            "'3 months -1 day'::interval",
        ],
        Sort::Other => {
            &["u", "js", "ip", "ia", "by", "ti", "q", "'a'", "null", "1.0", "array[1, 2, null]", "array['a', 'b \"c']"]
        }
    })
    .to_owned()
}
