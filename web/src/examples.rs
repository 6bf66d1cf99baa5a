//! Scripts to begin with, in the playground.

/// A script with its name.
pub struct Example {
    /// what it shows, a few words
    pub name: &'static str,
    /// the script
    pub sql: &'static str,
}

/// From the first row to the torn page.
pub const EXAMPLES: [Example; 7] = [
    Example {
        name: "HOT update, and one that is not",
        sql: "\
create table account (id int primary key, owner text, balance int);
create index on account (owner);
insert into account values (1, 'Ada', 100), (2, 'Bob', 50);
update account set balance = balance - 10 where id = 1;  -- no indexed column: HOT
update account set owner = 'Ben' where id = 2;           -- an indexed column: not HOT
vacuum account;
",
    },
    Example {
        name: "fillfactor leaves room for updates",
        sql: "\
create table t (id int primary key, n int, pad text) with (fillfactor = 80);
insert into t select i, 0, repeat('x', 200) from generate_series(1, 60) i;
update t set n = n + 1 where id = 1;
update t set n = n + 1 where id = 2;
",
    },
    Example {
        name: "a B-tree leaf splits",
        sql: "\
create table t (id int primary key);
insert into t select i from generate_series(1, 407) i;
insert into t values (408);  -- the leaf is full: it splits, and a root comes
insert into t select i from generate_series(409, 800) i;
",
    },
    Example {
        name: "VACUUM frees line pointers",
        sql: "\
create table t (id int primary key, v text);
insert into t select i, 'row ' || i from generate_series(1, 20) i;
delete from t where id % 2 = 0;
vacuum t;
insert into t values (101, 'in an old place');
",
    },
    Example {
        name: "a long value goes to TOAST",
        sql: "\
create table t (id int primary key, doc text);
alter table t alter column doc set storage external;
insert into t values (1, repeat('a long text. ', 400));
update t set id = 2;                          -- the text stays where it is
update t set doc = 'short';                   -- its chunks are deleted
",
    },
    Example {
        name: "two sessions: who sees what",
        sql: "\
create table t (id int primary key, n int);
insert into t values (1, 10);
begin;
update t set n = 20 where id = 1;
--@ session B
select * from t;                 -- B sees the old version
update t set n = n + 1;          -- and waits for A
--@ session A
commit;
",
    },
    Example {
        name: "crash with a torn page",
        sql: "\
create table t (id int primary key, n int);
insert into t select i, i from generate_series(1, 100) i;
checkpoint;
update t set n = 0 where id = 1;              -- the first change after a checkpoint: a full-page image
--@ crash torn t 0 4096
select count(*) from t;
",
    },
];
