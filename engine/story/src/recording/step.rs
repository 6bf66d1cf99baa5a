//! `step` lines: what a simulated statement did, step by step, each with the bytes that it changed.

use super::line::{StepLine, StepPage};
use super::wal;
use crate::timeline::{Cause, KeptStep, Timeline, changed_bytes};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ffviz_format::page::{ForkNumber, Oid, Page};
use ffviz_format::state::{PageId, Server, State};

/// The line of the step that a timeline stands on, the `n`th of its statement.
pub(super) fn line(timeline: &Timeline, n: usize) -> StepLine<'static> {
    let KeptStep { cause, pages, known, relations, lsn, redo, within } = timeline.kept();
    let before = |id: &PageId| timeline.before().and_then(|state| state.pages.get(id));
    let page =
        |known: bool| move |(id, after): &(PageId, Option<Page>)| step_page(*id, before(id), after.as_ref(), known);
    let mut line = StepLine {
        n,
        lsn: lsn.map(|lsn| lsn.to_string()),
        redo: redo.map(|lsn| lsn.to_string()),
        within: within.map(|statement| statement.to_string()),
        pages: pages.iter().map(page(false)).chain(known.iter().map(page(true))).collect(),
        gone: relations.iter().filter(|(_, after)| after.is_none()).map(|(oid, _)| *oid).collect(),
        relations: relations.into_iter().filter_map(|(_, after)| Some(after?.as_ref().clone())).collect(),
        ..StepLine::default()
    };
    match cause {
        Cause::Record(record) => line.record = Some(wal::line(&record, &timeline.state().server)),
        Cause::Unlogged(why) => line.unlogged = Some(why),
        Cause::Told { sentence, facts, about } => {
            (line.told, line.facts, line.about) = (Some(sentence), facts, about.map(Into::into));
        }
        // no simulated step has another one
        Cause::Start | Cause::Capture | Cause::NotLogged => {}
    }
    line
}

fn step_page(id: PageId, before: Option<&Page>, after: Option<&Page>, known: bool) -> StepPage {
    let page = StepPage { known, ..StepPage::from(id) };
    match (before, after) {
        (_, None) => StepPage { gone: true, ..page },
        (Some(before), Some(after)) if before.size() == after.size() => {
            let runs = changed_bytes(before, after).into_iter();
            StepPage { runs: runs.map(|run| (run.start, STANDARD.encode(after.slice(run)))).collect(), ..page }
        }
        (_, Some(after)) => StepPage { data: Some(STANDARD.encode(after.bytes())), ..page },
    }
}

/// The step of a line, taken in the state that it begins in; or why it cannot be one.
pub(super) fn step(line: StepLine<'_>, state: &mut State) -> Result<KeptStep, String> {
    let cause = cause(&line, &state.server)?;
    let lsn = |text: Option<String>| text.map(|text| text.parse()).transpose();
    let (mut pages, mut known) = (Vec::new(), Vec::new());
    for page in &line.pages {
        let id = PageId { relation: page.oid, fork: page.fork, block: page.block };
        let after = page_after(page, state.pages.get(&id), &state.server)?;
        match &after {
            Some(after) => state.pages.insert(id, after.clone()),
            None => state.pages.remove(&id),
        };
        if page.known { known.push((id, after)) } else { pages.push((id, after)) }
    }
    let mut relations: Vec<_> = line.gone.iter().map(|oid| (*oid, None)).collect();
    relations.extend(line.relations.into_iter().map(|relation| (relation.oid, Some(Arc::new(relation)))));
    relations.sort_by_key(|(oid, _)| *oid);
    for (oid, after) in &relations {
        match after {
            Some(after) => state.relations.insert(*oid, after.clone()),
            None => state.relations.remove(oid),
        };
    }
    let touched = relations.iter().map(|(oid, _)| *oid).chain(line.pages.iter().map(|page| page.oid));
    if let Some(id) = touched.filter_map(|oid| misplaced(state, oid)).next() {
        return Err(format!("its page {id} has no place in a relation"));
    }
    let within = line.within.map(Arc::from);
    Ok(KeptStep { cause, pages, known, relations, lsn: lsn(line.lsn)?, redo: lsn(line.redo)?, within })
}

/// A page behind the end of its fork, or of a relation that is not there.
fn misplaced(state: &State, oid: Oid) -> Option<PageId> {
    let relation = state.relations.get(&oid);
    let first = PageId { relation: oid, fork: ForkNumber::Main, block: 0 };
    let pages = state.pages.range(first..).take_while(|(id, _)| id.relation == oid);
    let has_no_place = |id: &PageId| relation.is_none_or(|relation| id.block >= relation.blocks.of(id.fork));
    pages.map(|(id, _)| *id).find(has_no_place)
}

fn cause(line: &StepLine<'_>, server: &Server) -> Result<Cause, String> {
    let about = line.about.as_ref().map(|id| PageId { relation: id.oid, fork: id.fork, block: id.block });
    match (&line.record, line.unlogged, &line.told) {
        (Some(record), None, None) => Ok(Cause::Record(Arc::new(wal::record(record, server)?))),
        (None, Some(why), None) => Ok(Cause::Unlogged(why)),
        (None, None, Some(sentence)) => {
            Ok(Cause::Told { sentence: sentence.clone(), facts: line.facts.clone(), about })
        }
        _ => Err("it has not one of record, unlogged and told".to_string()),
    }
}

fn page_after(page: &StepPage, before: Option<&Page>, server: &Server) -> Result<Option<Page>, String> {
    let unpack = |text: &str| STANDARD.decode(text).map_err(|error| format!("its base64 is damaged: {error}"));
    if page.gone {
        return Ok(None);
    }
    if let Some(data) = &page.data {
        let bytes = unpack(data)?;
        let fits = bytes.len() == usize::from(server.block_size);
        return fits.then(|| Some(Page::new(&bytes))).ok_or_else(|| format!("a page has {} bytes", bytes.len()));
    }
    let mut after = before.cloned().ok_or("it changes a page that is not there")?;
    for (start, data) in &page.runs {
        let bytes = unpack(data)?;
        let run = usize::from(*start)..usize::from(*start) + bytes.len();
        after.bytes_mut().get_mut(run).ok_or("it changes bytes behind the page's end")?.copy_from_slice(&bytes);
    }
    Ok(Some(after))
}
