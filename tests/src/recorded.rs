//! A recording with a server's own WAL between its captures: a small table, made by `tests/wal_view/make.rs`.

use ffviz_story::recording;
use ffviz_story::timeline::Timeline;
use std::io::Read;

const WAL: &[u8] = include_bytes!("../golden/wal.ffrec.gz");

/// Its steps: a record each.
///
/// # Panics
/// When the file is damaged.
#[must_use]
pub fn wal() -> Timeline {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(WAL).read_to_end(&mut text).expect("gzip");
    let read = recording::read(text);
    assert_eq!(read.lost, Vec::<String>::new());
    read.timeline.expect("captures")
}
