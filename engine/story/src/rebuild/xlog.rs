//! Main data of XLOG, Storage and Sequence records (`xlog_desc`, `smgr_desc`, `seq_desc`), read back.

use super::main_data::Main;
use super::words::{Words, leading};
use ffviz_format::page::Lsn;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::rec::other::XlSmgrCreate;
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::rec::{FullTransactionId, TimestampTz, XLogRecPtr};
use ffviz_format::wal::record_type::{SmgrType, XlogType};
use ffviz_format::wal::{PG_DEFAULT, PG_GLOBAL, RelFileLocator, XLR_SPECIAL_REL_UPDATE};

/// XLOG
pub(super) fn xlog(words: Words<'_>, of: XlogType, version: PgVersion) -> Option<Main> {
    let main = Main::default();
    Some(match of {
        XlogType::CheckpointShutdown | XlogType::CheckpointOnline => checkpoint(words, version)?,
        XlogType::NextOid => main.put(&leading::<u32>(words.0)?),
        XlogType::RestorePoint => {
            // its name, and whatever stood behind it
            main.skip(8).all(words.0.as_bytes()).put(&0_u8)
        }
        XlogType::FpwChange => main.put(&words.0.parse::<bool>().ok()?),
        XlogType::EndOfRecovery => {
            let time = TimestampTz(ffviz_format::datum::timestamptz_in(words.after("time")?.split(';').next()?)?);
            let main = main.put(&time).put(&words.number::<u32>("tli")?).put(&words.number::<u32>("prev tli")?);
            if version.tells_wal_level() { main.put(&wal_level(words)?) } else { main }
        }
        XlogType::CheckpointRedo => main.put(&wal_level(words)?),
        XlogType::Noop
        | XlogType::Switch
        | XlogType::BackupEnd
        | XlogType::ParameterChange
        | XlogType::FpiForHint
        | XlogType::Fpi
        | XlogType::OverwriteContrecord => return None,
    })
}

/// Its time is not told.
fn checkpoint(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let redo: Lsn = words.after("redo")?.split(';').next()?.parse().ok()?;
    let (multi, oldest, commit) =
        (words.from("multi")?, words.from("oldest xid")?, words.from("commit timestamp xid")?);
    let oldest_multi = words.from("oldest multi")?;
    let (_, newest_commit) = commit.0.split_once('/')?;
    let made = CheckPoint::make(
        XLogRecPtr(redo),
        words.number("tli")?,
        words.number("prev tli")?,
        words.after("fpw")?.starts_with("true"),
        if version.tells_wal_level() { wal_level(words)? } else { 0 },
        FullTransactionId(words.full_xid("xid")?),
        words.number("oid")?,
        leading(multi.0)?,
        words.number("offset")?,
        leading(oldest.0)?,
        oldest.number("in DB")?,
        leading(oldest_multi.0)?,
        oldest_multi.number("in DB")?,
        0,
        leading(commit.0)?,
        leading(newest_commit)?,
        words.number("oldest running xid")?,
    );
    Some(Main::default().all(&made[..64]).skip(8).all(&made[72..]))
}

fn wal_level(words: Words<'_>) -> Option<i32> {
    let name = words.after("wal_level")?.split(';').next()?;
    (0..3).find(|level| crate::describe::wal_level(*level) == name)
}

/// Storage
pub(super) fn storage(words: Words<'_>, of: SmgrType) -> Option<Main> {
    let (path, rest) = words.0.split_once(' ').unwrap_or((words.0, ""));
    let (locator, fork) = file(path)?;
    let main = match of {
        SmgrType::Create => Main::default().put(&XlSmgrCreate::make(locator, fork)),
        SmgrType::Truncate => {
            let rest = Words(rest);
            Main::default().put(&rest.number::<u32>("to")?).put(&locator).put(&rest.number::<u32>("flags")?)
        }
    };
    Some(Main { info: XLR_SPECIAL_REL_UPDATE, ..main })
}

/// Sequence: the tuple that follows is not told.
pub(super) fn sequence(words: Words<'_>) -> Option<Main> {
    Some(Main::default().put(&words.locator("rel")?).lacking())
}

/// A file below the data directory, and its fork (`relpathperm`): `base/5/16384_vm`.
pub(super) fn file(path: &str) -> Option<(RelFileLocator, i32)> {
    let mut parts = path.split('/');
    let spc = match parts.next()? {
        "global" => PG_GLOBAL,
        "base" => PG_DEFAULT,
        // the name of the version's folder follows
        _ => parts.next()?.parse().ok().filter(|_| parts.next().is_some())?,
    };
    let db = if spc == PG_GLOBAL { 0 } else { parts.next()?.parse().ok()? };
    let (rel, fork) =
        parts.next()?.split_once('_').map_or_else(|| (path.rsplit('/').next(), ""), |(rel, fork)| (Some(rel), fork));
    let fork = ["", "fsm", "vm", "init"].iter().position(|name| *name == fork)?;
    Some((RelFileLocator { spc, db, rel: rel?.parse().ok()? }, fork as i32))
}
