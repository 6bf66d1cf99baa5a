//! A script with a server's counters: what the simulator has to be told, so that both use the same transaction ids,
//! OIDs and positions.

use ffviz_simulator::sql::script::{Directive, Item, Script};
use ffviz_simulator::sql::trace::{Counters, TraceLine};
use ffviz_simulator::storage::FIRST_MULTIXACT_ID;
use std::collections::BTreeMap;

/// The script with `--@ lsn`, `--@ xid` and, where they matter, `--@ oid`, `--@ multixact` and `--@ redo` before each
/// statement; its own are left out.
#[must_use]
pub fn annotate(script: &Script, lines: &[TraceLine]) -> Script {
    // of each statement its counters, and whether its session learnt of the last checkpoint by it, as it wrote nothing
    // else
    let counters: BTreeMap<u32, (Counters, bool)> = lines
        .iter()
        .filter_map(|line| match line {
            TraceLine::Statement(statement) => {
                let start = statement.start?;
                let after = start.catalog_first && statement.wal.is_empty();
                Some((statement.n, (Counters { catalog_first: start.catalog_first && !after, ..start }, after)))
            }
            _ => None,
        })
        .collect();
    let mut items = Vec::new();
    for item in &script.items {
        match item {
            Item::Directive {
                directive:
                    Directive::Lsn(_) | Directive::Xid(_) | Directive::Oid(_) | Directive::MultiXact(_) | Directive::Redo(_),
                ..
            } => continue,
            Item::Directive { .. } => {}
            Item::Statement(statement) => {
                let line = statement.line;
                let known = counters.get(&statement.n);
                let start = known.into_iter().flat_map(|(start, _)| directives(start, &statement.session));
                items.extend(start.map(|directive| Item::Directive { directive, line }));
                items.push(item.clone());
                if known.is_some_and(|(_, after)| *after) {
                    items.push(Item::Directive { directive: Directive::Redo(statement.session.clone()), line });
                }
                continue;
            }
        }
        items.push(item.clone());
    }
    Script { items }
}

fn directives(counters: &Counters, session: &str) -> Vec<Directive> {
    let oid = counters.oid.map(Directive::Oid);
    let multi = (counters.multi > FIRST_MULTIXACT_ID).then_some(Directive::MultiXact(counters.multi));
    let redo = counters.catalog_first.then(|| Directive::Redo(session.to_owned()));
    let always = [Directive::Lsn(counters.lsn), Directive::Xid(counters.xid)];
    always.into_iter().chain(oid).chain(multi).chain(redo).collect()
}
