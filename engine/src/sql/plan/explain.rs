//! A plan as EXPLAIN (COSTS OFF) names its nodes, without conditions (`ExplainNode`, src/backend/commands/explain.c).

use super::{Bitmap, IndexScan, InsertRows, Method, Plan, Scan, SelectPlan};
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
                core::iter::once(format!("Update on {}", update.scan.name)).chain(update.scan.explain()).collect()
            }
            Self::Delete(delete) => {
                core::iter::once(format!("Delete on {}", delete.scan.name)).chain(delete.scan.explain()).collect()
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
        match &self.method {
            Method::Nothing => alloc::vec!["Result".to_string()],
            Method::Seq => alloc::vec![format!("Seq Scan on {}", self.name)],
            Method::Tid(_) => alloc::vec![format!("Tid Scan on {}", self.name)],
            Method::TidRange(_) => alloc::vec![format!("Tid Range Scan on {}", self.name)],
            Method::Index(scan) => alloc::vec![self.index_scan(scan)],
            Method::Bitmap(bitmap) => {
                let mut lines = alloc::vec![format!("Bitmap Heap Scan on {}", self.name)];
                bitmap.explain(&mut lines);
                lines
            }
        }
    }

    fn index_scan(&self, scan: &IndexScan) -> String {
        let only = if scan.only { " Only" } else { "" };
        let backward = if scan.backward { " Backward" } else { "" };
        format!("Index{only} Scan{backward} using {} on {}", scan.name, self.name)
    }
}

impl Bitmap {
    fn explain(&self, lines: &mut Vec<String>) {
        let (name, parts) = match self {
            Self::Index(scan) => (format!("Bitmap Index Scan on {}", scan.name), &[][..]),
            Self::And(parts) => ("BitmapAnd".to_string(), &parts[..]),
            Self::Or(parts) => ("BitmapOr".to_string(), &parts[..]),
        };
        lines.push(name);
        parts.iter().for_each(|part| part.explain(lines));
    }
}
