//! MERGE as EXPLAIN prints it, without costs (`ExplainNode`,
//! src/backend/commands/explain.c).
//!
//! ```text
//!  Merge on stock s
//!    ->  Hash Left Join                   Left: rows of the outer side stay that have no partner
//!          Hash Cond: (d.sku = s.sku)     the outer side's column first
//!          ->  Seq Scan on delivery d
//!          ->  Hash
//!                ->  Seq Scan on stock s
//! ```

use super::{Explained, Tree};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::rule::{Names, Prefixed, comparison};
use crate::sql::expr::{Node, Typed, rule};
use crate::sql::plan::merge_join::{constants, grouped, is_values};
use crate::sql::plan::{MergePlan, MergeWay, Scan};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// What VALUES is called where the statement gives it no name.
const VALUES: &str = "*VALUES*";

/// Names of the table's columns, behind which stand those of the source.
struct OfJoin<'a> {
    target: &'a Explained<'a>,
    plan: &'a MergePlan,
}

impl OfJoin<'_> {
    fn source_column(&self, at: usize) -> Option<String> {
        let (source, plan) = (self.target.source?, &self.plan.source);
        let output = plan.targets.get(at)?;
        if let Some(table) = source.table.filter(|_| grouped(plan).is_none()) {
            return rule(output.value.expr()?, &Prefixed(table, source.alias.unwrap_or(&table.name)));
        }
        if is_values(plan) {
            return Some(format!("\"{VALUES}\".column{}", at + 1));
        }
        Some(format!("{}.{}", quote_identifier(source.subquery?), quote_identifier(&output.name)))
    }
}

impl Names for OfJoin<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        match usize::from(slot).checked_sub(self.plan.width) {
            Some(at) => self.source_column(at),
            None => {
                let table = self.target.table?;
                Prefixed(table, self.target.alias.unwrap_or(&table.name)).column(slot, ty)
            }
        }
    }

    fn outer(&self, _: u16, slot: u16, ty: SqlType) -> Option<String> {
        self.column(slot, ty)
    }
}

impl Explained<'_> {
    /// The statement's node, above the join.
    pub(super) fn merged(&self, plan: &MergePlan) -> Option<Tree> {
        let is_told = self.schema.is_none() && plan.returning.is_none();
        let join = self.merge_join(plan)?;
        is_told.then(|| Tree::over(&self.named("Merge on", &plan.name), join))
    }

    fn merge_join(&self, plan: &MergePlan) -> Option<Tree> {
        let names = OfJoin { target: self, plan };
        let join = &plan.join;
        let scan = |scan: &Scan| Explained { around: Some(&names), ..*self }.scan(scan, true);
        // a row of constants is no side of a join, unless it stays without a partner
        if constants(&plan.source).is_some() && !join.keeps_source {
            return scan(join.way.scan()?);
        }
        let source = self.merge_source(plan)?;
        // the side that is read for each row of the other, or put into a hash table, is the second one
        let (node, outer, inner, kept) = match &join.way {
            MergeWay::Nested(inner) => ("Nested Loop", source, scan(inner)?, (join.keeps_source, false)),
            MergeWay::Whole(inner) => {
                let inner = Tree::over("Materialize", scan(inner)?);
                ("Nested Loop", source, inner, (join.keeps_source, false))
            }
            MergeWay::HashTarget(inner) => {
                let inner = Tree::over("Hash", scan(inner)?);
                ("Hash", source, inner, (join.keeps_source, join.keeps_target))
            }
            MergeWay::HashSource(outer, _) => {
                ("Hash", scan(outer)?, Tree::over("Hash", source), (join.keeps_target, join.keeps_source))
            }
        };
        let kind = match kept {
            (false, false) if node == "Nested Loop" => "",
            (false, false) => " Join",
            (true, false) => " Left Join",
            (false, true) => " Right Join",
            (true, true) => " Full Join",
        };
        let mut tree = Tree::new(format!("{node}{kind}"));
        self.tell_conditions(&mut tree, plan, &names)?;
        tree.below = Vec::from([outer, inner]);
        Some(tree)
    }

    fn tell_conditions(&self, tree: &mut Tree, plan: &MergePlan, names: &OfJoin<'_>) -> Option<()> {
        let join = &plan.join;
        let is_key = |part: &Typed| match &part.node {
            Node::Binary(BinaryOp::Eq, pair) => join
                .keys
                .iter()
                .any(|(one, other)| pair.0 == *one && pair.1 == *other || pair.0 == *other && pair.1 == *one),
            _ => false,
        };
        let mut others: Vec<&Typed> = join.on.iter().collect();
        let source_first = match join.way {
            MergeWay::Nested(_) => return Some(()),
            MergeWay::Whole(_) => None,
            MergeWay::HashTarget(_) => Some(true),
            MergeWay::HashSource(..) => Some(false),
        };
        if let Some(source_first) = source_first {
            others.retain(|part| !is_key(part));
            let texts = join.keys.iter().map(|(target, source)| {
                let (target, source) = (rule(target, names)?, rule(source, names)?);
                let (left, right) = if source_first { (source, target) } else { (target, source) };
                Some(comparison(BinaryOp::Eq, &left, &right))
            });
            let texts = texts.collect::<Option<Vec<String>>>()?;
            let text = if let [one] = &texts[..] { one.clone() } else { format!("({})", texts.join(" AND ")) };
            tree.tell("Hash Cond", text);
        }
        if !others.is_empty() {
            tree.tell("Join Filter", super::joined(&others, " AND ", names)?);
        }
        Some(())
    }

    /// The source's rows: a table, VALUES, one row, or a query whose rows are grouped.
    fn merge_source(&self, plan: &MergePlan) -> Option<Tree> {
        let (source, select) = (self.source?, &plan.source);
        let is_plain = select.sort.is_empty() && select.limit.is_none() && select.locking.is_none();
        if !is_plain {
            return None;
        }
        if let Some(query) = grouped(select) {
            let below = source.upper(query, query.upper.as_ref()?)?;
            return Some(Tree::over(&format!("Subquery Scan on {}", quote_identifier(source.subquery?)), below));
        }
        match (&select.scan, &select.sources[..]) {
            _ if !select.aggregates.is_empty() => None,
            (Some(scan), []) => source.scan(scan, false),
            _ if constants(select).is_some() => Some(Tree::new("Result")),
            _ if is_values(select) => Some(Tree::new(format!("Values Scan on \"{VALUES}\""))),
            _ => None,
        }
    }
}
