//! Notes about maps, WAL, checkpoints, crashes and decisions.

use super::super::panel::{Band, Fate, PanelLine};
use super::super::stage::Stage;
use super::super::{Plot, log};
use super::{from_story, from_story_where_nothing, is_changed, is_gone, is_new};
use crate::scene::{PartId, Role};
use crate::timeline::{Cause, EventKind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::state::{RelKind, State};

pub(super) fn all_visible(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| matches!(band.role, Role::BlockAllVisible | Role::BlockAllFrozen) && is_changed(band),
        "the bit is set: an index-only scan need not look at this page, and VACUUM may pass over it",
    );
    from_story_where_nothing(stage);
}

pub(super) fn visibility_cleared(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| matches!(band.part, PartId::Block(_)) && is_changed(band),
        "the bit is cleared: something on this page may not be visible to everybody",
    );
    from_story_where_nothing(stage);
}

pub(super) fn free_space_map(stage: &mut Stage<'_>) {
    stage.note_bands(is_changed, "what the map says of a page's free space, in steps of 32 bytes; not in the WAL");
    from_story_where_nothing(stage);
}

pub(super) fn image(stage: &mut Stage<'_>) {
    image_of_page(stage);
    from_story(stage);
}

/// The pages that go into the record as a whole.
fn image_of_page(stage: &mut Stage<'_>) {
    let image = stage.place(|band| band.role == Role::WalImage);
    let is_redo = stage.look.step.is_redo();
    for (n, id) in log::imaged_pages(stage.look).into_iter().enumerate() {
        let Some(panel) = stage.panel_of(id) else { continue };
        // from a part that has no arrow of its own, as far as there is one
        let unmoved = stage.place_in(panel, |band| band.fate == Fate::Same);
        let page = unmoved.or_else(|| stage.place_in(panel, |band| !band.fate.is_ghost()));
        // the word once
        let word = |word| if n == 0 { word } else { "" };
        match is_redo {
            true => stage.arrow(image, page, true, word("put back")),
            false => stage.arrow(page, image, stage.plot == Plot::Image, word("copied")),
        }
    }
    let what = match is_redo {
        true => "the copy of the page in the record: recovery puts it in the place of what is on disk, torn or not",
        false => {
            "the whole page goes into the WAL, without its hole: if a crash tears the page on disk, recovery puts this copy in its place"
        }
    };
    stage.note_bands(|band| band.role == Role::WalImage, what);
}

/// A record that does something else may hold an image too.
pub(super) fn image_of_record(stage: &mut Stage<'_>) {
    let Cause::Record(record) = &stage.look.step.cause else { return };
    if log::has_image(stage.look, record) {
        image_of_page(stage);
    }
}

pub(super) fn checkpoint(stage: &mut Stage<'_>) {
    let what = stage.told.events.iter().find(|event| event.kind == EventKind::Checkpoint);
    let what = what.map_or_else(|| String::from("a checkpoint"), |event| event.what.clone());
    note_record(stage, &what);
    stage.note(
        "from its redo position on, the first change of each page carries an image of it, with full_page_writes on",
    );
}

pub(super) fn commit(stage: &mut Stage<'_>) {
    note_record(
        stage,
        "once this record is on disk, a crash does not undo the transaction; the pages it changed need not be written",
    );
}

pub(super) fn abort(stage: &mut Stage<'_>) {
    note_record(stage, what_rollback_leaves(stage.look.state));
}

/// A note at the record, which is drawn last.
fn note_record(stage: &mut Stage<'_>, note: &str) {
    match stage.panels.iter().rposition(|panel| panel.page.is_none()) {
        Some(panel) => stage.note_panel(panel, note),
        None => stage.note(note),
    }
}

/// What becomes of pages whose changes are rolled back.
pub fn what_rollback_leaves(state: &State) -> &'static str {
    match state.relations.values().any(|relation| relation.kind == RelKind::Undo) {
        true => "its undo records are back in the rows by now: each change was taken back by a record of its own",
        false => "rolled back: nothing is undone on the pages; whatever the transaction wrote there counts for nobody",
    }
}

pub(super) fn crash(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| band.fate == Fate::Damaged,
        "line pointers of the upper half lead here, where nothing was written",
    );
    stage.note_bands(|band| band.fate == Fate::Gone, "was in memory, and did not reach the disk");
    let is_tear = |line: &PanelLine| matches!(line, PanelLine::Tear(_));
    if !stage.panels.iter().flat_map(|panel| &panel.lines).any(is_tear) {
        stage.tag(Fate::Gone, "lost");
    }
    stage.tag(Fate::Changed, "as last written");
    stage.note_bands(is_changed, "as it was when it was last written: the change after it is lost");
    from_story(stage);
}

pub(super) fn decision(stage: &mut Stage<'_>) {
    let told = stage.told;
    for panel in &mut stage.panels {
        panel.status = String::from("looked at, not changed");
    }
    // above pages the title is enough
    if stage.panels.is_empty() {
        stage.note(told.headline.clone());
    }
    for event in told.events.iter().filter(|event| event.what != told.headline).take(3) {
        stage.note(event.what.clone());
    }
}

/// Rows of the system catalogs: what they say of relations.
pub(super) fn catalog(stage: &mut Stage<'_>) {
    let is_entry = |band: &Band| band.role == Role::Entry;
    let new = match stage.is_measured() {
        true => "made since the capture before, or not looked at until then",
        false => "new in pg_class: from COMMIT on everybody finds it; a table's file is empty until its first row",
    };
    stage.note_bands(|band| is_entry(band) && is_new(band), new);
    stage.note_bands(
        |band| is_entry(band) && is_changed(band) && band.tag.starts_with("file "),
        "a new file in place of the old one, which goes at COMMIT; a ROLLBACK takes the new one away",
    );
    stage.note_bands(
        |band| is_entry(band) && is_changed(band) && band.tag.starts_with("fillfactor"),
        "holds for rows and entries that are put onto pages from now on: no page that is there changes",
    );
    let written = match kept_default(stage) {
        Some((column, value)) => format!(
            "only the catalog is written: older tuples stay as they are, and read as {column} what pg_attribute.attmissingval has: {value}"
        ),
        None => String::from("only the catalog is written: the tuples that are there stay as they are"),
    };
    stage.note_bands(|band| is_entry(band) && is_changed(band), written);
    stage.note_bands(|band| is_entry(band) && is_gone(band), "gone from pg_class; its files go at COMMIT");
    from_story_where_nothing(stage);
}

/// A column that was added, and what it is in the tuples that are there.
fn kept_default(stage: &Stage<'_>) -> Option<(String, String)> {
    stage.look.step.relations.iter().filter(|_| !stage.look.redact).find_map(|change| {
        let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
        let added = after.attributes.iter().skip(before.attributes.len());
        added.filter_map(|column| Some((column.name.clone(), column.missing.clone()?))).next()
    })
}

pub(super) fn file_length(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| is_new(band) && band.role == Role::New,
        "new blocks at the end of the file: zeros, until a row or an entry is put there",
    );
    stage.note_bands(|band| is_new(band) && band.role == Role::Block, "new blocks at the end of the file");
    stage.tag(Fate::Gone, "cut off");
    stage.note_bands(is_gone, "cut off: the file ends before them now, and their room is the operating system's again");
    from_story_where_nothing(stage);
}

/// What cannot be of a page as it was read from a file.
pub(super) fn damaged(stage: &mut Stage<'_>) {
    stage.note_chips(
        |chip| chip.fate == Fate::Damaged,
        "damaged: a redirect may lead to a heap-only tuple of its own page, and to nothing else",
    );
    let pages: Vec<_> = stage.panels.iter().enumerate().filter_map(|(n, panel)| Some((n, panel.page?))).collect();
    for (n, id) in pages {
        let Some(page) = stage.look.page(id) else { continue };
        for what in crate::scene::header::damage(stage.look, id, page) {
            let panel = &mut stage.panels[n];
            panel.status = String::from("damaged");
            panel.lines.insert(0, PanelLine::Tear(String::from("not the bytes that were written")));
            stage.note_panel(n, what);
        }
    }
}
