//! The catalog as statements ask it, and as SQL shows it (src/backend/catalog, src/backend/utils/cache).
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `lsyscache` | what analysis and planning ask | `lsyscache.c`, `pathnodes.h` |
//! | `plancat`, `endpoint` | the answers, from the cluster | `plancat.c`, `selfuncs.c` |
//! | `dependency` | what hangs on a table | `dependency.c` |
//! | `enums` | names of enum types and labels | `parse_type.c`, `enum.c` |
//! | `regclass` | names of relations as values | `regproc.c`, `namespace.c` |
//! | `looking` | pages, WAL and catalogs, read from SQL | `system_views.sql`, contrib/pageinspect |

pub(super) mod dependency;
pub(super) mod domains;
pub(super) mod endpoint;
pub(super) mod enums;
pub(super) mod looking;
mod lsyscache;
pub(super) mod plancat;
pub(super) mod regclass;
mod rows;

pub use lsyscache::{
    BrinStats, Catalog, ColumnInfo, ColumnSource, ColumnStats, EnabledScans, End, Ends, ExtendedStats, ForeignKeyInfo,
    IndexInfo, IndexKey, PageCosts, SqlFunction, TableInfo, View,
};
