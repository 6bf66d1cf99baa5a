//! What steps are said to be. `FFVIZ_WORDS=1` prints all of it.

use ffviz_story::timeline::{Cause, EventKind, Timeline};

/// Each step by record begins with the record; what is said of some is true.
pub fn check(timeline: &mut Timeline) {
    let print = std::env::var_os("FFVIZ_WORDS").is_some();
    let mut label = String::new();
    for n in 1..timeline.len() {
        timeline.seek(n);
        let told = timeline.explain();
        let now = timeline.label(n).unwrap_or_default();
        if print && now != label {
            println!("=== {now}");
        }
        label = now.to_string();
        if print {
            println!("--- {n}, transaction {:?}: {}", timeline.transaction(n), told.headline);
            told.events
                .iter()
                .for_each(|event| println!("    {}\n        {}", event.what, event.why.as_deref().unwrap_or_default()));
        }
        let first = told.events.first().map(|event| event.kind);
        match timeline.cause(n) {
            Some(Cause::Record(_)) => assert_eq!(first, Some(EventKind::Record), "step {n}: {}", told.headline),
            Some(Cause::NotLogged) => assert_eq!(first, Some(EventKind::Provenance), "step {n}: {}", told.headline),
            _ => {}
        }
    }
    predicted_size(timeline);
    transactions(timeline);
}

/// After a checkpoint an UPDATE carries an image, and says what it would cost without; the same UPDATE a second time
/// costs just that.
fn predicted_size(timeline: &mut Timeline) {
    let updates: Vec<usize> = (1..timeline.len())
        .filter(|n| timeline.label(*n) == Some("after a checkpoint"))
        .filter(|n| {
            timeline
                .record(*n)
                .is_some_and(|record| record.header().xl_rmid() == 10 && record.header().xl_info() & 0x70 == 0x40)
        })
        .collect();
    let [first, second] = updates[..] else { panic!("two HOT updates: {updates:?}") };
    timeline.seek(first);
    let told = timeline.explain();
    let why = told.events[0].why.as_deref().unwrap_or_default();
    let second = timeline.record(second).expect("a record").header().xl_tot_len();
    assert!(why.contains(&format!("Without the image the record has {second} bytes")), "{second}: {why}");
    assert!(why.contains("the page's first change since the checkpoint"), "{why}");
}

/// Steps of a transaction are told by its top-level xid; forth and back by statement and transaction.
fn transactions(timeline: &Timeline) {
    let of = |label: &str| {
        timeline.groups().iter().find(|group| group.label.as_deref() == Some(label)).expect("a group").states.clone()
    };
    let ids = |label: &str| {
        let mut ids: Vec<_> = of(label).filter_map(|n| timeline.transaction(n)).collect();
        ids.dedup();
        ids
    };
    assert_eq!(ids("a transaction of three statements").len(), 1);
    // the rolled back subtransaction keeps its own xid: nothing in the WAL says whose it was
    assert_eq!(ids("subtransactions").len(), 2);
    let prepared = ids("prepared, others in between");
    assert_eq!((prepared.len(), prepared.first()), (3, prepared.last()));
    let three = of("a transaction of three statements");
    assert_eq!(timeline.next_group(three.start - 1), three.end - 1);
    assert_eq!(timeline.previous_group(three.end - 1), three.start - 1);
    assert_eq!(timeline.next_group(timeline.len() - 1), timeline.len() - 1);
    assert_eq!(timeline.previous_group(0), 0);
    let mut at = 0;
    while at + 1 < timeline.len() {
        let next = timeline.next_transaction(at);
        assert!(next > at && timeline.previous_transaction(next) <= at);
        at = next;
    }
}
