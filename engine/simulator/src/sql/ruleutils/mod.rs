//! What analysis has made of SQL, printed back (src/backend/utils/adt/ruleutils.c): what EXPLAIN, the catalogs and
//! messages tell of conditions, defaults and indexes.
//!
//! ```text
//!  a > 1 AND b IN ('x', 'y')   ((a > 1) AND (b = ANY (ARRAY['x'::text, 'y'::text])))   as written: all parentheses
//!                              a > 1 AND (b = ANY (ARRAY['x'::text, 'y'::text]))       pretty: those needed
//!                              ((a > 1) AND (b = ANY ('{x,y}'::text[])))               as planned
//! ```
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `constants` | constants and casts | `get_const_expr`, `get_coercion_expr` |
//! | `layout` | parentheses, line breaks | `isSimpleNode`, `appendContextKeyword` |
//! | `planned` | expressions of plans | `get_rule_expr` |
//! | `written` | expressions that catalogs keep | `get_rule_expr` |
//! | `calls` | of those: functions | `get_func_expr`, `get_func_sql_syntax` |
//! | `aggregates` | aggregates, window functions, queries in place of values | `get_agg_expr`, `get_windowfunc_expr`, `get_sublink_expr` |
//! | `query` | queries | `get_query_def` |
//! | `from` | of those: FROM | `get_from_clause` |
//! | `viewdef` | views | `pg_get_viewdef` |
//! | `functiondef` | functions | `pg_get_functiondef` |
//! | `scope` | what their columns are called | `set_rtable_names`, `get_variable` |

mod aggregates;
mod calls;
mod constants;
mod from;
mod functiondef;
mod layout;
pub(in crate::sql) mod planned;
mod query;
mod scope;
mod viewdef;
mod written;

pub(in crate::sql) use aggregates::frame_options;
pub(in crate::sql) use constants::{comparison, quote_identifier};
pub(in crate::sql) use layout::{PLAIN, Style};
pub(in crate::sql) use planned::{Names, Prefixed, rule};
pub(in crate::sql) use scope::Scope;
pub(in crate::sql) use written::Deparser;
