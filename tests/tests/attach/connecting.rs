//! Connections as psql makes them: TLS by sslmode, passwords, services, several hosts; and what is said when none can
//! be made.

use super::{Live, refusal};
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::servers::url;
use std::path::Path;
use std::process::{Command, Stdio};

fn openssl(folder: &Path, args: &str) {
    let words = args.split(' ').map(|word| word.replace('+', " "));
    let done =
        Command::new("openssl").args(words).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()), "openssl {args}");
}

/// A CA, a server certificate for `localhost` by common name only (as in PostgreSQL's manual), one for 127.0.0.1, a
/// client certificate.
fn certificates(folder: &Path) {
    openssl(folder, "req -new -x509 -days 2 -nodes -subj /CN=ca -keyout ca.key -out ca.crt");
    for (name, subject) in [("server", "localhost"), ("client", "certified")] {
        openssl(folder, &format!("req -new -nodes -subj /CN={subject} -keyout {name}.key -out {name}.csr"));
        std::fs::write(folder.join("ext"), "basicConstraints=CA:FALSE\n").expect("extensions");
        openssl(
            folder,
            &format!(
                "x509 -req -days 2 -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile ext -out {name}.crt"
            ),
        );
    }
    openssl(folder, "req -new -x509 -days 2 -nodes -subj /CN=other -keyout other.key -out other.crt");
}

/// A server with TLS, SCRAM passwords, and client certificates for one role.
fn server() -> Instance {
    let instance = Instance::create(NEWEST, "");
    let folder = instance.folder().to_path_buf();
    let made = std::env::temp_dir().join(format!("ffviz-tls-{}", instance.port));
    std::fs::create_dir_all(&made).expect("a folder");
    certificates(&made);
    for (name, mode) in [("ca.crt", 0o644), ("other.crt", 0o644), ("server.crt", 0o644), ("server.key", 0o600)] {
        instance.write(name, &std::fs::read_to_string(made.join(name)).expect("a file"), mode);
    }
    // the client's files belong to whoever runs the test
    for name in ["client.crt", "client.key"] {
        std::fs::copy(made.join(name), folder.join(name)).expect("a copy");
    }
    set_mode(&folder.join("client.key"), 0o600);
    let _ = std::fs::remove_dir_all(&made);
    let mut admin = instance.client();
    let fill = "CREATE EXTENSION pageinspect; CREATE TABLE t (id int); INSERT INTO t VALUES (1);
                CREATE ROLE worded SUPERUSER LOGIN PASSWORD 'pass word'; CREATE ROLE certified SUPERUSER LOGIN; CREATE ROLE nobody LOGIN";
    admin.batch_execute(fill).expect("roles");
    drop(admin);
    let at = folder.display();
    instance.configure(&format!(
        "ssl = on\nssl_cert_file = '{at}/server.crt'\nssl_key_file = '{at}/server.key'\nssl_ca_file = '{at}/ca.crt'"
    ));
    let hba = "hostssl all certified all cert\nhostssl all worded all scram-sha-256\nhostnossl all worded all reject\n\
               hostnossl all nobody all trust\nhostssl all nobody all reject\nlocal all all trust\nhost all postgres all trust\n";
    instance.write("data/pg_hba.conf", hba, 0o600);
    instance.stop("fast");
    instance.start();
    instance
}

fn set_mode(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

/// Connects and reads a page; tells whether the session used TLS.
fn works(conninfo: &str) {
    let live = Live::start(conninfo, &["t"]).unwrap_or_else(|e| panic!("{conninfo}: {e}"));
    assert_eq!(live.captured().relations.len(), 1, "{conninfo}");
}

fn fails(conninfo: &str, told: &str) {
    let sentence = refusal(conninfo, &["t"]);
    assert!(sentence.contains(told), "{conninfo}: {sentence}");
    assert!(!sentence.contains("pass word") && !sentence.contains("wrong word"), "{sentence}");
}

#[test]
fn tls_and_passwords() {
    let instance = server();
    let (port, at) = (instance.port, instance.folder().display().to_string());
    let worded = format!("port={port} dbname=postgres user=worded password='pass word'");
    // who checks what: the certificate is for localhost, by its common name only
    works(&format!("host=127.0.0.1 {worded}"));
    works(&format!("host=127.0.0.1 sslmode=require {worded}"));
    works(&format!("host=127.0.0.1 sslmode=verify-ca sslrootcert={at}/ca.crt {worded}"));
    works(&format!("host=localhost sslmode=verify-full sslrootcert={at}/ca.crt {worded}"));
    works(&format!("host=localhost hostaddr=127.0.0.1 sslmode=verify-full sslrootcert={at}/server.crt {worded}"));
    works(&format!("host=localhost sslmode=verify-full sslrootcert={at}/ca.crt channel_binding=require {worded}"));
    works(&format!("host=localhost sslmode=require sslnegotiation=direct {worded}"));
    works(&format!("host=127.0.0.1 sslmode=allow {worded}"));
    works(&format!("host=127.0.0.1 sslmode=prefer port={port} dbname=postgres user=nobody"));
    works(&format!("host={at} port={port} dbname=postgres user=worded sslmode=verify-full sslrootcert={at}/ca.crt"));
    let other = "not signed by a certificate of sslrootcert";
    fails(&format!("host=localhost sslmode=verify-ca sslrootcert={at}/other.crt {worded}"), other);
    fails(&format!("host=localhost sslmode=require sslrootcert={at}/other.crt {worded}"), other);
    fails(&format!("host=localhost sslmode=verify-full sslrootcert=system {worded}"), other);
    fails(&format!("host=127.0.0.1 sslmode=verify-full sslrootcert={at}/ca.crt {worded}"), "is for another host name");
    fails(&format!("host=localhost sslmode=verify-full sslrootcert={at}/none.crt {worded}"), "does not exist");
    fails(&format!("host=localhost sslmode=require sslrootcert=system {worded}"), "needs sslmode=verify-full");
    fails(&format!("host=localhost sslmode=disable {worded}"), "pg_hba.conf");
    fails(&format!("host=localhost sslmode=require port={port} dbname=postgres user=nobody"), "pg_hba.conf");
    fails(
        &format!("host=localhost sslmode=require channel_binding=require port={port} user=postgres dbname=postgres"),
        "channel binding",
    );
    // client certificates
    let certified = format!("host=localhost sslmode=require port={port} dbname=postgres user=certified");
    works(&format!("{certified} sslcert={at}/client.crt sslkey={at}/client.key"));
    fails(&certified, "certificate");
    set_mode(&instance.folder().join("client.key"), 0o644);
    fails(&format!("{certified} sslcert={at}/client.crt sslkey={at}/client.key"), "chmod 0600");
    // passwords
    let host = format!("host=127.0.0.1 port={port} dbname=postgres user=worded");
    fails(
        &format!("{host} password='wrong word'"),
        "password authentication failed for user \"worded\"; check the password",
    );
    fails(&format!("{host} passfile=/nowhere"), "wants a password");
    passwords_from_files(&instance, &host);
    fails(
        &format!("host=127.0.0.1 port={port} user=postgres dbname=nowhere"),
        "database \"nowhere\" does not exist; psql -l lists",
    );
}

fn passwords_from_files(instance: &Instance, host: &str) {
    let own = std::env::temp_dir().join(format!("ffviz-pass-{}", instance.port));
    std::fs::create_dir_all(&own).expect("a folder");
    let passfile = own.join("pgpass");
    std::fs::write(&passfile, format!("# mine\n127.0.0.1:{}:*:worded:pass word\n", instance.port))
        .expect("a password file");
    set_mode(&passfile, 0o600);
    let services = own.join("services");
    let text = format!(
        "[shop]\nhost=127.0.0.1\nport={}\nuser=worded\ndbname=postgres\npassfile={}\n",
        instance.port,
        passfile.display()
    );
    std::fs::write(&services, text).expect("a service file");
    works(&format!("{host} passfile={}", passfile.display()));
    works(&format!("service=shop servicefile={}", services.display()));
    works(&format!("postgresql://?service=shop&servicefile={}&sslmode=require", services.display()));
    fails(&format!("service=other servicefile={}", services.display()), "service \"other\" is not defined");
    set_mode(&passfile, 0o644);
    fails(&format!("{host} passfile={}", passfile.display()), "can be read by others and is not used");
    let _ = std::fs::remove_dir_all(&own);
}

#[test]
fn hosts_that_do_not_answer() {
    fails("postgresql://postgres@127.0.0.1:9/postgres", "no server answers at 127.0.0.1:9; is it running");
    fails("postgresql://postgres@no-such-host.invalid/postgres", "no-such-host.invalid");
    fails("host=/nowhere user=postgres", "no server answers at /nowhere");
    // 192.0.2.0/24 leads nowhere (RFC 5737): either nobody answers in time or the network says so at once
    let sentence = refusal("host=192.0.2.1 user=postgres connect_timeout=2", &[]);
    let told = ["did not answer within 2 s", "cannot be reached", "no server answers at 192.0.2.1"];
    assert!(told.iter().any(|told| sentence.contains(told)), "{sentence}");
    fails("sslmode=sometimes", "sslmode must be one of disable, allow");
    fails("colour=blue", "is not a connection option");
}

#[test]
fn the_first_host_that_suits_is_taken() {
    let real = url(NEWEST, "postgres");
    drop(ffviz_tests::servers::connect(NEWEST, "postgres"));
    let port = real.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port");
    let hosts = format!("host=127.0.0.1,127.0.0.1 port=9,{port} user=postgres dbname=postgres");
    for wanted in ["any", "read-write", "primary", "prefer-standby"] {
        assert!(Live::start(&format!("{hosts} target_session_attrs={wanted}"), &[]).is_ok(), "{wanted}");
    }
    assert!(Live::start(&format!("{hosts} load_balance_hosts=random"), &[]).is_ok());
    for wanted in ["standby", "read-only"] {
        fails(
            &format!("{hosts} target_session_attrs={wanted}"),
            &format!("is not a server with target_session_attrs={wanted}"),
        );
    }
}
