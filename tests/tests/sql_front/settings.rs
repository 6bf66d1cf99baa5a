//! The settings that the simulator knows against `pg_settings` of the servers: their names, who may set them, their
//! types, units, bounds and values. `FFVIZ_RENEW=1` makes the file anew.

use ffviz_tests::servers::{MAJORS, connect};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// What the file has of a setting. What initdb and the machine decide is as on a server that was just made; autovacuum
/// does not run in the simulator. Settings of extensions and the version itself are left out.
const QUESTION: &str = "
    SELECT name, context,
           concat_ws(' ', vartype,
               CASE WHEN vartype IN ('integer', 'real') THEN concat(coalesce(unit, '-'), ' ', min_val, ' ', max_val) END,
               array_to_string(enumvals, ',')),
           CASE name
               WHEN 'DateStyle' THEN 'ISO, MDY'
               WHEN 'TimeZone' THEN 'UTC'
               WHEN 'log_timezone' THEN 'UTC'
               WHEN 'client_encoding' THEN 'UTF8'
               WHEN 'server_encoding' THEN 'UTF8'
               WHEN 'default_text_search_config' THEN 'pg_catalog.english'
               WHEN 'shared_buffers' THEN '16384'
               WHEN 'max_connections' THEN '100'
               WHEN 'dynamic_shared_memory_type' THEN 'posix'
               WHEN 'max_wal_size' THEN '1024'
               WHEN 'min_wal_size' THEN '80'
               WHEN 'application_name' THEN ''
               WHEN 'autovacuum' THEN 'off'
               ELSE CASE WHEN name LIKE 'lc\\_%' THEN 'C' ELSE coalesce(boot_val, '') END END
    FROM pg_settings WHERE name NOT LIKE '%.%' AND name NOT IN ('server_version', 'server_version_num')";

/// What a server tells people of each.
const TOLD: &str = "
    SELECT name, category, short_desc, coalesce(extra_desc, '')
    FROM pg_settings WHERE name NOT LIKE '%.%' AND name NOT IN ('server_version', 'server_version_num')";

/// `name|from|to|…`: the same in each of these versions.
fn asked(question: &str) -> String {
    let mut rows: BTreeMap<(String, String, String), Vec<u32>> = BTreeMap::new();
    for major in MAJORS {
        for row in connect(major, "postgres").query(question, &[]).expect("a server knows its settings") {
            let [name, rest @ ..] = [0, 1, 2, 3].map(|at| row.get::<_, String>(at));
            rows.entry((name.to_lowercase(), name, rest.join("|"))).or_default().push(major);
        }
    }
    let mut lines = Vec::new();
    for ((sorted, name, rest), majors) in rows {
        for run in majors.chunk_by(|a, b| a + 1 == *b) {
            let (from, to) = (run[0], run[run.len() - 1]);
            lines.push((sorted.clone(), from, format!("{name}|{from}|{to}|{rest}\n")));
        }
    }
    lines.sort();
    lines.into_iter().map(|(.., line)| line).collect()
}

#[test]
fn settings_are_those_of_the_servers() {
    check("pg_settings.txt", QUESTION);
}

#[test]
fn they_are_told_as_servers_tell_them() {
    check("pg_settings_told.txt", TOLD);
}

fn check(name: &str, question: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../engine/simulator/src/sql/guc").join(name);
    let asked = asked(question);
    if std::env::var("FFVIZ_RENEW").is_ok() {
        fs::write(&file, &asked).expect("the file can be written");
    }
    let known = fs::read_to_string(&file).expect("the file is there");
    let differs = known.lines().zip(asked.lines()).find(|(known, asked)| known != asked);
    assert_eq!(differs, None, "FFVIZ_RENEW=1 makes it anew");
    assert_eq!(known.lines().count(), asked.lines().count());
    assert!(known.lines().count() > 400, "too little was compared");
}
