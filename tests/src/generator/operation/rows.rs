//! What is done to rows.

use super::super::{Generator, Level};
use super::When::{Always, First, Nobody, Outside, Several};
use super::{Operation, sql, with};

/// Rows that come: INSERT and COPY.
pub(super) const INSERTS: &[Operation] = &[
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
    sql(
        1,
        Level::TYPES,
        Always,
        "insert into {t} (a, c0) values ({fresh}, {int}), ({fresh}, {int}) returning {returned}",
    ),
    sql(
        1,
        Level::TYPES,
        Always,
        "insert into {t} (a, c0, {text}) select g, {int}, repeat('{letters}', g % 5) from {fresh_range} returning {returned}",
    ),
    sql(
        1,
        Level::INDEXES,
        Always,
        "insert into {keyed} (a, c0) values ({key}, {int}), ({fresh}, {int}) on conflict (a) do update set c0 = excluded.c0 returning {returned}",
    ),
    // what the headers say becomes part of rows, which are compared
    sql(
        1,
        Level::TYPES,
        Always,
        "insert into {t} (a, c0, {text}) select a + 1400000000, c0, {header} from {t} where {some}",
    ),
];

/// Rows that change and go.
pub(super) const CHANGES: &[Operation] = &[
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
    sql(1, Level::TYPES, Always, "update {t} set {set} where {one} returning {returned}"),
    sql(1, Level::TYPES, Always, "update {t} set {set} where {some} returning {returned}"),
    sql(1, Level::TYPES, Always, "update {t} set {text} = {header} where {some}"),
    sql(2, Level::TYPES, Always, "update {t} set {set} where ctid = {tid}{and_own}"),
    sql(1, Level::TYPES, Always, "update {t} set {set} where {place}{and_own} returning {returned}"),
    sql(1, Level::INDEXES, Always, "update {t} set {set} where a = any (array[{key}, {key}, {key}])"),
    sql(1, Level::TYPES, Always, "delete from {t} where {one} returning {gone}"),
    sql(1, Level::TYPES, Always, "delete from {t} where {some} returning {gone}"),
    sql(1, Level::TYPES, Always, "delete from {t} where ctid = {tid}{and_own}"),
    sql(1, Level::TYPES, Always, "delete from {t} where {place}{and_own}"),
    sql(1, Level::INDEXES, Always, "delete from {t} where a in ({key}, {key})"),
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
pub(super) const READS: &[Operation] = &[
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
    sql(1, Level::TYPES, Always, "select {system}, {c} from {t} where {any}"),
    sql(2, Level::TYPES, Always, "select {system}, * from {t} where {place}"),
    sql(1, Level::TYPES, Always, "select a from {t} where {place} order by ctid desc limit 4"),
    sql(1, Level::TYPES, Always, "select count(*), min(ctid), max(ctid) from {t} where {place} and xmax = 0"),
    sql(1, Level::TYPES, Always, "select a from {t} where {place}{and_own} for {mode}"),
    sql(1, Level::INDEXES, Always, "select a from {t} where c0 = any (array[{int}, {int}, {int}])"),
    sql(1, Level::INDEXES, Always, "select {c} from {t} where a in ({key}, {key}, {key}) order by a"),
    sql(1, Level::INDEXES, Always, "select a from {t} where {c} in ({v}, {v}, {v})"),
    sql(
        1,
        Level::INDEXES,
        Always,
        "select a from {t} where c0 in ({int}, {int}, {int}) and {c} = any (array[{v}, {v}])",
    ),
    sql(4, Level::TRANSACTIONS, Always, "select a from {t} where {one} for {mode}"),
    sql(1, Level::TRANSACTIONS, Always, "select a from {t} where {some} for {mode}"),
    sql(1, Level::SESSIONS, Outside, "select a from {t} where {any} for {mode} skip locked"),
    sql(1, Level::SESSIONS, Outside, "select a from {t} where {any} for {mode} nowait"),
    sql(3, Level::SESSIONS, Several, "select a from {t} where a = {shared} for key share"),
    sql(2, Level::SESSIONS, Several, "select a from {t} where a = {read} for share"),
    sql(2, Level::SESSIONS, First, "update {t} set c0 = c0 + 1 where a = {shared}"),
    sql(1, Level::SESSIONS, First, "select a from {t} where a = {shared} for no key update"),
];
