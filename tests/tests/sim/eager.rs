//! Eager scanning of 18 (`heap_vacuum_eager_scan_setup`, src/backend/access/heap/vacuumlazy.c): a table of 8,192 pages
//! or more, of which each VACUUM freezes a fifth of the pages that are all-visible only. Where the first region ends is
//! random on a server; with a failure rate of 1 no page is left out for it.

use super::oracle::Oracle;
use super::suite::both;
use ffviz_simulator::sql::script::Script;
use ffviz_verify::compare::{self, report_counts};

/// A row a page. The rows of two hundred pages behind the first region become too new to be frozen; then the settings
/// under which nothing is.
const SCRIPT: &str = "
    alter system set vacuum_max_eager_freeze_failure_rate = 1;
    alter system set vacuum_freeze_min_age = 50;
    select pg_reload_conf();
    create table t (a int primary key, b char(500)) with (fillfactor = 10, autovacuum_enabled = off);
    insert into t select g, 'row' from generate_series(1, 8195) g;
    vacuum t;
    do $$ begin for i in 1..200 loop update t set b = 'new' where a = 4300 + i; commit; end loop; end $$;
    vacuum t;
    vacuum t;
    vacuum t;
    vacuum t;
    vacuum t;
    delete from t where a = 4301 or a = 5000;
    vacuum t;
    alter system set vacuum_max_eager_freeze_failure_rate = 0;
    select pg_reload_conf();
    vacuum t;
    alter system reset vacuum_max_eager_freeze_failure_rate;
    alter system set vacuum_freeze_min_age = 0;
    select pg_reload_conf();
    vacuum (freeze) t;
    vacuum t;
    -- a page too few
    create table s (a int primary key, b char(500)) with (fillfactor = 10, autovacuum_enabled = off);
    insert into s select g, 'row' from generate_series(1, 8191) g;
    alter system set vacuum_freeze_min_age = 1000000;
    select pg_reload_conf();
    vacuum s;
    alter system set vacuum_freeze_min_age = 0;
    select pg_reload_conf();
    vacuum s;
";

#[test]
#[ignore = "minutes"]
fn pages_frozen_eagerly_are_those_of_the_server() {
    for major in [17, 18] {
        let oracle = Oracle::start(major, false);
        let text = if major < 18 {
            let lines = SCRIPT.lines().filter(|line| !line.contains("vacuum_max_eager_freeze_failure_rate"));
            lines.collect::<Vec<_>>().join("\n")
        } else {
            SCRIPT.to_owned()
        };
        let script = Script::parse(&text).expect("the script can be read");
        let comparison = both(&oracle, &script).unwrap_or_else(|why| panic!("{major}: {why}"));
        println!("{major}: {}", report_counts(&comparison.counts));
        assert!(comparison.is_equal(), "{major}:\n{}", compare::text(&comparison));
        assert!(comparison.counts.is_something(), "nothing was compared");
    }
}
