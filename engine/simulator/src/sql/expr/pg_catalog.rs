//! What `pg_type`, `pg_cast` and `pg_operator` say of the supported types: categories, casts between two of them,
//! operators. `tests/tests/sql_front/catalog.rs` compares the three with servers 13 to 18.
//!
//! The tables are text, a row a word, since they are searched once a statement.

use crate::version::SqlBehaviour;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::is_composite;
use ffviz_format::datum::range::range_subtype;
use ffviz_format::page::{Oid, PgVersion};

pub(in crate::sql) const BOOL: Oid = 16;
pub(in crate::sql) const BYTEA: Oid = 17;
pub(in crate::sql) const CHAR: Oid = 18;
pub(in crate::sql) const INT8: Oid = 20;
pub(in crate::sql) const INT2: Oid = 21;
pub(in crate::sql) const INT2_VECTOR: Oid = 22;
pub(in crate::sql) const INT4: Oid = 23;
pub(in crate::sql) const TEXT: Oid = 25;
pub(in crate::sql) const FLOAT4: Oid = 700;
pub(in crate::sql) const FLOAT8: Oid = 701;
/// a literal whose type is not decided yet
pub(in crate::sql) const UNKNOWN: Oid = 705;
pub(in crate::sql) const INET: Oid = 869;
pub(in crate::sql) const INT2_ARRAY: Oid = 1005;
pub(in crate::sql) const INT4_ARRAY: Oid = 1007;
pub(in crate::sql) const TEXT_ARRAY: Oid = 1009;
pub(in crate::sql) const BPCHAR: Oid = 1042;
pub(in crate::sql) const VARCHAR: Oid = 1043;
pub(in crate::sql) const DATE: Oid = 1082;
pub(in crate::sql) const TIMESTAMP: Oid = 1114;
pub(in crate::sql) const TIMESTAMPTZ: Oid = 1184;
pub(in crate::sql) const INTERVAL: Oid = 1186;
pub(in crate::sql) const BIT: Oid = 1560;
pub(in crate::sql) const VARBIT: Oid = 1562;
pub(in crate::sql) const NUMERIC: Oid = 1700;
pub(in crate::sql) const JSON: Oid = 114;
pub(in crate::sql) const JSONB: Oid = 3802;
/// functions that give nothing
pub(in crate::sql) const VOID: Oid = 2278;
/// any type but an array, as an argument
pub(in crate::sql) const ANYNONARRAY: Oid = 2776;
/// any type, as an argument
pub(in crate::sql) const ANY: Oid = 2276;
/// any array, as an argument
pub(in crate::sql) const ANYARRAY: Oid = 2277;
/// any range, as an argument
pub(in crate::sql) const ANYRANGE: Oid = 3831;
/// any type, where a range of it stands beside it
pub(in crate::sql) const ANYELEMENT: Oid = 2283;
pub(in crate::sql) const OID: Oid = 26;
/// a row
pub(in crate::sql) const RECORD: Oid = 2249;
pub(in crate::sql) const REGCLASS: Oid = 2205;
pub(in crate::sql) const REGTYPE: Oid = 2206;
pub(in crate::sql) const REGNAMESPACE: Oid = 4089;
pub(in crate::sql) const REGPROC: Oid = 24;
pub(in crate::sql) const REGPROCEDURE: Oid = 2202;
pub(in crate::sql) const LSN: Oid = 3220;

/// Casts of types that only looking at the server needs.
const CASTS_OF_SERVER: &str = "25>2205i 1043>2205i 26>2205i 21>2205i 23>2205i 20>2205i 2205>26i 2205>23a 2205>20a 5069>28e \
     26>2206i 21>2206i 23>2206i 20>2206i 2206>26i 2206>23a 2206>20a 26>4089i 21>4089i 23>4089i 20>4089i 4089>26i 4089>23a 4089>20a \
     26>24i 23>24i 20>24i 24>26i 24>2202i 26>2202i 23>2202i 20>2202i 2202>26i 2202>24i";
/// And what is compared of them.
const COMPARED_OF_SERVER: &str = "3220,3220 5069,5069";

/// `typcategory`, and `!` where `typispreferred`. "char" has category S before 15.
pub const TYPES: &str = "16B! 17U 18Z 20N 21N 23N 25S! 26N! 27U 28U 29U 114U 700N 701N! 790N 869I! 1007A 1009A 1042S 1043S 1082D 1083D 1114D 1184D! \
     1186T! 1560V 1562V! 1700N 2950U 3802U";

/// `castsource>casttarget`, then `castcontext`: i in any expression, a where a column's value is assigned, e with `::`
/// only.
pub const CASTS: &str = "16>23e 16>25a 16>1042a 16>1043a 18>23e 18>25i 18>1042a 18>1043a 20>21a 20>23a 20>26i 20>700i 20>701i \
     20>790a 20>1560e 20>1700i 21>20i 21>23i 21>26i 21>700i 21>701i 21>1700i 23>16e 23>18e 23>20i 23>21a 23>26i 23>700i 23>701i 23>790a 23>1560e 23>1700i 25>18a \
     25>1042i 25>1043i 26>20a 26>23a 114>3802a 700>20a 700>21a 700>23a 700>701i 700>1700a 701>20a 701>21a 701>23a 701>700a 701>1700a 790>1700a \
     869>25a 869>1042a 869>1043a 1042>18a 1042>25i 1042>1043i 1043>18a 1043>25i 1043>1042i 1082>1114i 1082>1184i 1083>1186i 1114>1082a \
     1114>1083a 1114>1184i 1184>1082a 1184>1083a 1184>1114a 1186>1083a 1560>20e 1560>23e 1560>1562i 1562>1560i 1700>790a 1700>20a 1700>21a 1700>23a 1700>700i 1700>701i 3802>16e 3802>20e \
     3802>21e 3802>23e 3802>114a 3802>700e 3802>701e 3802>1700e";

/// Casts that came with 18.
pub const CASTS_SINCE_18: &str = "17>20e 17>21e 17>23e 20>17e 21>17e 23>17e";

/// `oprname`, then `oprleft,oprright>oprresult`; `oprleft` 0 of an operator with one operand.
pub const OPERATORS: &[(&str, &str)] = &[
    (
        "+",
        "20,20>20 20,21>20 20,23>20 20,869>869 21,20>20 21,21>21 21,23>23 23,20>20 23,21>23 23,23>23 23,1082>1082 700,700>700 700,701>701 \
         701,700>701 701,701>701 790,790>790 869,20>869 1082,23>1082 1082,1083>1114 1082,1186>1114 1083,1082>1114 1083,1186>1083 1114,1186>1114 \
         1184,1186>1184 1186,1082>1114 1186,1083>1083 1186,1114>1114 1186,1184>1184 1186,1186>1186 1700,1700>1700",
    ),
    (
        "-",
        "0,20>20 0,21>21 0,23>23 0,700>700 0,701>701 0,1186>1186 0,1700>1700 20,20>20 20,21>20 20,23>20 21,20>20 21,21>21 21,23>23 \
         23,20>20 23,21>23 23,23>23 700,700>700 700,701>701 701,700>701 701,701>701 790,790>790 869,20>869 869,869>20 1082,23>1082 1082,1082>23 \
         1082,1186>1114 1083,1083>1186 1083,1186>1083 1114,1114>1186 1114,1186>1114 1184,1184>1186 1184,1186>1184 1186,1186>1186 \
         1700,1700>1700 3802,23>3802 3802,25>3802 3802,1009>3802",
    ),
    (
        "*",
        "20,20>20 20,21>20 20,23>20 21,20>20 21,21>21 21,23>23 23,20>20 23,21>23 23,23>23 700,700>700 700,701>701 701,700>701 701,701>701 \
         701,1186>1186 1186,701>1186 1700,1700>1700 20,790>790 21,790>790 23,790>790 700,790>790 701,790>790 790,20>790 \
         790,21>790 790,23>790 790,700>790 790,701>790",
    ),
    (
        "/",
        "20,20>20 20,21>20 20,23>20 21,20>20 21,21>21 21,23>23 23,20>20 23,21>23 23,23>23 700,700>700 700,701>701 701,700>701 701,701>701 \
         1186,701>1186 1700,1700>1700 790,20>790 790,21>790 790,23>790 790,700>790 790,701>790 790,790>701",
    ),
    ("%", "20,20>20 21,21>21 23,23>23 1700,1700>1700"),
    (
        "||",
        "17,17>17 25,25>25 25,2776>25 2776,25>25 3802,3802>3802 1007,1007>1007 1009,1009>1009 1007,23>1007 23,1007>1007 1009,25>1009 25,1009>1009 1562,1562>1562",
    ),
];

/// The operands of the comparisons, which give boolean.
pub const COMPARED: &str = "16,16 17,17 18,18 20,20 20,21 20,23 21,20 21,21 21,23 23,20 23,21 23,23 25,25 26,26 27,27 700,700 700,701 701,700 701,701 790,790 \
     869,869 1042,1042 1082,1082 1082,1114 1082,1184 1083,1083 1114,1082 1114,1114 1114,1184 1184,1082 1184,1114 1184,1184 1186,1186 \
     1560,1560 1562,1562 1700,1700 2950,2950 3802,3802 1007,1007 1009,1009";

/// The operands of `=` and `<>` of types that have no order.
pub const EQUAL: &[(&str, &str)] = &[("=", "28,23 28,28 29,29"), ("<>", "28,23 28,28")];

/// `TypeCategory` (src/backend/parser/parse_coerce.c).
pub fn category(oid: Oid, major: u32) -> char {
    match oid {
        UNKNOWN => 'X',
        CHAR if !PgVersion::of_major(major).has_internal_category() => 'S',
        REGCLASS | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE => 'N',
        of if is_enum(of) => 'E',
        RECORD => 'P',
        of if is_composite(of) => 'C',
        range if is_range(range) => 'R',
        array if ffviz_format::datum::element_of(array).is_some() => 'A',
        _ => of_type(oid).map_or('U', |(category, _)| category),
    }
}

/// Is it the type of a range?
pub fn is_range(oid: Oid) -> bool {
    range_subtype(oid).is_some()
}

/// `IsPreferredType`, within its own category.
pub fn is_preferred(oid: Oid) -> bool {
    of_type(oid).is_some_and(|(_, preferred)| preferred)
}

fn of_type(oid: Oid) -> Option<(char, bool)> {
    TYPES.split(' ').find_map(|row| {
        let at = row.find(char::is_alphabetic)?;
        let is_it = row[..at].parse() == Ok(oid);
        is_it.then(|| (row[at..].chars().next().unwrap_or('U'), row.ends_with('!')))
    })
}

/// Where a cast may be applied without being asked for, weakest first (`CoercionContext`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coercion {
    /// in any expression
    Implicit,
    /// where the value of a column is assigned
    Assignment,
    /// by `::` and CAST
    Explicit,
}

/// Is there a cast of one type to the other in that context (`find_coercion_pathway`)? Through text where `pg_cast` has
/// none: to a string on assignment, from a string with `::`.
pub fn can_coerce(from: Oid, to: Oid, context: Coercion, major: u32) -> bool {
    let is_array = ffviz_format::datum::element_of(from).is_some();
    if from == to
        || from == UNKNOWN
        || to == ANY
        || to == RECORD && is_composite(from)
        || from == RECORD && is_composite(to)
        || to == ANYARRAY && is_array
        || to == ANYRANGE && is_range(from)
        || to == ANYELEMENT
        || (to == ANYNONARRAY && category(from, major) != 'A')
    {
        return true;
    }
    let later = if PgVersion::of_major(major).casts_integers_to_bytea() { CASTS_SINCE_18 } else { "" };
    let all = CASTS.split(' ').chain(CASTS_OF_SERVER.split(' ')).chain(later.split(' '));
    let found = all.into_iter().find_map(|row| {
        let (pair, how) = row.split_at(row.len().checked_sub(1)?);
        let (source, target) = pair.split_once('>')?;
        (source.parse() == Ok(from) && target.parse() == Ok(to)).then_some(how)
    });
    match found {
        Some("i") => true,
        Some("a") => context >= Coercion::Assignment,
        Some(_) => context == Coercion::Explicit,
        None if from == VOID || [VOID, ANYNONARRAY, ANYARRAY, ANYRANGE].contains(&to) => false,
        // text[] to int[] element by element
        None if category(from, major) == 'A' && category(to, major) == 'A' => {
            match (ffviz_format::datum::element_of(from), ffviz_format::datum::element_of(to)) {
                (Some(from), Some(to)) => can_coerce(from, to, context, major),
                _ => context == Coercion::Explicit,
            }
        }
        None if category(to, major) == 'S' => context >= Coercion::Assignment,
        None => context == Coercion::Explicit && category(from, major) == 'S',
    }
}

/// Has the type an operator class for hashes? `pg_opclass` has none of money and bit strings.
pub fn has_hash(oid: Oid) -> bool {
    !matches!(oid, 790 | BIT | VARBIT)
}

/// Can a column of one type refer to a key of another (`ATAddForeignKeyConstraint`)? By an operator of the key's
/// family, or what it is cast to.
pub fn has_key_equality(from: Oid, key: Oid, major: u32) -> bool {
    const FAMILIES: &[&[Oid]] = &[&[INT2, INT4, INT8], &[FLOAT4, FLOAT8], &[TEXT, VARCHAR], &[1082, 1114, TIMESTAMPTZ]];
    let is_one_family = |family: &&&[Oid]| family.contains(&from) && family.contains(&key);
    let key = if key == VARCHAR { TEXT } else { key };
    FAMILIES.iter().any(|family| is_one_family(&family)) || can_coerce(from, key, Coercion::Implicit, major)
}

/// An operator or a function that may be meant: its arguments' types and its result's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// types of the arguments; of an operator with one operand the second only
    pub args: [Oid; 2],
    /// type of the result
    pub result: Oid,
}

/// All operators of that name.
pub fn operators(name: &str) -> alloc::vec::Vec<Candidate> {
    let number = |text: &str| text.parse().unwrap_or(0);
    let pair = |text: &str| text.split_once(',').map_or([0, 0], |(left, right)| [number(left), number(right)]);
    match OPERATORS.iter().find(|(known, _)| *known == name) {
        Some((_, rows)) => rows
            .split(' ')
            .filter_map(|row| row.split_once('>'))
            .map(|(args, result)| Candidate { args: pair(args), result: number(result) })
            .collect(),
        None => {
            let equal = EQUAL.iter().filter(|(known, _)| *known == name).flat_map(|(_, rows)| rows.split(' '));
            COMPARED
                .split(' ')
                .chain(COMPARED_OF_SERVER.split(' '))
                .chain(equal)
                .map(|row| Candidate { args: pair(row), result: BOOL })
                .collect()
        }
    }
}
