//! A plan as EXPLAIN (COSTS OFF) names its nodes, without conditions (`ExplainNode`, src/backend/commands/explain.c).

use super::{Bitmap, IndexScan, InsertRows, Method, Plan, Scan, SelectPlan};
use crate::cluster::ddl::quote_identifier;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Plan {
    /// The scan that finds the rows, where there is one.
    #[must_use]
    pub fn scan(&self) -> Option<&Scan> {
        match self {
            Self::Insert(insert) => match &insert.source {
                InsertRows::Select(query, _) => query.scan.as_deref(),
                InsertRows::Values(_) => None,
            },
            Self::Update(update) => Some(&update.scan),
            Self::Delete(delete) => Some(&delete.scan),
            Self::Merge(merge) => merge.query.scan.as_deref(),
            Self::With(with) => with.plan.scan(),
            Self::Select(select) => select.scan.as_deref(),
        }
    }

    /// The nodes that read tables, a line each, the uppermost first: `Index Scan using t_pkey on t`.
    #[must_use]
    pub fn explain(&self) -> Vec<String> {
        match self {
            Self::Select(select) => select.explain(),
            Self::Insert(insert) => {
                let query = match &insert.source {
                    InsertRows::Select(query, _) => query.explain(),
                    InsertRows::Values(_) => Vec::new(),
                };
                core::iter::once(format!("Insert on {}", insert.name)).chain(query).collect()
            }
            Self::Update(update) => {
                let below = update.joined.as_ref().map_or_else(|| update.scan.explain(), |it| it.query.explain());
                core::iter::once(format!("Update on {}", update.scan.name)).chain(below).collect()
            }
            Self::Delete(delete) => {
                let below = delete.joined.as_ref().map_or_else(|| delete.scan.explain(), |it| it.query.explain());
                core::iter::once(format!("Delete on {}", delete.scan.name)).chain(below).collect()
            }
            Self::With(with) => with.plan.explain(),
            Self::Merge(merge) => {
                core::iter::once(format!("Merge on {}", merge.name)).chain(merge.query.explain()).collect()
            }
        }
    }
}

impl SelectPlan {
    pub(in crate::sql) fn explain(&self) -> Vec<String> {
        if !self.extremes.is_empty() {
            return self.extremes.iter().flat_map(|extreme| extreme.scan.explain()).collect();
        }
        let mut lines = Vec::new();
        if !self.sort.is_empty() {
            lines.push(if self.presorted > 0 { "Incremental Sort" } else { "Sort" }.to_string());
        }
        lines.extend(self.scan.iter().flat_map(|scan| scan.explain()));
        lines
    }
}

impl Scan {
    /// The scan's own line, and those of the bitmap's parts.
    #[must_use]
    pub fn explain(&self) -> Vec<String> {
        let node = self.method.node();
        if self.method == Method::Nothing {
            return Vec::from([node]);
        }
        if let Method::Append(append) = &self.method {
            let below = append.scans.iter().flat_map(|scan| scan.explain());
            return if append.scans.len() > 1 {
                core::iter::once(node).chain(below).collect()
            } else {
                below.collect()
            };
        }
        let mut lines = Vec::from([format!("{node} on {}", quote_identifier(&self.name))]);
        if let Method::Bitmap(bitmap) = &self.method {
            bitmap.explain(&mut lines);
        }
        lines
    }
}

impl Method {
    /// The scan's node, without the table: `Index Scan using t_pkey`.
    pub(super) fn node(&self) -> String {
        match self {
            Self::Nothing => "Result".to_string(),
            Self::Seq => "Seq Scan".to_string(),
            Self::Sample(_) => "Sample Scan".to_string(),
            Self::Append(_) => "Append".to_string(),
            Self::Tid(_) | Self::CurrentOf(_) => "Tid Scan".to_string(),
            Self::TidRange(_) => "Tid Range Scan".to_string(),
            Self::Index(scan) => {
                let only = if scan.only { " Only" } else { "" };
                let backward = if scan.backward { " Backward" } else { "" };
                format!("Index{only} Scan{backward} using {}", quote_identifier(&scan.name))
            }
            Self::Bitmap(_) => "Bitmap Heap Scan".to_string(),
        }
    }
}

impl IndexScan {
    /// The node that makes a bitmap of it.
    pub(super) fn bitmap_node(&self) -> String {
        format!("Bitmap Index Scan on {}", quote_identifier(&self.name))
    }
}

impl Bitmap {
    fn explain(&self, lines: &mut Vec<String>) {
        let (name, parts) = match self {
            Self::Index(scan) => (scan.bitmap_node(), &[][..]),
            Self::And(parts) => ("BitmapAnd".to_string(), &parts[..]),
            Self::Or(parts) => ("BitmapOr".to_string(), &parts[..]),
        };
        lines.push(name);
        parts.iter().for_each(|part| part.explain(lines));
    }
}
