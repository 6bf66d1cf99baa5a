//! Queries (`get_query_def`, `get_basic_select_query`, `get_setop_query`, src/backend/utils/adt/ruleutils.c). What is
//! not told for certain as the server does gives `None`.

use super::aggregates::direction;
use super::constants::quote_identifier;
use super::from::is_left_deep;
use super::layout::{STD, VAR, append, keyword};
use super::scope::Found;
use super::written::Deparser;
use crate::sql::StatementError;
use crate::sql::ast::{
    Expr, ExprNode, Literal, LockWait, Locking, Select, SetKind, SetOperation, SortBy, Statement, Target,
};
use crate::sql::expr::pg_catalog::{BPCHAR, OID, TEXT, UNKNOWN, VARCHAR};
use crate::sql::expr::{Column, Node, PlannedQuery, QueryPlanner, SeriesCall, Typed};
use crate::sql::plan::{Output, OutputValue, SelectPlan, name_of, star};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// How the columns of a query are shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown<'s> {
    /// `resultDesc`: what they are called, where a view says so
    pub names: &'s [String],
    /// `colNamesVisible`
    pub is_visible: bool,
    /// the types that literals have where two queries are one; none: text
    pub types: Vec<SqlType>,
    /// which tables of a view are given a name
    pub aliased: &'s [bool],
}

/// A column that comes out.
pub(super) struct Out<'s> {
    /// its name within the query
    name: String,
    /// the one that is shown
    shown: String,
    ty: SqlType,
    value: OutValue<'s>,
}

pub(super) enum OutValue<'s> {
    Column(Found),
    Expr(&'s Expr, Typed),
    Series(&'s Expr, SeriesCall),
}

/// What queries within expressions give, of which nothing is planned.
pub(super) struct Queries<'q, 'a>(pub &'q Deparser<'a>);

impl QueryPlanner for Queries<'_, '_> {
    fn plan(&mut self, select: &Select) -> Result<PlannedQuery, StatementError> {
        let columns = self.0.columns_of(select);
        let columns = columns.ok_or_else(|| StatementError::unsupported("this query is not told", None))?;
        let output = |column: Column| {
            let value = OutputValue::Expr(Typed { node: Node::Slot(0), ty: column.ty });
            Output { name: column.name, value }
        };
        let targets = columns.into_iter().map(output).collect();
        Ok(PlannedQuery { plan: Arc::new(SelectPlan { targets, ..SelectPlan::default() }), reads: Vec::new() })
    }
}

/// Is it no part of the set operation that it stands in, as it has clauses of its own?
const fn has_ends(select: &Select) -> bool {
    !select.with.is_empty() || !select.order_by.is_empty() || select.limit.is_some() || select.offset.is_some()
}

/// A set operation that is part of one.
fn inner(select: &Select) -> Option<&SetOperation> {
    select.set.as_deref().filter(|_| !has_ends(select))
}

impl Deparser<'_> {
    /// The columns that a query gives.
    pub(super) fn columns_of(&self, select: &Select) -> Option<Vec<Column>> {
        let mut within = self.clone();
        within.enter(select, &[])?;
        let columns = within.outputs_of(select)?;
        let decided =
            |(name, ty): (String, SqlType)| Column { name, ty: if ty.oid == UNKNOWN { SqlType::TEXT } else { ty } };
        Some(columns.into_iter().map(decided).collect())
    }

    /// The same, where literals may be of no type yet.
    fn outputs_of(&mut self, select: &Select) -> Option<Vec<(String, SqlType)>> {
        if let Some(SetOperation { left, right, .. }) = select.set.as_deref() {
            let names = self.side(left)?;
            let types = self.common_types(left, right)?;
            return Some(names.into_iter().zip(types).map(|((name, _), ty)| (name, ty)).collect());
        }
        if !select.values.is_empty() {
            let rows = self.typed_rows(&select.values)?;
            let column = |(n, typed): (usize, &Typed)| (format!("column{}", n + 1), typed.ty);
            return Some(rows.first()?.iter().enumerate().map(column).collect());
        }
        let unknown = Shown { types: Vec::from([SqlType::plain(UNKNOWN)]), ..Shown::default() };
        Some(self.outputs(select, &unknown)?.into_iter().map(|out| (out.name, out.ty)).collect())
    }

    fn side(&self, select: &Select) -> Option<Vec<(String, SqlType)>> {
        let mut within = self.clone();
        within.enter(select, &[])?;
        within.outputs_of(select)
    }

    fn common_types(&self, left: &Select, right: &Select) -> Option<Vec<SqlType>> {
        let typed = |ty: SqlType| match ty.oid {
            UNKNOWN => Typed::constant(Value::Null, ty),
            _ => Typed { node: Node::Slot(0), ty },
        };
        let pairs = self.side(left)?.into_iter().zip(self.side(right)?);
        let common = |((_, one), (_, other)): ((String, SqlType), (String, SqlType))| {
            let all = self.analyzed(|analyzer| analyzer.common(Vec::from([typed(one), typed(other)]), "UNION"))?;
            Some(SqlType::plain(all.first()?.ty.oid))
        };
        pairs.map(common).collect()
    }

    /// Rows of VALUES, with the types that columns have.
    fn typed_rows(&self, rows: &[Vec<Expr>]) -> Option<Vec<Vec<Typed>>> {
        let mut all: Vec<Vec<Typed>> = rows.iter().map(|_| Vec::new()).collect();
        for n in 0..rows.first()?.len() {
            let column = rows.iter().map(|row| row.get(n)).collect::<Option<Vec<_>>>()?;
            let typed = self.analyzed(|analyzer| {
                let typed = column.into_iter().map(|expr| analyzer.expr(expr)).collect::<Result<Vec<_>, _>>()?;
                analyzer.common(typed, "VALUES")
            })?;
            all.iter_mut().zip(typed).for_each(|(row, typed)| row.push(typed));
        }
        Some(all)
    }

    /// What WITH and FROM name is known from here on.
    fn enter(&mut self, select: &Select, aliased: &[bool]) -> Option<()> {
        for common in &select.with {
            let Statement::Select(query) = &*common.statement else { return None };
            if common.marks.is_some() {
                return None;
            }
            let columns = match (self.columns_of(query), &query.set) {
                (None, Some(set)) if select.recursive => self.columns_of(&set.left),
                (columns, _) => columns,
            };
            let mut columns = columns?;
            columns.iter_mut().zip(&common.columns).for_each(|(column, name)| column.name.clone_from(name));
            self.commons.push((common.name.clone(), Some(columns)));
        }
        self.enter_from(&select.from, aliased)
    }

    fn outputs<'s>(&mut self, select: &'s Select, shown: &Shown<'_>) -> Option<Vec<Out<'s>>> {
        let major = self.db.cluster.version().major();
        let mut outs = Vec::new();
        for target in &select.targets {
            match target {
                Target::Star(table) => {
                    let range = &self.scopes.last()?.range;
                    if table.is_none() && !range.merged.is_empty() && !is_left_deep(&select.from) {
                        return None;
                    }
                    let mut columns = Vec::new();
                    star(range, table.as_deref(), &mut columns).ok()?;
                    for Output { name, value } in columns {
                        let OutputValue::Expr(Typed { node: Node::Slot(slot), ty }) = value else { return None };
                        let value = OutValue::Column(self.scopes.last()?.at(slot, ty)?);
                        outs.push(Out { shown: name.clone(), name, ty, value });
                    }
                }
                Target::Expr { expr, alias } => {
                    let name = name_of(expr, alias.as_ref(), major);
                    let (ty, value) = match self.analyzed(|analyzer| analyzer.series(expr))? {
                        Some(series) => (series.ty, OutValue::Series(expr, series)),
                        None => {
                            let typed = self.own_type(expr)?;
                            let to = shown.types.get(outs.len()).or(shown.types.first().filter(|it| it.oid == UNKNOWN));
                            let typed = match (typed.ty.oid, to.map_or(TEXT, |ty| ty.oid)) {
                                (UNKNOWN, UNKNOWN) => typed,
                                (UNKNOWN, to) => {
                                    self.analyzed(|analyzer| analyzer.assigned(expr, "", SqlType::plain(to)))?
                                }
                                _ => typed,
                            };
                            (typed.ty, OutValue::Expr(expr, typed))
                        }
                    };
                    outs.push(Out { shown: name.clone(), name, ty, value });
                }
            }
        }
        outs.iter_mut().zip(shown.names).for_each(|(out, name)| out.shown.clone_from(name));
        Some(outs)
    }

    /// `get_query_def`, `get_select_query_def`
    pub(super) fn query(&mut self, select: &Select, shown: &Shown<'_>) -> Option<String> {
        // how long lines are is known of what stands on top
        if self.wrap > 0 && !self.scopes.is_empty() {
            return None;
        }
        let (indent, known) = (self.indent, self.commons.len());
        let mut text = String::new();
        self.enter(select, shown.aliased)?;
        self.with(&mut text, select, known)?;
        if let Some(set) = &select.set {
            let outputs = self.outputs_of(select)?;
            self.set_operation(&mut text, set, shown)?;
            let place = |by: &SortBy| match &by.expr.node {
                ExprNode::Literal(Literal::Number(place)) => Some(format!("{place}{}", direction(by))),
                ExprNode::Column { table: None, name } => {
                    let place = outputs.iter().position(|(known, _)| known == name)? + 1;
                    Some(format!("{place}{}", direction(by)))
                }
                _ => None,
            };
            self.ends(&mut text, select, &place)?;
        } else if select.values.is_empty() {
            self.indent += STD;
            text.push_str(" SELECT");
            let outs = self.outputs(select, shown)?;
            self.basic(&mut text, select, &outs, shown)?;
            let keys = select.order_by.iter().map(|by| Some(self.key(&by.expr, &outs, true)? + direction(by)));
            let keys = keys.collect::<Option<Vec<_>>>()?;
            let place = |by: &SortBy| keys.get(select.order_by.iter().position(|it| it == by)?).cloned();
            self.ends(&mut text, select, &place)?;
        } else {
            if has_ends(select) {
                return None;
            }
            self.values(&mut text, &select.values, shown.names)?;
        }
        self.scopes.pop();
        self.commons.truncate(known);
        self.indent = indent;
        Some(text)
    }

    /// `get_values_def`, `get_simple_values_rte`: columns that a view calls otherwise are selected from the rows.
    fn values(&mut self, text: &mut String, rows: &[Vec<Expr>], names: &[String]) -> Option<()> {
        let mut told = Vec::with_capacity(rows.len());
        for (row, typed) in rows.iter().zip(self.typed_rows(rows)?) {
            let values = row.iter().zip(&typed).map(|(expr, typed)| Some(self.part(expr, typed)?.text));
            told.push(format!("({})", values.collect::<Option<Vec<_>>>()?.join(",")));
        }
        let told = format!("VALUES {}", told.join(", "));
        self.indent += STD;
        text.push(' ');
        let own = |n: usize| format!("column{}", n + 1);
        if names.iter().enumerate().all(|(n, name)| *name == own(n)) {
            text.push_str(&told);
            return Some(());
        }
        let is_bare = self.scopes.len() == 1 && self.db.cluster.version().has_bare_views();
        text.push_str("SELECT ");
        for n in 0..rows.first()?.len() {
            let prefix = if is_bare { "" } else { "\"*VALUES*\"." };
            let renamed = names.get(n).filter(|name| **name != own(n));
            let renamed = renamed.map_or_else(String::new, |name| format!(" AS {}", quote_identifier(name)));
            let target = format!("{prefix}{}{renamed}", own(n));
            if n > 0 {
                text.push_str(", ");
                self.wrap_line(text, &target, false);
            }
            text.push_str(&target);
        }
        append(text, &keyword(self.indent - STD, 2, " FROM "));
        *text += &format!("({told}) \"*VALUES*\"");
        Some(())
    }

    /// `get_with_clause`; so many queries were known before.
    fn with(&mut self, text: &mut String, select: &Select, known: usize) -> Option<()> {
        if select.with.is_empty() {
            return Some(());
        }
        self.indent += STD;
        text.push(' ');
        for (n, common) in select.with.iter().enumerate() {
            let word = if select.recursive { "WITH RECURSIVE " } else { "WITH " };
            text.push_str(if n == 0 { word } else { ", " });
            text.push_str(&quote_identifier(&common.name));
            if !common.columns.is_empty() {
                let names: Vec<String> = common.columns.iter().map(|name| quote_identifier(name)).collect();
                *text += &format!("({})", names.join(", "));
            }
            text.push_str(match common.materialized {
                None => " AS (",
                Some(true) => " AS MATERIALIZED (",
                Some(false) => " AS NOT MATERIALIZED (",
            });
            let Statement::Select(query) = &*common.statement else { return None };
            let all = self.commons.clone();
            if !select.recursive {
                self.commons[known + n..].iter_mut().for_each(|(_, columns)| *columns = None);
            }
            append(text, &keyword(self.indent, 0, ""));
            append(text, &self.query(query, &Shown { is_visible: true, ..Shown::default() })?);
            self.commons = all;
            append(text, &keyword(self.indent, 0, ")"));
        }
        self.indent -= STD;
        append(text, &keyword(self.indent, 0, ""));
        Some(())
    }

    /// What is selected, and the clauses down to WINDOW.
    fn basic(&mut self, text: &mut String, select: &Select, outs: &[Out<'_>], shown: &Shown<'_>) -> Option<()> {
        if let Some(on) = &select.distinct {
            text.push_str(" DISTINCT");
            if !on.is_empty() {
                let keys = on.iter().map(|expr| self.key(expr, outs, true)).collect::<Option<Vec<_>>>()?;
                *text += &format!(" ON ({})", keys.join(", "));
            }
        }
        let mut was_long = false;
        for (n, out) in outs.iter().enumerate() {
            let target = self.target(out, shown.is_visible)?;
            text.push_str(if n == 0 { " " } else { ", " });
            if n > 0 {
                self.wrap_line(text, &target, was_long);
            }
            was_long = target.get(1..).is_some_and(|rest| rest.contains('\n'));
            append(text, &target);
        }
        self.from(text, &select.from)?;
        if let Some(filter) = &select.filter {
            append(text, &keyword(self.indent - STD, 1, " WHERE "));
            append(text, &self.told_condition(filter)?);
        }
        if !select.group_by.is_empty() {
            let keys = select.group_by.iter().map(|expr| self.key(expr, outs, false)).collect::<Option<Vec<_>>>()?;
            append(text, &keyword(self.indent - STD, 1, " GROUP BY "));
            let form = match &*select.group_form {
                "" => keys.join(", "),
                // behind each mark stands the key
                form => {
                    form.split('?').zip(keys.iter().map(String::as_str).chain([""])).flat_map(<[_; 2]>::from).collect()
                }
            };
            append(text, &form);
        }
        if let Some(having) = &select.having {
            append(text, &keyword(self.indent - STD, 0, " HAVING "));
            append(text, &self.told_condition(having)?);
        }
        for (n, (name, window)) in select.windows.iter().enumerate() {
            let window = self.window(window)?;
            append(text, &if n == 0 { keyword(self.indent - STD, 1, " WINDOW ") } else { ", ".to_string() });
            *text += &format!("{} AS {window}", quote_identifier(name));
        }
        Some(())
    }

    fn told_condition(&mut self, expr: &Expr) -> Option<String> {
        let typed = self.analyzed(|analyzer| analyzer.condition(expr))?;
        Some(self.part(expr, &typed)?.text)
    }

    /// ORDER BY, LIMIT, OFFSET.
    fn ends(&mut self, text: &mut String, select: &Select, key: &dyn Fn(&SortBy) -> Option<String>) -> Option<()> {
        if !select.order_by.is_empty() {
            let keys = select.order_by.iter().map(key).collect::<Option<Vec<_>>>()?;
            append(text, &keyword(self.indent - STD, 1, " ORDER BY "));
            append(text, &keys.join(", "));
        }
        for (word, count) in [(" OFFSET ", &select.offset), (" LIMIT ", &select.limit)] {
            if let Some(count) = count {
                let typed = self.own_type(count)?;
                append(text, &keyword(self.indent - STD, 0, word));
                append(text, &self.part(count, &typed)?.text);
            }
        }
        if let Some(Locking { strength, wait }) = select.locking {
            let [name] = &self.scopes.last()?.names[..] else { return None };
            let name = quote_identifier(name);
            append(text, &keyword(self.indent - STD, 0, &format!(" {} OF {name}", strength.words())));
            text.push_str(match wait {
                LockWait::Block => "",
                LockWait::Skip => " SKIP LOCKED",
                LockWait::Error => " NOWAIT",
            });
        }
        Some(())
    }

    /// A line ends before what would make it too long, or behind what has several.
    pub(super) fn wrap_line(&self, text: &mut String, next: &str, was_long: bool) {
        let line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
        let is_long = i32::try_from(line + next.len()).is_ok_and(|length| length > self.wrap);
        if self.wrap >= 0 && !next.starts_with('\n') && (is_long || was_long) {
            append(text, &keyword(self.indent - STD, VAR, ""));
        }
    }

    /// `get_target_list`
    fn target(&mut self, out: &Out<'_>, is_visible: bool) -> Option<String> {
        let unnamed = (!is_visible).then(|| "?column?".to_string());
        let (text, name) = match &out.value {
            OutValue::Column(found) => (found.text.clone(), Some(found.name.clone())),
            OutValue::Expr(Expr { node: ExprNode::Column { table, name }, .. }, _) => {
                let found = self.found(table.as_deref(), name)?;
                (found.text, Some(found.name))
            }
            OutValue::Expr(expr, typed) => (self.shown(expr, typed)?.text, unnamed),
            OutValue::Series(expr, series) => {
                let ExprNode::Function { name, args, .. } = &expr.node else { return None };
                let args = self.list(args, &series.args)?.join(", ");
                (format!("{}({args})", quote_identifier(name)), unnamed)
            }
        };
        Some(match name.is_some_and(|name| name == out.shown) {
            true => text,
            false => format!("{text} AS {}", quote_identifier(&out.shown)),
        })
    }

    /// `get_rule_sortgroupclause`: what is sorted or grouped by; `by_name`: the name of an output stands before that
    /// of a column.
    pub(super) fn key(&mut self, expr: &Expr, outs: &[Out<'_>], by_name: bool) -> Option<String> {
        let out = match &expr.node {
            ExprNode::Literal(Literal::Number(place)) => Some(outs.get(place.parse::<usize>().ok()?.checked_sub(1)?)?),
            ExprNode::Column { table: None, name } if by_name || self.scopes.last()?.find(None, name).is_none() => {
                outs.iter().find(|out| out.name == *name)
            }
            _ => None,
        };
        let (expr, typed) = match out.map(|out| &out.value) {
            Some(OutValue::Column(found)) => return Some(plain_key(found, outs, by_name)),
            Some(OutValue::Expr(expr, typed)) => (*expr, typed.clone()),
            Some(OutValue::Series(..)) => return None,
            None => (expr, self.analyzed(|analyzer| analyzer.decided(expr))?),
        };
        if let ExprNode::Column { table, name } = &expr.node {
            let found = self.found(table.as_deref(), name)?;
            return Some(plain_key(&found, outs, by_name));
        }
        let text = self.shown(expr, &typed)?;
        let is_wrapped = self.style.pretty || is_function(expr, &typed)?;
        Some(if is_wrapped { format!("({})", text.text) } else { text.text })
    }

    /// `get_setop_query`
    fn set_operation(&mut self, text: &mut String, set: &SetOperation, shown: &Shown<'_>) -> Option<()> {
        let SetOperation { kind, all, left, right } = set;
        let types = self.common_types(left, right)?;
        let of_left = Shown { types: types.clone(), ..shown.clone() };
        let of_right = Shown { types, is_visible: false, ..shown.clone() };
        let is_other = inner(left).is_some_and(|within| within.kind != *kind || within.all != *all);
        if is_other {
            text.push('(');
            self.indent += STD;
            append(text, &keyword(self.indent, 0, ""));
        }
        self.side_of(text, left, &of_left)?;
        if is_other {
            self.indent -= STD;
        }
        append(text, &keyword(self.indent, 0, if is_other { ") " } else { "" }));
        text.push_str(match kind {
            SetKind::Union => "UNION ",
            SetKind::Intersect => "INTERSECT ",
            SetKind::Except => "EXCEPT ",
        });
        text.push_str(if *all { "ALL " } else { "" });
        let is_set = inner(right).is_some();
        if is_set {
            text.push('(');
            self.indent += STD;
        }
        append(text, &keyword(self.indent, 0, ""));
        self.side_of(text, right, &of_right)?;
        if is_set {
            self.indent -= STD;
            append(text, &keyword(self.indent, 0, ")"));
        }
        Some(())
    }

    fn side_of(&mut self, text: &mut String, select: &Select, shown: &Shown<'_>) -> Option<()> {
        if let Some(set) = inner(select) {
            return self.set_operation(text, set, shown);
        }
        let told = self.query(select, &Shown { aliased: &[], ..shown.clone() })?;
        *text += &if has_ends(select) { format!("({told})") } else { told };
        Some(())
    }
}

/// A column that is sorted by is told apart from an output of its name.
fn plain_key(found: &Found, outs: &[Out<'_>], by_name: bool) -> String {
    let is_other = |out: &Out<'_>| {
        let is_it = match &out.value {
            OutValue::Column(column) => column.whole == found.whole,
            OutValue::Expr(Expr { node: ExprNode::Column { name, .. }, .. }, _) => *name == found.name,
            _ => false,
        };
        out.shown == found.name && !is_it
    };
    if by_name && outs.iter().any(is_other) { found.whole.clone() } else { found.text.clone() }
}

/// Is it a `FuncExpr`, an `Aggref` or a `WindowFunc`? Of a constant, and of other casts, that is not known.
fn is_function(expr: &Expr, typed: &Typed) -> Option<bool> {
    const NONE: &str = "coalesce nullif greatest least";
    let is_string = |oid| matches!(oid, TEXT | VARCHAR | BPCHAR);
    match (&expr.node, &typed.node) {
        (_, Node::Const(_)) => None,
        (ExprNode::Function { name, .. }, _) if name == "collate" => Some(false),
        (ExprNode::Function { name, args, .. }, _) => {
            let is_value = args.is_empty() && name.starts_with("current");
            Some(!is_value && NONE.split(' ').all(|known| known != name))
        }
        (ExprNode::Cast(..), Node::Cast(from, _)) => {
            let (from, to) = (from.ty.oid, typed.ty);
            match is_string(from) || is_string(to.oid) {
                _ if from == OID || to.oid == OID => None,
                true => Some(is_string(from) && is_string(to.oid) && to.typmod >= 0),
                false => Some(true),
            }
        }
        (ExprNode::Cast(..), _) => None,
        _ => Some(false),
    }
}
