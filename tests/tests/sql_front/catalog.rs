//! The engine's excerpts of `pg_type`, `pg_cast` and `pg_operator` against the catalogs themselves.

use ffviz_simulator::sql::expr::pg_catalog::{CASTS, CASTS_SINCE_18, COMPARED, EQUAL, OPERATORS, TYPES};
use ffviz_tests::servers::{MAJORS, connect};
use std::collections::BTreeSet;

/// The types that the simulator has.
const OIDS: &str =
    "16,17,18,20,21,23,25,26,27,28,29,114,700,701,790,869,1042,1043,1082,1083,1114,1184,1186,1560,1562,1700,2950,3802";

/// The words of a table, those that `leaves_out` names excepted.
fn words(text: &str, leaves_out: impl Fn(&str) -> bool) -> BTreeSet<String> {
    text.split(' ').filter(|word| !leaves_out(word)).map(str::to_owned).collect()
}

/// What the query gives, a word a row.
fn asked(client: &mut postgres::Client, sql: &str) -> BTreeSet<String> {
    client.query(sql, &[]).expect(sql).iter().map(|row| row.get(0)).collect()
}

#[test]
fn types_casts_and_operators_are_those_of_the_servers() {
    // arrays and any types have rows of other names in the catalogs
    let pseudo = |word: &str| ["1007", "1009", "2776"].iter().any(|oid| word.contains(oid));
    for major in MAJORS {
        let client = &mut connect(major, "postgres");
        let mut rows = 0;
        let mut check = |sql: &str, mut expected: BTreeSet<String>| {
            if major < 15 && expected.remove("18Z") {
                expected.insert("18S".to_owned());
            }
            rows += expected.len();
            assert_eq!(asked(client, sql), expected, "PostgreSQL {major}: {sql}");
        };
        check(
            &format!(
                "select oid || typcategory::text || case when typispreferred then '!' else '' end from pg_type where oid in ({OIDS})"
            ),
            words(TYPES, pseudo),
        );
        check(
            &format!(
                "select castsource || '>' || casttarget || castcontext::text from pg_cast
                 where castsource in ({OIDS}) and casttarget in ({OIDS}) and castsource <> casttarget"
            ),
            words(&if major < 18 { CASTS.to_owned() } else { format!("{CASTS} {CASTS_SINCE_18}") }, pseudo),
        );
        for (name, table) in OPERATORS {
            check(
                &format!(
                    "select oprleft || ',' || oprright || '>' || oprresult from pg_operator
                     where oprname = '{name}' and (oprleft in ({OIDS}) or oprleft = 0 and oprname = '-') and oprright in ({OIDS})"
                ),
                words(table, pseudo),
            );
        }
        for name in ["=", "<>", "<", "<=", ">", ">="] {
            let equal = EQUAL.iter().filter(|(known, _)| *known == name).map(|(_, rows)| *rows);
            check(
                &format!(
                    "select oprleft || ',' || oprright from pg_operator
                     where oprname = '{name}' and oprleft in ({OIDS}) and oprright in ({OIDS})"
                ),
                equal.chain([COMPARED]).flat_map(|rows| words(rows, pseudo)).collect(),
            );
        }
        println!("PostgreSQL {major}: {rows} rows of pg_type, pg_cast and pg_operator are equal");
        assert!(rows > 300, "too little was compared");
    }
}
