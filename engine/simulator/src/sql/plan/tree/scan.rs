//! Scans as EXPLAIN prints them: which conditions an index takes over, and which are left
//! (`create_indexscan_plan`, `create_bitmap_subplan`, `create_bitmap_scan_plan`,
//! src/backend/optimizer/plan/createplan.c).

use super::actual::{Actual, Way};
use super::format::Shape;
use super::sub_plan::is_semi_join;
use super::{Explained, Tree, joined, nothing};
use crate::access::gist::GistOp;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{IndexInfo, TableInfo};
use crate::sql::expr::{Builtin, Node, Typed, operator_symbol};
use crate::sql::plan::clause::{is_truth, part_implies};
use crate::sql::plan::{Bitmap, IndexScan, KeyOp, KeyQual, Method, Scan, TidScan};
use crate::sql::ruleutils::{comparison, rule};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::PgVersion;

/// What makes a bitmap, as a node; the conditions that its rows satisfy; and which of them are the scan's, by their
/// places.
struct Part {
    tree: Tree,
    recheck: Vec<Typed>,
    taken: Vec<usize>,
    /// conditions that are a key themselves, not compared with anything: before 16 the scan does not know that the
    /// index is asked for them
    truths: Vec<Typed>,
}

impl Part {
    /// What is asked again of rows. Gives the scan's conditions that need no more.
    fn tell_recheck(&mut self, tree: &mut Tree, scan: &Scan, of: &Explained<'_>) -> Option<Vec<usize>> {
        let Self { recheck, taken, truths, .. } = self;
        recheck.retain(|condition| matches!(condition.node, Node::Or(_)) || !truths.contains(condition));
        if !recheck.is_empty() {
            tree.tell("Recheck Cond", joined(&recheck.iter().collect::<Vec<_>>(), " AND ", of)?);
        }
        let told = implied(recheck, scan).chain(taken.iter().copied());
        Some(told.filter(|at| !truths.contains(&scan.filter[*at])).collect())
    }
}

impl Explained<'_> {
    /// `rechecks`: are the rows changed or locked?
    pub(super) fn scan(&self, scan: &Scan, rechecks: bool) -> Option<Tree> {
        // nor is it known which index is asked for the values of a query
        let is_query = |node: &Node| matches!(node, Node::Query(_));
        let is_any = |clause: &Typed| {
            clause.any(
                &|node| matches!(node, Node::AnyElement(parts, _) if parts.0.any(&is_query) || parts.1.any(&is_query)),
            )
        };
        // but where they are places
        let is_place = |n: usize| matches!(&scan.method, Method::Tid(tids) if tids.taken == n);
        if scan.filter.iter().enumerate().any(|(n, clause)| is_semi_join(clause) || is_any(clause) && !is_place(n)) {
            return None;
        }
        let mut taken: Vec<usize> = Vec::new();
        let mut tree = Tree::new(self.named(&format!("{} on", scan.method.node()), &scan.name));
        match &scan.method {
            Method::Nothing => return Some(nothing().costing(self.scan_figures(scan))),
            Method::Seq => {}
            Method::Sample(sample) => tree.tell("Sampling", sample.text()),
            Method::Append(_) | Method::CurrentOf(_) => return None,
            Method::Tid(tids) => taken.extend(tell_places(&mut tree, tids, scan, self)?),
            Method::TidRange(range) => {
                taken.extend(range.bounds.iter().map(|bound| bound.taken));
                let conditions: Vec<&Typed> = taken.iter().map(|taken| &scan.filter[*taken]).collect();
                tree.tell("TID Cond", joined(&conditions, " AND ", self)?);
            }
            Method::Index(index) => {
                let info = info_of(index, self.table?)?;
                taken = implied(&info.predicate, scan).filter(|_| !rechecks).collect();
                tell_index_cond(&mut tree, index, &index.conditions, self)?;
                taken.extend(&index.taken);
            }
            Method::Bitmap(bitmap) => {
                let mut part = part(bitmap, scan, self)?;
                self.tell_bitmap(&mut part.tree, bitmap, scan);
                if PgVersion::of_major(self.major).knows_boolean_keys() {
                    part.truths.clear();
                }
                taken = part.tell_recheck(&mut tree, scan, self)?;
                tree.below.push(part.tree);
            }
        }
        tree.told.splice(..0, self.disabled(self.enabled.allows(&scan.method)));
        let left: Vec<&Typed> = scan.left(&taken).collect();
        if !left.is_empty() {
            tree.tell("Filter", joined(&left, " AND ", self)?);
        }
        self.plans.told_with(&mut tree);
        tree.shape = self.scan_shape(scan);
        Some(tree.costing(self.scan_figures(scan)).counted(Actual::Scan(Way::of(scan))))
    }

    /// What each part of a bitmap costs.
    fn tell_bitmap(&self, tree: &mut Tree, bitmap: &Bitmap, scan: &Scan) {
        tree.figures = self.bitmap_figures(bitmap, scan).map(|(figures, ..)| figures);
        tree.actual = if matches!(bitmap, Bitmap::Index(_)) { Actual::Bitmap } else { Actual::Combined };
        if let Bitmap::And(parts) | Bitmap::Or(parts) = bitmap {
            tree.below.iter_mut().zip(parts).for_each(|(below, part)| self.tell_bitmap(below, part, scan));
        }
    }
}

/// The places of a Tid Scan; which condition says all of them.
fn tell_places(tree: &mut Tree, tids: &TidScan, scan: &Scan, of: &Explained<'_>) -> Option<Option<usize>> {
    let is_or = tids.quals.len() > 1;
    let conditions: Vec<&Typed> = tids.quals.iter().collect();
    tree.tell("TID Cond", joined(&conditions, if is_or { " OR " } else { " AND " }, of)?);
    let is_same = |clause: &Typed| matches!(&clause.node, Node::Or(arms) if *arms == tids.quals);
    Some(Some(tids.taken).filter(|taken| !is_or || is_same(&scan.filter[*taken])))
}

fn info_of<'a>(scan: &IndexScan, table: &'a TableInfo) -> Option<&'a IndexInfo> {
    table.index(scan.index)
}

/// The conditions of a scan that follow from others.
fn implied<'a>(given: &'a [Typed], scan: &'a Scan) -> impl Iterator<Item = usize> + 'a {
    let each = scan.filter.iter().enumerate();
    each.filter(|(_, clause)| given.iter().any(|part| part_implies(part, clause))).map(|(n, _)| n)
}

/// What the index is asked for, with its key on the left.
fn tell_index_cond(tree: &mut Tree, scan: &IndexScan, conditions: &[Typed], of: &Explained<'_>) -> Option<()> {
    let index = info_of(scan, of.table?)?;
    let texts = scan.keys.iter().zip(conditions).map(|(key, condition)| on_key(index, key.column, condition, of));
    let texts = texts.collect::<Option<Vec<_>>>()?;
    match &texts[..] {
        [] => {}
        [one] => tree.tell("Index Cond", one.clone()),
        several => tree.tell("Index Cond", format!("({})", several.join(" AND "))),
    }
    Some(())
}

fn on_key(index: &IndexInfo, column: u16, clause: &Typed, of: &Explained<'_>) -> Option<String> {
    let key = &index.keys.get(usize::from(column))?.expr;
    match &clause.node {
        node if *node == key.node => Some(comparison(BinaryOp::Eq, &rule(clause, of)?, "true")),
        Node::Binary(op, operands) if operands.0.node != key.node => {
            let (left, right) = (rule(&operands.1, of)?, rule(&operands.0, of)?);
            Some(comparison(op.commutator(), &left, &right))
        }
        Node::Call(builtin, args) if args.first().is_some_and(|first| first.node != key.node) => {
            let (symbol, [left, right]) = (operator_symbol(*builtin)?, &args[..]) else { return None };
            let (left, right) = (rule(right, of)?, rule(left, of)?);
            Some(format!("({left} {} {right})", crate::sql::plan::gist::commutator(symbol)?))
        }
        Node::Or(_) => None,
        Node::Not(inner) => Some(comparison(BinaryOp::Eq, &rule(inner, of)?, "false")),
        _ => rule(clause, of),
    }
}

/// `create_bitmap_subplan`
fn part(bitmap: &Bitmap, scan: &Scan, of: &Explained<'_>) -> Option<Part> {
    match bitmap {
        Bitmap::Index(index) => {
            let mut part = index_part(index, index.conditions.clone(), index.taken.clone(), of)?;
            // what follows from a pattern is not asked again: the pattern is
            let is_derived = |condition: &Typed| {
                index.conditions.contains(condition) && !index.taken.iter().any(|n| scan.filter[*n] == *condition)
            };
            part.recheck.retain(|condition| !is_derived(condition));
            Some(part)
        }
        Bitmap::And(parts) => parts.iter().map(|one| part(one, scan, of)).collect::<Option<Vec<_>>>().map(in_all),
        Bitmap::Or(arms) => {
            let arms = arms.iter().map(|arm| arm_part(arm, of)).collect::<Option<Vec<_>>>()?;
            let (mut tree, mut conditions) = (Tree::new("BitmapOr"), Vec::new());
            // a condition with its key on the right is asked again as it is written
            let is_written =
                |condition: &Typed| scan.filter.iter().any(|clause| clause.any(&|node| *node == condition.node));
            if !arms.iter().flat_map(|arm| &arm.recheck).all(is_written) {
                return None;
            }
            let has_truths = arms.iter().any(|arm| !arm.truths.is_empty());
            for mut arm in arms {
                tree.below.push(arm.tree);
                conditions.push(if arm.recheck.len() == 1 { arm.recheck.remove(0) } else { and(arm.recheck) });
            }
            let condition = Typed { node: Node::Or(conditions), ty: SqlType::BOOL };
            let taken = scan.filter.iter().position(|clause| *clause == condition);
            let truths = if has_truths { Vec::from([condition.clone()]) } else { Vec::new() };
            Some(Part { tree, recheck: Vec::from([condition]), taken: taken.into_iter().collect(), truths })
        }
    }
}

/// Rows that are in all of the bitmaps.
fn in_all(parts: Vec<Part>) -> Part {
    let mut all = Part { tree: Tree::new("BitmapAnd"), recheck: Vec::new(), taken: Vec::new(), truths: Vec::new() };
    for one in parts {
        let new = one.recheck.into_iter().filter(|condition| !all.recheck.contains(condition));
        all.recheck.extend(new.collect::<Vec<_>>());
        all.taken.extend(one.taken);
        all.truths.extend(one.truths);
        all.tree.below.push(one.tree);
    }
    all
}

fn and(conditions: Vec<Typed>) -> Typed {
    Typed { node: Node::And(conditions), ty: SqlType::BOOL }
}

/// An arm of an OR, within which there is no other.
fn arm_part(arm: &Bitmap, of: &Explained<'_>) -> Option<Part> {
    let index = match arm {
        Bitmap::Index(index) => index,
        Bitmap::And(parts) => {
            return parts.iter().map(|one| arm_part(one, of)).collect::<Option<Vec<_>>>().map(in_all);
        }
        Bitmap::Or(_) => return None,
    };
    let info = info_of(index, of.table?)?;
    let conditions = index.keys.iter().map(|key| condition(key, info)).collect::<Option<Vec<_>>>()?;
    index_part(index, conditions, Vec::new(), of)
}

/// A scan of an index: what a partial one has besides is asked again too, unless the conditions say it.
fn index_part(index: &IndexScan, conditions: Vec<Typed>, taken: Vec<usize>, of: &Explained<'_>) -> Option<Part> {
    let details = Vec::from([("Index Name", index.name.clone())]);
    let mut tree = Tree::new(index.bitmap_node()).shaped(Shape { after: details, ..Shape::of("Bitmap Index Scan") });
    tell_index_cond(&mut tree, index, &conditions, of)?;
    let follows = |part: &&Typed| conditions.iter().any(|condition| part_implies(condition, part));
    let (info, keys) = (info_of(index, of.table?)?, index.keys.iter());
    let is_truth = |(key, condition): &(&KeyQual, &Typed)| {
        info.keys.get(usize::from(key.column)).is_some_and(|key| is_truth(&key.expr, condition))
    };
    let truths = keys.zip(&conditions).filter(is_truth).map(|(_, condition)| condition.clone()).collect();
    let predicate: Vec<Typed> = info.predicate.iter().filter(|part| !follows(part)).cloned().collect();
    Some(Part { tree, recheck: conditions.into_iter().chain(predicate).collect(), taken, truths })
}

/// A condition as the index is asked for it.
fn condition(key: &KeyQual, index: &IndexInfo) -> Option<Typed> {
    let expr = index.keys.get(usize::from(key.column))?.expr.clone();
    let node = match key.op {
        KeyOp::Compare(op) => match (op, key.value.first()?) {
            (BinaryOp::Eq, Typed { node: Node::Const(Value::Bool(true)), .. }) => expr.node,
            (BinaryOp::Eq, Typed { node: Node::Const(Value::Bool(false)), .. }) => Node::Not(Box::new(expr)),
            (_, value) => Node::Binary(op, Box::new((expr, value.clone()))),
        },
        KeyOp::Rows(op) => {
            let keys = index.keys.get(usize::from(key.column)..)?.iter().map(|key| key.expr.clone());
            Node::Rows(op, keys.zip(key.value.iter().cloned()).collect())
        }
        KeyOp::Any => Node::AnyOf(Box::new(expr), key.value.clone(), false),
        KeyOp::IsNull => Node::IsNull(Box::new(expr), false),
        KeyOp::IsNotNull => Node::IsNull(Box::new(expr), true),
        KeyOp::Gist(op) => return gist_condition(op, expr, key.value.first()?.clone()),
    };
    Some(Typed { node, ty: SqlType::BOOL })
}

/// A condition that a GiST index is asked for.
fn gist_condition(op: GistOp, key: Typed, value: Typed) -> Option<Typed> {
    let node = match op {
        GistOp::Equal => Node::Binary(BinaryOp::Eq, Box::new((key, value))),
        GistOp::NotEqual => Node::Binary(BinaryOp::Ne, Box::new((key, value))),
        GistOp::Less => Node::Binary(BinaryOp::Lt, Box::new((key, value))),
        GistOp::LessEqual => Node::Binary(BinaryOp::Le, Box::new((key, value))),
        GistOp::GreaterEqual => Node::Binary(BinaryOp::Ge, Box::new((key, value))),
        GistOp::Greater => Node::Binary(BinaryOp::Gt, Box::new((key, value))),
        _ => Node::Call(Builtin::of_range_operator(op.symbol(), value.ty.oid == key.ty.oid)?, Vec::from([key, value])),
    };
    Some(Typed { node, ty: SqlType::BOOL })
}
