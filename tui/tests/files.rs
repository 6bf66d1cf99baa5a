//! `ffviz open`: relation files as they may lie somewhere, whole and damaged. Their pages are those of a real server.

use ffviz_format::page::Page;
use ffviz_tests::servers::Database;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIZE: usize = 8192;
const MADE: &str = "CREATE SEQUENCE s; SELECT nextval('s');
    CREATE TABLE t (a int, n numeric(10,2), at timestamp with time zone, l int4[], v varchar(20), d double precision, p point, u uuid);
    INSERT INTO t SELECT g, g / 4.0, '2026-11-25 01:02:03+00', ARRAY[g, g + 1], 'row ' || g, g / 8.0, point(g, 0.5),
        '00000000-0000-0000-0000-00000000002a' FROM generate_series(1, 150) g";

/// A folder of relation files, removed at the end.
struct Folder {
    path: PathBuf,
    /// pages of the table, of the sequence
    table: Vec<u8>,
    sequence: Vec<u8>,
}

impl Folder {
    fn new(name: &str) -> Self {
        let mut database = Database::create(18, &format!("files_{name}"));
        database.client.batch_execute(MADE).expect("a table");
        let mut pages = |sql: &str| -> Vec<u8> {
            let rows = database.client.query(sql, &[]).expect("pages");
            rows.iter().flat_map(|row| row.get::<_, Vec<u8>>(0)).collect()
        };
        let table = pages("SELECT get_raw_page('t', n) FROM generate_series(0, 1) n");
        let sequence = pages("SELECT get_raw_page('s', 0)");
        let path = std::env::temp_dir().join(format!("ffviz-files-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self { path, table, sequence }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// The table's pages, changed.
    fn changed(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = self.table.clone();
        change(&mut bytes);
        self.write(name, &bytes)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// What `ffviz show` prints of a file, and what it says beside that.
#[track_caller]
fn show(path: &Path, args: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ffviz")).arg("show").arg(path).args(args).output().expect("ffviz runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {err}", path.display());
    String::from_utf8(output.stdout).expect("UTF-8") + &err
}

/// What it says where it refuses.
fn refusal(path: &Path, args: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ffviz")).arg("open").arg(path).args(args).output().expect("ffviz runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[track_caller]
fn check(text: &str, there: &[&str], not_there: &[&str]) {
    for words in there {
        assert!(text.contains(words), "{words}\n{text}");
    }
    for words in not_there {
        assert!(!text.contains(words), "not {words}\n{text}");
    }
}

#[test]
fn damaged_files() {
    let files = Folder::new("damaged");
    let no_header = files.changed("1", |bytes| bytes[..24].fill(0));
    check(
        &show(&no_header, &[]),
        &[
            "block 0 of 2 · invalid page",
            "! pd_upper is 0 as on a page that was never written, but byte 24 is not zero: a server says \"invalid page\"",
        ],
        &["never written ", "nothing written yet"],
    );
    let alone = files.changed("2", |bytes| {
        bytes.truncate(SIZE);
        bytes[..24].fill(0);
    });
    check(&show(&alone, &[]), &["block 0 of 1 · invalid page"], &[]);
    let zeros = files.changed("3", |bytes| bytes[..SIZE].fill(0));
    check(&show(&zeros, &["--block", "0"]), &["block 0 of 2 · never written"], &["! ", "invalid page"]);
    let cut = files.changed("4", |bytes| bytes.truncate(SIZE + 1000));
    check(
        &show(&cut, &["--block", "1"]),
        &[
            "! only 1000 of the page's 8192 bytes are there: the file ends within it",
            "4 ends within block 1: 1000 of its 8192 bytes are there.",
        ],
        &[],
    );
    // 1 becomes a redirect to itself
    let circle = files.changed("5", |bytes| bytes[24..28].copy_from_slice(&(1_u32 | 2 << 15).to_le_bytes()));
    check(&show(&circle, &[]), &["! line pointer 1: LP_REDIRECT to itself"], &[]);
    let empty = files.write("6", b"");
    check(&show(&empty, &[]), &["6", "0 blocks"], &["! ", "not read"]);
    check(&refusal(&empty, &["--block", "3"]), &["6: there is no block 3; it is empty"], &[]);
    check(&refusal(&zeros, &["--block", "9"]), &["3: there is no block 9; its last one is 1"], &[]);
    let words = files.write("7", b"neither");
    check(&refusal(&words, &[]), &["neither a recording nor a relation file"], &[]);
    let sequence = files.write("8", &files.sequence);
    check(&show(&sequence, &[]), &["sequence page"], &["room for a HOT update"]);
}

/// Nobody told whether the server had data checksums: the pages tell, and a guess is marked as one.
#[test]
fn checksums_of_files() {
    let files = Folder::new("checksums");
    let with = |name: &str, change: &dyn Fn(&mut [u8])| {
        files.changed(name, |bytes| {
            for (block, page) in (0..).zip(bytes.chunks_mut(SIZE)) {
                page[8..10].fill(0);
                let sum = Page::new(page).checksum(block).expect("a whole page");
                page[8..10].copy_from_slice(&sum.to_le_bytes());
            }
            change(bytes);
        })
    };
    check(&show(&with("1", &|_| {}), &[]), &["checksum: correct"], &["! "]);
    let wrong = show(&with("2", &|bytes| bytes[SIZE - 1] ^= 1), &[]);
    check(
        &wrong,
        &[
            "checksum: wrong: the bytes give",
            "! pd_checksum is ",
            "unless data checksums were turned off, which nobody told",
        ],
        &["changed since"],
    );
    let one = show(&with("3", &|bytes| bytes[8..10].fill(0)), &[]);
    check(&one, &["checksum: none, and other pages of the file have one", "! pd_checksum is 0"], &[]);
    let none = files.changed("4", |bytes| bytes.chunks_mut(SIZE).for_each(|page| page[8..10].fill(0)));
    check(&show(&none, &[]), &["checksum: none: data checksums are off (assumed)"], &["! "]);
}

#[test]
fn versions_of_files() {
    let files = Folder::new("versions");
    let path = files.changed("16384", |_| {});
    check(&show(&path, &[]), &["16384 · PostgreSQL 18 (assumed) · measured"], &["fillfactor is"]);
    check(&show(&path, &["--pg", "14"]), &["16384 · PostgreSQL 14 · measured"], &["assumed) · measured"]);
    files.write("PG_VERSION", b"16\n");
    check(&show(&path, &[]), &["16384 · PostgreSQL 16 · measured"], &[]);
    files.write("PG_VERSION", b"9.6\n");
    check(&show(&path, &[]), &["PostgreSQL 18 (assumed)"], &[]);
}

/// Values as the server prints them in UTC; of types that are not known the bytes, and what comes after is read right.
#[test]
fn types_of_columns() {
    let files = Folder::new("types");
    let path = files.changed("16384", |_| {});
    let types =
        |types: &str| show(&path, &["--types", types, "--select", "tuple:1", "--width", "200", "--height", "100"]);
    let known =
        types("int4,numeric(10,2),timestamp with time zone,int4[],character varying(20),double precision,point,uuid");
    check(
        &known,
        &[
            "0.25",
            "2026-11-25 01:02:03+00",
            "{1,2}",
            "row 1",
            "0.125",
            "(1,0.5)",
            "00000000-0000-0000-0000-00000000002a",
        ],
        &[],
    );
    let unknown = types("bytes(4),varlena,bytes(8),varlena,text,bytes(8),bytes(16,double),uuid");
    check(&unknown, &["row 1", "00000000-0000-0000-0000-00000000002a"], &["0.25"]);
    check(
        &refusal(&path, &["--types", "geometry"]),
        &["--types: \"geometry\", of column 1, is no type that is known here; of one that PostgreSQL has say varlena"],
        &[],
    );
}

/// A relation of more than 1 GB, and one of 1 TB: sparse files, in which a page here and there is written.
#[test]
fn long_relations() {
    let files = Folder::new("long");
    let sparse = |name: &str, length: u64, pages: &[u64]| {
        let path = files.path.join(name);
        let file = File::create(&path).expect("a file");
        for at in pages {
            file.write_all_at(&files.table[..SIZE], at * SIZE as u64).expect("a page");
        }
        file.set_len(length).expect("a long file");
        path
    };
    let (gigabyte, terabyte) = (1 << 30, 1 << 40);
    let first = sparse("16384", gigabyte, &[0, 131_071]);
    let second = sparse("16384.1", 3 * SIZE as u64, &[0, 2]);
    check(
        &show(&first, &[]),
        &["block 0 of 131,075", "Of 131075 blocks of 16384 those from 0 to 8191 are read"],
        &["not read "],
    );
    check(&show(&first, &["--block", "131074"]), &["block 131074 of 131,075 · heap page"], &[]);
    check(&show(&second, &[]), &["block 131072 of 131,075 · heap page"], &[]);
    sparse("16385", 5 * SIZE as u64, &[0]);
    sparse("16385.1", SIZE as u64, &[0]);
    check(
        &show(&files.path.join("16385"), &[]),
        &["of 5 ", "16385.1 is not read: 16385 before it is not 1 GB long."],
        &[],
    );
    let copy = sparse("16386.1", SIZE as u64, &[0]);
    check(&show(&copy, &[]), &["block 131072 of 131,073 · heap page"], &[]);
    let huge = sparse("16387", terabyte, &[0, 100_000_000]);
    check(&show(&huge, &[]), &["block 0 of 134,217,728 · heap page", "those from 0 to 8191 are read"], &[]);
    check(&show(&huge, &["--block", "100000000"]), &["block 100000000 of 134,217,728 · heap page"], &[]);
    check(&show(&huge, &["--view", "map"]), &["134,217,728"], &[]);
}

/// Bytes changed anywhere, lengths of any kind: it is shown or refused, and nothing panics.
#[test]
fn any_file() {
    let files = Folder::new("any");
    let mut seed = 7_u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let (mut shown, tried) = (0, 40);
    for n in 0..tried {
        let mut bytes = files.table.clone();
        for _ in 0..below(20) {
            let at = if below(2) == 0 { below(SIZE) } else { below(200) };
            bytes[at] = below(256) as u8;
        }
        bytes.truncate(if n % 2 == 0 { bytes.len() } else { below(2 * SIZE) });
        let path = files.write("16384", &bytes);
        let output = Command::new(env!("CARGO_BIN_EXE_ffviz")).arg("open").arg(&path).output().expect("ffviz runs");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        shown += usize::from(output.status.success());
    }
    assert!(shown > tried / 2, "{shown}");
}

/// A map that is opened alone is told by its own blocks; a segment of the WAL is no relation.
#[test]
fn maps_and_segments() {
    let folder = std::env::temp_dir().join(format!("ffviz-maps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, blocks, told) in
        [("16384_fsm", 3, "free space map 16384_fsm, 3 blocks"), ("16384_vm", 1, "visibility map 16384_vm, 1 block")]
    {
        let path = folder.join(name);
        std::fs::write(&path, vec![0; 8192 * blocks]).expect("a file");
        check(&show(&path, &[]), &[told], &["0 blocks"]);
    }
    let mut bytes = vec![0; 16384];
    bytes[..2].copy_from_slice(&[0x18, 0xD1]);
    for (name, bytes) in [("0000000100000000000000BE", bytes), ("0000000100000000000000BF", vec![0; 16384])] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        check(&refusal(&path, &[]), &["a segment of the WAL", "`ffviz wal "], &[]);
    }
    // as Debian's PostgreSQL 15 begins them: the first segment under another name, and pg_control
    let header = [
        0x10, 0xD1, 0x02, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0,
        0, 1, 0, 0x20, 0, 0,
    ];
    let mut segment = vec![0; 16384];
    segment[..header.len()].copy_from_slice(&header);
    let control: Vec<u8> = [&[7, 6, 5, 4, 3, 2, 1, 0][..], &1300_u32.to_le_bytes(), &202_209_061_u32.to_le_bytes()]
        .concat()
        .into_iter()
        .chain([0; 8176])
        .collect();
    for (name, bytes, told) in [("16384", segment, "a segment of the WAL"), ("16385", control, "the control file")] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        check(&refusal(&path, &[]), &[told], &[]);
    }
    check(&refusal(&folder, &[]), &["a folder", "`ffviz wal "], &["no such file"]);
    let _ = std::fs::remove_dir_all(&folder);
}
