//! What random scripts do, as data: how often, from which level on, when, and how the statement reads.
//!
//! ```text
//!  weight  from which level   when     template, or the function where a template cannot say it
//!  25      Level::ROWS        Always   "update {t} set {set} where {one}"
//! ```
//!
//! A template is one statement or several with semicolons between them; what stands in braces is chosen anew each time, the table and the columns
//! once for the whole template (`fill.rs` has the words). A template that finds no column or table of the sort that it asks for is passed over.

use super::{Generator, Level};

/// When an operation may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// at any time
    Always,
    /// in a transaction of this session
    InBlock,
    /// when this session is in none
    Outside,
    /// when no session is in one: what is done to tables, and to rows of other sessions, would have others wait
    Nobody,
    /// in scripts of several sessions
    Several,
    /// there in the first of them: it alone changes rows that the others may lock
    First,
}

/// What an operation does.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// these statements
    Sql(&'static str),
    /// what the function adds
    With(fn(&mut Generator)),
}

/// An operation.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub weight: u64,
    pub level: Level,
    pub when: When,
    pub make: Make,
}

const fn sql(weight: u64, level: Level, when: When, template: &'static str) -> Operation {
    Operation { weight, level, when, make: Make::Sql(template) }
}

const fn with(weight: u64, level: Level, when: When, make: fn(&mut Generator)) -> Operation {
    Operation { weight, level, when, make: Make::With(make) }
}

use When::{Always, First, InBlock, Nobody, Outside, Several};

/// Rows that come: INSERT and COPY.
const INSERTS: &[Operation] = &[
    with(20, Level::ROWS, Always, Generator::insert),
    sql(6, Level::ROWS, Always, "insert into {t} (a, c0) select g, g % 7 from {fresh_range}"),
    sql(6, Level::ROWS, Always, "insert into {t} (a, c0, {d}) select g, g % 7, {dv} from {fresh_range}"),
    sql(2, Level::ROWS, Always, "insert into {t} (a, {c}) select a + 1200000000, {c} from {t} where {some}"),
    sql(
        1,
        Level::TYPES,
        Always,
        "insert into {t} (a, c0, {text}) select a + 1100000000, c0, case when a % 2 = 0 then {text} end from {t} where {some}",
    ),
    with(5, Level::TYPES, Always, Generator::copy),
    sql(
        1,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) values ({fresh}, {int}), ({fresh}, {int}), ({key}, {int})",
    ),
    sql(
        1,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) select g, {int} from {old_range} on conflict do nothing",
    ),
    sql(
        1,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) values ({key}, {int}), ({fresh}, {int}), ({key}, {int}) on conflict (a) do nothing",
    ),
    sql(
        1,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) values ({fresh}, {int}), ({key}, {int}), ({key}, {int}) on conflict (a) do update set c0 = excluded.c0",
    ),
    sql(
        2,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, {c}) values ({key}, {v}) on conflict (a) do update set {c} = excluded.{c}",
    ),
    sql(
        2,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) select g, {int} from {old_range} on conflict (a) do update set c0 = {keyed}.c0 + excluded.c0 where {keyed}.c0 > {int}",
    ),
];

/// Rows that change and go.
const CHANGES: &[Operation] = &[
    sql(25, Level::ROWS, Always, "update {t} set {set} where {one}"),
    sql(5, Level::ROWS, Always, "update {t} set {set} where {some}"),
    sql(2, Level::ROWS, Always, "update {t} set c0 = c0 + 1, {d} = {dv} where {some}"),
    sql(1, Level::ROWS, Always, "update {t} set c0 = c0 where {some}"),
    sql(1, Level::TYPES, Always, "update {t} set {text} = {text}, c0 = c0 + 1 where {some}"),
    sql(1, Level::INDEXES, Always, "update {t} set c0 = c0 + 1 where c0 = {int} and {some}"),
    sql(2, Level::INDEXES, Always, "update {t} set a = {fresh} where {one}"),
    sql(2, Level::SESSIONS, Always, "update {t} set {text} = {text} || '{letters}' where {some}"),
    sql(1, Level::SESSIONS, Nobody, "update {t} set {set} where {any}"),
    sql(5, Level::ROWS, Always, "delete from {t} where {one}"),
    sql(3, Level::ROWS, Always, "delete from {t} where {some}"),
    sql(1, Level::INDEXES, Always, "delete from {t} where c0 in ({int}, {int}) and {some}"),
    sql(1, Level::SESSIONS, Nobody, "delete from {t} where {any}"),
    sql(
        2,
        Level::TYPES,
        Outside,
        "do $$ begin for i in 1..{n} loop update {t} set c0 = c0 + i where {one}; commit; end loop; end $$",
    ),
    sql(
        1,
        Level::TYPES,
        Outside,
        "do $$ begin for i in 1..{n} loop update {t} set {set} where {one}; end loop; end $$",
    ),
];

/// Rows that are looked at and locked.
const READS: &[Operation] = &[
    sql(2, Level::ROWS, Always, "select count(*) from {t}"),
    sql(2, Level::ROWS, Always, "select count(*) from {t} where {some}"),
    sql(3, Level::ROWS, Always, "select * from {t} where {one}"),
    sql(2, Level::ROWS, Always, "select * from {t} where {any}"),
    sql(2, Level::ROWS, Always, "select a from {t} where {some} order by a limit 5"),
    sql(1, Level::ROWS, Always, "select {c} from {t} order by {c} desc limit 3"),
    sql(1, Level::ROWS, Always, "select a, {c} from {t} where {some} order by c0 desc, {c} limit 7 offset 2"),
    sql(1, Level::TRANSACTIONS, Always, "select a from {t} where {some} order by c0 limit 4 for {mode}"),
    sql(1, Level::ROWS, Always, "select min(a), max(a) from {t}"),
    sql(1, Level::ROWS, Always, "select min({least}) from {t}"),
    sql(1, Level::ROWS, Always, "select max({least}) from {t} where {some}"),
    sql(2, Level::ROWS, Always, "select a from {t} where {c} = {v}"),
    sql(1, Level::ROWS, Always, "select count({c}) from {t} where c0 between {int} and {int} + 20"),
    sql(1, Level::INDEXES, Always, "select a from {t} where c0 in ({int}, {int}, {int})"),
    sql(1, Level::INDEXES, Always, "select a from {t} where c0 = {int} or c0 between {int} and {int} + 5"),
    sql(1, Level::INDEXES, Always, "select a from {t} where c0 < {int} and a > {key} order by a desc limit 3"),
    sql(1, Level::ROWS, Always, "select count(*) from {t} where {c} is null"),
    sql(4, Level::TRANSACTIONS, Always, "select a from {t} where {one} for {mode}"),
    sql(1, Level::TRANSACTIONS, Always, "select a from {t} where {some} for {mode}"),
    sql(1, Level::SESSIONS, Outside, "select a from {t} where {any} for {mode} skip locked"),
    sql(1, Level::SESSIONS, Outside, "select a from {t} where {any} for {mode} nowait"),
    sql(3, Level::SESSIONS, Several, "select a from {t} where a = {shared} for key share"),
    sql(2, Level::SESSIONS, Several, "select a from {t} where a = {read} for share"),
    sql(2, Level::SESSIONS, First, "update {t} set c0 = c0 + 1 where a = {shared}"),
    sql(1, Level::SESSIONS, First, "select a from {t} where a = {shared} for no key update"),
];

/// Transactions, and statements that fail in the middle of their work.
const TRANSACTIONS: &[Operation] = &[
    with(10, Level::TRANSACTIONS, Outside, Generator::begin),
    with(10, Level::TRANSACTIONS, InBlock, Generator::end),
    with(6, Level::TRANSACTIONS, InBlock, Generator::savepoint),
    sql(
        1,
        Level::TRANSACTIONS,
        InBlock,
        "savepoint f; update {t} set c0 = 100 / (a - {key}) where {some}; rollback to f",
    ),
    sql(
        2,
        Level::TRANSACTIONS,
        InBlock,
        "savepoint f; update {t} set {set} where {one}; rollback to f; update {t} set {set} where {one}",
    ),
    sql(
        1,
        Level::TRANSACTIONS,
        InBlock,
        "savepoint f; select a from {t} where {some} for {mode}; release f; update {t} set {set} where {one}",
    ),
    sql(
        1,
        Level::INDEXES,
        InBlock,
        "savepoint f; insert into {keyed} (a) values ({fresh}), ({key}); rollback to f; release f",
    ),
    sql(1, Level::TRANSACTIONS, Outside, "update {t} set c0 = 100 / (a - {key}) where {some}"),
    sql(1, Level::TRANSACTIONS, Outside, "insert into {t} (a, c0) select g, 100 / (g - {fresh}) from {fresh_range}"),
];

/// What keeps tables in order, and the settings of a session.
const MAINTENANCE: &[Operation] = &[
    sql(4, Level::VACUUM, Always, "checkpoint"),
    sql(3, Level::VACUUM, Nobody, "vacuum {t}"),
    sql(2, Level::VACUUM, Nobody, "vacuum (freeze) {t}"),
    // where others are at work VACUUM would try for five seconds to get the lock that lets it shorten the file
    sql(3, Level::VACUUM, Outside, "vacuum (truncate off) {t}"),
    sql(1, Level::EVERYTHING, Outside, "vacuum (index_cleanup off, truncate off) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum (disable_page_skipping) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum (analyze) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum (index_cleanup on) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum (freeze, disable_page_skipping) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum {t}, {other}"),
    sql(1, Level::EVERYTHING, Outside, "analyze {t}"),
    sql(1, Level::EVERYTHING, Always, "set enable_{scan} = {on}"),
    with(2, Level::EVERYTHING, Always, Generator::next_value),
    with(1, Level::INDEXES, Nobody, Generator::reindex),
];

/// What is done to tables rather than to rows.
const SCHEMA: &[Operation] = &[
    with(2, Level::EVERYTHING, Nobody, Generator::create_index),
    with(1, Level::EVERYTHING, Nobody, Generator::drop_index),
    with(1, Level::EVERYTHING, Nobody, Generator::add_column),
    with(1, Level::EVERYTHING, Nobody, Generator::drop_column),
    with(1, Level::EVERYTHING, Nobody, Generator::copy_freeze),
    sql(1, Level::EVERYTHING, Nobody, "truncate {t}"),
    sql(1, Level::EVERYTHING, Nobody, "create table u{id} as select * from {t}"),
    sql(1, Level::EVERYTHING, Nobody, "alter table {t} alter column {text} set storage {storage}"),
    // what is packed in a row is packed in its index entries
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "alter table {t} alter column {least} set storage plain; create index s{id} on {t} ({least}); \
         insert into {t} (a, {least}) select a + 1300000000, {least} from {t} where {some}",
    ),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "alter table {t} alter column {d} set storage plain; update {t} set c0 = c0 + 1, {d} = {dv} where {some}; \
         insert into {t} (a, c0, {d}) select g, {int}, {dv} from {fresh_range}",
    ),
    sql(1, Level::EVERYTHING, Nobody, "alter table {t} set ({parameter})"),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; truncate {t}; insert into {t} (a, c0) select g, {int} from {fresh_range}; {end}",
    ),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; savepoint f; truncate {t}; insert into {t} (a) values ({fresh}); rollback to f; {end}",
    ),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; create table w{id} (a int, b text); insert into w{id} select g, '{letters}' from generate_series(1, {n}) g; {end}",
    ),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "create table u{id} as select * from {t}; update u{id} set a = a + 1; vacuum u{id}; drop table u{id}",
    ),
    // HOT chains that are broken for the index (indcheckxmin)
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; update {t} set c0 = {int} where {one}; create index y{id} on {t} (c0); select a from {t} where c0 = {int}; update {t} set {set} where {one}; {end}",
    ),
    // combo command ids of catalogs; where that aborts, other sessions of 13 do not hear of what ANALYZE has found
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; analyze {t}; update {t} set {set} where {one}; alter table {t} set ({parameter}); analyze {t}; update {t} set {set} where {one}; commit",
    ),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; create table v{id} (a serial primary key, b text); insert into v{id} (b) values ('{letters}'); truncate v{id}; \
         insert into v{id} (b) values ('{letters}'); update v{id} set b = ''; {end}; drop table if exists v{id}",
    ),
];

/// All of them.
pub(super) fn operations() -> impl Iterator<Item = &'static Operation> {
    [INSERTS, CHANGES, READS, TRANSACTIONS, MAINTENANCE, SCHEMA].into_iter().flatten()
}
