//! What is said of shapes, updates and statistics; and that what is simulated behaves as tables do.
//! How near it is to servers: `tests/tests/pgbench/advice.rs`.

use super::*;
use crate::experiment::Lab;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::println;

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_string(), kind, nulls: 0.0, distinct: None }
}

fn index(name: &str, keys: &[usize], is_unique: bool) -> Index {
    Index {
        name: name.to_string(),
        method: "btree".to_string(),
        keys: keys.to_vec(),
        others: Vec::new(),
        is_unique,
        is_summarizing: false,
        is_special: false,
        scans: None,
    }
}

/// `orders (id bigint primary key, customer int, state text, hits int)`, with an index on `customer`.
fn orders() -> Shape {
    let columns = [
        column("id", Kind::Int8),
        Column { distinct: Some(1000.0), ..column("customer", Kind::Int4) },
        column("state", Kind::Text(40)),
        column("hits", Kind::Int4),
    ];
    Shape {
        name: "public.orders".to_string(),
        major: 18,
        fillfactor: 100,
        rows: 100_000.0,
        columns: columns.into(),
        indexes: Vec::from([index("orders_pkey", &[0], true), index("orders_customer_idx", &[1], false)]),
    }
}

fn columns(names: &[&str]) -> Updates {
    Updates::Columns(names.iter().map(|name| name.to_string()).collect())
}

fn cases(shape: &Shape, updates: &Updates, fillfactors: &[u32]) -> Vec<Case> {
    let mut say = |_: &str| {};
    let mut lab = Lab::new(Default::default(), &mut say, &|_, block| block.len());
    let pattern = Pattern::new(shape, updates).expect("a pattern");
    let scale = Scale { rows: 1500, rounds: (1.0, Origin::Given), ..Scale::of(shape, &Observed::default()) };
    let one = |fillfactor: &u32| simulate(&mut lab, shape, &pattern, scale, *fillfactor).expect("it runs");
    fillfactors.iter().map(one).collect()
}

#[test]
fn types_by_their_lengths() {
    for (length, align, by_value, average, expected) in [
        (1, 'c', true, None, Kind::Bool),
        (2, 's', true, None, Kind::Int2),
        (4, 'i', true, Some(4), Kind::Int4),
        (8, 'd', true, Some(8), Kind::Int8),
        (16, 'c', false, None, Kind::Uuid),
        // interval, name
        (16, 'd', false, None, Kind::Text(16)),
        (64, 'c', false, None, Kind::Text(64)),
        (-1, 'i', false, Some(18), Kind::Text(18)),
        (-1, 'i', false, None, Kind::Text(32)),
        (-1, 'i', false, Some(-5), Kind::Text(u16::MAX)),
    ] {
        assert_eq!(Kind::of_type(length, align, by_value, average), expected, "{length} {align}");
    }
}

#[test]
fn a_table_of_a_width() {
    let shape = Shape::of_width(120, 3, 18, 1e6).expect("a shape");
    assert_eq!((shape.row_width(), shape.indexes.len(), shape.columns.len()), (120.0, 3, 5));
    let told = Shape::of_width(16, 10, 18, 1e6).expect_err("too narrow");
    assert_eq!(told, "a row with 10 indexed columns and a counter takes 48 bytes at least");
}

#[test]
fn which_columns_change() {
    let shape = orders();
    let pattern = |updates: &Updates| {
        Pattern::new(&shape, updates).map(|pattern| (pattern.plain, pattern.indexed, pattern.share))
    };
    assert_eq!(pattern(&columns(&["hits"])), Ok((Vec::from([3]), Vec::from([3]), 0.0)));
    assert_eq!(pattern(&columns(&["state", "customer"])), Ok((Vec::from([2, 1]), Vec::from([2, 1]), 1.0)));
    assert_eq!(pattern(&Updates::Indexed(0.25, Origin::Given)), Ok((Vec::from([3]), Vec::from([3, 1]), 0.25)));
    let told = pattern(&columns(&["stat"])).expect_err("no such column");
    assert_eq!(told, "public.orders has no column \"stat\"; it has id, customer, state, hits");
    let bare = Shape { indexes: Vec::new(), ..orders() };
    let told = Pattern::new(&bare, &Updates::Indexed(0.5, Origin::Given)).expect_err("no index");
    assert!(told.contains("has no index"), "{told}");
    // an index that only summarises does not stand in the way
    let mut brin = orders();
    brin.indexes[1].is_summarizing = true;
    assert_eq!(Pattern::new(&brin, &columns(&["customer"])).map(|pattern| pattern.share), Ok(0.0));
}

/// The most frequent statement of either kind is simulated; each column that an index has is named.
#[test]
fn statements_tell_which_columns_change() {
    let mut shape = orders();
    shape.indexes.push(index("orders_state_idx", &[2], false));
    let statement = |columns: &[&str], rows| UpdateStatement {
        columns: columns.iter().map(|name| name.to_string()).collect(),
        rows,
    };
    let all = Vec::from([
        statement(&["customer"], 50),
        statement(&["hits"], 600),
        statement(&["state", "hits"], 350),
        statement(&["dropped since"], 7),
    ]);
    let pattern = |measured| Pattern::new(&shape, &Updates::Statements(all.clone(), measured)).expect("a pattern");
    let by_statements = pattern(None);
    assert_eq!((&by_statements.plain[..], &by_statements.indexed[..]), (&[3][..], &[2, 3][..]));
    assert!(
        (by_statements.share - 0.4).abs() < 1e-9
            && by_statements.facts[1].text.ends_with("hits 60 %; state, hits 35 %; customer 5 %"),
        "{by_statements:?}"
    );
    assert_eq!(pattern(Some(0.1)).share, 0.1, "counters tell whether the value was another one");
    let told = obstacles(&shape, &by_statements, &Observed::default());
    assert_eq!(told.len(), 2, "{told:?}");
    let expected =
        "column state, which 35 % of the updates set, is in index orders_state_idx: no UPDATE that changes it is HOT";
    assert!(told.iter().any(|told| told.starts_with(expected)), "{told:?}");
}

/// By the counters of a table of which 60 of 100 updates were HOT, 20 found no room, and 20 stayed and were not HOT.
#[test]
fn counters_tell_how_many_change_an_indexed_column() {
    let counters = Counters { updated: 1000, hot: 600, newpage: Some(200), inserted: 0, live: 250, dead: 0 };
    assert_eq!(counters.indexed_share(), Some(0.25));
    assert_eq!(counters.updates_a_row(), Some(4.0));
    assert_eq!(Counters { inserted: 500, ..counters }.updates_a_row(), Some(2.0));
    assert_eq!(Counters { newpage: None, ..counters }.indexed_share(), None);
    assert_eq!(Counters { updated: 50, hot: 30, newpage: Some(10), ..counters }.indexed_share(), None);
    // counters that are read while they change do not fit
    assert_eq!(Counters { hot: 900, ..counters }.indexed_share(), None);
    let observed = Observed { counters: Some(counters), ..Observed::default() };
    assert_eq!(observed.updates(), Updates::Indexed(0.25, Origin::Measured));
    assert_eq!(Observed::default().updates(), Updates::Indexed(0.0, Origin::Assumed));
}

#[test]
fn obstacles_are_named() {
    let mut shape = orders();
    shape.indexes[1].scans = Some(0);
    let holder = Holder {
        who: "session 7 (idle in transaction)".to_string(),
        age: 54_321,
        way_out: "it has to end".to_string(),
    };
    let young = Holder { age: 3, ..holder.clone() };
    let observed = Observed { holders: Vec::from([young, holder]), ..Observed::default() };
    let told = |updates: &Updates, observed: &Observed| {
        obstacles(&shape, &Pattern::new(&shape, updates).expect("a pattern"), observed)
    };
    assert_eq!(
        told(&columns(&["hits", "customer"]), &observed),
        [
            "column customer is in index orders_customer_idx, which nobody has scanned: no UPDATE that changes it is HOT, whatever the fillfactor",
            "session 7 (idle in transaction) holds a snapshot that 54,321 transactions have begun after: row versions that died since are not pruned, \
             so pages stay full whatever the fillfactor; it has to end",
        ]
    );
    let counters = Counters { updated: 1000, hot: 600, newpage: Some(200), inserted: 0, live: 250, dead: 0 };
    let observed = Observed { counters: Some(counters), since: Some("2025-01-01".to_string()), ..Observed::default() };
    assert_eq!(
        told(&observed.updates(), &observed),
        [
            "1,000 updates since 2025-01-01, 60.0 % HOT; 20.0 % found no room on their page, which a fillfactor changes; \
             20.0 % found room and changed a column of an index, which none changes",
            "25 % of the updates change a column of an index, by the counters: they are never HOT, whatever the fillfactor. \
             Statistics do not tell of which: orders_pkey (id), orders_customer_idx (customer), which nobody has scanned",
        ]
    );
    assert_eq!(told(&columns(&["hits"]), &Observed::default()), [] as [&str; 0]);
}

#[test]
fn a_simulation_that_differs_says_so() {
    let shape = orders();
    let case =
        Case { fillfactor: 100, fresh_pages: 9, heap_pages: 9, index_pages: 9, hot: 0.5, wal: 99.0, touched: 2.0 };
    let told = |hot| {
        let counters = Counters { updated: 1000, hot, ..Counters::default() };
        comparison(&shape, &Observed { counters: Some(counters), ..Observed::default() }, &[case]).expect("a sentence")
    };
    assert_eq!(told(480), "Measured are 48.0 % HOT, simulated with today's fillfactor 50.0 %");
    assert!(told(100).contains("; what differs is"));
    assert_eq!(comparison(&shape, &Observed::default(), &[case]), None);
}

/// Room on pages makes updates HOT; an index on what changes makes that useless.
#[test]
fn room_helps_plain_updates_only() {
    // few rows a page: each full page has one update that finds no room
    let mut shape = orders();
    shape.columns[2].kind = Kind::Text(900);
    let plain = cases(&shape, &columns(&["hits"]), &[100, 80]);
    println!("{plain:?}");
    assert!(plain[1].hot > 0.98 && plain[0].hot < 0.95, "{plain:?}");
    assert!(plain[1].wal < plain[0].wal && plain[1].touched < plain[0].touched, "{plain:?}");
    assert!(plain[1].fresh_pages > plain[0].fresh_pages);
    let advice = recommend(&shape, &plain);
    assert_eq!(advice.statement.as_deref(), Some("ALTER TABLE public.orders SET (fillfactor = 80);"), "{advice:?}");
    let indexed = cases(&shape, &columns(&["customer"]), &[100, 80]);
    assert!(indexed.iter().all(|case| case.hot == 0.0), "{indexed:?}");
    // the new version of such a row is in the WAL whole where it goes to another page
    assert!(indexed[1].wal < indexed[0].wal * 0.8, "{indexed:?}");
    let narrow = orders();
    let advice = recommend(&narrow, &cases(&narrow, &columns(&["customer"]), &[100, 80]));
    assert!(!advice.is_change && advice.statement.is_none(), "{advice:?}");
    // a quarter of the updates needs index entries
    let mixed = cases(&shape, &Updates::Indexed(0.25, Origin::Measured), &[60]);
    assert!((mixed[0].hot - 0.75).abs() < 0.05, "{mixed:?}");
}

/// A case as a table of the report shows it.
fn case(fillfactor: u32, pages: u32, hot: f64, wal: f64, touched: f64) -> Case {
    Case { fillfactor, fresh_pages: pages, heap_pages: pages, index_pages: 0, hot, wal, touched }
}

/// Of cases with as many HOT updates the one with least WAL is named, then that of the largest fillfactor.
#[test]
fn the_best_of_the_others_is_named() {
    let all = [
        case(100, 305, 0.492, 264.0, 2.52),
        case(95, 304, 0.4971, 258.2, 2.48),
        case(90, 319, 0.4969, 259.0, 2.50),
        case(50, 533, 0.4974, 268.0, 2.83),
    ];
    let advice = recommend(&orders(), &all);
    assert!(!advice.is_change, "{advice:?}");
    let expected = "49.2 % of the updates are HOT with it, 49.7 % with the best of the others, 95, whose WAL an update is -2 %: \
                    too little to change it";
    assert_eq!(advice.because, expected);
}

/// Where no update is HOT, WAL decides, and what costs less space is told too.
#[test]
fn wal_decides_where_no_update_is_hot() {
    let all = [
        case(100, 2438, 0.0, 1544.0, 6.64),
        case(95, 2727, 0.0, 413.0, 5.12),
        case(90, 2727, 0.0, 413.0, 5.12),
        case(70, 4010, 0.0, 419.0, 5.34),
        case(10, 7917, 0.0, 431.0, 5.57),
    ];
    let advice = recommend(&Shape { fillfactor: 10, ..orders() }, &all);
    assert_eq!(advice.fillfactor, 95);
    let expected = "table and indexes -66 %, WAL an update -4 %, pages that an update changes 5.1 in place of 5.6; no fillfactor makes \
                    these updates HOT, but of a new version that finds room on its page WAL holds only what changed, of one that \
                    goes to another page the whole row. Smaller still is fillfactor 100, compared with 95: WAL an update +274 %, \
                    pages that an update changes 6.6 in place of 5.1, table and indexes -11 %";
    assert_eq!(advice.because, expected);
    assert!(advice.effect.is_some_and(|effect| effect.contains("leave 5 % of it free from then on")));
    let advice = recommend(&orders(), &all);
    assert!(advice.fillfactor == 95 && advice.because.starts_with("WAL an update -73 %"), "{advice:?}");
}

/// What stays as it is is not told; that nothing else changes is.
#[test]
fn a_smaller_table_is_told_first() {
    let all = [
        case(100, 276, 0.99, 180.0, 1.32),
        case(95, 276, 0.9997, 176.0, 1.28),
        case(90, 291, 0.9999, 176.2, 1.29),
        case(50, 506, 1.0, 175.0, 1.48),
    ];
    let advice = recommend(&Shape { fillfactor: 90, ..orders() }, &all);
    let expected = "table and indexes -5 %, HOT updates and WAL stay as they are";
    assert_eq!((advice.fillfactor, advice.because.as_str()), (95, expected));
    let full = [case(100, 276, 0.9, 300.0, 1.4), case(80, 340, 0.9, 300.0, 1.4)];
    let advice = recommend(&Shape { fillfactor: 80, ..orders() }, &full);
    assert!(advice.effect.is_some_and(|effect| effect.contains("new rows fill their pages from then on")));
}

/// A full page turns one new version away: what it leaves behind is pruned, and takes the next.
#[test]
fn full_pages_have_hot_updates() {
    let shape = Shape {
        columns: Vec::from([column("id", Kind::Int8), column("hits", Kind::Int4), column("filler", Kind::Text(188))]),
        ..orders()
    };
    let shape = Shape { indexes: Vec::from([index("orders_pkey", &[0], true)]), ..shape };
    let scale = Scale { rows: 1500, rounds: (1.0, Origin::Given), ..Scale::of(&shape, &Observed::default()) };
    let all = cases(&shape, &columns(&["hits"]), &[100, 80]);
    let turned_away = (1.0 - all[0].hot) * scale.updates() as f64;
    assert!((turned_away - f64::from(all[0].fresh_pages)).abs() <= 4.0, "{all:?}");
    let told = hot_on_full_pages(scale, &all);
    assert!(told.as_ref().is_some_and(|told| told.contains("a full page turns one new version away")), "{told:?}");
    assert_eq!(hot_on_full_pages(scale, &cases(&shape, &columns(&["id"]), &[100, 80])), None);
}

/// Tables that find their rows in other ways, and columns of all kinds, can be simulated.
#[test]
fn shapes_of_all_kinds() {
    let kinds =
        [Kind::Bool, Kind::Int2, Kind::Int4, Kind::Int8, Kind::Uuid, Kind::Text(1), Kind::Text(20), Kind::Text(300)];
    let all: Vec<Column> = kinds.iter().enumerate().map(|(n, kind)| column(&std::format!("c{n}"), *kind)).collect();
    let names: Vec<String> = all.iter().map(|column| column.name.clone()).collect();
    let mut nullable = all.clone();
    nullable.iter_mut().for_each(|column| column.nulls = 0.3);
    for (columns, indexes) in [
        (all.clone(), Vec::new()),
        (all.clone(), Vec::from([index("by_uuid", &[4], true)])),
        (all.clone(), Vec::from([index("by_text", &[6, 0], true), index("long", &[7], false)])),
        (nullable, Vec::from([index("by_both", &[1, 2], true)])),
    ] {
        let shape = Shape { columns, indexes, rows: 1500.0, ..orders() };
        for changed in &names {
            let case = cases(&shape, &Updates::Columns(Vec::from([changed.clone()])), &[90]);
            assert!(case[0].wal > 50.0 && case[0].heap_pages > 20, "{changed}: {case:?}");
        }
    }
    // an index on a long text; a row that would be too long
    let long = Shape { columns: Vec::from([column("id", Kind::Int4), column("body", Kind::Text(5000))]), ..orders() };
    let long = Shape { indexes: Vec::from([index("a", &[0], true), index("b", &[1], false)]), ..long };
    assert_eq!(cases(&long, &columns(&["body"]), &[100])[0].hot, 0.0);
}

#[test]
fn the_same_seed_gives_the_same() {
    let shape = orders();
    let [one, other] = [(); 2].map(|()| cases(&shape, &columns(&["state"]), &[85]));
    assert_eq!(one, other);
}
