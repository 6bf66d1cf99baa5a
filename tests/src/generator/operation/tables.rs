//! What is done to transactions, tables and settings.

use super::super::{Generator, Level};
use super::When::{Always, InBlock, Nobody, Outside};
use super::{Operation, sql, with};

/// Transactions, and statements that fail in the middle of their work.
pub(super) const TRANSACTIONS: &[Operation] = &[
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
pub(super) const MAINTENANCE: &[Operation] = &[
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
    sql(3, Level::SESSIONS, Nobody, "vacuum full {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum ({full}) {t}"),
    sql(1, Level::EVERYTHING, Nobody, "vacuum full {t}, {other}"),
    sql(1, Level::EVERYTHING, InBlock, "savepoint f; vacuum full {t}; rollback to f"),
    sql(1, Level::EVERYTHING, Outside, "analyze {t}"),
    sql(2, Level::EVERYTHING, Always, "set enable_{scan} = {on}"),
    sql(1, Level::EVERYTHING, Always, "set vacuum_freeze_min_age = {n}"),
    sql(1, Level::EVERYTHING, Always, "show enable_{scan}; select current_setting('vacuum_freeze_min_age')"),
    with(1, Level::INDEXES, Nobody, Generator::reindex),
    // what is planned and not run
    with(8, Level::INDEXES, Always, Generator::explain),
];

/// What is done to tables rather than to rows.
pub(super) const SCHEMA: &[Operation] = &[
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
    // others have snapshots, though not of this table: rows that they may see are copied
    sql(
        2,
        Level::EVERYTHING,
        Outside,
        "create table f{id} as select * from {t}; create index on f{id} (c0); update f{id} set a = a + 1 where c0 > {int}; \
         update f{id} set c0 = {int} where a % 3 = 0; delete from f{id} where a % 5 = 0; vacuum full f{id}; \
         update f{id} set c0 = c0 + 1; select count(*) from f{id}; vacuum full f{id}",
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

/// Sequences. The statements find none until one is made, which is never in a transaction that may be rolled back.
pub(super) const SEQUENCES: &[Operation] = &[
    with(3, Level::EVERYTHING, Outside, Generator::create_sequence),
    sql(3, Level::EVERYTHING, Always, "select nextval('{sequence}')"),
    sql(1, Level::EVERYTHING, Always, "select nextval('{sequence}') from generate_series(1, {n})"),
    sql(1, Level::EVERYTHING, Always, "select setval('{sequence}', {n}, {is_called})"),
    sql(1, Level::EVERYTHING, Outside, "select currval('{sequence}'), lastval()"),
    // others that take values from it would wait
    sql(1, Level::EVERYTHING, Nobody, "alter sequence {sequence} restart"),
    sql(1, Level::EVERYTHING, Nobody, "alter sequence {sequence} restart {n} cache {n}"),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; select nextval('{sequence}'); alter sequence {sequence} increment {n} minvalue -7 cycle; select nextval('{sequence}'); \
         savepoint f; alter sequence {sequence} cache {n}; select nextval('{sequence}'); rollback to f; select nextval('{sequence}'); {end}",
    ),
    sql(1, Level::EVERYTHING, Always, "select nextval('{sequence}'), currval('{sequence}'), lastval()"),
    sql(1, Level::EVERYTHING, Always, "update {t} set c0 = nextval('{sequence}') where {some}"),
    sql(
        1,
        Level::EVERYTHING,
        Always,
        "insert into {t} (a, c0) select g, nextval('{sequence}') from {fresh_range} returning {returned}, lastval()",
    ),
    sql(1, Level::EVERYTHING, InBlock, "savepoint f; select nextval('{sequence}'); rollback to f"),
    sql(
        1,
        Level::EVERYTHING,
        Nobody,
        "begin; create sequence r{id}; select nextval('r{id}') from generate_series(1, {n}); {end}",
    ),
];
