//! The executor: rows out of scans and joins, and rows changed (src/backend/executor).
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `scan`, `index_scan`, `brin_scan`, `tid`, `scan_keys`, `array_keys` | scans of a table; from conditions to what an index is asked | `nodeSeqscan.c`, `nodeIndexscan.c`, `nodeTidscan.c` |
//! | `tid_bitmap` | which rows a bitmap scan visits | `tidbitmap.c` |
//! | `select`, `with` | queries, row by row; WITH | `nodeSort.c`, `nodeAgg.c`, `nodeNestloop.c`, `nodeCtescan.c` |
//! | `modify`, `modify_*`, `merge`, `upsert`, `returning`, `generated` | INSERT, UPDATE, DELETE, MERGE | `nodeModifyTable.c` |
//! | `index`, `conflict` | entries of indexes; is there a row with the same key? | `execIndexing.c` |
//! | `relock` | a row that another transaction changed meanwhile | `execMain.c` (`EvalPlanQual`), `nodeLockRows.c` |
//! | `row`, `slot`, `physical` | rows and their columns | `execTuples.c`, `execExpr.c` |
//! | `running`, `plan_source`, `value` | a statement that runs; plans that are kept; one value of a query | `execUtils.c`, `plancache.c`, `spi.c` |
//! | `fast` | short cuts | |

pub(super) mod array_keys;
mod brin_scan;
pub(super) mod conflict;
pub(super) mod fast;
pub(super) mod generated;
pub(in crate::sql) mod hash;
pub(super) mod index;
pub(super) mod index_scan;
pub(super) mod merge;
mod merge_append;
pub(super) mod modify;
pub(super) mod modify_joined;
pub(super) mod modify_row;
pub(super) mod modify_undo;
pub(super) mod partition;
pub(super) mod physical;
pub(super) mod plan_source;
pub(super) mod relock;
pub(super) mod returning;
pub(super) mod row;
pub(super) mod running;
pub(super) mod scan;
pub(super) mod scan_keys;
pub(super) mod select;
pub(super) mod slot;
pub(super) mod tid;
mod tid_bitmap;
pub(in crate::sql) mod trigger;
pub(super) mod upsert;
pub(super) mod value;
pub(super) mod with;

pub use value::single_value;
