//! The program and a server: the password prompt on a terminal, files in the home folder and `PG*` variables, Ctrl-C
//! and kill while it records.

use ffviz_tests::instance::{Instance, NEWEST};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FFVIZ: &str = env!("CARGO_BIN_EXE_ffviz");

/// A server that wants a password from the role `worded`.
fn server() -> Instance {
    let instance = Instance::create(NEWEST, "");
    let fill = "CREATE EXTENSION pageinspect; CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 1000);
                CREATE ROLE worded SUPERUSER LOGIN PASSWORD 'pass word'";
    instance.client().batch_execute(fill).expect("a table");
    let hba = "host all worded all scram-sha-256\nlocal all all trust\nhost all postgres all trust\n";
    instance.write("data/pg_hba.conf", hba, 0o600);
    instance.client().batch_execute("SELECT pg_reload_conf()").expect("reload");
    std::thread::sleep(Duration::from_millis(500));
    instance
}

/// `ffviz record` with nothing of this process' environment but what is said.
fn record(home: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Command {
    let mut command = Command::new(FFVIZ);
    command.arg("record").args(arguments).env_clear().env("HOME", home).envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_server_with_passwords() {
    let instance = server();
    let home = tempfile();
    let port = instance.port.to_string();
    prompt_open_capture_step_back(&port, &instance);
    files_and_variables(&home, &port);
    ends_of_recording(&home, &instance);
    let _ = std::fs::remove_dir_all(&home);
}

fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("ffviz-home-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Waits until the screen, after all that was written to it, shows these words.
fn screen_shows(written: &Mutex<Vec<u8>>, what: &str) {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let mut terminal = vt100::Parser::new(30, 110, 0);
        terminal.process(&written.lock().expect("the sink"));
        let text = terminal.screen().contents();
        if text.contains(what) {
            return;
        }
        assert!(Instant::now() < end, "no {what:?} in\n{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A password typed unseen, a table opened, a capture taken, a step back.
fn prompt_open_capture_step_back(port: &str, instance: &Instance) {
    let size = PtySize { rows: 30, cols: 110, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pty");
    let mut command = CommandBuilder::new(FFVIZ);
    command.args(["attach", &format!("host=127.0.0.1 port={port} user=worded dbname=postgres passfile=/nowhere")]);
    command.env("TERM", "xterm-256color");
    command.env_remove("PGPASSWORD");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    let mut writer = pair.master.take_writer().expect("a writer");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (mut reader, sink) = (pair.master.try_clone_reader().expect("a reader"), Arc::clone(&seen));
    std::thread::spawn(move || {
        let mut bytes = [0; 8192];
        while let Ok(n @ 1..) = reader.read(&mut bytes) {
            sink.lock().expect("the sink").extend_from_slice(&bytes[..n]);
        }
    });
    let until = |what: &str| {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let text = String::from_utf8_lossy(&seen.lock().expect("the sink")).into_owned();
            if text.contains(what) {
                return text;
            }
            assert!(Instant::now() < end, "no {what:?} in {text:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("Password for user worded: ");
    std::thread::sleep(Duration::from_millis(200));
    writer.write_all(b"pass wordx\x7f\r").expect("typing, with a slip");
    let text = until("public.t");
    assert!(!text.contains("pass word"), "what is typed is not shown");
    let shows = |what: &str| screen_shows(&seen, what);
    writer.write_all(b"\r").expect("opening the table");
    shows("t · block 0 of 5 · heap page");
    instance.client().batch_execute("UPDATE t SET id = -1 WHERE id = 1").expect("an update");
    writer.write_all(b"r").expect("a capture");
    // the last step is what was not logged; the first is that the UPDATE found no room and locked the row, the second
    // its own record
    shows("5/5");
    writer.write_all(b"\x1b[H").expect("to the first state");
    shows("0/5");
    writer.write_all(b"\x1b[C").expect("a step forward");
    shows("lock row (0,1) FOR UPDATE");
    writer.write_all(b"\x1b[C").expect("a step forward");
    shows("UPDATE (0,1) → (4,97)");
    writer.write_all(b"q").expect("typing");
    child.wait().expect("the program ends");
}

fn files_and_variables(home: &Path, port: &str) {
    let output = home.join("env.ffrec").display().to_string();
    let arguments = ["-t", "t", "-o", &output];
    let place = [("PGHOST", "127.0.0.1"), ("PGPORT", port), ("PGUSER", "worded"), ("PGDATABASE", "postgres")];
    let run =
        |more: &[(&str, &str)]| record(home, &[&place, more].concat(), &arguments).output().expect("the program runs");
    let missing = run(&[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(told(&missing).contains("wants a password, and none is known"), "{}", told(&missing));
    assert!(run(&[("PGPASSWORD", "pass word")]).status.success());
    let wrong = run(&[("PGPASSWORD", "other")]);
    assert!(
        told(&wrong).contains("password authentication failed") && !told(&wrong).contains("other"),
        "{}",
        told(&wrong)
    );
    let passfile = home.join(".pgpass");
    std::fs::write(&passfile, format!("127.0.0.1:{port}:postgres:worded:pass word\n")).expect("a password file");
    std::fs::set_permissions(&passfile, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    assert!(run(&[]).status.success(), "~/.pgpass");
    let service = format!("[shop]\nhost=127.0.0.1\nport={port}\nuser=worded\ndbname=postgres\n");
    std::fs::write(home.join(".pg_service.conf"), service).expect("a service file");
    assert!(record(home, &[("PGSERVICE", "shop")], &arguments).output().expect("runs").status.success(), "PGSERVICE");
    let named = record(home, &[], &["service=shop", "-t", "t", "-o", &output]).output().expect("runs");
    assert!(named.status.success(), "{}", told(&named));
}

/// Ctrl-C ends cleanly; kill leaves a file that can be read and continued.
fn ends_of_recording(home: &Path, instance: &Instance) {
    let file = home.join("watch.ffrec");
    let name = file.display().to_string();
    let url = instance.url("postgres");
    let start =
        || record(home, &[], &[&url, "-t", "t", "-o", &name, "--every", "100ms"]).spawn().expect("the program runs");
    let captures = || std::fs::read_to_string(&file).unwrap_or_default().matches("\"line\":\"end\"").count();
    let wait = |wanted: usize| {
        let end = Instant::now() + Duration::from_secs(30);
        while captures() < wanted {
            assert!(Instant::now() < end, "{} captures", captures());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let signal = |child: &Child, name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    };
    let child = start();
    wait(2);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && told(&output).contains("captures with"), "{}", told(&output));
    let before = captures();
    let child = start();
    wait(before + 2);
    signal(&child, "-KILL");
    child.wait_with_output().expect("the program ends");
    let whole = captures();
    let shown = Command::new(FFVIZ).args(["replay", &name]).output().expect("the program runs");
    assert!(shown.status.success(), "{}", told(&shown));
    let more = record(home, &[], &[&url, "-t", "t", "-o", &name]).output().expect("the program runs");
    assert!(more.status.success() && captures() == whole + 1, "{}", told(&more));
    another_table(home, instance, &name);
    assert_eq!(captures(), whole + 1);
}

/// A recording of one table takes none of another, unless the first is in it too.
fn another_table(home: &Path, instance: &Instance, recording: &str) {
    instance.client().batch_execute("CREATE TABLE other (id int)").expect("a table");
    let other = record(home, &[], &[&instance.url("postgres"), "-t", "other", "-o", recording]).output();
    let other = other.expect("the program runs");
    assert_eq!(other.status.code(), Some(1), "{}", told(&other));
    assert!(told(&other).contains("is a recording of t; name another file"), "{}", told(&other));
}
