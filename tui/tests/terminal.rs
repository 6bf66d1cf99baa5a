//! The program in a real terminal: a pty, keys and mouse as bytes, and an emulator that says what is on the screen.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FFVIZ: &str = env!("CARGO_BIN_EXE_ffviz");
const PATIENCE: Duration = Duration::from_secs(20);

/// A program in a terminal of its own.
struct Pty {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
}

impl Pty {
    fn start(program: &str, args: &[&str], variables: &[(&str, &str)], (columns, rows): (u16, u16)) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pty");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let feed = Arc::clone(&parser);
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                feed.lock().expect("the parser").process(&bytes[..n]);
            }
        });
        Self { master: pair.master, child, writer, parser }
    }

    fn ffviz(args: &[&str], size: (u16, u16)) -> Self {
        Self::start(FFVIZ, args, &[], size)
    }

    fn screen(&self) -> vt100::Screen {
        self.parser.lock().expect("the parser").screen().clone()
    }

    /// Waits until the screen is as told.
    fn until(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) -> vt100::Screen {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "never seen: {what}; the screen is\n{}", screen.contents());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn until_text(&self, text: &str) -> vt100::Screen {
        self.until(text, |screen| screen.contents().contains(text))
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("keys are taken");
    }

    /// A click on the first place where a text stands.
    fn click(&mut self, text: &str) {
        let screen = self.until_text(text);
        let lines: Vec<String> = screen.rows(0, screen.size().1).collect();
        let (y, line) = lines.iter().enumerate().find(|(_, line)| line.contains(text)).expect("it is there");
        let x = line.split(text).next().unwrap_or_default().chars().count();
        self.send(&format!("\x1b[<0;{};{}M\x1b[<0;{};{}m", x + 2, y + 1, x + 2, y + 1));
    }

    fn signal(&self, name: &str) {
        let pid = self.child.process_id().expect("it runs").to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("kill");
        assert!(status.success());
    }

    /// `T` when it is stopped.
    fn state(&self) -> char {
        let pid = self.child.process_id().expect("it runs");
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?')
    }

    /// Waits for the end; checks that the terminal is as it was: first screen, no mouse, cursor, line by line with
    /// echo.
    fn ends(mut self) -> (u32, vt100::Screen) {
        let status = self.child.wait().expect("it ends");
        let screen = self.until("the first screen again", |screen| !screen.alternate_screen());
        self.is_given_back(&screen);
        (status.exit_code(), screen)
    }

    fn is_given_back(&self, screen: &vt100::Screen) {
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        let tty = self.master.tty_name().expect("a name");
        let modes = Command::new("stty").arg("-F").arg(&tty).arg("-a").output().expect("stty");
        let modes = String::from_utf8_lossy(&modes.stdout).into_owned();
        for mode in ["icanon", "echo", "isig"] {
            assert!(modes.split_whitespace().any(|word| word == mode), "{mode} is off: {modes}");
        }
    }
}

#[test]
fn open_step_resize_help_quit() {
    let start = Instant::now();
    let mut pty = Pty::ffviz(&[], (80, 24));
    pty.until_text("Anatomy of a heap page");
    println!("from start to first screen (this build): {:?}", start.elapsed());
    // the lessons come first, then recordings
    pty.send(&"\x1b[B".repeat(6));
    pty.until_text("hot-chain");
    pty.send("\r");
    pty.until_text("PostgreSQL 18");
    pty.until_text("0/");
    pty.send("\x1b[C\x1b[C");
    pty.until("step 2", |screen| screen.rows(0, 80).nth(2).is_some_and(|line| line.contains(" 2/")));
    pty.send("h");
    pty.until("step 1", |screen| screen.rows(0, 80).nth(2).is_some_and(|line| line.contains(" 1/")));
    pty.parser.lock().expect("the parser").screen_mut().set_size(50, 160);
    let size = PtySize { rows: 50, cols: 160, pixel_width: 0, pixel_height: 0 };
    pty.master.resize(size).expect("a new size");
    pty.until("keys on the last line", |screen| screen.rows(0, 160).nth(49).is_some_and(|line| line.contains("help")));
    pty.send("?");
    pty.until_text("keys and signs");
    pty.send("\x1b");
    pty.until("help is gone", |screen| !screen.contents().contains("keys and signs"));
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

/// Help is read by pages; a view is shown by the number of its tab; the list remembers what is open; a page begins at
/// its top.
#[test]
fn pages_tabs_and_lists() {
    let mut pty = Pty::ffviz(&[], (80, 24));
    pty.until_text("Anatomy of a heap page");
    pty.send(&"\x1b[B".repeat(6));
    pty.until_text("▸ 18/hot-chain");
    pty.send("\r");
    pty.until_text("PostgreSQL 18");
    pty.send("?");
    pty.until_text("step forward");
    pty.send("\x1b[6~");
    pty.until("the next page of the help", |screen| !screen.contents().contains("step forward"));
    pty.send("\x1b[5~");
    pty.until_text("step forward");
    pty.send("\x1b[F");
    pty.until_text("This step");
    pty.send("\x1b[H");
    pty.until_text("step forward");
    // g and G are of the help too: the steps behind it stay where they are
    pty.send("G");
    pty.until_text("This step");
    pty.send("g");
    pty.until_text("step forward");
    pty.send("\x1b");
    pty.until("help is gone", |screen| !screen.contents().contains("keys and signs"));
    pty.send("3");
    pty.until_text("share of the page in use");
    pty.send("5");
    pty.until_text("LP_NORMAL");
    pty.send("1");
    pty.until_text("▸ 18/hot-chain");
    pty.send("\x1b[F");
    pty.until("the last entry", |screen| !screen.contents().contains("▸ 18/hot-chain"));
    pty.send("\x1b[H");
    pty.until_text("▸ lesson/");
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

/// A page that is opened from another is not scrolled as that one was.
#[test]
fn another_page_begins_at_its_top() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.sql");
    std::fs::write(&file, "create table t (a int);\ninsert into t select generate_series(1, 400);\n").expect("a file");
    let mut pty = Pty::ffviz(&["sim", file.to_str().expect("a name")], (80, 24));
    pty.until_text("insert into t");
    pty.send("5fG");
    pty.until_text("block 0 of 2");
    let top = |screen: &vt100::Screen| screen.contents().contains(" 1  LP_NORMAL");
    pty.until("its first row", top);
    pty.send(&"j".repeat(90));
    pty.until_text(" 90  LP_NORMAL");
    pty.send("n");
    pty.until("the next page's first row", |screen| screen.contents().contains("block 1 of 2") && top(screen));
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

/// While a question is in sight its letters answer it, and digits show views; a wrong answer leaves it open.
#[test]
fn a_question_is_answered_by_letters() {
    let mut pty = Pty::ffviz(&["lesson", "hot-update"], (120, 40));
    pty.until_text("7 Lesson");
    let waits = |screen: &vt100::Screen| screen.contents().contains("S show answer");
    for _ in 0..40 {
        if waits(&pty.screen()) {
            break;
        }
        pty.send(")");
        std::thread::sleep(Duration::from_millis(50));
    }
    pty.until("a question", waits);
    pty.send("6");
    pty.until_text("WAL · ");
    pty.send("5");
    pty.until_text("LP_NORMAL");
    pty.send("a");
    pty.until_text("a is not right");
    pty.send("c");
    pty.until_text("That is right.");
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

#[test]
fn mouse() {
    let mut pty = Pty::ffviz(&["replay", "18/hot-chain"], (120, 40));
    pty.until_text("no page changed");
    pty.click(" Map");
    pty.until_text("share of the page in use");
    pty.click(" Page");
    pty.until_text("LP_NORMAL");
    // the dots of the timeline: the second state lies on the bar's line
    let screen = pty.screen();
    let bar: String = screen.rows(0, 120).nth(2).unwrap_or_default();
    let dot = bar.chars().enumerate().filter(|(_, c)| "○●".contains(*c)).map(|(x, _)| x).next().expect("a dot");
    pty.send(&format!("\x1b[<0;{};3M", dot + 1));
    pty.until("a step", |screen| !screen.rows(0, 120).nth(2).unwrap_or_default().contains(" 0/"));
    // a row of the new version is there: all above it is drawn
    pty.until_text(" 3  LP_NORMAL");
    pty.click(" 1  LP_");
    pty.until_text("line pointer 1");
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in ["TERM", "INT", "HUP"] {
        let pty = Pty::ffviz(&[], (80, 24));
        pty.until_text("Library");
        assert!(pty.screen().alternate_screen());
        pty.signal(signal);
        let (code, _) = pty.ends();
        assert_ne!(code, 0, "{signal} is no success");
    }
}

#[test]
fn suspend_and_go_on() {
    let mut pty = Pty::ffviz(&["replay", "18/hot-chain"], (80, 24));
    pty.until_text("no page changed");
    for how in ["key", "signal"] {
        if how == "key" {
            pty.send("\x1a")
        } else {
            pty.signal("TSTP")
        }
        let screen = pty.until("stopped", |screen| !screen.alternate_screen() && pty.state() == 'T');
        pty.is_given_back(&screen);
        pty.signal("CONT");
        pty.until("the picture again", |screen| {
            screen.alternate_screen() && screen.contents().contains("no page changed")
        });
    }
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

#[test]
fn panic_gives_the_terminal_back() {
    let own = std::env::current_exe().expect("this test");
    let args = ["--exact", "takes_the_terminal_and_panics", "--ignored", "--nocapture"];
    let pty = Pty::start(&own.to_string_lossy(), &args, &[], (100, 30));
    let (code, screen) = pty.ends();
    assert_ne!(code, 0);
    assert!(screen.contents().contains("on purpose"), "{}", screen.contents());
}

#[test]
#[ignore = "run in a terminal by panic_gives_the_terminal_back"]
fn takes_the_terminal_and_panics() {
    ffviz_tui::terminal::give_back_on_panic(|| {});
    let taken = ffviz_tui::terminal::Taken::take().expect("a terminal");
    std::thread::sleep(Duration::from_millis(50));
    let _keep = taken;
    panic!("on purpose");
}

#[test]
fn too_small_says_so() {
    let mut pty = Pty::ffviz(&[], (50, 12));
    pty.until_text("too small");
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

#[test]
fn without_colour_and_in_ascii() {
    let coloured = |screen: &vt100::Screen| {
        let (rows, columns) = screen.size();
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x)));
        cells.filter_map(|(y, x)| screen.cell(y, x)).filter(|c| c.fgcolor() != vt100::Color::Default).count()
    };
    let mut pty = Pty::start(FFVIZ, &["replay", "18/hot-chain", "--ascii"], &[("NO_COLOR", "1")], (80, 24));
    let screen = pty.until_text("no page changed");
    assert_eq!(coloured(&screen), 0);
    assert!(screen.contents().is_ascii(), "{}", screen.contents());
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
    let mut pty = Pty::ffviz(&["replay", "18/hot-chain"], (80, 24));
    assert!(coloured(&pty.until_text("no page changed")) > 100);
    pty.send("q");
    assert_eq!(pty.ends().0, 0);
}

#[test]
fn without_a_terminal_it_prints() {
    let run = |args: &[&str]| Command::new(FFVIZ).args(args).stdin(Stdio::null()).output().expect("it runs");
    let played = run(&[]);
    assert!(played.status.success());
    let text = String::from_utf8_lossy(&played.stdout);
    assert!(text.contains("[0/") && text.contains("[1/") && text.contains("INSERT"), "{text}");
    assert!(!text.contains('\x1b'));
    for (args, code, words) in [
        (&["show"][..], 2, "Usage"),
        (&["frobnicate"], 2, "unrecognized"),
        (&["show", "no-such-file"], 1, "no such file"),
        (&["show", "18/hot-chain", "--step", "9999"], 2, "--step 9999: the last step is "),
        (&["show", "hot-update", "--statement", "999"], 2, "--statement 999: there are statements 1 to "),
        (&["replay", "18/hot-chain", "--step", "9999"], 2, "--step 9999: the last step is "),
        (&["lesson", "hot-update", "--step", "9999"], 2, "--step 9999: the last step is "),
        (&["sim", "-c", "create table t (a int)", "--step", "99"], 2, "--step 99: the last step is "),
        (&["wal", "--step", "3"], 2, "`ffviz wal` does not begin with a step"),
        (&["sim", "-c", "select 1", "--versus", "pg=12"], 2, "no version of PostgreSQL that is simulated"),
        (&["man", "no/such/folder"], 1, "no/such/folder/ffviz"),
        (&["show", "18/hot-chain", "--page", "nope:0"], 1, "no such relation"),
        (&["show", "18/hot-chain", "--page", "city:9"], 1, "blocks, counted from 0"),
        (&["show", "18/hot-chain", "--select", "tuple:99"], 1, "no such part"),
        (&["open", "/etc/passwd"], 1, "neither a recording nor a relation file"),
    ] {
        let result = run(args);
        let said = String::from_utf8_lossy(&result.stderr).into_owned();
        assert_eq!(result.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = Command::new(FFVIZ)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let result = child.wait_with_output().expect("it ends");
    assert_eq!((result.status.code(), String::from_utf8_lossy(&result.stderr).into_owned()), (Some(0), String::new()));
}

/// A script is edited within the program and in `$EDITOR`, branched off from, and its branches gone through.
#[test]
fn a_script_is_edited_and_run_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.sql");
    std::fs::write(&file, "create table t (a int);\ninsert into t values (1);\nupdate t set a = 2;\n").expect("a file");
    let path = file.to_str().expect("a name");
    let editor = [("VISUAL", ""), ("EDITOR", "sed -i 's/values/values (7),/'")];
    let mut pty = Pty::start(FFVIZ, &["sim", path], &editor, (100, 30));
    pty.until_text("insert into t values (1)");
    pty.send("e");
    pty.until_text("Ctrl-R run");
    // an error is shown at its place, and what was typed is kept
    pty.send("\x1b[B\x1b[Fx\x12");
    pty.until_text("line 2, column 26: syntax error");
    pty.send("\x1b[3~\x12");
    pty.until("the script as it was", |screen| !screen.contents().contains("Ctrl-R"));
    // another program has the terminal meanwhile, and gives it back
    pty.send("e");
    pty.until_text("Ctrl-R run");
    pty.send("\x0f");
    pty.until_text("values (7), (1)");
    pty.send("\x12");
    let screen = pty.until_text("branch 2/2: 1 edited");
    assert!(screen.contents().contains("insert into t values (7), (1)"), "{}", screen.contents());
    pty.send("B");
    pty.until_text("branch off after statement 2");
    pty.send("delete from t\x12");
    pty.until_text("branch 3/3: 2 up to statement 2");
    pty.send("}");
    pty.until_text("statement 3 of 3");
    pty.until_text("delete from t");
    pty.send("u");
    pty.until_text("branch 2/3: 1 edited");
    pty.send("<");
    pty.until("the first branch", |screen| screen.contents().contains("branch 1/3 ·"));
    pty.send("q");
    let (status, _) = pty.ends();
    assert_eq!(status, 0);
}

/// `--step` is where text begins too.
#[test]
fn text_begins_with_the_step_that_is_named() {
    let run = |args: &[&str]| {
        let output = Command::new(FFVIZ).args(args).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = run(&["replay", "18/hot-chain", "--step", "3"]);
    assert!(!text.contains("[2/") && text.contains("[3/") && text.contains("[4/"), "{text}");
    let (whole, part) = (run(&["lesson", "hot-update"]), run(&["lesson", "hot-update", "--step", "60"]));
    assert!(part.len() < whole.len() && part.contains("\n   60  ") && !part.contains("\n   59  "), "{part}");
}

/// A script is run on the same version by every command that opens one.
#[test]
fn a_script_has_one_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.sql");
    std::fs::write(&file, "create table t (a int);\nselect 1;\n").expect("a file");
    let path = file.to_str().expect("a name");
    let check = |args: &[&str], version: &str| {
        let output = Command::new(FFVIZ).args(args).stdin(Stdio::null()).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let title = text.lines().find(|line| line.contains("PostgreSQL")).unwrap_or_default();
        assert!(title.contains(&format!("PostgreSQL {version}")), "{args:?}: {title:?}");
    };
    let newest = ffviz_simulator::sql::run::DEFAULT.to_string();
    for command in ["sim", "replay", "show", "open"] {
        check(&[command, path], &newest);
        check(&[command, path, "--pg", "14.20"], "14.20");
    }
    std::fs::write(&file, "select 1").expect("a file");
    let output = Command::new(FFVIZ).args(["sim", path]).stdin(Stdio::null()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("Library"), "a script without pages does not show what else there is: {text}");
}

/// A locale without Unicode has ASCII, and a dumb terminal plain text.
#[test]
fn what_the_environment_says() {
    let run = |args: &[&str], locale: &str| {
        let mut command = Command::new(FFVIZ);
        command.args(args).env("LC_ALL", locale).stdin(Stdio::null());
        String::from_utf8(command.output().expect("it runs").stdout).expect("UTF-8")
    };
    let row = "create table t (a int); insert into t values (1)";
    for args in [
        &["replay", "18/hot-chain"][..],
        &["lesson", "hot-update"],
        &["show", "18/btree-grow"],
        &["sim", "-c", row, "--format", "text"],
        &["run", "-b", "simple-update", "-t", "60"],
    ] {
        assert!(run(args, "C").is_ascii(), "{args:?}: {:?}", run(args, "C").chars().find(|c| !c.is_ascii()));
        assert!(!run(args, "C.UTF-8").is_ascii(), "{args:?}");
    }
    let picture = &["show", "18/hot-chain", "--format", "svg"][..];
    assert_eq!(run(picture, "C"), run(picture, "C.UTF-8"), "a file of its own does not ask the terminal");
    let environment = [("TERM", "dumb"), ("LC_ALL", "C")];
    let mut pty = Pty::start(FFVIZ, &["replay", "18/hot-chain", "--step", "1"], &environment, (100, 50));
    assert!(pty.child.wait().expect("it ends").success());
    let screen = pty.until_text("HOT");
    assert!(!screen.alternate_screen() && screen.contents().is_ascii(), "{}", screen.contents());
}

/// A row with a terminal's commands in it is shown with signs for them.
#[test]
fn rows_do_not_command_the_terminal() {
    let script = "create table t (a text, b text); create index on t (b); insert into t values (E'\\x1b[31mred', E'a\\x07\\nb'); select * from t";
    for format in ["text", "figure", "svg", "json"] {
        let mut command = Command::new(FFVIZ);
        match format {
            "text" => command.args(["sim", "-c", script, "--format", format]),
            _ => {
                let folder = std::env::temp_dir().join(format!("ffviz-rows-{}.sql", std::process::id()));
                std::fs::write(&folder, script).expect("a file");
                command.args(["show", folder.to_str().expect("a name"), "--format", format, "--step", "3.insert"])
            }
        };
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{format}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!text.contains(|sign: char| sign.is_control() && sign != '\n'), "{format}: {text:?}");
        assert!(text.contains("x1B[31mred"), "{format}: {text}");
    }
}

/// The program and its manual name commit and servers, and have every command.
#[test]
fn version_and_manual() {
    let run = |args: &[&str]| {
        let output = Command::new(FFVIZ).args(args).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let version = run(&["--version"]);
    let rest = version.strip_prefix(concat!("ffviz ", env!("CARGO_PKG_VERSION"), " (")).expect("the version");
    let servers = rest.split_once("PostgreSQL ").expect("servers").1;
    assert_eq!(servers.split(", ").count(), 6, "{version}");
    assert!(servers.trim_end().ends_with(&format!("{})", ffviz_simulator::sql::run::DEFAULT)), "{version}");
    let page = run(&["man"]);
    for words in [".TH ffviz 1", ".SH SYNOPSIS", "ffviz\\-sim(1)", ".SH EXAMPLES", ".nf"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    run(&["man", folder.path().to_str().expect("a name")]);
    for command in ["ffviz", "ffviz-sim", "ffviz-show", "ffviz-attach", "ffviz-man"] {
        let page = std::fs::read_to_string(folder.path().join(format!("{command}.1"))).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH EXAMPLES"), "{command}: {page}");
    }
}
