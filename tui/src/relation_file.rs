//! A relation file of a data directory, as it lies there: `base/5/16384`, with `16384.1`, `16384_fsm` and `16384_vm`
//! beside it. What the catalogs would say is told from the pages and from `--types`; what nobody told is marked as
//! assumed.

pub mod types;

use ffviz_format::page::{BlockNumber, ForkNumber, Oid, Page, PageKind, PgVersion};
use ffviz_format::state::{AccessMethod, ForkBlocks, FromFile, IndexColumns, PageId, RelKind, Relation, Server, State};
use ffviz_simulator::sql::run::{DEFAULT, MAJORS};
use ffviz_story::timeline::Timeline;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Examples, and how types are written.
pub const HELP: &str = "Examples:
  ffviz open base/5/16384 --types int4,text,timestamptz
  ffviz open base/5/16384 --types 'numeric(10,2),timestamp with time zone,int4[],varlena,bytes(4)'
  ffviz open base/5/16390 --types int4 --block 3        a B-tree index, told from its special space
  ffviz open base/5/16384_vm

Types are written as in CREATE TABLE: int, numeric(10,2), timestamp with time zone, varchar(20), text[].
Of one that is not known say what pg_type has of it: varlena or varlena(ALIGNMENT) for typlen -1,
bytes(N) or bytes(N,ALIGNMENT) for a length of N; its bytes are shown. ALIGNMENT is char, int2, int4
or double, as in CREATE TYPE. Without it varlena is aligned as int4, 2, 4 and 8 bytes are as numbers
of that length, others not at all.

The file is read as it lies there: pages that a running server has not yet written out are missing.
FILE.1, FILE.2 and so on beside it are read too, of a long relation 8192 blocks around --block.";

/// Pages that are read of a fork at most; of a longer one those around the wanted block.
const PAGES: u64 = 8192;
/// Bytes of a file of a relation; longer relations go on in `16384.1`.
const SEGMENT: u64 = 1 << 30;
/// `InvalidBlockNumber`: a relation has fewer blocks.
const MOST_BLOCKS: u64 = BlockNumber::MAX as u64;
/// A relation has fewer files, so a greater number is part of the name.
const MOST_SEGMENTS: u64 = 1 << 16;
/// Page size of a server that was not built otherwise.
const USUAL_SIZE: u16 = 8192;
const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

/// What is to be known beside the file.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// types of the columns, as SQL names them
    pub types: Vec<String>,
    /// version of the server, where it is told; of a relation file only the major one counts
    pub version: Option<PgVersion>,
    /// block of the relation that is wanted
    pub block: Option<BlockNumber>,
}

/// A relation as its files say it.
pub struct Opened {
    /// one state
    pub timeline: Timeline,
    /// the page to begin with; none of an empty relation
    pub page: Option<PageId>,
    /// what is to be said of the files, a sentence each
    pub told: Vec<String>,
}

/// A file of a fork: one segment, or what is left of one.
struct Piece {
    path: PathBuf,
    /// its first block
    first: u64,
    /// its bytes
    len: u64,
}

/// Opens a relation file, its other segments and the other forks that lie beside it, as a timeline of one state.
///
/// # Errors
/// A sentence that says what is wrong and what to do.
pub fn open(path: &Path, hints: &Hints) -> Result<Opened, String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = parse_name(&name);
    let opened = file.fork;
    let block_size = block_size(path)?;
    let oid = file.stem.parse().unwrap_or(1);
    let first = (file.segment * (SEGMENT / u64::from(block_size))).min(MOST_BLOCKS) as BlockNumber;
    let wanted = hints.block.unwrap_or(first);
    let mut state = State::empty(server(path, hints, block_size));
    let version_is_assumed = version(path, hints).is_none();
    state.file = Some(FromFile { version_is_assumed });
    let (mut blocks, mut told) = (ForkBlocks::default(), Vec::new());
    for fork in FORKS.into_iter().filter(|fork| *fork == opened || opened == ForkNumber::Main) {
        let pieces = pieces(path, &file, fork, block_size)?;
        let around = if fork == opened { wanted } else { 0 };
        let take = |block, bytes: &[u8]| {
            state.pages.insert(PageId { relation: oid, fork, block }, Page::new(bytes));
        };
        blocks.set(fork, read_pages(&pieces, block_size, around, take)?);
        told.extend(remarks(&pieces, block_size, blocks.of(fork), around));
    }
    let id = PageId { relation: oid, fork: opened, block: wanted };
    let count = blocks.of(opened);
    if wanted >= count && (count > 0 || hints.block.is_some()) {
        let there = if count == 0 { "it is empty".to_owned() } else { format!("its last one is {}", count - 1) };
        return Err(format!("{name}: there is no block {wanted}; {there}"));
    }
    // a server with data checksums writes no page without one: that one page has none says nothing
    state.server.data_checksums = state.pages.values().any(|page| !page.is_new() && page.header().pd_checksum() != 0);
    let relation = relation(&state, &name, oid, blocks, &hints.types)?;
    state.relations.insert(oid, Arc::new(relation));
    Ok(Opened { timeline: Timeline::new(state, None), page: (count > 0).then_some(id), told })
}

/// What is told of the server, or assumed.
fn server(path: &Path, hints: &Hints, block_size: u16) -> Server {
    let major = version(path, hints).unwrap_or(DEFAULT.major());
    Server { version: PgVersion(major * 10_000), block_size, data_checksums: false, log_hints: false }
}

/// The major version that `--pg` tells, or `PG_VERSION` in the folder of the database.
fn version(path: &Path, hints: &Hints) -> Option<u32> {
    hints.version.map(PgVersion::major).or_else(|| {
        let folder = path.parent()?;
        let read = |file: PathBuf| std::fs::read_to_string(file).ok()?.trim().parse().ok();
        // the shared catalogs are in global, which has none of its own
        let beside = read(folder.join("PG_VERSION")).or_else(|| read(folder.join("..").join("PG_VERSION")));
        beside.filter(|major| MAJORS.contains(major))
    })
}

/// What a file's name says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileName {
    /// the relation's
    stem: String,
    fork: ForkNumber,
    segment: u64,
}

/// `16384_fsm.1` is the second segment of the free space map of 16384.
fn parse_name(name: &str) -> FileName {
    let number = |text: &str| text.parse().ok().filter(|n| *n < MOST_SEGMENTS);
    let (rest, segment) = match name.rsplit_once('.').and_then(|(rest, n)| Some((rest, number(n)?))) {
        Some((rest, segment)) => (rest, segment),
        None => (name, 0),
    };
    for fork in FORKS {
        if let Some(stem) = rest.strip_suffix(&format!("_{}", fork.name())) {
            return FileName { stem: stem.to_owned(), fork, segment };
        }
    }
    FileName { stem: rest.to_owned(), fork: ForkNumber::Main, segment }
}

/// The files of a fork that lie beside one another; from the given segment on where those before are not there.
fn pieces(path: &Path, name: &FileName, fork: ForkNumber, block_size: u16) -> Result<Vec<Piece>, String> {
    let FileName { stem, fork: opened, segment } = name;
    let base = if fork == ForkNumber::Main { stem.clone() } else { format!("{stem}_{}", fork.name()) };
    let file = |n: u64| path.with_file_name(if n == 0 { base.clone() } else { format!("{base}.{n}") });
    let piece = |path: PathBuf, n: u64| {
        let len = std::fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        Ok::<_, String>(Piece { path, first: n * (SEGMENT / u64::from(block_size)), len })
    };
    let start = if fork != *opened || file(0).is_file() { 0 } else { *segment };
    let mut pieces = Vec::new();
    for n in start..MOST_SEGMENTS {
        let path = file(n);
        if !path.is_file() {
            break;
        }
        pieces.push(piece(path, n)?);
        // the first segment that is not full is the last one, and a longer file is no segment (mdnblocks, md.c)
        if pieces.last().is_some_and(|piece| piece.len != SEGMENT) {
            break;
        }
    }
    // a copy has any name
    if fork == *opened && !pieces.iter().any(|piece| piece.path == path) {
        pieces = vec![piece(path.to_owned(), *segment)?];
    }
    Ok(pieces)
}

/// What is to be said of the files of a fork.
fn remarks(pieces: &[Piece], block_size: u16, count: BlockNumber, around: BlockNumber) -> Vec<String> {
    let Some(last) = pieces.last() else { return Vec::new() };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut told = Vec::new();
    let part = last.len % u64::from(block_size);
    if part > 0 {
        let block = u64::from(count).saturating_sub(1);
        told.push(format!(
            "{} ends within block {block}: {part} of its {block_size} bytes are there.",
            name(&last.path)
        ));
    }
    let number = last.first / (SEGMENT / u64::from(block_size)) + 1;
    let base = name(&pieces[0].path);
    let next = last.path.with_file_name(format!("{}.{number}", base.split('.').next().unwrap_or_default()));
    if last.len != SEGMENT && next.is_file() {
        told.push(format!("{} is not read: {} before it is not 1 GB long.", name(&next), name(&last.path)));
    }
    let there: u64 = pieces.iter().map(|piece| piece.len.div_ceil(u64::from(block_size))).sum();
    if there > PAGES {
        let from = first_read(pieces, block_size, around);
        let to = from + PAGES - 1;
        told.push(format!(
            "Of {count} blocks of {base} those from {from} to {to} are read; --block N reads those around N."
        ));
    }
    told
}

/// The page size that the first page with a header states.
fn block_size(path: &Path) -> Result<u16, String> {
    const LARGEST: usize = 32_768;
    let say = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(say)?;
    let mut bytes = Vec::new();
    file.by_ref().take(16 * LARGEST as u64).read_to_end(&mut bytes).map_err(say)?;
    let size = bytes.chunks(4096).find_map(|chunk| {
        let page = Page::new(chunk);
        let stated = page.header().pd_pagesize_version() & 0xFF00;
        let version = page.header().pd_pagesize_version() & 0x00FF;
        let sound = matches!(stated, 4096 | 8192 | 16384 | 32768) && (1..=9).contains(&version);
        (sound && page.header().pd_special() <= stated).then_some(stated)
    });
    // pages of zeros only, or with a damaged header only, are as long as those of most servers
    let length = file.metadata().map_err(say)?.len();
    let has_pages = length % u64::from(USUAL_SIZE) == 0 || bytes.iter().all(|byte| *byte == 0);
    size.or(has_pages.then_some(USUAL_SIZE))
        .ok_or_else(|| format!("{}: neither a recording nor a relation file: no page header in it", path.display()))
}

/// The first block that is read, of a fork that is too long to be read whole.
fn first_read(pieces: &[Piece], block_size: u16, around: BlockNumber) -> u64 {
    let (start, end) = extent(pieces, block_size);
    u64::from(around).saturating_sub(PAGES / 2).min(end.saturating_sub(PAGES)).max(start)
}

/// The first block of the files, and the one after the last.
fn extent(pieces: &[Piece], block_size: u16) -> (u64, u64) {
    let end = pieces.last().map_or(0, |piece| piece.first + piece.len.div_ceil(u64::from(block_size)));
    (pieces.first().map_or(0, |piece| piece.first), end)
}

/// Reads the pages of a fork, or those around a block of a long one; returns how many it has.
fn read_pages(
    pieces: &[Piece],
    block_size: u16,
    around: BlockNumber,
    mut take: impl FnMut(BlockNumber, &[u8]),
) -> Result<BlockNumber, String> {
    let size = u64::from(block_size);
    let (_, end) = extent(pieces, block_size);
    let first = first_read(pieces, block_size, around);
    let last = (first + PAGES).min(end);
    for piece in pieces {
        let say = |error: std::io::Error| format!("{}: {error}", piece.path.display());
        if end > MOST_BLOCKS {
            return Err(format!("{}: longer than a relation can be: {end} blocks", piece.path.display()));
        }
        let from = first.max(piece.first);
        let to = last.min(piece.first + piece.len.div_ceil(size));
        if from >= to {
            continue;
        }
        let mut file = File::open(&piece.path).map_err(say)?;
        file.seek(SeekFrom::Start((from - piece.first) * size)).map_err(say)?;
        let mut bytes = Vec::new();
        file.take((to - from) * size).read_to_end(&mut bytes).map_err(say)?;
        for (block, page) in (from as BlockNumber..).zip(bytes.chunks(usize::from(block_size))) {
            // a last page that was cut off is shown as far as it goes
            take(block, page);
        }
    }
    Ok(end as BlockNumber)
}

fn relation(state: &State, name: &str, oid: Oid, blocks: ForkBlocks, types: &[String]) -> Result<Relation, String> {
    let kind = state.pages.iter().filter(|(id, _)| id.fork == ForkNumber::Main).map(|(_, page)| page.kind());
    let telling = kind.into_iter().find(|kind| !matches!(kind, PageKind::New | PageKind::Invalid | PageKind::Empty));
    let (kind, am) = match telling {
        Some(PageKind::Btree) => (RelKind::Index, AccessMethod::Btree),
        Some(PageKind::Sequence) => (RelKind::Sequence, AccessMethod::Sequence),
        Some(PageKind::Other) => (RelKind::Index, AccessMethod::Other("unknown".into())),
        _ => (RelKind::Table, AccessMethod::Heap),
    };
    let attributes = types::columns(types)?;
    let n_keys = attributes.len() as u16;
    let columns = IndexColumns {
        n_keys,
        columns: (1..=n_keys).collect(),
        definition: format!("relation file {name}"),
        ..IndexColumns::default()
    };
    Ok(Relation {
        oid,
        schema: String::new(),
        name: name.to_owned(),
        index: (kind == RelKind::Index).then_some(columns),
        kind,
        am,
        table: None,
        filenode: oid,
        database: 0,
        tablespace: 0,
        fillfactor: None,
        blocks,
        attributes,
        stats: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check = |name: &str, stem: &str, fork, segment| {
            assert_eq!(parse_name(name), FileName { stem: stem.to_owned(), fork, segment }, "{name}");
        };
        check("16384", "16384", ForkNumber::Main, 0);
        check("16384.1", "16384", ForkNumber::Main, 1);
        check("16384_fsm", "16384", ForkNumber::Fsm, 0);
        check("16384_vm.2", "16384", ForkNumber::Vm, 2);
        check("t.page", "t.page", ForkNumber::Main, 0);
        check("t.20261125", "t.20261125", ForkNumber::Main, 0);
    }
}
