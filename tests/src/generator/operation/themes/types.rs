//! Columns of types that one makes, of jsonb, arrays and OIDs; generated columns; types that change.

use super::super::When::{Always, Nobody, Own};
use super::{Theme, of};

/// An enum, jsonb, arrays, OIDs.
pub(super) const VALUES: Theme = Theme {
    setup: "create type mood as enum ('low', 'mid', 'high'); \
            create table va (id int primary key, m mood default 'low', j jsonb default '[]', r int[], s text[], o oid); \
            create index on va ({m|m, id|o|id desc, m}); \
            insert into va (id, m, j, r, o) select g, (array['low', 'mid', 'high'])[1 + g % 3]::mood, jsonb_build_object('n', g, 's', repeat('x', g)), array[g, g + 1], g \
            from generate_series(1, {n}) g",
    operations: &[
        of(
            2,
            Own,
            "insert into va (id, m, j, r, s, o) values ({id}00, '{low|mid|high|none}', '[{int}, \"{letters}\", null]', \
                    array[{int}, {int}], array['{letters}', null], {int})",
        ),
        of(2, Own, "insert into va (id, m) select g, 'mid' from generate_series({id}00, {id}00 + {n}) g"),
        of(2, Own, "update va set m = '{low|mid|high}' where {m = 'low'|m > 'low'|id < {int}}"),
        of(2, Own, "update va set j = j || {jsonb_build_object('x', {int})|'[1]'|'{letters}'} where id < {int}"),
        of(1, Own, "update va set j['{a|n}'] = '{int}' where id = {int} and jsonb_typeof(j) = 'object'"),
        of(1, Own, "update va set j = j - '{n|s}' where id % 3 = 0 and jsonb_typeof(j) = 'object'"),
        of(1, Own, "update va set j = jsonb_set(j, array['n'], '{int}') where id = {int}"),
        of(
            2,
            Own,
            "update va set r = {r || {int}|{int} || r|array_append(r, {int})|array_remove(r, {int})|r[1:2]|array_fill({int}, array[{n}])} where id < {int}",
        ),
        of(1, Own, "update va set r[{1|2|5}] = {int} where id < {int}"),
        of(1, Own, "update va set s = array['{letters}', 'x'], o = o + 1 where id = {int}"),
        of(1, Nobody, "alter type mood add value if not exists '{very high|lower}' {after 'high'|before 'low'|}"),
        of(1, Always, "select id, m from va where m {=|<|>=} '{low|mid|high}' order by m, id"),
        of(
            1,
            Always,
            "select count(*) from va where {j @> '[1]'|j ? 'n'|j ->> 'n' = '3'|r @> array[3]|r && array[1, 5]|{int} = any (r)|r[1] = {int}}",
        ),
        of(1, Own, "delete from va where {m = 'mid'|o = {int}|cardinality(r) > 3} and id % 2 = 0"),
        of(1, Nobody, "{vacuum|analyze|vacuum full} va"),
        of(1, Nobody, "create table n{id} as select id, j, r, m from va where id > {int}"),
        of(1, Always, "{explain |}select * from va where m = '{low|mid}'"),
        of(1, Always, "select m, count(*), array_agg(id order by id) from va group by m order by m"),
    ],
};

/// Generated columns, from 18 on virtual ones too; identity columns, defaults.
pub(super) const GENERATED: Theme = Theme {
    setup: "create table ge (id int generated {always|by default} as identity primary key, c0 int, t text default 'x', \
            d int generated always as (c0 * 2) stored, u text generated always as (upper(t)) stored); \
            alter table ge add column v int generated always as (c0 + 1) virtual; {create index on ge (d)|create index on ge (u)}",
    operations: &[
        of(3, Own, "insert into ge (c0, t) select g, '{letters}' from generate_series(1, {n}) g"),
        of(1, Own, "insert into ge (c0) values ({int}) returning *"),
        of(1, Own, "insert into ge (c0, d) values ({int}, {default|{int}})"),
        of(1, Own, "insert into ge (id, c0) values ({id}000, {int})"),
        of(1, Own, "insert into ge (id, c0) overriding {system|user} value values ({id}000, {int})"),
        of(3, Own, "update ge set c0 = c0 + {0|1} where c0 {=|<} {int}"),
        of(2, Own, "update ge set t = '{letters}' where d = {int}"),
        of(1, Own, "update ge set d = {default|1} where id = {int}"),
        of(1, Always, "select id, d, u from ge where d > {int} order by id"),
        of(1, Always, "select id, v from ge where v = {int}"),
        of(1, Own, "delete from ge where d = {int}"),
        of(1, Nobody, "alter table ge alter d {drop expression|set expression as (c0 * 3)}"),
        of(1, Nobody, "alter table ge alter v {drop expression|set expression as (c0 + 2)}"),
        of(
            1,
            Nobody,
            "alter table ge {alter c0 type bigint|alter c0 drop default|add x{id} int generated always as (c0 % 7) stored|drop column d}",
        ),
        of(1, Nobody, "{vacuum|vacuum full|analyze|truncate} ge{|}"),
        of(1, Own, "insert into ge (id, c0) values ({int}, {int}) on conflict (id) do update set c0 = excluded.c0"),
    ],
};

/// Types that change, tables that are logged and not, in the order of an index or another.
pub(super) const CHANGING: Theme = Theme {
    setup: "create {|unlogged }table al (id serial primary key, i int, t text, n numeric, d date default '2024-01-01'); \
            create index al_i on al (i); create index al_t on al (t, i desc); \
            insert into al (i, t, n) select (g * 37) % 100, 't' || g % 40, g / 3.0 from generate_series(1, {n} * 8) g",
    operations: &[
        of(2, Own, "insert into al (i, t) select g, '{letters}' from generate_series(1, {n}) g"),
        of(2, Own, "update al set i = i + 1, n = n * 2 where id % 9 = {0|1|2|3}"),
        of(1, Own, "delete from al where i < {int}"),
        of(
            2,
            Nobody,
            "alter table al alter i type {int|bigint|smallint|numeric|text using i::text|int using length(i::text)}",
        ),
        of(2, Nobody, "alter table al alter t type {text|varchar|varchar(20)|char(30)|varchar(500)}"),
        of(1, Nobody, "alter table al alter n type {numeric(20,2)|numeric|numeric(30,5)|double precision|int}"),
        of(1, Nobody, "alter table al alter d type {timestamp|date|text|timestamptz}"),
        of(1, Nobody, "alter table al alter i type {bigint|int}, alter t set default 'y', add x{id} int default {int}"),
        of(2, Nobody, "alter table al set {logged|unlogged}"),
        of(2, Nobody, "cluster al{ using al_i| using al_t| using al_pkey|}"),
        of(
            1,
            Nobody,
            "begin; {alter table al set unlogged|cluster al using al_i|alter table al alter i type bigint}; \
             select count(*), sum(n) from al; {end}",
        ),
        of(
            1,
            Nobody,
            "vacuum ({full|freeze|index_cleanup off|truncate off|full, freeze|disable_page_skipping|index_cleanup on, truncate on}) al",
        ),
        of(
            1,
            Nobody,
            "alter table al {cluster on al_i|set without cluster|set (fillfactor = 40)|alter i set statistics 10}",
        ),
        of(1, Nobody, "{reindex table al|reindex index al_t|analyze al|analyze al (i)}"),
        of(1, Always, "{|explain }select * from al where i {=|<|>} {int}"),
        of(1, Always, "{|explain }select t, count(*) from al group by t order by t"),
        of(1, Nobody, "alter table al drop constraint al_pkey; alter table al add primary key (id)"),
        of(1, Nobody, "checkpoint; alter table al alter i {set not null|drop not null}"),
    ],
};
