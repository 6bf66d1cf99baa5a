//! The connection service file: `[name]` sections of `keyword=value` lines. Follows `parseServiceInfo` and
//! `parseServiceFile` of src/interfaces/libpq/fe-connect.c: `PGSERVICEFILE` or `~/.pg_service.conf` first, then
//! `pg_service.conf` in `PGSYSCONFDIR`.

use super::environment::Environment;
use std::path::{Path, PathBuf};

/// Where Debian's and Red Hat's PostgreSQL keep the file for all users, used where `PGSYSCONFDIR` is not set.
const SYSTEM_FOLDERS: [&str; 3] = ["/etc/postgresql-common", "/etc/sysconfig/pgsql", "/usr/local/pgsql/etc"];

/// The settings of a service, in the order of the file.
///
/// # Errors
/// A sentence, when no file has it, or its lines cannot be understood.
pub fn find(name: &str, said: Option<&str>, environment: &Environment) -> Result<Vec<(String, String)>, String> {
    let said = said.map(str::to_owned).or_else(|| environment.var("PGSERVICEFILE")).map(PathBuf::from);
    let own = said.clone().or_else(|| environment.in_home(".pg_service.conf"));
    let folders = environment
        .var("PGSYSCONFDIR")
        .map_or_else(|| SYSTEM_FOLDERS.iter().map(PathBuf::from).collect(), |folder| vec![PathBuf::from(folder)]);
    let system = folders.into_iter().map(|folder| folder.join("pg_service.conf"));
    let mut tried = Vec::new();
    for file in own.into_iter().chain(system) {
        match std::fs::read_to_string(&file) {
            Ok(text) => {
                if let Some(settings) = section(&text, name, &file)? {
                    return Ok(settings);
                }
                tried.push(file.display().to_string());
            }
            Err(error) if said.as_ref() == Some(&file) => {
                return Err(format!("the service file {} cannot be read: {error}", file.display()));
            }
            Err(_) => {}
        }
    }
    let places =
        if tried.is_empty() { "no service file exists".to_owned() } else { format!("looked in {}", tried.join(", ")) };
    Err(format!("service {name:?} is not defined ({places}); define it in ~/.pg_service.conf, or name another"))
}

/// The lines of `[name]`, if the file has it.
fn section(text: &str, name: &str, file: &Path) -> Result<Option<Vec<(String, String)>>, String> {
    let mut found: Option<Vec<_>> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if header.strip_suffix(']') == Some(name) {
                found = Some(Vec::new());
            }
        } else if let Some(settings) = &mut found {
            let wrong = |what| format!("line {} of the service file {} {what}", number + 1, file.display());
            let (key, value) = line.split_once('=').ok_or_else(|| wrong("has no \"=\""))?;
            if key == "service" || key == "servicefile" || line.starts_with("ldap") {
                return Err(wrong("asks for another service or for LDAP, which is not supported"));
            }
            settings.push((key.to_owned(), value.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# comment\n[a]\nhost=h\nport=5\n\n[b]\nhost=other\n[broken]\nhost\n";

    #[test]
    fn sections() {
        let read = |name| section(FILE, name, Path::new("f"));
        let a = vec![("host".to_owned(), "h".to_owned()), ("port".to_owned(), "5".to_owned())];
        assert_eq!(read("a"), Ok(Some(a)));
        assert_eq!(read("b").map(|s| s.map(|s| s.len())), Ok(Some(1)));
        assert_eq!(read("c"), Ok(None));
        assert_eq!(read("broken"), Err("line 9 of the service file f has no \"=\"".to_owned()));
    }
}
