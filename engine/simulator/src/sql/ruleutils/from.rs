//! FROM: its items, what they and their columns are called (`get_from_clause`, `get_from_clause_item`,
//! `get_rte_alias`, `set_rtable_names`, src/backend/utils/adt/ruleutils.c).

use super::constants::quote_identifier;
use super::layout::{STD, VAR, append, keyword};
use super::query::Shown;
use super::scope::Scope;
use super::written::Deparser;
use crate::sql::ast::{Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, RangeVar};
use crate::sql::catalog::{Catalog, looking};
use crate::sql::expr::{Column, Node, RangeEntry, RangeTable, SystemColumns, Typed};
use crate::sql::plan::name_of;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Functions that give rows, and are told as they are written.
const SETS: &str = "generate_series generate_subscripts unnest json_each jsonb_each json_each_text jsonb_each_text \
    json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_object_keys \
    jsonb_object_keys regexp_matches regexp_split_to_table string_to_table";

/// A function in FROM.
struct Called {
    columns: Vec<Column>,
    text: String,
    is_lateral: bool,
}

/// Does every join have but one item on its right, so that columns of USING stand first in `*`?
pub(super) fn is_left_deep(items: &[FromItem]) -> bool {
    match items {
        [FromItem::Join(join)] => {
            !matches!(join.right, FromItem::Join(_)) && is_left_deep(core::slice::from_ref(&join.left))
        }
        [_] => true,
        _ => false,
    }
}

impl Deparser<'_> {
    /// Columns are those of these items from here on; `aliased`: which tables are given a name, where that is known
    /// apart from the names.
    pub(super) fn enter_from(&mut self, items: &[FromItem], aliased: &[bool]) -> Option<()> {
        let is_one = !matches!(items, [FromItem::Join(_)] | [_, _, ..]);
        let has_prefixes = !self.scopes.is_empty() || !is_one || !self.db.cluster.version().has_bare_views();
        self.scopes.push(Scope { has_prefixes, ..Scope::default() });
        let mut aliased = aliased.iter().copied();
        items.iter().try_for_each(|item| self.add_item(item, &mut aliased))
    }

    fn add_item(&mut self, item: &FromItem, aliased: &mut dyn Iterator<Item = bool>) -> Option<()> {
        match item {
            FromItem::Join(join) => {
                let first = self.scopes.last()?.range.entries.len();
                self.add_item(&join.left, aliased)?;
                let middle = self.scopes.last()?.range.entries.len();
                self.add_item(&join.right, aliased)?;
                self.merge(join, first, middle)
            }
            FromItem::Table { name, alias, columns, sample: None } => {
                let is_aliased = aliased.next().unwrap_or(alias.is_some());
                let own = self.columns_named(name)?;
                let is_changed = own.columns.iter().zip(columns).any(|(own, given)| own.name != *given);
                let shown = alias.as_ref().unwrap_or(&name.name);
                let base = if is_aliased { shown } else { &name.name };
                let place = self.add_entry(shown, base, own.columns, columns)?;
                let scope = self.scopes.last_mut()?;
                (scope.range.entries[place].domains, scope.range.entries[place].system) = (own.domains, own.system);
                scope.shown.push((is_aliased || scope.names[place] != name.name, is_changed));
                Some(())
            }
            FromItem::Table { .. } => None,
            FromItem::Function { call, alias, columns, ordinality } => {
                let mut own = self.called(call, alias.as_ref())?.columns;
                own.extend(ordinality.then(|| Column { name: "ordinality".to_string(), ty: SqlType::INT8 }));
                let name = name_of(call, alias.as_ref(), self.db.cluster.version().major());
                self.add_entry(&name, &name, own, columns)?;
                self.scopes.last_mut()?.shown.push((true, true));
                Some(())
            }
            FromItem::Query { query, alias, columns, .. } => {
                let own = self.columns_of(query)?;
                let name = alias.as_deref().unwrap_or("unnamed_subquery");
                self.add_entry(name, name, own, columns)?;
                self.scopes.last_mut()?.shown.push((true, !columns.is_empty()));
                Some(())
            }
        }
    }

    /// A query of WITH, a view or a table, with the columns that it has.
    fn columns_named(&self, name: &RangeVar) -> Option<RangeEntry> {
        let alone = |columns: Vec<Column>| {
            let mut range = RangeTable::default();
            range.add(&name.name, columns);
            range.entries.pop()
        };
        let is_common = |(common, _): &&(String, _)| name.schema.is_none() && *common == name.name;
        let mut commons = self.commons.iter().rev().filter(is_common);
        if let Some(columns) = commons.find_map(|(_, columns)| columns.as_ref()) {
            return alone(columns.clone());
        }
        if let Some(view) = self.db.view(name) {
            let column = |(name, ty): (&String, &SqlType)| Column { name: name.clone(), ty: *ty };
            return alone(view.columns.iter().zip(&view.types).map(column).collect());
        }
        let table = self.db.table(name)?;
        let one = Scope::of_table(&table, None).range.entries.pop()?;
        Some(RangeEntry { system: SystemColumns::Read, ..one })
    }

    /// An entry whose first columns are called so; its name differs from those of all others around.
    fn add_entry(&mut self, shown: &str, base: &str, mut columns: Vec<Column>, names: &[String]) -> Option<usize> {
        let has_dropped = columns.iter().any(|column| column.name.is_empty());
        if names.len() > columns.len() || has_dropped && !names.is_empty() {
            return None;
        }
        columns.iter_mut().zip(names).for_each(|(column, name)| column.name.clone_from(name));
        let is_twice = |(n, column): (usize, &Column)| columns[..n].iter().any(|it| it.name == column.name);
        if !has_dropped && columns.iter().enumerate().any(is_twice) {
            return None;
        }
        let has_rules = !self.db.cluster.version().has_bare_views();
        let is_taken = |name: &str| {
            self.scopes.iter().any(|scope| scope.names.iter().any(|known| known == name))
                || has_rules && matches!(name, "old" | "new")
        };
        let name = match is_taken(base) {
            true => (1..).map(|n| format!("{base}_{n}")).find(|name| !is_taken(name))?,
            false => base.to_string(),
        };
        let scope = self.scopes.last_mut()?;
        scope.names.push(name);
        scope.columns.push(columns.iter().map(|column| column.name.clone()).collect());
        scope.range.add(shown, columns);
        Some(scope.range.entries.len() - 1)
    }

    /// USING and NATURAL: which columns stand for two.
    fn merge(&mut self, join: &Join, first: usize, middle: usize) -> Option<()> {
        let range = &mut self.scopes.last_mut()?.range;
        let side = |entries: &[_]| RangeTable { entries: entries.to_vec(), ..RangeTable::default() };
        let (left, right) = (side(&range.entries[first..middle]), side(&range.entries[middle..]));
        let names = match &join.condition {
            JoinCondition::All | JoinCondition::On(_) => Vec::new(),
            JoinCondition::Using(names) => names.clone(),
            JoinCondition::Natural => {
                let visible = |range: &RangeTable| {
                    let of = |entry: &RangeEntry| {
                        let shown = (entry.first..).zip(entry.columns.clone());
                        shown.filter(|(slot, _)| !entry.hidden.contains(slot)).map(|it| it.1.name).collect::<Vec<_>>()
                    };
                    range.entries.iter().flat_map(of).filter(|name| !name.is_empty()).collect::<Vec<_>>()
                };
                let right = visible(&right);
                visible(&left).into_iter().filter(|name| right.contains(name)).collect()
            }
        };
        let mut merged = Vec::new();
        for name in &names {
            let (mine, other) = (left.column(None, name).ok()??, right.column(None, name).ok()??);
            // what is no column of one side is called otherwise
            if join.kind == JoinKind::Full || mine.1 != other.1 {
                return None;
            }
            let (kept, hidden) = if join.kind == JoinKind::Right { (other.0, mine.0) } else { (mine.0, other.0) };
            range.entries.iter_mut().rev().find(|entry| entry.first <= hidden)?.hidden.push(hidden);
            merged.push(kept);
        }
        let before = range.merged.iter().copied().filter(|slot| !merged.contains(slot)).collect::<Vec<_>>();
        merged.extend(before);
        range.merged = merged;
        self.scopes.last_mut()?.using.push(names);
        Some(())
    }

    /// A function with its arguments, and its columns.
    fn called(&mut self, call: &Expr, alias: Option<&String>) -> Option<Called> {
        let ExprNode::Function { name, args, star: false, distinct: false, .. } = &call.node else { return None };
        let shown = name_of(call, alias, self.db.cluster.version().major());
        let rename = |mut columns: Vec<Column>| {
            if let ([column], true) = (&mut columns[..], alias.is_some()) {
                column.name.clone_from(&shown);
            }
            columns
        };
        let function = self.db.sql_functions().into_iter().find(|function| function.name == *name);
        let (typed, columns) = if let Some(function) = function {
            if args.len() != function.arguments.len() || function.columns.is_empty() || name.contains('.') {
                return None;
            }
            let typed = self.analyzed(|analyzer| analyzer.routine_args(&function, args))?;
            let column = |(name, ty): &(String, SqlType)| Column { name: name.clone(), ty: SqlType::plain(ty.oid) };
            let columns: Vec<Column> = function.columns.iter().map(column).collect();
            let is_scalar = function.row_type.is_none() && !function.has_outs;
            (typed, if is_scalar { rename(columns) } else { columns })
        } else if SETS.split(' ').any(|known| known == name) && (name != "unnest" || args.len() == 1) {
            self.analyzed(|analyzer| {
                Ok(match analyzer.set_function(call)? {
                    Some((function, typed, columns)) if looking::names_its_column(function) => Some((typed, columns)),
                    Some((_, typed, columns)) => Some((typed, rename(columns))),
                    None => analyzer.series(call)?.map(|series| {
                        let column = Column { name: shown.clone(), ty: series.ty };
                        (series.args, Vec::from([column]))
                    }),
                })
            })??
        } else {
            let typed = self.analyzed(|analyzer| analyzer.decided(call))?;
            let is_call = matches!(typed.node, Node::Call(..) | Node::Routine(..));
            let text = self.function(call, &typed).filter(|_| is_call)?.text;
            let columns = Vec::from([Column { name: shown, ty: typed.ty }]);
            return Some(Called { columns, text, is_lateral: is_lateral(&typed) });
        };
        let text = format!("{}({})", quote_identifier(name), self.list(args, &typed)?.join(", "));
        Some(Called { columns, text, is_lateral: typed.iter().any(is_lateral) })
    }

    /// `get_from_clause`
    pub(super) fn from(&mut self, text: &mut String, items: &[FromItem]) -> Option<()> {
        let mut at = (0, 0);
        for (n, item) in items.iter().enumerate() {
            let told = self.item(item, &mut at)?;
            if n == 0 {
                append(text, &keyword(self.indent - STD, 2, " FROM "));
            } else {
                text.push_str(", ");
                self.wrap_line(text, &told, false);
            }
            append(text, &told);
        }
        Some(())
    }

    /// `get_from_clause_item`; `at`: the places of the entry and of the join that come next.
    fn item(&mut self, item: &FromItem, at: &mut (usize, usize)) -> Option<String> {
        let FromItem::Join(join) = item else {
            let told = self.bare_item(item)?;
            let scope = self.scopes.last()?;
            let (name, columns) = (scope.names.get(at.0)?, scope.columns.get(at.0)?);
            let (shows_name, shows_columns) = *scope.shown.get(at.0)?;
            at.0 += 1;
            let name = if shows_name { format!(" {}", quote_identifier(name)) } else { String::new() };
            let columns = match shows_columns {
                true => {
                    let columns = columns.iter().filter(|it| !it.is_empty()).map(|it| quote_identifier(it));
                    format!("({})", columns.collect::<Vec<_>>().join(", "))
                }
                false => String::new(),
            };
            return Some(format!("{told}{name}{columns}"));
        };
        let mut text = if self.style.pretty { String::new() } else { "(".to_string() };
        append(&mut text, &self.item(&join.left, at)?);
        let right = self.item(&join.right, at)?;
        let using = self.scopes.last()?.using.get(at.1)?.clone();
        at.1 += 1;
        let is_crossed = using.is_empty() && !matches!(join.condition, JoinCondition::On(_));
        let word = match join.kind {
            JoinKind::Inner if is_crossed => " CROSS JOIN ",
            JoinKind::Inner => " JOIN ",
            JoinKind::Left => " LEFT JOIN ",
            JoinKind::Right => " RIGHT JOIN ",
            JoinKind::Full => " FULL JOIN ",
            JoinKind::Semi | JoinKind::Anti => return None,
        };
        append(&mut text, &keyword(self.indent - STD, VAR, word));
        let is_wrapped = self.style.pretty && matches!(join.right, FromItem::Join(_));
        append(&mut text, &if is_wrapped { format!("({right})") } else { right });
        if let JoinCondition::On(condition) = &join.condition {
            let typed = self.analyzed(|analyzer| analyzer.condition(condition))?;
            let condition = self.part(condition, &typed)?.text;
            text += &if self.style.pretty { format!(" ON {condition}") } else { format!(" ON ({condition})") };
        } else if !using.is_empty() {
            let names: Vec<String> = using.iter().map(|name| quote_identifier(name)).collect();
            text += &format!(" USING ({})", names.join(", "));
        } else if join.kind != JoinKind::Inner {
            text += " ON TRUE";
        }
        text.push_str(if self.style.pretty { "" } else { ")" });
        Some(text)
    }

    /// An item that is no JOIN, without its name.
    fn bare_item(&mut self, item: &FromItem) -> Option<String> {
        match item {
            FromItem::Table { name, .. } => {
                let is_common = |(common, _): &(String, _)| *common == name.name;
                let of_with = |(common, columns): &(String, Option<_>)| *common == name.name && columns.is_some();
                if name.schema.is_none() && self.commons.iter().any(of_with) {
                    return Some(quote_identifier(&name.name));
                }
                let view = self.db.cluster.find_view(name.schema.as_deref(), &name.name);
                let oid = self.db.find(name).or(view.map(|(_, view)| view.oid))?;
                let told = self.db.regclass_out(oid);
                let is_hidden = self.commons.iter().any(is_common) && !told.contains('.');
                let schema = match is_hidden {
                    true => format!("{}.", quote_identifier(name.schema.as_deref()?)),
                    false => String::new(),
                };
                Some(format!("{}{schema}{told}", if name.only { "ONLY " } else { "" }))
            }
            FromItem::Function { call, alias, ordinality, .. } => {
                let Called { text, is_lateral, .. } = self.called(call, alias.as_ref())?;
                let ordinality = if *ordinality { " WITH ORDINALITY" } else { "" };
                Some(format!("{}{text}{ordinality}", if is_lateral { "LATERAL " } else { "" }))
            }
            FromItem::Query { query, lateral, .. } => {
                let query = self.query(query, &Shown { is_visible: true, ..Shown::default() })?;
                Some(format!("{}({query})", if *lateral { "LATERAL " } else { "" }))
            }
            FromItem::Join(_) => None,
        }
    }
}

fn is_lateral(typed: &Typed) -> bool {
    typed.any(&|node| matches!(node, Node::Slot(_)))
}
