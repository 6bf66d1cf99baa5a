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
//! | `scope` | what their columns are called | `set_rtable_names`, `get_variable` |

mod calls;
mod constants;
mod layout;
pub(in crate::sql) mod planned;
mod scope;
mod written;

pub(in crate::sql) use constants::{comparison, quote_identifier};
pub(in crate::sql) use layout::{PLAIN, Style};
pub(in crate::sql) use planned::{Names, Prefixed, rule};
pub(in crate::sql) use scope::Scope;
pub(in crate::sql) use written::Deparser;
