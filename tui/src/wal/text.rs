//! The list of records as aligned lines.

use super::entry::{Block, Entry};
use ffviz_live::segments::names::Names;
use std::fmt::Write;

/// From how many columns on a line has the parts of a record's bytes.
const WIDE: usize = 110;

/// How lines are laid out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// columns of the terminal; none: lines as long as they are
    pub width: Option<usize>,
    /// columns of an LSN
    pub lsn: usize,
    /// ASCII only
    pub ascii: bool,
}

impl Layout {
    const fn is_wide(&self) -> bool {
        match self.width {
            None => true,
            Some(width) => width >= WIDE,
        }
    }

    /// Columns of resource manager and type.
    const fn kind(&self) -> usize {
        if self.is_wide() { 27 } else { 22 }
    }

    /// The line above all.
    #[must_use]
    pub fn header(&self) -> String {
        let parts =
            if self.is_wide() { format!(" {:>6} {:>6} {:>6}", "header", "image", "data") } else { String::new() };
        let (lsn, kind) = (self.lsn, self.kind());
        self.cut(format!(
            "{:<lsn$} {:>7} {:<kind$} {:>6}{parts}  pages, and what was done",
            "LSN", "xid", "type", "bytes"
        ))
    }

    /// The line of a record.
    #[must_use]
    pub fn line(&self, entry: &Entry, names: &Names) -> String {
        let (lsn, kind) = (self.lsn, self.kind());
        let xid = if entry.xid == 0 { "–".to_owned() } else { entry.xid.to_string() };
        let start = entry.start.to_string();
        let mut line = format!("{start:<lsn$} {xid:>7} {:<kind$} {:>6}", entry.type_name(), entry.length);
        if self.is_wide() {
            // the parts that a step's story adds up: an image has its own header
            let (headers, images) = (entry.headers() - entry.image_headers, entry.images + entry.image_headers);
            let _ = write!(line, " {headers:>6} {images:>6} {:>6}", entry.data);
        }
        let words = if entry.headline.is_empty() { &entry.description } else { &entry.headline };
        let pages = pages(&entry.blocks, names);
        let gap = if pages.is_empty() || words.is_empty() { "" } else { " · " };
        let _ = write!(line, "  {pages}{gap}{}", words.replace(['\n', '\r'], " "));
        self.cut(line)
    }

    /// The line that says what is listed.
    #[must_use]
    pub fn title(&self, text: String) -> String {
        self.cut(text)
    }

    /// Text of several lines, in ASCII where that is wanted.
    #[must_use]
    pub fn plain(&self, text: String) -> String {
        if self.ascii { text.lines().map(plain).collect::<Vec<_>>().join("\n") } else { text }
    }

    fn cut(&self, line: String) -> String {
        let line = if self.ascii { plain(&line) } else { line };
        let line = line.trim_end();
        match self.width.filter(|width| line.chars().count() > *width) {
            Some(width) => {
                let end = if self.ascii { "~" } else { "…" };
                let kept: String = line.chars().take(width.saturating_sub(1)).collect();
                kept + end
            }
            None => line.to_owned(),
        }
    }
}

fn plain(line: &str) -> String {
    let line = line.replace('→', "->").replace('·', "|").replace(['–', '—'], "-").replace('…', "~");
    line.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()
}

/// `t:0,7+FPI t_pkey:1`: blocks of the same fork share its name.
fn pages(blocks: &[Block], names: &Names) -> String {
    let mut out = String::new();
    let mut last = None;
    for block in blocks {
        let place = (block.tag.locator, block.tag.fork);
        if last == Some(place) {
            let _ = write!(out, ",{}", block.tag.block);
        } else {
            let gap = if out.is_empty() { "" } else { " " };
            let _ = write!(out, "{gap}{}", names.page(&block.tag));
        }
        if block.has_image {
            out.push_str("+FPI");
        }
        last = Some(place);
    }
    out
}

/// `1,234,567`
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut out = digits[..first].to_owned();
    for (at, digit) in digits[first..].chars().enumerate() {
        if at % 3 == 0 && !out.is_empty() {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
