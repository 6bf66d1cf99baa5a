//! A server of a test's own: to be stopped, damaged, given TLS, copied to a standby. Made from the binaries that
//! `tests/servers` has.

use crate::servers;
use postgres::{Client, NoTls};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A cluster in a folder of its own; stopped and removed when dropped.
pub struct Instance {
    /// major version
    pub major: u32,
    /// TCP port on 127.0.0.1
    pub port: u16,
    folder: PathBuf,
    /// folder of initdb, pg_ctl and postgres
    bin: PathBuf,
}

/// What the script says for a command and a version.
fn script(command: &str, major: u32) -> String {
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("servers"))
        .args([command, &major.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("tests/servers runs");
    assert!(output.status.success(), "PostgreSQL {major} cannot be had; see tests/servers");
    String::from_utf8(output.stdout).expect("tests/servers prints UTF-8").trim().to_owned()
}

/// Where Debian's package has the binaries of that version, which know lz4 and zstd and have `pg_waldump`; `None` where
/// it is not installed.
#[must_use]
pub fn of_debian(major: u32) -> Option<PathBuf> {
    let bin = PathBuf::from(format!("/usr/lib/postgresql/{major}/bin"));
    bin.join("initdb").exists().then_some(bin)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    id.stdout.trim_ascii() == b"0"
}

/// PostgreSQL does not run as root.
fn as_owner(program: &Path) -> Command {
    let owner = std::env::var("FFVIZ_SERVERS_USER").unwrap_or_else(|_| "ffviz-servers".to_owned());
    let lib = program.parent().and_then(Path::parent).expect("a program in bin").join("lib");
    let mut command = Command::new(if is_root() { Path::new("setpriv") } else { program });
    if is_root() {
        command
            .args([format!("--reuid={owner}"), format!("--regid={owner}"), "--clear-groups".to_owned()])
            .arg(program);
    }
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").env("LD_LIBRARY_PATH", lib).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Copies a cluster that is stopped.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "copy of the cluster {}", from.display());
}

impl Instance {
    /// Makes a cluster (superuser postgres, trust) with these lines in its postgresql.conf, and starts it.
    ///
    /// # Panics
    /// Where that cannot be done.
    #[must_use]
    pub fn create(major: u32, settings: &str) -> Self {
        Self::create_with(major, settings, &[])
    }

    /// The same, with further arguments of initdb: data checksums are an affair of initdb.
    ///
    /// # Panics
    /// Where that cannot be done.
    #[must_use]
    pub fn create_with(major: u32, settings: &str, initdb_args: &[&str]) -> Self {
        script("install", major);
        Self::create_from(script("bin", major).into(), major, settings, initdb_args)
    }

    /// The same from the binaries in a folder.
    ///
    /// # Panics
    /// Where that cannot be done.
    #[must_use]
    pub fn create_from(bin: PathBuf, major: u32, settings: &str, initdb_args: &[&str]) -> Self {
        let instance = Self::in_new_folder(major, bin);
        let kept = instance.kept(initdb_args);
        if kept.exists() {
            copy(&kept, &instance.data());
        } else {
            instance.initdb(initdb_args);
            // whoever else is doing the same may be first
            let new = kept.with_extension(instance.port.to_string());
            fs::create_dir_all(kept.parent().expect("a folder of clusters")).expect("a folder");
            copy(&instance.data(), &new);
            if fs::rename(&new, &kept).is_err() {
                let _ = fs::remove_dir_all(&new);
            }
        }
        instance.configure(settings);
        instance.start();
        instance
    }

    /// What initdb has made with these arguments is kept beside the tests' binaries: a copy takes a quarter of its
    /// time. So clusters of the same arguments have the same system identifier.
    fn kept(&self, initdb_args: &[&str]) -> PathBuf {
        let folder = std::env::current_exe().expect("a test is a program").with_file_name("clusters");
        let bin = self.bin.to_string_lossy().replace('/', "_");
        folder.join(format!("{bin}{}", initdb_args.concat()).replace('.', "_"))
    }

    fn initdb(&self, args: &[&str]) {
        let done = as_owner(&self.program("initdb"))
            .arg("-D")
            .arg(self.data())
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
            .args(args)
            .status();
        assert!(done.is_ok_and(|status| status.success()), "initdb of {}", self.major);
    }

    /// A copy of this one's cluster, which must be stopped, as its standby. Starts neither.
    ///
    /// # Panics
    /// Where that cannot be done.
    #[must_use]
    pub fn standby(&self, settings: &str) -> Self {
        let standby = Self::in_new_folder(self.major, self.bin.clone());
        copy(&self.data(), &standby.data());
        standby.write("data/standby.signal", "", 0o600);
        let primary = format!("primary_conninfo = 'host=127.0.0.1 port={} user=postgres'\n", self.port);
        standby.configure(&format!("{primary}{settings}"));
        standby
    }

    fn in_new_folder(major: u32, bin: PathBuf) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        let folder = std::env::temp_dir().join(format!("ffviz-{}-{}", std::process::id(), free.port()));
        fs::create_dir(&folder).expect("a new folder");
        let instance = Self { major, port: free.port(), folder, bin };
        instance.own(&instance.folder);
        instance
    }

    /// Adds settings; the last line for a name counts.
    ///
    /// # Panics
    /// Where the file cannot be written.
    pub fn configure(&self, settings: &str) {
        let base = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\nfsync = off\nautovacuum = off\n\
             shared_buffers = 32MB\nmax_wal_senders = 4\nlc_messages = 'C'\n{settings}\n",
            self.port,
            self.folder.display()
        );
        let file = self.data().join("postgresql.conf");
        let text = fs::read_to_string(&file).expect("postgresql.conf");
        fs::write(&file, text + &base).expect("postgresql.conf");
    }

    /// Writes a file below the instance's folder, owned as the server wants it.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let file = self.folder.join(name);
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("permissions");
        self.own(&file);
        file
    }

    fn own(&self, path: &Path) {
        if is_root() {
            let owner = std::env::var("FFVIZ_SERVERS_USER").unwrap_or_else(|_| "ffviz-servers".to_owned());
            let done = Command::new("chown").arg("-R").arg(format!("{owner}:")).arg(path).status();
            assert!(done.is_ok_and(|status| status.success()), "chown {}", path.display());
        }
    }

    /// The instance's folder: socket, data, whatever a test writes.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The data directory.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Starts it and waits until it answers.
    ///
    /// # Panics
    /// With its log, where it does not start.
    pub fn start(&self) {
        let log = self.folder.join("log");
        let done = as_owner(&self.program("pg_ctl"))
            .arg("-D")
            .arg(self.data())
            .arg("-l")
            .arg(&log)
            .args(["-w", "-t", "60", "start"])
            .status();
        let told = || fs::read_to_string(&log).unwrap_or_default();
        assert!(done.is_ok_and(|status| status.success()), "the server did not start:\n{}", told());
    }

    /// Stops it: `fast` or `immediate`.
    pub fn stop(&self, mode: &str) {
        let _ = as_owner(&self.program("pg_ctl")).arg("-D").arg(self.data()).args(["-m", mode, "-w", "stop"]).status();
    }

    /// Connection string of a database.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Connects as superuser.
    ///
    /// # Panics
    /// Where it does not answer.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::connect(&self.url("postgres"), NoTls).expect("the instance answers")
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.stop("immediate");
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// For tests that need a server of the newest version.
pub const NEWEST: u32 = servers::MAJORS[servers::MAJORS.len() - 1];
