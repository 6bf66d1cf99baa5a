//! `--types`: the columns of a relation file, as PostgreSQL writes their types; and those of which only length and
//! alignment are known.

use ffviz_format::datum::{Align, Attribute};
use ffviz_format::page::Oid;

/// Names in SQL, oid, oid of arrays of it, length, alignment, by value, storage: `pg_type`.
type KnownType = (&'static [&'static str], Oid, Oid, i16, Align, bool, char);

const TYPES: &[KnownType] = &[
    (&["boolean", "bool"], 16, 1000, 1, Align::Char, true, 'p'),
    (&["bytea"], 17, 1001, -1, Align::Int, false, 'x'),
    (&["\"char\""], 18, 1002, 1, Align::Char, true, 'p'),
    (&["name"], 19, 1003, 64, Align::Char, false, 'p'),
    (&["bigint", "int8", "bigserial", "serial8"], 20, 1016, 8, Align::Double, true, 'p'),
    (&["smallint", "int2", "smallserial", "serial2"], 21, 1005, 2, Align::Short, true, 'p'),
    (&["int2vector"], 22, 1006, -1, Align::Int, false, 'p'),
    (&["integer", "int", "int4", "serial", "serial4"], 23, 1007, 4, Align::Int, true, 'p'),
    (&["text"], 25, 1009, -1, Align::Int, false, 'x'),
    (&["oid"], 26, 1028, 4, Align::Int, true, 'p'),
    (&["tid"], 27, 1010, 6, Align::Short, false, 'p'),
    (&["xid"], 28, 1011, 4, Align::Int, true, 'p'),
    (&["cid"], 29, 1012, 4, Align::Int, true, 'p'),
    (&["oidvector"], 30, 1013, -1, Align::Int, false, 'p'),
    (&["json"], 114, 199, -1, Align::Int, false, 'x'),
    (&["xml"], 142, 143, -1, Align::Int, false, 'x'),
    (&["point"], 600, 1017, 16, Align::Double, false, 'p'),
    (&["lseg"], 601, 1018, 32, Align::Double, false, 'p'),
    (&["path"], 602, 1019, -1, Align::Double, false, 'x'),
    (&["box"], 603, 1020, 32, Align::Double, false, 'p'),
    (&["polygon"], 604, 1027, -1, Align::Double, false, 'x'),
    (&["line"], 628, 629, 24, Align::Double, false, 'p'),
    (&["cidr"], 650, 651, -1, Align::Int, false, 'm'),
    (&["real", "float4"], 700, 1021, 4, Align::Int, true, 'p'),
    (&["double precision", "float8", "float"], 701, 1022, 8, Align::Double, true, 'p'),
    (&["circle"], 718, 719, 24, Align::Double, false, 'p'),
    (&["macaddr8"], 774, 775, 8, Align::Int, false, 'p'),
    (&["macaddr"], 829, 1040, 6, Align::Int, false, 'p'),
    (&["inet"], 869, 1041, -1, Align::Int, false, 'm'),
    (&["character", "char", "bpchar", "nchar", "national character"], 1042, 1014, -1, Align::Int, false, 'x'),
    (&["character varying", "varchar", "char varying"], 1043, 1015, -1, Align::Int, false, 'x'),
    (&["date"], 1082, 1182, 4, Align::Int, true, 'p'),
    (&["time", "time without time zone"], 1083, 1183, 8, Align::Double, true, 'p'),
    (&["timestamp", "timestamp without time zone"], 1114, 1115, 8, Align::Double, true, 'p'),
    (&["timestamptz", "timestamp with time zone"], 1184, 1185, 8, Align::Double, true, 'p'),
    (&["interval"], 1186, 1187, 16, Align::Double, false, 'p'),
    (&["timetz", "time with time zone"], 1266, 1270, 12, Align::Double, false, 'p'),
    (&["bit"], 1560, 1561, -1, Align::Int, false, 'x'),
    (&["bit varying", "varbit"], 1562, 1563, -1, Align::Int, false, 'x'),
    (&["numeric", "decimal", "dec"], 1700, 1231, -1, Align::Int, false, 'm'),
    (&["uuid"], 2950, 2951, 16, Align::Char, false, 'p'),
    (&["pg_lsn"], 3220, 3221, 8, Align::Double, true, 'p'),
    (&["tsvector"], 3614, 3643, -1, Align::Int, false, 'x'),
    (&["jsonb"], 3802, 3807, -1, Align::Int, false, 'x'),
    (&["int4range"], 3904, 3905, -1, Align::Int, false, 'x'),
    (&["numrange"], 3906, 3907, -1, Align::Int, false, 'x'),
    (&["tsrange"], 3908, 3909, -1, Align::Double, false, 'x'),
    (&["tstzrange"], 3910, 3911, -1, Align::Double, false, 'x'),
    (&["daterange"], 3912, 3913, -1, Align::Int, false, 'x'),
    (&["int8range"], 3926, 3927, -1, Align::Double, false, 'x'),
    (&["xid8"], 5069, 271, 8, Align::Double, true, 'p'),
];

/// What is known of a column's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    typid: Oid,
    len: i16,
    align: Align,
    byval: bool,
    storage: char,
}

/// The columns of a list of types, separated by commas that stand in no parentheses.
///
/// # Errors
/// A sentence about the first that is none.
pub fn columns(texts: &[String]) -> Result<Vec<Attribute>, String> {
    let texts: Vec<&str> = texts.iter().flat_map(|text| split(text)).collect();
    texts.iter().enumerate().map(|(n, text)| attribute(n as u16 + 1, text)).collect()
}

/// Cuts at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// A column of a type as SQL names it.
fn attribute(num: u16, type_name: &str) -> Result<Attribute, String> {
    let said = type_name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if said.is_empty() {
        return Err(format!("--types: the type of column {num} is missing beside a comma"));
    }
    let Shape { typid, len, align, byval, storage } = shape(&said).ok_or_else(|| {
        format!(
            "--types: {said:?}, of column {num}, is no type that is known here; of one that PostgreSQL has say varlena, or bytes(N) where its length is N"
        )
    })?;
    Ok(Attribute {
        num,
        name: format!("column{num}"),
        typid,
        type_name: said,
        len,
        align,
        byval,
        storage,
        typmod: -1,
        not_null: false,
        dropped: false,
        missing: None,
        base: None,
        labels: Default::default(),
        fields: Vec::new(),
    })
}

/// What is known of a type of that name; modifiers such as those of `numeric(10,2)` do not change how it is stored.
fn shape(said: &str) -> Option<Shape> {
    let (element, is_array) = element(said.strip_prefix("pg_catalog.").unwrap_or(said))?;
    let (bare, modifiers) = modifiers(element)?;
    if let Some(shape) = unnamed(&bare, &modifiers) {
        return shape.filter(|_| !is_array);
    }
    // interval day to second
    let bare = if bare.starts_with("interval ") { "interval" } else { bare.as_str() };
    let is_short_float =
        bare == "float" && modifiers.first().is_some_and(|bits| bits.parse().is_ok_and(|n: u8| n < 25));
    let bare = if is_short_float { "real" } else { bare };
    let (_, oid, array, len, align, byval, storage) = *TYPES.iter().find(|(names, ..)| names.contains(&bare))?;
    if !is_array {
        return Some(Shape { typid: oid, len, align, byval, storage });
    }
    let align = if align == Align::Double { align } else { Align::Int };
    Some(Shape { typid: array, len: -1, align, byval: false, storage: 'x' })
}

/// `int[]`, `int[3][3]`, `int array` and `_int4` are arrays.
fn element(said: &str) -> Option<(&str, bool)> {
    if let Some(element) = said.strip_prefix('_') {
        return Some((element, true));
    }
    if let Some(element) = said.strip_suffix(" array") {
        return Some((element, true));
    }
    let (mut rest, mut is_array) = (said, false);
    while let Some(open) = rest.strip_suffix(']') {
        let (before, length) = open.rsplit_once('[')?;
        if !length.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        (rest, is_array) = (before.trim_end(), true);
    }
    Some((rest, is_array))
}

/// The name without what stands in parentheses: `timestamp(3) with time zone` is `timestamp with time zone`, and 3.
fn modifiers(said: &str) -> Option<(String, Vec<&str>)> {
    let Some((before, rest)) = said.split_once('(') else {
        return (!said.contains(')')).then(|| (said.to_owned(), Vec::new()));
    };
    let (inside, after) = rest.split_once(')')?;
    if after.contains(['(', ')']) || inside.trim().is_empty() {
        return None;
    }
    let name = [before.trim(), after.trim()].join(" ").trim_end().to_owned();
    Some((name, inside.split(',').map(str::trim).collect()))
}

/// `varlena` and `bytes(N)`, of which only length and alignment are known; `Some(None)` where what is said of them is
/// wrong.
fn unnamed(bare: &str, modifiers: &[&str]) -> Option<Option<Shape>> {
    let align_of = |word: &str| match word {
        "char" => Some(Align::Char),
        "int2" => Some(Align::Short),
        "int4" => Some(Align::Int),
        "double" => Some(Align::Double),
        _ => None,
    };
    let of = |len, align| Shape { typid: 0, len, align, byval: false, storage: if len < 0 { 'x' } else { 'p' } };
    let fixed = |length: &str| length.parse().ok().filter(|length: &i16| *length > 0);
    Some(match (bare, modifiers) {
        ("varlena", []) => Some(of(-1, Align::Int)),
        ("varlena", [align]) => align_of(align).map(|align| of(-1, align)),
        ("bytes", [length]) => fixed(length).map(|length| {
            let align = match length {
                2 => Align::Short,
                4 => Align::Int,
                8 => Align::Double,
                _ => Align::Char,
            };
            of(length, align)
        }),
        ("bytes", [length, align]) => fixed(length).zip(align_of(align)).map(|(length, align)| of(length, align)),
        ("varlena" | "bytes", _) => None,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `typid/typlen/alignment` of each column; a refusal is its beginning.
    fn check(types: &str, expected: &str) {
        let found = columns(&[types.to_owned()]).map(|columns| {
            let shown = columns.iter().map(|a| format!("{}/{}/{}", a.typid, a.len, a.align.bytes()));
            shown.collect::<Vec<_>>().join(" ")
        });
        match found {
            Ok(found) => assert_eq!(found, expected, "{types}"),
            Err(why) => assert!(why.starts_with(expected) && !expected.is_empty(), "{types}: {why}"),
        }
    }

    /// As pg_type has them: select oid, typlen, typalign from pg_type where oid = 'numeric(10,2)'::regtype …
    #[test]
    fn types_are_written_as_postgresql_writes_them() {
        check("int4,text", "23/4/4 25/-1/4");
        check("numeric(10,2),int", "1700/-1/4 23/4/4");
        check("numeric(10, 2), BIGINT ,character varying(20)", "1700/-1/4 20/8/8 1043/-1/4");
        check("timestamp with time zone,timestamp(3) with time zone,timestamp(0)", "1184/8/8 1184/8/8 1114/8/8");
        check(
            "timestamp without time zone,time(6) without time zone,time with time zone",
            "1114/8/8 1083/8/8 1266/12/8",
        );
        check(
            "int4[],bigint[],text[][],numeric(10,2)[],timestamptz[3]",
            "1007/-1/4 1016/-1/8 1009/-1/4 1231/-1/4 1185/-1/8",
        );
        check("_int4,integer array", "1007/-1/4 1007/-1/4");
        check("double precision,float,float(24),float(25),real", "701/8/8 701/8/8 700/4/4 701/8/8 700/4/4");
        check("\"char\",char,char(3),character(3),bpchar", "18/1/1 1042/-1/4 1042/-1/4 1042/-1/4 1042/-1/4");
        check(
            "interval,interval day to second,interval(3),bit varying(5),bit(3)",
            "1186/16/8 1186/16/8 1186/16/8 1562/-1/4 1560/-1/4",
        );
        check("pg_catalog.int4,serial,bigserial,uuid,point", "23/4/4 23/4/4 20/8/8 2950/16/1 600/16/8");
        check("int4range,tstzrange,pg_lsn,xid8,macaddr", "3904/-1/4 3910/-1/8 3220/8/8 5069/8/8 829/6/4");
    }

    #[test]
    fn types_of_which_only_the_length_is_known() {
        check("int,varlena,int", "23/4/4 0/-1/4 23/4/4");
        check(
            "varlena(double),bytes(4),bytes(8),bytes(16),bytes(16,double),bytes(3,int2)",
            "0/-1/8 0/4/4 0/8/8 0/16/1 0/16/8 0/3/2",
        );
    }

    #[test]
    fn what_is_no_type() {
        check("geometry", "--types: \"geometry\", of column 1, is no type that is known here");
        check("int4,numeric(10,2),geometry", "--types: \"geometry\", of column 3, is no type");
        for wrong in ["", "int,", ",", "int,,int"] {
            check(wrong, "--types: the type of column ");
        }
        for wrong in [
            "bytes",
            "bytes()",
            "bytes(0)",
            "bytes(-1)",
            "bytes(99999)",
            "bytes(4,eight)",
            "bytes(4)[]",
            "varlena(3)",
            "int4]",
            "int[x]",
            "numeric(10",
            "numeric 10)",
            "numeric()",
            "numeric((1))",
            "int 4",
            "[]",
            "_",
            "varlena(int4,int4)",
        ] {
            check(wrong, &format!("--types: {wrong:?}, of column 1, is no type"));
        }
    }

    /// Whatever is typed is refused or understood.
    #[test]
    fn any_text() {
        let pieces = [
            "int", "(", ")", "[", "]", ",", " ", "numeric", "bytes", "varlena", "4", "é", "\"", "_", "array", "double",
        ];
        let mut seed = 1_u64;
        let (mut understood, tried) = (0, 20_000);
        for _ in 0..tried {
            let mut text = String::new();
            for _ in 0..seed % 7 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            understood += usize::from(columns(&[text]).is_ok());
        }
        assert!(understood > 100 && understood < tried / 2, "{understood}");
    }
}
