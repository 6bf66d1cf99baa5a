-- ON CONFLICT finds indexes of expressions, with a predicate (infer_arbiter_indexes, src/backend/optimizer/util/plancat.c).
create table subs (id serial primary key, email text not null, list text not null, active bool not null default true, n int default 1);
create unique index subs_active on subs (lower(email), list) where active;
insert into subs (email, list) values ('Ann@x.org', 'news');
insert into subs (email, list) values ('ann@X.org', 'news');
insert into subs (email, list) values ('ann@X.org', 'news') on conflict (email, list) do nothing;
insert into subs (email, list) values ('ann@X.org', 'news') on conflict (lower(email), list) do nothing;
insert into subs (email, list) values ('ann@X.org', 'news') on conflict (lower(email), list) where active do nothing;
insert into subs (email, list) values ('ann@X.org', 'news') on conflict (list, (lower(email))) where active do update set n = subs.n + 1, email = excluded.email returning *;
insert into subs (email, list) values ('bob@x.org', 'a'), ('BOB@x.org', 'a') on conflict (lower(email), list) where active do update set n = subs.n + 1;
insert into subs (email, list) values ('bob@x.org', 'a') on conflict (nocol) do nothing;
insert into subs (email, list) values ('ann@x.org', 'news') on conflict (lower(email), list) where active do update set n = 12 where subs.n < excluded.n returning n;
explain (costs off) insert into subs (email, list) values ('bob@x.org', 'a') on conflict (lower(email), list) where active do update set n = 12 where subs.n < 5;
explain (costs off) insert into subs as s (email, list) values ('bob@x.org', 'a') on conflict (id) do update set n = 12 where s.n < excluded.n and s.active;
select id, email, n from subs order by id;
-- a table without an index has nothing to conflict with
create table plain (a int, b text);
insert into plain select g, 'row ' || g from generate_series(1, 5) g on conflict do nothing;
