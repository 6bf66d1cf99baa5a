//! Utility statements: what is done besides reading and changing rows (src/backend/commands).
//!
//! | file | statements | PostgreSQL |
//! | --- | --- | --- |
//! | `create_table`, `create_like`, `create_as`, `constraint` | CREATE TABLE | `tablecmds.c`, `createas.c`, `parse_utilcmd.c` |
//! | `alter`, `rewrite`, `truncate`, `ddl` | ALTER, TRUNCATE, DROP; storage parameters | `tablecmds.c`, `reloptions.c` |
//! | `matview` | materialized views | `createas.c`, `matview.c` |
//! | `match_merge` | REFRESH … CONCURRENTLY | `matview.c` |
//! | `create_index`, `reindex`, `concurrent` | indexes | `indexcmds.c` |
//! | `foreign_key` | checks and actions of foreign keys | `trigger.c`, `ri_triggers.c` |
//! | `deferred` | checks at the end of a statement or a transaction, SET CONSTRAINTS | `trigger.c`, `constraint.c` |
//! | `column_storage`, `statistics` | STORAGE, COMPRESSION; CREATE STATISTICS | `tablecmds.c`, `statscmds.c` |
//! | `typecmds`, `composite`, `domain`, `drop_type` | types | `typecmds.c`, `dependency.c` |
//! | `schema`, `set_schema`, `view`, `function`, `function_body`, `sequence`, `extension` | what else a schema has | the files of these names |
//! | `vacuum`, `vacuum_full`, `cluster`, `analyze`, `sampling`, `column_stats`, `extended_stats` | VACUUM, ANALYZE | `vacuum.c`, `cluster.c`, `analyze.c` |
//! | `copy`, `copy_format` | COPY … FROM | `copyfrom.c`, `copyfromparse.c` |
//! | `portal`, `prepared`, `explain` | cursors, prepared statements, EXPLAIN | `portalcmds.c`, `prepare.c`, `explain.c` |
//! | `session` | COMMENT, LOCK, DISCARD, NOTIFY | `comment.c`, `lockcmds.c`, `discard.c`, `async.c` |
//! | `user`, `grant` | roles, privileges | `user.c`, `aclchk.c` |
//! | `spi` | statements that a command runs | `spi.c` |
//! | `undo_engine` | what tables of the undo engine refuse | |

pub(super) mod alter;
pub(super) mod analyze;
pub(super) mod cluster;
pub(super) mod column_stats;
mod column_storage;
mod composite;
pub(super) mod concurrent;
pub(super) mod constraint;
pub(super) mod copy;
pub(super) mod copy_format;
pub(super) mod create_as;
pub(super) mod create_index;
pub(super) mod create_like;
pub(super) mod create_table;
pub(super) mod ddl;
mod defaults;
pub(super) mod deferred;
pub(super) mod domain;
mod drop_type;
pub(super) mod explain;
mod extended_stats;
pub(super) mod extension;
pub(super) mod foreign_key;
pub(super) mod function;
mod function_body;
mod gist;
pub(super) mod grant;
pub(super) mod inherit;
mod match_merge;
pub(super) mod matview;
mod partition;
pub(super) mod portal;
pub(super) mod prepared;
pub(super) mod reindex;
pub(super) mod rewrite;
pub(super) mod sampling;
pub(super) mod schema;
pub(super) mod sequence;
pub(in crate::sql) mod session;
pub(super) mod set_schema;
mod spi;
pub(super) mod statistics;
pub(super) mod trigger;
pub(super) mod truncate;
pub(super) mod typecmds;
pub(super) mod undo_engine;
pub(super) mod user;
pub(super) mod vacuum;
pub(super) mod vacuum_full;
pub(super) mod view;

pub use ddl::check_storage_parameters;
pub(super) use partition::plain_kind;
pub use undo_engine::check as check_undo_engine;
