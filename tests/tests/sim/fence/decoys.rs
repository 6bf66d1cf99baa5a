//! Somebody's database: things with the names that scripts use, and everything of the server that a script might reach,
//! as one digest each.

use crate::scripts;
use ffviz_live::fence::Named;
use ffviz_simulator::sql::parse::parse;
use ffviz_simulator::sql::script::Script;
use postgres::Client;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Catalogs and views in which every escape would leave a trace. Rows are compared as text; of `pg_file_settings` that
/// covers postgresql.auto.conf.
const CATALOGS: [&str; 34] = [
    "pg_attrdef",
    "pg_attribute",
    "pg_auth_members",
    "pg_authid",
    "pg_class",
    "pg_constraint",
    "pg_database",
    "pg_db_role_setting",
    "pg_default_acl",
    "pg_depend",
    "pg_description",
    "pg_event_trigger",
    "pg_extension",
    "pg_file_settings",
    "pg_foreign_server",
    "pg_index",
    "pg_inherits",
    "pg_language",
    "pg_largeobject_metadata",
    "pg_namespace",
    "pg_policy",
    "pg_prepared_xacts",
    "pg_proc",
    "pg_publication",
    "pg_replication_origin",
    "pg_replication_slots",
    "pg_rewrite",
    "pg_sequences",
    "pg_shdescription",
    "pg_statistic",
    "pg_subscription",
    "pg_tablespace",
    "pg_trigger",
    "pg_type",
];

/// Another folder of scripts, where one is named.
pub fn other_field() -> Option<PathBuf> {
    std::env::var_os("FFVIZ_FIELD").map(PathBuf::from)
}

/// Files of scripts as people type them.
pub fn field() -> Vec<PathBuf> {
    let folder = other_field().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("field"));
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    paths
}

/// The names of relations in all scripts that there are.
fn names() -> BTreeSet<String> {
    let texts = field().into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let texts: Vec<String> = texts.chain(scripts::all().into_iter().map(|case| case.text)).collect();
    let mut names: BTreeSet<String> = ["orders", "customers", "secret"].map(str::to_owned).into();
    for script in texts.iter().filter_map(|text| Script::parse(text).ok()) {
        for tree in script.statements().filter_map(|statement| parse(&statement.sql).ok()) {
            let named = Named::of(&tree);
            names.extend(named.written.iter().chain(&named.read).map(|name| name.name.clone()));
        }
    }
    names.retain(|name| !name.starts_with("pg_"));
    names
}

/// Makes them: a filled table of each name in `public` and in another schema, sequences, a type, a view, a role, a
/// large object.
pub fn make(client: &mut Client) -> usize {
    let names = names();
    let mut sql = String::from(
        "CREATE SCHEMA other; CREATE ROLE someone; CREATE ROLE auditor; GRANT someone TO auditor; ALTER ROLE someone SET work_mem = '3MB';
         CREATE TYPE public.decoy_mood AS ENUM ('sad', 'glad'); SELECT lo_from_bytea(424242, 'bytes');",
    );
    for schema in ["public", "other"] {
        for name in &names {
            let quoted = name.replace('"', "\"\"");
            sql += &format!(
                "CREATE TABLE {schema}.\"{quoted}\" (id int, v text);
                 INSERT INTO {schema}.\"{quoted}\" SELECT g, 'row ' || g FROM generate_series(1, 3) g;"
            );
        }
        sql += &format!(
            "CREATE SEQUENCE {schema}.decoy_seq; SELECT setval('{schema}.decoy_seq', 77);
             CREATE INDEX decoy_idx ON {schema}.orders (id); CREATE VIEW {schema}.decoy_view AS SELECT * FROM {schema}.orders;"
        );
    }
    // functions of known names, each of which leaves a trace when it is called
    for schema in ["public", "other"] {
        for (name, arguments, result) in
            [("abs", "int", "int"), ("lower", "text", "text"), ("generate_series", "int, int", "int")]
        {
            sql += &format!(
                "CREATE FUNCTION {schema}.{name}({arguments}) RETURNS {result} IMMUTABLE LANGUAGE plpgsql AS
                 $$ BEGIN PERFORM nextval('{schema}.decoy_seq'); RETURN $1; END $$;"
            );
        }
    }
    client.batch_execute(&sql).expect("decoys");
    names.len()
}

/// Everything, a digest by name. What interrupted runs have left is apart.
pub fn digests(client: &mut Client, data: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for catalog in CATALOGS {
        let sql = format!(
            "SELECT concat(count(*), ' ', md5(string_agg(c::text, ' ' ORDER BY c::text))) FROM pg_catalog.{catalog} c"
        );
        let row = client.query_one(&sql, &[]).unwrap_or_else(|error| panic!("{catalog}: {error}"));
        found.insert(catalog.to_owned(), row.get(0));
    }
    let rows = "SELECT format('%I.%I', nspname, relname) AS name,
                       query_to_xml(format('SELECT ctid, xmin, xmax, t.* FROM %I.%I t', nspname, relname), true, false, '')::text AS rows
                  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
                 WHERE nspname IN ('public', 'other') AND relkind IN ('r', 'S')";
    for row in client.query(rows, &[]).expect("the rows of decoys") {
        found.insert(row.get("name"), row.get("rows"));
    }
    let large = client.query_one("SELECT md5(string_agg(l::text, ' ' ORDER BY l::text)) FROM pg_largeobject l", &[]);
    found.insert("large objects".to_owned(), large.expect("large objects").get(0));
    found.insert("files".to_owned(), data.join("escaped").exists().to_string());
    found
}

/// What is otherwise, by name.
pub fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}
