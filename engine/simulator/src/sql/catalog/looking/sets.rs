//! Functions that give rows, as `pg_proc` has them, and those of them that look at nothing but their arguments.

use super::{Rows, approx};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode};
use crate::sql::expr::{
    Analyzer, Column, TEXT_ARRAY, Typed, column_list, json_rows, path_rows, proc_args, record_rows, regexp_rows,
    split_text, without_public,
};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlError, SqlType, Value, array_elements, element_of};
use ffviz_format::page::{Oid, PgVersion};

const BOOL: Oid = 16;
const BYTEA: Oid = 17;
const CHAR: Oid = 18;
const INT8: Oid = 20;
const INT2: Oid = 21;
const INT4: Oid = 23;
const TEXT: Oid = 25;
const TID: Oid = 27;
const XID: Oid = 28;
const JSON: Oid = 114;
const FLOAT8: Oid = 701;
const REGCLASS: Oid = 2205;
const ANYARRAY: Oid = 2277;
const LSN: Oid = 3220;
const JSONB: Oid = 3802;

/// A function that gives rows.
pub struct SetFunction {
    /// `proname`
    pub name: &'static str,
    /// `proargtypes`
    pub args: &'static [Oid],
    /// the columns of a row in that version; none: it has no such function
    pub columns: fn(u32) -> Vec<(&'static str, Oid)>,
    /// the extension that it belongs to
    pub extension: Option<&'static str>,
    /// does it give one row, whatever it is given?
    pub one_row: bool,
}

const fn set(
    name: &'static str,
    args: &'static [Oid],
    extension: &'static str,
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
) -> SetFunction {
    SetFunction { name, args, columns, extension: Some(extension), one_row: false }
}

const fn of_json(
    name: &'static str,
    args: &'static [Oid],
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
) -> SetFunction {
    SetFunction { name, args, columns, extension: None, one_row: false }
}

const fn one(
    name: &'static str,
    args: &'static [Oid],
    extension: &'static str,
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
) -> SetFunction {
    SetFunction { one_row: true, ..set(name, args, extension, columns) }
}

/// A column that pageinspect 1.9 has under another name than those before.
fn renamed(major: u32, now: (&'static str, Oid), before: (&'static str, Oid)) -> (&'static str, Oid) {
    if PgVersion::of_major(major).has_pageinspect_1_9() { now } else { before }
}

fn page_header(major: u32) -> Vec<(&'static str, Oid)> {
    let size = if PgVersion::of_major(major).has_pageinspect_1_10() { INT4 } else { INT2 };
    Vec::from([
        ("lsn", LSN),
        ("checksum", INT2),
        ("flags", INT2),
        ("lower", size),
        ("upper", size),
        ("special", size),
        ("pagesize", size),
        ("version", INT2),
        ("prune_xid", XID),
    ])
}

fn heap_page_items(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("lp", INT2),
        ("lp_off", INT2),
        ("lp_flags", INT2),
        ("lp_len", INT2),
        ("t_xmin", XID),
        ("t_xmax", XID),
        ("t_field3", INT4),
        ("t_ctid", TID),
        ("t_infomask2", INT4),
        ("t_infomask", INT4),
        ("t_hoff", INT2),
        ("t_bits", TEXT),
        ("t_oid", 26),
        ("t_data", BYTEA),
    ])
}

fn heap_page_item_attrs(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = heap_page_items(major);
    columns.pop();
    columns.push(("t_attrs", 1001));
    columns
}

fn brin_page_items(major: u32) -> Vec<(&'static str, Oid)> {
    let block = renamed(major, ("blknum", INT8), ("blknum", INT4));
    let flags = ["allnulls", "hasnulls", "placeholder", "empty"];
    let flags = &flags[..if PgVersion::of_major(major).has_pageinspect_1_12() { 4 } else { 3 }];
    let flags = flags.iter().map(|flag| (*flag, BOOL));
    [("itemoffset", INT4), block, ("attnum", INT4)].into_iter().chain(flags).chain([("value", TEXT)]).collect()
}

fn bt_metap(major: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("magic", INT4),
        ("version", INT4),
        ("root", INT8),
        ("level", INT8),
        ("fastroot", INT8),
        ("fastlevel", INT8),
        renamed(major, ("last_cleanup_num_delpages", INT8), ("oldest_xact", XID)),
        ("last_cleanup_num_tuples", FLOAT8),
        ("allequalimage", BOOL),
    ])
}

fn bt_page_stats(major: u32) -> Vec<(&'static str, Oid)> {
    let block = if PgVersion::of_major(major).has_pageinspect_1_9() { INT8 } else { INT4 };
    Vec::from([
        ("blkno", block),
        ("type", CHAR),
        ("live_items", INT4),
        ("dead_items", INT4),
        ("avg_item_size", INT4),
        ("page_size", INT4),
        ("free_size", INT4),
        ("btpo_prev", block),
        ("btpo_next", block),
        renamed(major, ("btpo_level", INT8), ("btpo", INT4)),
        ("btpo_flags", INT4),
    ])
}

fn bt_page_items(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("itemoffset", INT2),
        ("ctid", TID),
        ("itemlen", INT2),
        ("nulls", BOOL),
        ("vars", BOOL),
        ("data", TEXT),
        ("dead", BOOL),
        ("htid", TID),
        ("tids", 1010),
    ])
}

fn visibility(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([("blkno", INT8), ("all_visible", BOOL), ("all_frozen", BOOL), ("pd_all_visible", BOOL)])
}

fn pgstattuple(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("table_len", INT8),
        ("tuple_count", INT8),
        ("tuple_len", INT8),
        ("tuple_percent", FLOAT8),
        ("dead_tuple_count", INT8),
        ("dead_tuple_len", INT8),
        ("dead_tuple_percent", FLOAT8),
        ("free_space", INT8),
        ("free_percent", FLOAT8),
    ])
}

fn pgstatindex(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("version", INT4),
        ("tree_level", INT4),
        ("index_size", INT8),
        ("root_block_no", INT8),
        ("internal_pages", INT8),
        ("leaf_pages", INT8),
        ("empty_pages", INT8),
        ("deleted_pages", INT8),
        ("avg_leaf_density", FLOAT8),
        ("leaf_fragmentation", FLOAT8),
    ])
}

fn wal_record(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("start_lsn", LSN),
        ("end_lsn", LSN),
        ("prev_lsn", LSN),
        ("xid", XID),
        ("resource_manager", TEXT),
        ("record_type", TEXT),
        ("record_length", INT4),
        ("main_data_length", INT4),
        ("fpi_length", INT4),
        ("description", TEXT),
        ("block_ref", TEXT),
    ])
}

fn wal_block(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = wal_record(major);
    columns.truncate(8);
    let block = [
        ("block_id", INT2),
        ("reltablespace", 26),
        ("reldatabase", 26),
        ("relfilenode", 26),
        ("relforknumber", INT2),
        ("relblocknumber", INT8),
    ];
    columns.splice(3..3, block);
    columns.extend([
        ("block_data_length", INT4),
        ("block_fpi_length", INT4),
        ("block_fpi_info", 1009),
        ("description", TEXT),
        ("block_data", BYTEA),
        ("block_fpi_data", BYTEA),
    ]);
    if PgVersion::of_major(major).has_walinspect_1_1() { columns } else { Vec::new() }
}

/// Of functions that pg_walinspect 1.1 has no more.
fn until_1_0(major: u32, columns: fn(u32) -> Vec<(&'static str, Oid)>) -> Vec<(&'static str, Oid)> {
    if PgVersion::of_major(major).has_walinspect_1_1() { Vec::new() } else { columns(major) }
}

fn wal_stats(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("resource_manager/record_type", TEXT),
        ("count", INT8),
        ("count_percentage", FLOAT8),
        ("record_size", INT8),
        ("record_size_percentage", FLOAT8),
        ("fpi_size", INT8),
        ("fpi_size_percentage", FLOAT8),
        ("combined_size", INT8),
        ("combined_size_percentage", FLOAT8),
    ])
}

fn string_to_table(major: u32) -> Vec<(&'static str, Oid)> {
    let has_it = PgVersion::of_major(major).has_string_to_table();
    if has_it { Vec::from([("string_to_table", TEXT)]) } else { Vec::new() }
}

/// Functions that are called for NULL too.
const STRING_TO_TABLE: &str = "string_to_table";
const UNNEST: &str = "unnest";
/// A function that needs to know the version.
pub(super) const PATH_QUERY: &str = "jsonb_path_query";
/// Functions whose columns are listed where they are called.
const RECORDS: [&str; 4] = ["json_to_record", "json_to_recordset", "jsonb_to_record", "jsonb_to_recordset"];

/// A function whose `pids` are not told.
pub const ROW_LOCKS: &str = "pgrowlocks";

const INSPECT: &str = "pageinspect";
const WAL: &str = "pg_walinspect";
const VISIBILITY: &str = "pg_visibility";

/// All of them.
pub const SETS: &[SetFunction] = &[
    one("page_header", &[BYTEA], INSPECT, page_header),
    set("heap_page_items", &[BYTEA], INSPECT, heap_page_items),
    set("heap_page_item_attrs", &[BYTEA, REGCLASS], INSPECT, heap_page_item_attrs),
    set("heap_page_item_attrs", &[BYTEA, REGCLASS, BOOL], INSPECT, heap_page_item_attrs),
    one("heap_tuple_infomask_flags", &[INT4, INT4], INSPECT, |_| {
        Vec::from([("raw_flags", 1009), ("combined_flags", 1009)])
    }),
    one("bt_metap", &[TEXT], INSPECT, bt_metap),
    one("bt_page_stats", &[TEXT, INT8], INSPECT, bt_page_stats),
    set("bt_multi_page_stats", &[TEXT, INT8, INT8], INSPECT, bt_page_stats),
    set("bt_page_items", &[TEXT, INT8], INSPECT, bt_page_items),
    set("bt_page_items", &[BYTEA], INSPECT, bt_page_items),
    one("brin_metapage_info", &[BYTEA], INSPECT, |_| {
        Vec::from([("magic", TEXT), ("version", INT4), ("pagesperrange", INT4), ("lastrevmappage", INT8)])
    }),
    set("brin_revmap_data", &[BYTEA], INSPECT, |_| Vec::from([("pages", TID)])),
    set("brin_page_items", &[BYTEA, REGCLASS], INSPECT, brin_page_items),
    set("pg_visibility", &[REGCLASS], VISIBILITY, visibility),
    one("pg_visibility", &[REGCLASS, INT8], VISIBILITY, |major| visibility(major).split_off(1)),
    set("pg_visibility_map", &[REGCLASS], VISIBILITY, |major| visibility(major)[..3].to_vec()),
    one("pg_visibility_map", &[REGCLASS, INT8], VISIBILITY, |major| visibility(major)[1..3].to_vec()),
    one("pg_visibility_map_summary", &[REGCLASS], VISIBILITY, |_| {
        Vec::from([("all_visible", INT8), ("all_frozen", INT8)])
    }),
    set("pg_check_frozen", &[REGCLASS], VISIBILITY, |_| Vec::from([("t_ctid", TID)])),
    SetFunction {
        extension: None,
        ..one("pg_walfile_name_offset", &[LSN], "", |_| Vec::from([("file_name", TEXT), ("file_offset", INT4)]))
    },
    set("verify_heapam", &[REGCLASS], "amcheck", |major| match PgVersion::of_major(major).has_verify_heapam() {
        true => Vec::from([("blkno", INT8), ("offnum", INT4), ("attnum", INT4), ("msg", TEXT)]),
        false => Vec::new(),
    }),
    set("pg_check_visible", &[REGCLASS], VISIBILITY, |_| Vec::from([("t_ctid", TID)])),
    set("pg_freespace", &[REGCLASS], "pg_freespacemap", |_| Vec::from([("blkno", INT8), ("avail", INT2)])),
    one("pgstattuple", &[TEXT], "pgstattuple", pgstattuple),
    one("pgstattuple", &[REGCLASS], "pgstattuple", pgstattuple),
    one("pgstattuple_approx", &[REGCLASS], "pgstattuple", approx::columns),
    one("pgstatindex", &[TEXT], "pgstattuple", pgstatindex),
    one("pgstatindex", &[REGCLASS], "pgstattuple", pgstatindex),
    set(ROW_LOCKS, &[TEXT], ROW_LOCKS, |_| {
        let of_row = [("locked_row", TID), ("locker", XID), ("multi", BOOL)];
        of_row.into_iter().chain([("xids", 1011), ("modes", 1009)]).collect()
    }),
    one("pg_get_wal_record_info", &[LSN], WAL, wal_record),
    set("pg_get_wal_records_info", &[LSN, LSN], WAL, wal_record),
    set("pg_get_wal_records_info_till_end_of_wal", &[LSN], WAL, |major| until_1_0(major, wal_record)),
    set("pg_get_wal_block_info", &[LSN, LSN], WAL, wal_block),
    set("pg_get_wal_block_info", &[LSN, LSN, BOOL], WAL, wal_block),
    set("pg_get_wal_stats", &[LSN, LSN], WAL, wal_stats),
    set("pg_get_wal_stats", &[LSN, LSN, BOOL], WAL, wal_stats),
    set("pg_get_wal_stats_till_end_of_wal", &[LSN], WAL, |major| until_1_0(major, wal_stats)),
    set("pg_get_wal_stats_till_end_of_wal", &[LSN, BOOL], WAL, |major| until_1_0(major, wal_stats)),
    of_json("regexp_matches", &[TEXT, TEXT], |_| Vec::from([("regexp_matches", TEXT_ARRAY)])),
    of_json("regexp_matches", &[TEXT, TEXT, TEXT], |_| Vec::from([("regexp_matches", TEXT_ARRAY)])),
    of_json("regexp_split_to_table", &[TEXT, TEXT], |_| Vec::from([("regexp_split_to_table", TEXT)])),
    of_json("regexp_split_to_table", &[TEXT, TEXT, TEXT], |_| Vec::from([("regexp_split_to_table", TEXT)])),
    of_json("string_to_table", &[TEXT, TEXT], string_to_table),
    of_json("string_to_table", &[TEXT, TEXT, TEXT], string_to_table),
    of_json("json_array_elements", &[JSON], |_| Vec::from([("value", JSON)])),
    of_json("json_array_elements_text", &[JSON], |_| Vec::from([("value", TEXT)])),
    of_json("json_each", &[JSON], |_| Vec::from([("key", TEXT), ("value", JSON)])),
    of_json("json_each_text", &[JSON], |_| Vec::from([("key", TEXT), ("value", TEXT)])),
    of_json("json_object_keys", &[JSON], |_| Vec::from([("json_object_keys", TEXT)])),
    of_json("jsonb_array_elements", &[JSONB], |_| Vec::from([("value", JSONB)])),
    of_json("jsonb_array_elements_text", &[JSONB], |_| Vec::from([("value", TEXT)])),
    of_json("jsonb_each", &[JSONB], |_| Vec::from([("key", TEXT), ("value", JSONB)])),
    of_json("jsonb_each_text", &[JSONB], |_| Vec::from([("key", TEXT), ("value", TEXT)])),
    of_json(PATH_QUERY, &[JSONB, TEXT], |_| Vec::from([(PATH_QUERY, JSONB)])),
    of_json(PATH_QUERY, &[JSONB, TEXT, JSONB], |_| Vec::from([(PATH_QUERY, JSONB)])),
    of_json(PATH_QUERY, &[JSONB, TEXT, JSONB, BOOL], |_| Vec::from([(PATH_QUERY, JSONB)])),
    of_json("jsonb_object_keys", &[JSONB], |_| Vec::from([("jsonb_object_keys", TEXT)])),
    SetFunction {
        name: "pg_get_multixact_members",
        args: &[XID],
        columns: |_| Vec::from([("xid", XID), ("mode", TEXT)]),
        extension: None,
        one_row: false,
    },
    of_json("pg_partition_ancestors", &[REGCLASS], |_| Vec::from([("relid", REGCLASS)])),
    SetFunction {
        name: "pg_partition_tree",
        args: &[REGCLASS],
        columns: |_| Vec::from([("relid", REGCLASS), ("parentrelid", REGCLASS), ("isleaf", BOOL), ("level", INT4)]),
        extension: None,
        one_row: false,
    },
    SetFunction {
        name: "pg_options_to_table",
        args: &[1009],
        columns: |_| Vec::from([("option_name", TEXT), ("option_value", TEXT)]),
        extension: None,
        one_row: false,
    },
    SetFunction {
        name: "unnest",
        args: &[ANYARRAY],
        columns: |_| Vec::from([("unnest", TEXT)]),
        extension: None,
        one_row: false,
    },
];

/// The function with rows that a call means, by its name and how many arguments it has.
fn called(expr: &Expr) -> Option<&'static SetFunction> {
    let ExprNode::Function { name, args, star: false, over: None, .. } = &expr.node else { return None };
    let name = without_public(name, |bare| SETS.iter().any(|set| set.name == bare && set.extension.is_some()));
    SETS.iter().find(|set| set.name == name && set.args.len() == args.len())
}

/// The columns of what a call of a function with rows gives in that version; `None` for anything else.
pub fn columns_of_call(expr: &Expr, major: u32) -> Option<Vec<(&'static str, Oid)>> {
    called(expr).map(|set| (set.columns)(major))
}

/// Does a call of a function with rows give one, whatever it is given (`proretset`)?
pub fn is_one_row(expr: &Expr) -> bool {
    called(expr).is_some_and(|set| set.one_row)
}

/// Has only another version one of that name, and no extension?
pub fn is_of_another_version(name: &str, major: u32) -> bool {
    let mut known = SETS.iter().filter(|set| set.name == name && set.extension.is_none()).peekable();
    known.peek().is_some() && known.all(|set| (set.columns)(major).is_empty())
}

/// Is there one of that name and so many arguments?
pub fn gives_rows(name: &str, count: usize) -> bool {
    SETS.iter().any(|set| set.name == name && set.args.len() == count)
}

/// Is its only column called otherwise than the function, so that an alias is none of the column?
pub fn names_its_column(function: &str) -> bool {
    const NEWEST: u32 = 18;
    if lists_columns(function) {
        return true;
    }
    let set = SETS.iter().find(|set| set.name == function);
    set.is_some_and(|set| matches!((set.columns)(NEWEST)[..], [(column, _)] if matches!(column, "value" | "pages")))
}

/// `prorows`
pub fn estimated_rows(function: &str) -> f64 {
    const UNKNOWN: f64 = 1000.0;
    const OF_JSON: f64 = 100.0;
    if function.starts_with("json") { OF_JSON } else { UNKNOWN }
}

/// Does the function give one row, also where an argument is NULL?
pub(super) fn gives_one_row(name: &str, count: usize) -> bool {
    SETS.iter().any(|set| set.name == name && set.args.len() == count && set.one_row)
}

/// The name of a function with rows, its arguments, and its columns.
pub type SetCall = (&'static str, Vec<Typed>, Vec<Column>);

impl Analyzer<'_> {
    /// A call of a function with rows: its name, arguments and columns; `None` for anything else.
    ///
    /// # Errors
    /// Arguments that it does not take; an extension that is not there.
    pub fn set_function(&mut self, call: &Expr) -> Result<Option<SetCall>, StatementError> {
        let ExprNode::Function { name, args, star: false, .. } = &call.node else { return Ok(None) };
        let is_of_extension = |bare: &str| SETS.iter().any(|set| set.name == bare && set.extension.is_some());
        let name = without_public(name, is_of_extension);
        if let Some(record) = RECORDS.into_iter().find(|known| *known == name) {
            return self.listed_columns(record, args).map(Some).map_err(|error| error.at(call.position));
        }
        if name == UNNEST && args.len() > 1 {
            return self.several_arrays(call, args).map(Some);
        }
        let known: Vec<&SetFunction> = SETS.iter().filter(|set| set.name == name).collect();
        let Some(first) = known.first() else { return Ok(None) };
        // one of that name that gives a value
        let is_set = known.iter().any(|set| set.args.len() == args.len());
        if !is_set && proc_args(name, self.input.major).any(|count| count == args.len()) {
            return Ok(None);
        }
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let is_there = first.extension.is_none_or(|extension| self.extensions.contains(&extension));
        let is_there = is_there && !(first.columns)(self.input.major).is_empty();
        let candidates: Vec<&[Oid]> = known.iter().map(|set| set.args).filter(|_| is_there).collect();
        let (found, args) = self.chosen(name, &candidates, args).map_err(|error| error.at(call.position))?;
        let set = known[found];
        let element = args.first().and_then(|arg| element_of(arg.ty.oid));
        let columns = (set.columns)(self.input.major).into_iter().map(|(column, ty)| {
            let ty = if set.name == "unnest" { element.unwrap_or(ty) } else { ty };
            Column { name: column.to_string(), ty: SqlType::plain(ty) }
        });
        Ok(Some((set.name, args, columns.collect())))
    }
}

/// Is it a function whose columns are listed where it is called?
pub(in crate::sql) fn lists_columns(name: &str) -> bool {
    RECORDS.contains(&name)
}

/// Its rows, of a document and a list of columns.
pub(super) fn records(name: &str, args: &[Value], input: &Input) -> Option<Result<Rows, SqlError>> {
    match name {
        PATH_QUERY => Some(path_rows(args, *input)),
        name => lists_columns(name).then(|| record_rows(name, args, input)),
    }
}

impl Analyzer<'_> {
    /// A function whose columns are listed behind its call, where the grammar makes arguments of them.
    fn listed_columns(&mut self, name: &'static str, args: &[Expr]) -> Result<SetCall, StatementError> {
        let [document, list @ ..] = args else {
            return Err(StatementError::server("42883", format!("function {name}() does not exist")));
        };
        let mut columns = Vec::with_capacity(list.len());
        for column in list {
            match &column.node {
                ExprNode::Named(name, value) => match value.node {
                    ExprNode::Cast(_, ty) => columns.push((name.clone(), ty)),
                    _ => return Err(StatementError::unsupported("a column of this type is not supported", None)),
                },
                _ => return Err(StatementError::unsupported(format!("{name} of several is not supported"), None)),
            }
        }
        if columns.is_empty() {
            let message = "a column definition list is required for functions returning \"record\"";
            return Err(StatementError::server("42601", message));
        }
        if columns.iter().any(|(_, ty)| is_enum(ty.oid)) {
            return Err(StatementError::unsupported("a column of an enum type is not supported here", None));
        }
        let document = self.expr(document)?;
        let of: &[Oid] = if name.starts_with("jsonb") { &[JSONB] } else { &[JSON] };
        let (_, mut all) = self.chosen(name, &[of], Vec::from([document]))?;
        all.push(Typed::constant(Value::text(&column_list(&columns)), SqlType::TEXT));
        Ok((name, all, columns.into_iter().map(|(name, ty)| Column { name, ty }).collect()))
    }

    /// `unnest` of several arrays, which is one of each, side by side (`transformRangeFunction`,
    /// src/backend/parser/parse_clause.c).
    fn several_arrays(&mut self, call: &Expr, args: &[Expr]) -> Result<SetCall, StatementError> {
        let (mut arrays, mut columns) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
        for arg in args {
            let arg = self.expr(arg)?;
            let (_, mut one) =
                self.chosen(UNNEST, &[&[ANYARRAY]], Vec::from([arg])).map_err(|error| error.at(call.position))?;
            let array = one.remove(0);
            let ty = SqlType::plain(element_of(array.ty.oid).unwrap_or(TEXT));
            columns.push(Column { name: UNNEST.to_string(), ty });
            arrays.push(array);
        }
        Ok((UNNEST, arrays, columns))
    }
}

/// Functions that look at nothing but their arguments.
pub(super) fn rows(name: &str, args: &[Value]) -> Option<Result<Rows, SqlError>> {
    let elements = || array_elements(&args[0]).unwrap_or_default();
    if let Some(rows) = json_rows(name, &args[0]).or_else(|| regexp_rows(name, args)) {
        return Some(rows);
    }
    Some(match name {
        "pg_options_to_table" => Ok(elements().iter().map(option).collect()),
        STRING_TO_TABLE => {
            split_text(args).map(|parts| parts.unwrap_or_default().into_iter().map(|part| Vec::from([part])).collect())
        }
        UNNEST if args.len() > 1 => Ok(side_by_side(args)),
        "unnest" => Ok(elements().into_iter().map(|value| Vec::from([value])).collect()),
        _ => return None,
    })
}

/// Elements of several arrays, NULL where one has fewer than another.
fn side_by_side(arrays: &[Value]) -> Rows {
    let columns: Vec<Vec<Value>> = arrays.iter().map(|array| array_elements(array).unwrap_or_default()).collect();
    let count = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |n: usize| columns.iter().map(|column| column.get(n).cloned().unwrap_or(Value::Null)).collect();
    (0..count).map(row).collect()
}

/// Is it called for NULL too?
pub(super) fn takes_null(name: &str, count: usize) -> bool {
    name == STRING_TO_TABLE || name == UNNEST && count > 1 || name.ends_with("_to_record")
}

/// `untransformRelOptions`: an option without a value has none.
fn option(option: &Value) -> Vec<Value> {
    let text = super::text_of(option);
    match text.split_once('=') {
        Some((name, value)) => Vec::from([Value::text(name), Value::text(value)]),
        None => Vec::from([Value::text(&text), Value::Null]),
    }
}

/// A number as the type of its column has it.
pub(super) fn number(value: impl Into<i64>, ty: Oid) -> Value {
    let value = value.into();
    match ty {
        INT2 => Value::Int2(value as i16),
        INT4 => Value::Int4(value as i32),
        _ => Value::Int8(value),
    }
}

/// Bytes in hexadecimal with blanks between, as `bt_page_items` has them.
pub(super) fn spaced(bytes: &[u8]) -> alloc::string::String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
