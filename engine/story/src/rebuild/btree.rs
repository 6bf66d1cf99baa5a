//! Main data of Btree records (`btree_desc`, src/backend/access/rmgrdesc/nbtdesc.c), read back.

use super::Told;
use super::main_data::Main;
use super::words::Words;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::rec::FullTransactionId;
use ffviz_format::wal::rec::btree::{
    XlBtreeDedup, XlBtreeDelete, XlBtreeDelete14, XlBtreeInsert, XlBtreeMarkPageHalfdead, XlBtreeNewroot, XlBtreeSplit,
    XlBtreeUnlinkPage, XlBtreeVacuum,
};
use ffviz_format::wal::record_type::BtreeType;

/// Btree
pub(super) fn btree(told: &Told, of: BtreeType, version: PgVersion) -> Option<Main> {
    let words = Words(&told.description);
    let main = Main::default();
    Some(match of {
        BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta | BtreeType::InsertPost => {
            main.put(&XlBtreeInsert::make(words.number("off")?))
        }
        BtreeType::SplitL | BtreeType::SplitR => main.put(&XlBtreeSplit::make(
            words.number("level")?,
            words.number("firstrightoff")?,
            words.number("newitemoff")?,
            words.number("postingoff")?,
        )),
        BtreeType::Dedup => main.put(&XlBtreeDedup::make(words.number("nintervals")?)),
        BtreeType::Delete => delete(words, version)?,
        BtreeType::Vacuum => main.put(&XlBtreeVacuum::make(words.number("ndeleted")?, words.number("nupdated")?)),
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => unlink(words)?,
        BtreeType::Newroot => {
            let level = words.number("level").or_else(|| words.number("lev"))?;
            main.put(&XlBtreeNewroot::make(told.block(0)?.tag.block, level))
        }
        BtreeType::MarkPageHalfdead => half_dead(words)?,
        BtreeType::ReusePage => reuse(words, version)?,
        BtreeType::MetaCleanup => return None,
    })
}

/// `isCatalogRel`, which 16 has and does not tell.
fn catalog(main: Main, words: Words<'_>, version: PgVersion) -> Main {
    match (words.truth("isCatalogRel"), version.marks_catalogs()) {
        (Some(is), _) => main.put(&is),
        (None, true) => main.skip(1),
        (None, false) => main,
    }
}

fn delete(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let xid = words.number("snapshotConflictHorizon").or_else(|| words.number("latestRemovedXid"))?;
    let made = XlBtreeDelete14::make(xid, words.number("ndeleted")?, words.number("nupdated")?);
    const { assert!(XlBtreeDelete14::SIZE + 1 == XlBtreeDelete::SIZE) };
    Some(catalog(Main::default().put(&made), words, version))
}

fn unlink(words: Words<'_>) -> Option<Main> {
    let made = XlBtreeUnlinkPage::make(
        words.number("left")?,
        words.number("right")?,
        words.number("level")?,
        FullTransactionId(words.full_xid("safexid")?),
        words.number("leafleft")?,
        words.number("leafright")?,
        words.number("leaftopparent")?,
    );
    // alignment is as it happens to be
    Some(Main::default().all(&made[..12]).skip(4).all(&made[16..]))
}

/// Which downlink of the parent goes is not told.
fn half_dead(words: Words<'_>) -> Option<Main> {
    let (leaf, left) = (words.number("leaf")?, words.number("left")?);
    let made = XlBtreeMarkPageHalfdead::make(0, leaf, left, words.number("right")?, words.number("topparent")?);
    Some(Main::default().skip(4).all(&made[4..]).lacking())
}

/// It is about snapshots on standbys; which page is not told.
fn reuse(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let xid = words.full_xid("snapshotConflictHorizon").or_else(|| words.full_xid("latestRemovedXid"))?;
    let main = Main::default().put(&words.locator("rel")?).skip(4).put(&FullTransactionId(xid));
    Some(catalog(main, words, version))
}
