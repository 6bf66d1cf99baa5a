//! The same place in another run: the statement, the step within it, the page.

use crate::timeline::Timeline;
use ffviz_format::state::{PageId, Relation, State};

/// How many items of the script are done, or begun, at the state we stand on.
pub(in crate::app) fn item(timeline: &Timeline) -> usize {
    timeline.groups().partition_point(|group| group.states.end <= timeline.current())
}

/// The last state of so many items.
pub(in crate::app) fn end_of(timeline: &Timeline, items: usize) -> usize {
    timeline.groups().get(items).map_or(timeline.len(), |group| group.states.end).saturating_sub(1)
}

/// The state of `new` that shows what `old` shows: the same step of the same statement, and of a statement that was
/// changed the one in its place.
pub(super) fn same_moment(old: &Timeline, new: &Timeline) -> usize {
    if is_another(old, new) {
        return new.current();
    }
    let item = same_item(old, new);
    let (Some(from), Some(to)) = (old.group(old.current()), new.groups().get(item)) else { return 0 };
    if old.current() + 1 == from.states.end {
        return to.states.end - 1;
    }
    (to.states.start + old.current() - from.states.start).min(to.states.end - 1)
}

/// Do the scripts begin and end with other statements? Then no moment of one is one of the other.
fn is_another(old: &Timeline, new: &Timeline) -> bool {
    let ends = |timeline: &Timeline| {
        let labels = || timeline.groups().iter().skip(1).map(|group| group.label.clone());
        labels().next().zip(labels().next_back())
    };
    ends(old).zip(ends(new)).is_some_and(|(old, new)| old.0 != new.0 && old.1 != new.1)
}

/// Statements before the first change stand where they stood, those behind the last one as far from the end.
fn same_item(old: &Timeline, new: &Timeline) -> usize {
    let here = item(old);
    let (before, after) = (old.groups(), new.groups());
    let same = before.iter().zip(after).take_while(|(a, b)| a.label == b.label).count();
    let same_at_end = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a.label == b.label).count();
    let from_end = before.len() - here;
    match here {
        _ if here < same => here,
        _ if from_end <= same_at_end.min(after.len()) => after.len() - from_end,
        _ => here.min(after.len() - 1),
    }
}

/// The page of the relation of that name, if the state has it; of a fork that is shorter there its last page.
pub(in crate::app) fn same_page(old: &Timeline, new: &Timeline, id: PageId) -> Option<PageId> {
    let known = old.state().relations.get(&id.relation)?;
    let mut relations = new.state().relations.values();
    let relation = relations.find(|other| is_same((old.state(), known), (new.state(), other)))?;
    let last = relation.blocks.of(id.fork).saturating_sub(1);
    Some(PageId { relation: relation.oid, block: id.block.min(last), ..id })
}

/// Relations are the same by their name; that of a TOAST table has a number in it, so that one is known by its table.
fn is_same((old, one): (&State, &Relation), (new, two): (&State, &Relation)) -> bool {
    if one.schema != "pg_toast" || two.schema != "pg_toast" {
        return (&one.schema, &one.name) == (&two.schema, &two.name);
    }
    let table = |state: &State, relation: &Relation| relation.table.and_then(|oid| state.relations.get(&oid)).cloned();
    match (one.kind == two.kind, table(old, one), table(new, two)) {
        (true, Some(a), Some(b)) => is_same((old, &a), (new, &b)),
        _ => false,
    }
}
