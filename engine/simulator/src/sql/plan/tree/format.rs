//! A plan in other formats than text (`ExplainPropertyText`, `ExplainOpenGroup`, src/backend/commands/explain.c and,
//! from 18 on, explain_format.c).
//!
//! ```text
//!  [                              - Plan:                          <explain xmlns="…">
//!    {                                Node Type: "Seq Scan"          <Query>
//!      "Plan": {                      …                                <Plan>
//!        "Node Type": "Seq Scan",                                        <Node-Type>Seq Scan</Node-Type>
//! ```

use super::{Explained, Told, Tree};
use crate::sql::ast::ExplainFormat;
use crate::sql::plan::{Method, Scan};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

/// What a node is, in formats that name all.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// `Node Type`
    pub node: &'static str,
    /// what stands before `Parallel Aware`
    pub before: Vec<(&'static str, String)>,
    /// and behind
    pub after: Vec<(&'static str, String)>,
}

impl Shape {
    pub const fn of(node: &'static str) -> Self {
        Self { node, before: Vec::new(), after: Vec::new() }
    }

    /// Agg, by its strategy.
    pub fn aggregate(strategy: &str) -> Self {
        let before = Vec::from([("Strategy", strategy.to_string()), ("Partial Mode", "Simple".to_string())]);
        Self { before, ..Self::of("Aggregate") }
    }
}

/// Nodes that are called the same in text.
const ALIKE: [&str; 12] = [
    "Result",
    "Limit",
    "Sort",
    "Incremental Sort",
    "LockRows",
    "Unique",
    "Group",
    "BitmapAnd",
    "BitmapOr",
    "Hash",
    "Materialize",
    "Memoize",
];

/// A property's value.
enum Property {
    Text(String),
    Plain(String),
    List(Vec<String>),
    Plans(Vec<Vec<(&'static str, Property)>>),
}

impl Explained<'_> {
    /// `ExplainModifyTarget`
    pub(super) fn modify_shape(&self, operation: &str, table: &str) -> Shape {
        Shape {
            before: Vec::from([("Operation", operation.to_string())]),
            after: self.target(table),
            ..Shape::of("ModifyTable")
        }
    }

    /// `ExplainTargetRel`
    fn target(&self, table: &str) -> Vec<(&'static str, String)> {
        let schema = self.schema.map(|schema| ("Schema", schema.to_string()));
        let name = ("Relation Name", table.to_string());
        let alias = ("Alias", self.alias.unwrap_or(table).to_string());
        core::iter::once(name).chain(schema).chain([alias]).collect()
    }

    /// `ExplainIndexScanDetails`, `ExplainScanTarget`
    pub(super) fn scan_shape(&self, scan: &Scan) -> Option<Shape> {
        let mut details = Vec::new();
        let node = match &scan.method {
            Method::Seq => "Seq Scan",
            Method::Tid(_) => "Tid Scan",
            Method::TidRange(_) => "Tid Range Scan",
            Method::Bitmap(_) => "Bitmap Heap Scan",
            Method::Index(index) => {
                details.push(("Scan Direction", if index.backward { "Backward" } else { "Forward" }.to_string()));
                details.push(("Index Name", index.name.clone()));
                if index.only { "Index Only Scan" } else { "Index Scan" }
            }
            _ => return None,
        };
        details.extend(self.target(&scan.name));
        Some(Shape { after: details, ..Shape::of(node) })
    }
}

impl Tree {
    /// Are there plans of queries in expressions or of WITH?
    fn has_plans(&self) -> bool {
        !self.subs.is_empty()
            || self.init.iter().any(|(name, _)| name.starts_with("CTE"))
            || self.below.iter().any(Self::has_plans)
    }

    /// The whole in one text; with costs these must be known.
    #[must_use]
    pub fn formatted(&self, format: ExplainFormat, costs: bool, major: u32) -> Option<String> {
        let plan = Some(self).filter(|tree| !tree.has_plans()).and_then(|tree| tree.properties(None, costs, major))?;
        let whole = Vec::from([("Plan", Property::Plans(Vec::from([plan])))]);
        Some(match format {
            ExplainFormat::Json => {
                let mut text = String::from("[\n  {\n");
                json(&whole, 4, &mut text);
                text + "\n  }\n]"
            }
            ExplainFormat::Yaml => {
                let mut text = String::new();
                yaml(&whole, 2, true, &mut text);
                text
            }
            ExplainFormat::Xml => {
                let mut text = String::from("<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n");
                xml(&whole, 4, &mut text);
                text + "  </Query>\n</explain>"
            }
            ExplainFormat::Text => return None,
        })
    }

    /// `ExplainNode`; how it stands to the node above, where there is one, and its name there.
    fn properties(
        &self,
        place: Option<(&str, Option<&str>)>,
        costs: bool,
        major: u32,
    ) -> Option<Vec<(&'static str, Property)>> {
        let version = PgVersion::of_major(major);
        let own = || ALIKE.iter().find(|name| **name == self.line).map(|name| Shape::of(name));
        let shape = self.shape.clone().or_else(own)?;
        let text = |(name, text): (&'static str, String)| (name, Property::Text(text));
        let mut all = Vec::from([("Node Type", Property::Text(shape.node.to_string()))]);
        all.extend(shape.before.into_iter().map(text));
        if let Some((place, name)) = place {
            all.push(("Parent Relationship", Property::Text(place.to_string())));
            all.extend(name.map(|name| ("Subplan Name", Property::Text(name.to_string()))));
        }
        all.push(("Parallel Aware", Property::Plain("false".to_string())));
        if version.updates_by_column() {
            all.push(("Async Capable", Property::Plain("false".to_string())));
        }
        all.extend(shape.after.into_iter().map(text));
        if costs {
            let figures = self.figures.as_ref()?;
            all.push(("Startup Cost", Property::Plain(format!("{:.2}", figures.cost.startup))));
            all.push(("Total Cost", Property::Plain(format!("{:.2}", figures.cost.total))));
            all.push(("Plan Rows", Property::Plain(format!("{:.0}", figures.rows))));
            all.push(("Plan Width", Property::Plain(figures.width.to_string())));
        }
        if version.counts_disabled_nodes() {
            let is_disabled = self.told.iter().any(|told| matches!(told, Told::Text("Disabled", _)));
            all.push(("Disabled", Property::Plain(is_disabled.to_string())));
        }
        if shape.node == "Append" {
            all.push(("Subplans Removed", Property::Plain("0".to_string())));
        }
        for told in &self.told {
            match told {
                Told::Line(_) => return None,
                Told::Text("Disabled", _) => {}
                Told::Text(name, text) => all.push((name, Property::Text(text.clone()))),
                Told::List(name, list) => all.push((name, Property::List(list.clone()))),
                Told::Flag(name, is_so) => all.push((name, Property::Plain(is_so.to_string()))),
            }
        }
        if shape.node == "Aggregate" && self.line == "HashAggregate" && costs {
            all.push(("Planned Partitions", Property::Plain("0".to_string())));
        }
        let is_member = matches!(shape.node, "Append" | "BitmapAnd" | "BitmapOr");
        let is_alone = shape.node == "ModifyTable" && !version.updates_by_column();
        let place = if is_member || is_alone { "Member" } else { "Outer" };
        let mut plans = Vec::new();
        for (name, init) in &self.init {
            plans.push(init.properties(Some(("InitPlan", Some(name))), costs, major)?);
        }
        let joins = matches!(shape.node, "Nested Loop" | "Merge Join" | "Hash Join");
        for (n, below) in self.below.iter().enumerate() {
            let place = if joins && n > 0 { "Inner" } else { place };
            plans.push(below.properties(Some((place, None)), costs, major)?);
        }
        if !plans.is_empty() {
            all.push(("Plans", Property::Plans(plans)));
        }
        Some(all)
    }

    /// What its rows are, as VERBOSE tells it; it stands before all else.
    pub(super) fn giving(mut self, exprs: Vec<String>) -> Self {
        let at = usize::from(matches!(self.told.first(), Some(Told::Text("Disabled", _))));
        if !exprs.is_empty() {
            self.told.insert(at, Told::List("Output", exprs));
        }
        self
    }
}

/// `escape_json`
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn json(properties: &[(&'static str, Property)], indent: usize, text: &mut String) {
    for (n, (name, property)) in properties.iter().enumerate() {
        if n > 0 {
            text.push_str(",\n");
        }
        *text += &format!("{:indent$}\"{name}\": ", "");
        match property {
            Property::Text(value) => *text += &quoted(value),
            Property::Plain(value) => *text += value,
            Property::List(list) => {
                *text += &format!("[{}]", list.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "));
            }
            Property::Plans(plans) if *name == "Plan" => {
                plans.iter().for_each(|plan| {
                    text.push_str("{\n");
                    json(plan, indent + 2, text);
                    *text += &format!("\n{:indent$}}}", "");
                });
            }
            Property::Plans(plans) => {
                text.push_str("[\n");
                for (n, plan) in plans.iter().enumerate() {
                    *text += &format!("{}{:2$}{{\n", if n > 0 { ",\n" } else { "" }, "", indent + 2);
                    json(plan, indent + 4, text);
                    *text += &format!("\n{:1$}}}", "", indent + 2);
                }
                *text += &format!("\n{:indent$}]", "");
            }
        }
    }
}

/// `is_item`: the first one stands behind a dash.
fn yaml(properties: &[(&'static str, Property)], indent: usize, is_item: bool, text: &mut String) {
    for (n, (name, property)) in properties.iter().enumerate() {
        if n > 0 || !text.is_empty() {
            text.push('\n');
        }
        *text += &match n {
            0 if is_item => format!("{:1$}- ", "", indent - 2),
            _ => format!("{:indent$}", ""),
        };
        *text += &format!("{name}: ");
        match property {
            Property::Text(value) => *text += &quoted(value),
            Property::Plain(value) => *text += value,
            Property::List(list) => {
                list.iter().for_each(|value| *text += &format!("\n{:1$}- {2}", "", indent + 2, quoted(value)));
            }
            Property::Plans(plans) if *name == "Plan" => {
                plans.iter().for_each(|plan| yaml(plan, indent + 2, false, text));
            }
            Property::Plans(plans) => plans.iter().for_each(|plan| yaml(plan, indent + 4, true, text)),
        }
    }
}

/// `escape_xml`
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn xml(properties: &[(&'static str, Property)], indent: usize, text: &mut String) {
    for (name, property) in properties {
        let tag = name.replace(' ', "-");
        let open = format!("{:indent$}<{tag}>", "");
        *text += &match property {
            Property::Text(value) => format!("{open}{}</{tag}>\n", escaped(value)),
            Property::Plain(value) => format!("{open}{value}</{tag}>\n"),
            Property::List(list) => {
                let items = list.iter().map(|value| format!("{:1$}<Item>{2}</Item>\n", "", indent + 2, escaped(value)));
                format!("{open}\n{}{:indent$}</{tag}>\n", items.collect::<String>(), "")
            }
            Property::Plans(plans) => {
                let (mut inner, is_list) = (String::new(), *name == "Plans");
                for plan in plans {
                    if is_list {
                        inner += &format!("{:1$}<Plan>\n", "", indent + 2);
                        xml(plan, indent + 4, &mut inner);
                        inner += &format!("{:1$}</Plan>\n", "", indent + 2);
                    } else {
                        xml(plan, indent + 2, &mut inner);
                    }
                }
                format!("{open}\n{inner}{:indent$}</{tag}>\n", "")
            }
        };
    }
}
