//! A relation file of a data directory, as it lies there: `base/5/16384`, with `16384_fsm` and `16384_vm` beside it. What the catalogs
//! would say is told from the pages and from `--types`.

use ffviz_engine::datum::{Align, Attribute};
use ffviz_engine::page::{BlockNumber, Oid, Page, PageKind, PgVersion};
use ffviz_engine::storage::{
    AccessMethod, ForkBlocks, ForkNumber, IndexColumns, PageId, RelKind, Relation, Server, State,
};
use ffviz_engine::timeline::Timeline;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Pages that are read at most; of a longer file those around the wanted block.
const PAGES: u64 = 8192;
/// Bytes of a file of a relation; longer relations go on in `16384.1`.
const SEGMENT: u64 = 1 << 30;
const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

/// What is to be known beside the file.
#[derive(Debug, Clone)]
pub struct Hints {
    /// types of the columns, as SQL names them
    pub types: Vec<String>,
    /// version of the server; of a relation file only the major one counts
    pub version: PgVersion,
    /// block of the relation that is wanted
    pub block: Option<BlockNumber>,
}

/// Name, oid, length, alignment, by value, storage: `pg_type`.
type KnownType = (&'static str, Oid, i16, Align, bool, char);

const TYPES: &[KnownType] = &[
    ("bool", 16, 1, Align::Char, true, 'p'),
    ("boolean", 16, 1, Align::Char, true, 'p'),
    ("bytea", 17, -1, Align::Int, false, 'x'),
    ("\"char\"", 18, 1, Align::Char, true, 'p'),
    ("name", 19, 64, Align::Char, false, 'p'),
    ("int8", 20, 8, Align::Double, true, 'p'),
    ("bigint", 20, 8, Align::Double, true, 'p'),
    ("int2", 21, 2, Align::Short, true, 'p'),
    ("smallint", 21, 2, Align::Short, true, 'p'),
    ("int4", 23, 4, Align::Int, true, 'p'),
    ("int", 23, 4, Align::Int, true, 'p'),
    ("integer", 23, 4, Align::Int, true, 'p'),
    ("text", 25, -1, Align::Int, false, 'x'),
    ("oid", 26, 4, Align::Int, true, 'p'),
    ("tid", 27, 6, Align::Short, false, 'p'),
    ("xid", 28, 4, Align::Int, true, 'p'),
    ("json", 114, -1, Align::Int, false, 'x'),
    ("float4", 700, 4, Align::Int, true, 'p'),
    ("real", 700, 4, Align::Int, true, 'p'),
    ("float8", 701, 8, Align::Double, true, 'p'),
    ("double precision", 701, 8, Align::Double, true, 'p'),
    ("inet", 869, -1, Align::Int, false, 'm'),
    ("char", 1042, -1, Align::Int, false, 'x'),
    ("character", 1042, -1, Align::Int, false, 'x'),
    ("bpchar", 1042, -1, Align::Int, false, 'x'),
    ("varchar", 1043, -1, Align::Int, false, 'x'),
    ("character varying", 1043, -1, Align::Int, false, 'x'),
    ("date", 1082, 4, Align::Int, true, 'p'),
    ("time", 1083, 8, Align::Double, true, 'p'),
    ("timestamp", 1114, 8, Align::Double, true, 'p'),
    ("timestamptz", 1184, 8, Align::Double, true, 'p'),
    ("interval", 1186, 16, Align::Double, false, 'p'),
    ("numeric", 1700, -1, Align::Int, false, 'm'),
    ("decimal", 1700, -1, Align::Int, false, 'm'),
    ("uuid", 2950, 16, Align::Char, false, 'p'),
    ("jsonb", 3802, -1, Align::Int, false, 'x'),
];

/// Opens a relation file, and the other forks that lie beside it, as a timeline of one state.
///
/// # Errors
/// A sentence that says what is wrong and what to do.
pub fn open(path: &Path, hints: &Hints) -> Result<(Timeline, PageId), String> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, fork, segment) = parse_name(&name);
    let block_size = block_size(path)?;
    let oid = stem.parse().unwrap_or(1);
    let first = (segment * SEGMENT / u64::from(block_size)) as BlockNumber;
    let server = Server {
        version: PgVersion(hints.version.major() * 10_000),
        block_size,
        data_checksums: false,
        log_hints: false,
    };
    let mut state = State::empty(server);
    let wanted = hints.block.unwrap_or(first);
    let mut blocks = ForkBlocks::default();
    for (fork, file) in forks(path, &stem, fork) {
        let around = if file == path { wanted.saturating_sub(first) } else { 0 };
        let start = if file == path { first } else { 0 };
        let length = read_pages(&file, block_size, around, |block, bytes| {
            state.pages.insert(PageId { relation: oid, fork, block: start + block }, Page::new(bytes));
        })?;
        *length_of(&mut blocks, fork) = start + length;
    }
    let id = PageId { relation: oid, fork, block: wanted };
    if wanted < first || wanted >= *length_of(&mut blocks, fork) {
        let end = length_of(&mut blocks, fork).saturating_sub(1);
        return Err(format!("{name}: there is no block {wanted}; it has blocks {first} to {end}"));
    }
    state.server.data_checksums = state.pages.values().any(|page| !page.is_new() && page.header().pd_checksum() != 0);
    let relation = relation(&state, &name, oid, blocks, &hints.types)?;
    state.relations.insert(oid, Arc::new(relation));
    Ok((Timeline::new(state, None), id))
}

/// Does a file look like one of a relation? Its length is a whole number of pages, and the first that is not empty has a page header.
#[must_use]
pub fn looks_like_one(path: &Path) -> bool {
    block_size(path).is_ok()
}

fn length_of(blocks: &mut ForkBlocks, fork: ForkNumber) -> &mut BlockNumber {
    match fork {
        ForkNumber::Main => &mut blocks.main,
        ForkNumber::Fsm => &mut blocks.fsm,
        ForkNumber::Vm => &mut blocks.vm,
        ForkNumber::Init => &mut blocks.init,
    }
}

/// `16384_fsm.1` is the second segment of the free space map of 16384.
fn parse_name(name: &str) -> (String, ForkNumber, u64) {
    let (rest, segment) = match name.rsplit_once('.').and_then(|(rest, n)| Some((rest, n.parse().ok()?))) {
        Some((rest, segment)) => (rest, segment),
        None => (name, 0),
    };
    for fork in FORKS {
        if let Some(stem) = rest.strip_suffix(&format!("_{}", fork.name())) {
            return (stem.to_owned(), fork, segment);
        }
    }
    (rest.to_owned(), ForkNumber::Main, segment)
}

/// The file itself, and beside a main fork the others.
fn forks(path: &Path, stem: &str, fork: ForkNumber) -> Vec<(ForkNumber, std::path::PathBuf)> {
    let mut files = vec![(fork, path.to_owned())];
    if fork == ForkNumber::Main {
        let beside = FORKS[1..].iter().map(|fork| (*fork, path.with_file_name(format!("{stem}_{}", fork.name()))));
        files.extend(beside.filter(|(_, file)| file.is_file()));
    }
    files
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
    let empty = bytes.is_empty() || bytes.iter().all(|byte| *byte == 0);
    match size {
        Some(size) => Ok(size),
        None if empty && bytes.len() % 8192 == 0 && !bytes.is_empty() => Ok(8192),
        None => Err(format!("{}: neither a recording nor a relation file: no page header in it", path.display())),
    }
}

/// Reads the pages of a file, or those around a block of a long one; returns how many it has.
fn read_pages(
    path: &Path,
    block_size: u16,
    around: BlockNumber,
    mut take: impl FnMut(BlockNumber, &[u8]),
) -> Result<BlockNumber, String> {
    let say = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(say)?;
    let size = u64::from(block_size);
    let count = file.metadata().map_err(say)?.len().div_ceil(size);
    let first = u64::from(around).saturating_sub(PAGES / 2).min(count.saturating_sub(PAGES));
    file.seek(SeekFrom::Start(first * size)).map_err(say)?;
    let mut bytes = Vec::new();
    file.take(PAGES * size).read_to_end(&mut bytes).map_err(say)?;
    for (n, page) in bytes.chunks(usize::from(block_size)).enumerate() {
        // a last page that was cut off is shown as far as it goes
        take(first as BlockNumber + n as BlockNumber, page);
    }
    Ok(count as BlockNumber)
}

fn relation(state: &State, name: &str, oid: Oid, blocks: ForkBlocks, types: &[String]) -> Result<Relation, String> {
    let kind = state.pages.iter().filter(|(id, _)| id.fork == ForkNumber::Main).map(|(_, page)| page.kind());
    let telling = kind.into_iter().find(|kind| !matches!(kind, PageKind::New | PageKind::Empty));
    let (kind, am) = match telling {
        Some(PageKind::Btree) => (RelKind::Index, AccessMethod::Btree),
        Some(PageKind::Sequence) => (RelKind::Sequence, AccessMethod::Sequence),
        Some(PageKind::Other) => (RelKind::Index, AccessMethod::Other("unknown".into())),
        _ => (RelKind::Table, AccessMethod::Heap),
    };
    let attributes: Vec<Attribute> =
        types.iter().enumerate().map(|(n, name)| attribute(n as u16 + 1, name)).collect::<Result<_, _>>()?;
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

/// A column of a type as SQL names it; a length such as `varchar(20)` does not change how it is stored.
fn attribute(num: u16, type_name: &str) -> Result<Attribute, String> {
    let said = type_name.trim().to_lowercase();
    let bare = said.split('(').next().unwrap_or_default().trim();
    let known = TYPES.iter().find(|(name, ..)| *name == bare).ok_or_else(|| {
        let mut names: Vec<&str> = TYPES.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        format!("{type_name}: not a type that can be given here; known are {}", names.join(", "))
    })?;
    let (_, typid, len, align, byval, storage) = *known;
    let name = format!("column{num}");
    Ok(Attribute {
        num,
        name,
        typid,
        type_name: said,
        len,
        align,
        byval,
        storage,
        typmod: -1,
        not_null: false,
        dropped: false,
        missing: None,
        base: None,
        labels: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        assert_eq!(parse_name("16384"), ("16384".into(), ForkNumber::Main, 0));
        assert_eq!(parse_name("16384_fsm"), ("16384".into(), ForkNumber::Fsm, 0));
        assert_eq!(parse_name("16384_vm.2"), ("16384".into(), ForkNumber::Vm, 2));
        assert_eq!(parse_name("t.page"), ("t.page".into(), ForkNumber::Main, 0));
    }

    #[test]
    fn types_by_name() {
        assert_eq!(attribute(1, "varchar(20)").map(|a| (a.typid, a.len)), Ok((1043, -1)));
        assert_eq!(attribute(2, " BIGINT").map(|a| a.align), Ok(Align::Double));
        assert!(attribute(1, "geometry").is_err_and(|e| e.contains("known are")));
    }
}
