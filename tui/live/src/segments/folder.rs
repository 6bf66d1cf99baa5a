//! A folder of segments: pg_wal of a stopped server, an archive, a copy. Segments may be `.partial` or compressed
//! (`.gz`). Or one segment, under any name.

use super::reading::Format;
use ffviz_format::page::{Lsn, MAJORS, PgVersion};
use ffviz_format::wal::{Segment, XLOG_BLCKSZ, XLogPageHeaderData};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A folder, and the file that was read last.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// the path is that of one file, and this is the segment it holds
    only: Option<String>,
    open: Option<Open>,
}

/// `XLP_LONG_HEADER`: what the first page of a segment has.
const XLP_LONG_HEADER: u16 = 2;
/// Endings under which a file may be there, in the order of trying.
const ENDINGS: [&str; 4] = ["", ".gz", ".partial", ".partial.gz"];
/// Other programs' ways to compress, which are only named.
const UNKNOWN: [&str; 5] = [".zst", ".lz4", ".xz", ".bz2", ".lzo"];

#[derive(Debug)]
struct Open {
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Plain(File),
    /// what can only be read forwards, and how far it is
    Packed(Box<MultiGzDecoder<BufReader<File>>>, u64),
}

impl Folder {
    /// A folder that there is.
    ///
    /// # Errors
    /// A sentence, where there is none or it may not be read.
    pub fn open(path: &Path) -> Result<Self, String> {
        std::fs::read_dir(path)
            .map_err(|error| format!("{}: {error}; name a folder of WAL segments", path.display()))?;
        Ok(Self { path: path.to_owned(), only: None, open: None })
    }

    /// One segment, as if it were a folder of it; and what is to be said where its name is not that of what is in it.
    /// Which segment it is, its first page says: the name may have been changed, or is that under which the file is
    /// to be used again.
    ///
    /// # Errors
    /// A sentence, where it may not be read or is no segment.
    pub fn of_file(path: &Path) -> Result<(Self, Option<String>), String> {
        let place = path.display();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut open =
            Open { name: String::new(), content: content(path).map_err(|error| format!("{place}: {error}"))? };
        let head = open.read(0, u64::from(XLOG_BLCKSZ)).map_err(|error| format!("{place}: {error}"))?;
        let header = XLogPageHeaderData::new(&head);
        let (at, tli) = (Lsn(header.xlp_pageaddr()), header.xlp_tli());
        if MAJORS.map(PgVersion::of_major).into_iter().any(|version| version.page_magic() == header.xlp_magic())
            && header.xlp_info() & XLP_LONG_HEADER == 0
        {
            return Err(format!("{place}: no whole segment of WAL: its first page is that of {at}, within one"));
        }
        let format = Format::of_segment(&head, tli).map_err(|why| format!("{place}: no segment of WAL: {why}"))?;
        let segment = Segment::of(at, tli, format.segment_size);
        if segment.start() != at {
            return Err(format!(
                "{place}: no whole segment of WAL: its first page is that of {at}, within {}",
                segment.file_name()
            ));
        }
        let is_named = segment_of(&name).is_some_and(|(stem, _)| stem == segment.file_name());
        let note = (!is_named).then(|| {
            let held = segment.file_name();
            format!("{name}: its first page is that of {at} on timeline {tli}, so it is read as segment {held}")
        });
        Ok((Self { path: path.to_owned(), only: Some(segment.file_name()), open: None }, note))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the segments in it, without endings, in order; and whether a file has an ending of an unknown way
    /// to compress.
    ///
    /// # Errors
    /// A sentence, where it may not be read.
    pub fn names(&self) -> Result<(Vec<String>, bool), String> {
        if let Some(only) = &self.only {
            return Ok((vec![only.clone()], false));
        }
        let wrong = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let (mut names, mut unknown) = (Vec::new(), false);
        for entry in std::fs::read_dir(&self.path).map_err(wrong)? {
            let name = entry.map_err(wrong)?.file_name().to_string_lossy().into_owned();
            let Some((stem, ending)) = segment_of(&name) else { continue };
            if ENDINGS.contains(&ending) {
                names.push(stem.to_owned());
            }
            unknown |= UNKNOWN.contains(&ending);
        }
        names.sort_unstable();
        names.dedup();
        Ok((names, unknown))
    }

    /// A piece of a file; `None` when it is not there, less at its end.
    ///
    /// # Errors
    /// A sentence, where it may not be read or is damaged.
    pub fn read(&mut self, name: &str, offset: u64, length: u64) -> Result<Option<Vec<u8>>, String> {
        let known = self.open.take().filter(|open| open.name == name && open.is_before(offset));
        let Some(mut open) = known.map_or_else(|| self.find(name), |open| Ok(Some(open)))? else { return Ok(None) };
        let bytes = open.read(offset, length).map_err(|error| format!("{}/{name}: {error}", self.path.display()))?;
        self.open = Some(open);
        Ok(Some(bytes))
    }

    fn find(&self, name: &str) -> Result<Option<Open>, String> {
        for path in self.places(name) {
            match content(&path) {
                Ok(content) => return Ok(Some(Open { name: name.to_owned(), content })),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        Ok(None)
    }

    /// Where a file of that name may be, in the order of trying.
    fn places(&self, name: &str) -> Vec<PathBuf> {
        match &self.only {
            None => ENDINGS.iter().map(|ending| self.path.join(format!("{name}{ending}"))).collect(),
            Some(only) if only == name => vec![self.path.clone()],
            // how timelines lead to one another may be told beside it
            Some(_) if name.ends_with(".history") => vec![self.path.with_file_name(name)],
            Some(_) => Vec::new(),
        }
    }
}

/// The name of a segment and the ending after it, of a file that has such a name.
fn segment_of(name: &str) -> Option<(&str, &str)> {
    let (stem, ending) = name.split_at_checked(24)?;
    stem.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b)).then_some((stem, ending))
}

/// A file, plain or packed.
fn content(path: &Path) -> std::io::Result<Content> {
    let file = File::open(path)?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if is_packed {
        Content::Packed(Box::new(MultiGzDecoder::new(BufReader::new(file))), 0)
    } else {
        Content::Plain(file)
    })
}

impl Open {
    /// Can it still be read from there on?
    const fn is_before(&self, offset: u64) -> bool {
        match &self.content {
            Content::Plain(_) => true,
            Content::Packed(_, at) => *at <= offset,
        }
    }

    fn read(&mut self, offset: u64, length: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &mut self.content {
            Content::Plain(file) => {
                file.seek(SeekFrom::Start(offset))?;
                file.take(length).read_to_end(&mut bytes)?;
            }
            Content::Packed(reader, at) => {
                *at += std::io::copy(&mut reader.by_ref().take(offset.saturating_sub(*at)), &mut std::io::sink())?;
                *at += reader.by_ref().take(length).read_to_end(&mut bytes)? as u64;
            }
        }
        Ok(bytes)
    }
}
