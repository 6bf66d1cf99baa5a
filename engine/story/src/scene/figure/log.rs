//! The WAL record of a step as a panel: what its bytes are spent on, the images of pages among them with their holes
//! cut out.

use super::Plot;
use super::panel::{Band, Fate, Panel, PanelLine};
use super::stage::Stage;
use crate::scene::wal::{BAR_ROLES, bytes_of, checkpoint_redo};
use crate::scene::{Look, PartId, Role, words};
use crate::timeline::Cause;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::state::PageId;
use ffviz_format::wal::{BlockTag, Record, Rmgr};

/// Is the WAL what the event is about?
pub(super) fn takes_part(stage: &Stage<'_>, is_quiet: bool) -> bool {
    let Cause::Record(record) = &stage.look.step.cause else { return false };
    is_quiet
        || matches!(stage.plot, Plot::Image | Plot::Checkpoint | Plot::Commit | Plot::Abort)
        || has_image(stage.look, record)
}

/// Does the record hold a full-page image that replay uses?
pub(super) fn has_image(look: &Look<'_>, record: &Record) -> bool {
    let decoded = record.decode(look.version());
    decoded.is_ok_and(|record| record.blocks.iter().any(|block| block.image.is_some_and(|image| image.apply)))
}

/// The pages whose images the step's record holds.
pub(super) fn imaged_pages(look: &Look<'_>) -> Vec<PageId> {
    let Cause::Record(record) = &look.step.cause else { return Vec::new() };
    let Ok(decoded) = record.decode(look.version()) else { return Vec::new() };
    let imaged = decoded.blocks.iter().filter(|block| block.image.is_some_and(|image| image.apply));
    imaged.filter_map(|block| page(look, block.tag)).collect()
}

/// The page that a record's block reference names, where its relation is known.
fn page(look: &Look<'_>, tag: BlockTag) -> Option<PageId> {
    let relation = look.state.relations.values().find(|relation| relation.is_file(tag.locator))?.oid;
    Some(PageId { relation, fork: tag.fork, block: tag.block })
}

/// Of the pages that the step's record names those that are of known relations; nothing where it names none.
pub(super) fn pages(look: &Look<'_>) -> Option<Vec<PageId>> {
    let Cause::Record(record) = &look.step.cause else { return None };
    let decoded = record.decode(look.version()).ok().filter(|record| !record.blocks.is_empty())?;
    Some(decoded.blocks.iter().filter_map(|block| page(look, block.tag)).collect())
}

/// The panel of the step's record.
pub(super) fn panel(look: &Look<'_>) -> Option<Panel> {
    let Cause::Record(record) = &look.step.cause else { return None };
    let rmgr = Rmgr(record.header().xl_rmid());
    let name = record.type_name(look.version());
    // the names of what tables and indexes write say whose they are
    let name = match rmgr {
        Rmgr::HEAP | Rmgr::HEAP2 | Rmgr::BTREE => name,
        _ => format!("{} {name}", rmgr.name()),
    };
    Some(Panel {
        page: None,
        title: format!("WAL · {name}"),
        status: match record.header().xl_xid() {
            0 => words::bytes(record.bytes.len() as u64),
            xid => format!("{} · xid {xid}", words::bytes(record.bytes.len() as u64)),
        },
        is_new: false,
        row: 0,
        mark: None,
        lines: lines(look, record),
        goals: Vec::new(),
        tags: Vec::new(),
    })
}

fn lines(look: &Look<'_>, record: &Record) -> Vec<PanelLine> {
    let mut lines: Vec<PanelLine> = Vec::new();
    for (n, (role, bytes)) in BAR_ROLES.into_iter().zip(bytes_of(record, look.version())).enumerate() {
        if bytes == 0 {
            continue;
        }
        let is_image = role == Role::WalImage;
        let image = if is_image { image_words(look, record, bytes) } else { Default::default() };
        lines.push(PanelLine::Band(Band {
            part: PartId::WalType(n as u16),
            label: String::new(),
            text: if is_image { image.0 } else { String::from(role.word()) },
            values: Vec::new(),
            leads: String::new(),
            tag: words::bytes(bytes),
            role,
            fate: if is_image { Fate::New } else { Fate::Same },
            goal: None,
            bytes: bytes.min(u64::from(u16::MAX)) as u16,
            mark: None,
        }));
        lines.extend(Some(image.1).filter(|size| !size.is_empty()).map(PanelLine::More));
    }
    if let Some(redo) = checkpoint_redo(record, look.version()) {
        lines.push(PanelLine::Band(Band {
            part: PartId::WalOthers,
            label: String::new(),
            text: format!("redo pointer {redo}"),
            values: Vec::new(),
            leads: String::new(),
            tag: String::from("recovery begins there"),
            role: Role::WalCheckpoint,
            fate: Fate::New,
            goal: None,
            bytes: 8,
            mark: None,
        }));
    }
    lines
}

/// `image, block 3`, and of what its bytes are: `8,192 − hole 5,312 + header 5`.
fn image_words(look: &Look<'_>, record: &Record, bytes: u64) -> (String, String) {
    let Ok(decoded) = record.decode(look.version()) else {
        return (String::from(Role::WalImage.word()), String::new());
    };
    let images: Vec<_> = decoded.blocks.iter().filter_map(|block| Some((block.tag, block.image?))).collect();
    match images[..] {
        [(tag, image)] => {
            let relation = page(look, tag).and_then(|id| look.relation(id.relation));
            let name = relation.map_or_else(String::new, |rel| format!(" of {}", words::relation_fork(rel, tag.fork)));
            let page = u64::from(look.state.server.block_size);
            let whole = page - u64::from(image.hole_length).min(page);
            let more = match image.compression {
                Some(method) => format!(", {}", method.name()),
                None if bytes > whole => format!(" + header {}", bytes - whole),
                None => String::new(),
            };
            let (page, hole) = (words::thousands(page), words::thousands(image.hole_length.into()));
            (format!("image, block {}{name}", tag.block), format!("{page} − hole {hole}{more}"))
        }
        _ => (format!("images of {} pages", images.len()), String::new()),
    }
}
