//! Schemas: which there are, and in which of them a name without one is looked for (src/backend/catalog/namespace.c;
//! `CreateSchemaCommand`, src/backend/commands/schemacmds.c).
//!
//! ```text
//!  labs.t     that schema's
//!  t          the first schema of search_path that has one;  a new one goes to the first schema that there is
//! ```

use super::pg_class::{Catalog, Class};
use super::roles::{Roles, rights};
use super::temporary::PG_TEMP;
use super::view::{ViewForm, ViewName};
use super::{Cluster, CompositeType, Domains, EnumType};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// The schema of what says nothing else.
pub const PUBLIC: &str = "public";
/// Name and OID of the schema of TOAST tables.
pub const PG_TOAST: (&str, Oid) = ("pg_toast", 99);

/// Schemas, views, functions and types as a transaction found them.
#[derive(Debug, Clone)]
pub(super) struct Names {
    schemas: BTreeMap<String, Oid>,
    views: BTreeMap<ViewName, ViewForm>,
    functions: BTreeMap<String, (u32, Oid)>,
    comments: BTreeMap<(Oid, u16), String>,
    enums: Arc<Vec<EnumType>>,
    domains: Domains,
    composites: Arc<Vec<CompositeType>>,
    roles: Arc<Roles>,
}

impl Cluster {
    /// `fetch_search_path`, without the schemas of the catalogs and without those that there are not.
    #[must_use]
    pub fn search_path(&self) -> Vec<&str> {
        let Some(path) = self.pg.backend().settings.shown.get("search_path") else {
            return self.own_schema().into_iter().chain(self.usable_schema(PUBLIC)).collect();
        };
        let names = split_identifiers(path, ',').unwrap_or_default();
        let schema = |name: &String| match name.as_str() {
            "$user" => self.own_schema(),
            PG_TEMP => self.schema(&self.temp_schema()),
            name => self.usable_schema(name),
        };
        names.iter().filter_map(schema).collect()
    }

    /// The same as names are looked for: that of temporary tables stands before them unless it is among them.
    pub fn search_path_with_temp(&self) -> Vec<&str> {
        let mut path = self.search_path();
        if let Some(temp) = self.schema(&self.temp_schema()).filter(|temp| !path.contains(temp)) {
            path.insert(0, temp);
        }
        path
    }

    /// `"$user"`: the schema that is called as whoever runs the statement.
    fn own_schema(&self) -> Option<&str> {
        self.usable_schema(self.role_name(self.user()).unwrap_or_default())
    }

    /// The schema of that name, where there is one whose objects may be named.
    fn usable_schema(&self, name: &str) -> Option<&str> {
        self.schema(name).filter(|name| self.may_in_schema(name, rights::USAGE))
    }

    /// The schema of that name, where there is one.
    fn schema(&self, name: &str) -> Option<&str> {
        self.catalog.schemas.get_key_value(name).map(|(name, _)| name.as_str())
    }

    /// `RangeVarGetRelid`: the relation of that name, in that schema or in the first of `search_path` that has one.
    #[must_use]
    pub fn find(&self, schema: Option<&str>, name: &str) -> Option<Oid> {
        match schema {
            Some(PG_TEMP) => self.catalog.find(&self.temp_schema(), name),
            Some(schema) if self.is_hidden(schema) => None,
            Some(schema) => self.catalog.find(schema, name),
            None => self.search_path_with_temp().into_iter().find_map(|schema| self.catalog.find(schema, name)),
        }
    }

    /// `TypenameGetTypid`: the type of that name, where it is the script's own and no table's.
    #[must_use]
    pub fn find_type(&self, schema: Option<&str>, name: &str) -> Option<Oid> {
        let domain = self.find_domain(schema, name).map(|domain| domain.oid);
        let composite = || self.find_composite(schema, name).map(|ty| ty.oid);
        domain.or_else(composite).or_else(|| self.find_enum(schema, name).map(|ty| ty.oid))
    }

    /// The schema of a type that is the script's own and no table's.
    #[must_use]
    pub fn schema_of_type(&self, oid: Oid) -> Option<&str> {
        let domain = self.catalog.domain(oid).map(|domain| domain.schema.as_str());
        let composite = || self.catalog.composite(oid).map(|ty| ty.schema.as_str());
        domain.or_else(composite).or_else(|| self.catalog.enum_type(oid).map(|ty| ty.schema.as_str()))
    }

    /// `typname` of a type of the script's own.
    #[must_use]
    pub fn bare_type_name(&self, oid: Oid) -> Option<String> {
        let of_enum = self.catalog.enum_type(oid).map(|ty| ty.name.clone());
        let of_domain = || self.catalog.domain(oid).map(|domain| domain.name.clone());
        of_enum.or_else(of_domain).or_else(|| self.row_type_place(oid).map(|(_, name, _)| name))
    }

    /// Is it the schema of another session's temporary tables? Their numbers are not the server's.
    #[must_use]
    pub fn is_hidden(&self, schema: &str) -> bool {
        schema.starts_with(PG_TEMP) && !self.is_temp_schema(schema)
    }

    /// `LookupExplicitNamespace`
    ///
    /// # Errors
    /// PostgreSQL's, where there is no such schema.
    pub fn check_schema(&self, schema: &str) -> Result<(), SqlError> {
        let is_there = self.catalog.schemas.contains_key(schema) || is_of_system(schema);
        if is_there { Ok(()) } else { Err(missing(schema)) }
    }

    /// Does what has no other schema go to that of temporary tables, as it is named or `search_path` begins with it?
    #[must_use]
    pub fn creates_temporary(&self, schema: Option<&str>) -> bool {
        let path = self.pg.backend().settings.shown.get("search_path");
        let first = path.and_then(|path| split_identifiers(path, ',')?.into_iter().next());
        schema.or(first.as_deref()).is_some_and(|schema| schema.starts_with(PG_TEMP))
    }

    /// `RangeVarGetCreationNamespace`: the schema that a new relation goes to.
    ///
    /// # Errors
    /// PostgreSQL's, where there is none, or it is the system's.
    pub fn creation_schema(&self, schema: Option<&str>) -> Result<String, SqlError> {
        let Some(schema) = schema else {
            let first = self.search_path().first().map(ToString::to_string);
            let first = first.ok_or_else(|| SqlError::new("3F000", "no schema has been selected to create in"))?;
            self.check_schema_right(&first, rights::CREATE)?;
            return Ok(first);
        };
        self.check_schema(schema)?;
        if is_of_system(schema) {
            return Err(SqlError::new("42501", format!("permission denied for schema {schema}")));
        }
        self.check_schema_right(schema, rights::CREATE)?;
        Ok(schema.to_string())
    }

    /// The schema of a relation.
    #[must_use]
    pub fn schema_of(&self, relation: Oid) -> &str {
        self.catalog.class(relation).map_or(PUBLIC, |class| class.schema.as_str())
    }

    /// `NamespaceCreate`
    ///
    /// # Errors
    /// PostgreSQL's, where there is one of that name.
    pub fn create_schema(&mut self, name: &str) -> Result<(), SqlError> {
        if self.catalog.schemas.contains_key(name) {
            return Err(SqlError::new("42P06", format!("schema \"{name}\" already exists")));
        }
        if name.starts_with("pg_") {
            let detail = "The prefix \"pg_\" is reserved for system schemas.";
            return Err(SqlError::new("42939", format!("unacceptable schema name \"{name}\"")).with_detail(detail));
        }
        self.pg.current_xid();
        self.keep_names();
        let oid = self.pg.new_object_id();
        self.own(oid);
        self.catalog.schemas.insert(name.to_string(), oid);
        self.use_commands(1);
        Ok(())
    }

    /// `RemoveSchemaById`: of one that is empty.
    pub fn drop_schema(&mut self, name: &str) {
        self.pg.current_xid();
        self.keep_names();
        self.catalog.schemas.remove(name);
        self.use_commands(1);
    }

    /// Tables and sequences of a schema that hang on nothing else, the newest first.
    #[must_use]
    pub fn in_schema(&self, name: &str) -> Vec<Oid> {
        let is_alone = |class: &Class| match class.kind {
            RelKind::Table => true,
            RelKind::Sequence => class.table.is_none(),
            _ => false,
        };
        let all = self.catalog.classes().filter(|class| class.schema == name && is_alone(class));
        let mut found: Vec<Oid> = all.map(|class| class.oid).collect();
        found.reverse();
        found
    }

    /// `CreateComments`: what is said of a relation, or of a column of one, from 1; none: nothing any more.
    pub fn describe(&mut self, of: (Oid, u16), text: Option<String>) {
        if text.is_none() && !self.catalog.comments.contains_key(&of) {
            return;
        }
        self.pg.current_xid();
        self.keep_names();
        match text {
            Some(text) => self.catalog.comments.insert(of, text),
            None => self.catalog.comments.remove(&of),
        };
    }

    /// Schemas, views and functions as they are, for the case that the transaction aborts.
    pub(super) fn keep_names(&mut self) {
        let Catalog { schemas, views, functions, comments, enums, domains, composites, roles, .. } = &self.catalog;
        let before = Names {
            schemas: schemas.clone(),
            views: views.clone(),
            functions: functions.clone(),
            comments: comments.clone(),
            enums: enums.clone(),
            domains: domains.clone(),
            composites: composites.clone(),
            roles: roles.clone(),
        };
        let depth = self.depth();
        self.session().names.push((depth, before));
    }

    /// What the levels from `depth` on did to schemas, views and functions is taken back.
    pub(super) fn undo_names(&mut self, depth: usize) {
        while let Some((_, before)) = self.session().names.pop_if(|(at, _)| *at >= depth) {
            let Names { schemas, views, functions, comments, enums, domains, composites, roles } = before;
            (self.catalog.schemas, self.catalog.views, self.catalog.functions) = (schemas, views, functions);
            (self.catalog.enums, self.catalog.domains) = (enums, domains);
            (self.catalog.composites, self.catalog.comments) = (composites, comments);
            self.catalog.roles = roles;
            self.name_columns();
        }
    }
}

/// `LookupExplicitNamespace`, `get_namespace_oid`
#[must_use]
pub fn missing(schema: &str) -> SqlError {
    SqlError::new("3F000", format!("schema \"{schema}\" does not exist"))
}

/// Is it a schema of the system's own relations?
fn is_of_system(schema: &str) -> bool {
    ["pg_catalog", "information_schema", PG_TOAST.0, PG_TEMP].contains(&schema)
}

/// `SplitIdentifierString`: names, in quotes or in small letters; `None` where the text is no list of such.
#[must_use]
pub fn split_identifiers(text: &str, separator: char) -> Option<Vec<String>> {
    let (mut names, mut rest) = (Vec::new(), text.trim_start());
    if rest.is_empty() {
        return Some(names);
    }
    loop {
        let (name, behind) = identifier(rest, separator)?;
        names.push(name);
        let behind = behind.trim_start();
        if behind.is_empty() {
            return Some(names);
        }
        rest = behind.strip_prefix(separator)?.trim_start();
    }
}

/// The name at the start of a text, and what stands behind it.
fn identifier(text: &str, separator: char) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(|c: char| c == separator || c.is_ascii_whitespace()).unwrap_or(text.len());
        return (end > 0).then(|| (text[..end].to_ascii_lowercase(), &text[end..]));
    };
    let mut name = String::new();
    loop {
        let (part, behind) = rest.split_once('"')?;
        name.push_str(part);
        match behind.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_identifiers;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    #[test]
    fn names_in_a_list() {
        let check = |text: &str, separator, expected: Option<&[&str]>| {
            let names = expected.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(split_identifiers(text, separator), names, "{text}");
        };
        check("\"$user\", public", ',', Some(&["$user", "public"]));
        check("", ',', Some(&[]));
        check("Labs.Person", '.', Some(&["labs", "person"]));
        check("\"A\"\"b\" . c", '.', Some(&["A\"b", "c"]));
        check("a..b", '.', None);
        check("a b", '.', None);
        check("\"a", '.', None);
    }
}
