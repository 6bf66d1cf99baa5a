//! A folder of segments: pg_wal of a stopped server, an archive, a copy. Segments may be `.partial` or compressed (`.gz`).

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A folder, and the file that was read last.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    open: Option<Open>,
}

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
        Ok(Self { path: path.to_owned(), open: None })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the segments in it, without endings, in order; and whether a file has an ending of an unknown way to compress.
    ///
    /// # Errors
    /// A sentence, where it may not be read.
    pub fn names(&self) -> Result<(Vec<String>, bool), String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let (mut names, mut unknown) = (Vec::new(), false);
        for entry in std::fs::read_dir(&self.path).map_err(wrong)? {
            let name = entry.map_err(wrong)?.file_name().to_string_lossy().into_owned();
            let Some((stem, ending)) = name.split_at_checked(24) else { continue };
            let is_segment = stem.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b));
            if is_segment && ENDINGS.contains(&ending) {
                names.push(stem.to_owned());
            }
            unknown |= is_segment && UNKNOWN.contains(&ending);
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
        for ending in ENDINGS {
            let path = self.path.join(format!("{name}{ending}"));
            let content = match File::open(&path) {
                Ok(file) if ending.ends_with(".gz") => {
                    Content::Packed(Box::new(MultiGzDecoder::new(BufReader::new(file))), 0)
                }
                Ok(file) => Content::Plain(file),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{}: {error}", path.display())),
            };
            return Ok(Some(Open { name: name.to_owned(), content }));
        }
        Ok(None)
    }
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
