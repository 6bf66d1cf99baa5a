//! TLS as `sslmode` asks for it, by rustls with the ring provider. Follows src/interfaces/libpq/fe-secure-openssl.c
//! (`initialize_SSL`, `pgtls_verify_peer_name_matches_certificate_guts`).
//!
//! ```text
//! sslmode            who is the server?
//! allow prefer       nobody asks
//! require            as verify-ca where there is a root certificate file, else nobody asks
//! verify-ca          certificate chain
//! verify-full        certificate chain and name
//! ```

use super::conninfo::Conninfo;
use super::environment::Environment;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;
use x509_cert::der::{Decode, asn1::Utf8StringRef, oid::db::rfc4519::COMMON_NAME};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// How much of the server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Nothing,
    Chain,
    ChainAndName,
}

/// What opens TLS connections for this connection information.
///
/// # Errors
/// A sentence, when a certificate, a key or a list of revoked certificates cannot be used.
pub fn connector(info: &Conninfo, environment: &Environment) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = root_certificates(info, environment)?;
    let check = match (info.get("sslmode"), &roots) {
        (Some("verify-full"), _) => Check::ChainAndName,
        (None, _) if info.get("sslrootcert") == Some("system") => Check::ChainAndName,
        (Some("verify-ca"), _) | (Some("require"), Some(_)) => Check::Chain,
        _ => Check::Nothing,
    };
    let verifier = Arc::new(Verifier::new(check, roots.unwrap_or_default(), info, Arc::clone(&provider))?);
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match client_certificate(info, environment)? {
        Some((chain, key)) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| format!("the client certificate (sslcert, sslkey) cannot be used: {error}"))?,
        None => builder.with_no_client_auth(),
    };
    if info.get("sslnegotiation") == Some("direct") {
        config.alpn_protocols = vec![b"postgresql".to_vec()];
    }
    Ok(MakeRustlsConnect::new(config))
}

/// The file of `sslrootcert`, or `~/.postgresql/root.crt` where it exists; the system's store for `system`; `None`
/// where there is none.
fn root_certificates(
    info: &Conninfo,
    environment: &Environment,
) -> Result<Option<Vec<CertificateDer<'static>>>, String> {
    let mode = info.get("sslmode");
    let verifies = matches!(mode, Some("verify-ca" | "verify-full"));
    if info.get("sslrootcert") == Some("system") {
        if mode.is_some_and(|mode| mode != "verify-full") {
            return Err(
                "sslrootcert=system needs sslmode=verify-full: anybody can have a certificate that the system trusts"
                    .to_owned(),
            );
        }
        let found = rustls_native_certs::load_native_certs().certs;
        return if found.is_empty() {
            Err("the system has no root certificates; install ca-certificates, or name a file with sslrootcert"
                .to_owned())
        } else {
            Ok(Some(found))
        };
    }
    let file = info.get("sslrootcert").map(PathBuf::from).or_else(|| environment.in_home(".postgresql/root.crt"));
    match file {
        Some(file) if file.exists() => certificates(&file).map(Some),
        _ if !verifies => Ok(None),
        file => Err(format!(
            "sslmode={} needs the root certificate, and {} does not exist; name the file with sslrootcert, or say sslrootcert=system",
            mode.unwrap_or_default(),
            file.map_or_else(|| "~/.postgresql/root.crt".to_owned(), |file| file.display().to_string()),
        )),
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("no certificate can be read from {}: {why}", file.display());
    let found: Vec<_> =
        CertificateDer::pem_file_iter(file).and_then(Iterator::collect).map_err(|error| wrong(&error))?;
    if found.is_empty() { Err(wrong(&"it holds no PEM certificate")) } else { Ok(found) }
}

/// `sslcert` and `sslkey`, or `~/.postgresql/postgresql.crt` and `.key` where they exist.
type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn client_certificate(info: &Conninfo, environment: &Environment) -> Result<Option<Identity>, String> {
    let place = |key: &str, default: &str| info.get(key).map(PathBuf::from).or_else(|| environment.in_home(default));
    let Some(file) = place("sslcert", ".postgresql/postgresql.crt") else { return Ok(None) };
    if info.get("sslcert").is_none() && !file.exists() {
        return Ok(None);
    }
    let chain = certificates(&file)?;
    let file = place("sslkey", ".postgresql/postgresql.key").unwrap_or_default();
    let name = file.display();
    let facts = std::fs::metadata(&file)
        .map_err(|error| format!("the key {name} of the client certificate cannot be read: {error}"))?;
    let open_to = if facts.uid() == 0 { 0o037 } else { 0o077 };
    if facts.mode() & open_to != 0 {
        return Err(format!("the key {name} can be read by others and is not used; chmod 0600 {name}"));
    }
    let key = PrivateKeyDer::from_pem_file(&file)
        .map_err(|_| format!("no private key can be read from {name}; it must be PEM and not encrypted"))?;
    Ok(Some((chain, key)))
}

/// Checks what `sslmode` wants to be checked.
#[derive(Debug)]
struct Verifier {
    check: Check,
    provider: Arc<CryptoProvider>,
    trusted: Vec<CertificateDer<'static>>,
    chain: Option<Arc<WebPkiServerVerifier>>,
}

impl Verifier {
    fn new(
        check: Check,
        trusted: Vec<CertificateDer<'static>>,
        info: &Conninfo,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        if check == Check::Nothing {
            return Ok(Self { check, provider, trusted, chain: None });
        }
        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(trusted.iter().cloned());
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        if let Some(file) = info.get("sslcrl") {
            let lists: Vec<_> = CertificateRevocationListDer::pem_file_iter(file)
                .and_then(Iterator::collect)
                .map_err(|error| format!("no list of revoked certificates can be read from {file}: {error}"))?;
            builder = builder.with_crls(lists).allow_unknown_revocation_status();
        }
        // a self-signed certificate of version 1 is no trust anchor, yet may be the server's own
        let chain = if usable == 0 {
            None
        } else {
            Some(builder.build().map_err(|error| format!("sslrootcert cannot be used: {error}"))?)
        };
        Ok(Self { check, provider, trusted, chain })
    }

    /// Is it one that the user trusts as it is? PostgreSQL's manual makes a self-signed certificate that is its own
    /// root.
    fn trusts_itself(&self, certificate: &CertificateDer<'_>) -> bool {
        self.trusted.iter().any(|trusted| trusted == certificate)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.check == Check::Nothing {
            return Ok(ServerCertVerified::assertion());
        }
        let unknown = Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
        let verdict = self.chain.as_ref().map_or(unknown, |chain| {
            chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        });
        match verdict {
            Err(Error::InvalidCertificate(ref wrong)) if is_name(wrong) => {} // the chain is checked before the name
            Err(Error::InvalidCertificate(ref wrong)) if !is_time(wrong) && self.trusts_itself(end_entity) => {}
            verdict => return verdict,
        }
        if self.check == Check::Chain || has_name(end_entity, server_name) {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::InvalidCertificate(CertificateError::NotValidForName))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

const fn is_name(wrong: &CertificateError) -> bool {
    matches!(wrong, CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. })
}

const fn is_time(wrong: &CertificateError) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext, Revoked};
    matches!(wrong, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. } | Revoked)
}

/// Is the certificate for this name? By its subjectAltName; where it has none, by its common name, as libpq does and
/// rustls does not.
fn has_name(certificate: &CertificateDer<'_>, server_name: &ServerName<'_>) -> bool {
    let Ok(parsed) = rustls::server::ParsedCertificate::try_from(certificate) else { return false };
    if rustls::client::verify_server_name(&parsed, server_name).is_ok() {
        return true;
    }
    let Ok(certificate) = x509_cert::Certificate::from_der(certificate) else { return false };
    let certificate = certificate.tbs_certificate;
    let named = |name: &GeneralName| matches!(name, GeneralName::DnsName(_) | GeneralName::IpAddress(_));
    if let Ok(Some((_, alternatives))) = certificate.get::<SubjectAltName>()
        && alternatives.0.iter().any(named)
    {
        return false;
    }
    let values = certificate.subject.0.iter().flat_map(|part| part.0.iter());
    let mut common = values.filter(|value| value.oid == COMMON_NAME);
    common.any(|value| {
        let name = Utf8StringRef::try_from(&value.value).map(|name| name.as_str().to_owned());
        name.or_else(|_| value.value.decode_as::<x509_cert::der::asn1::PrintableStringRef<'_>>().map(|s| s.to_string()))
            .is_ok_and(|pattern| name_matches(&pattern, &server_name.to_str()))
    })
}

/// `*.example.org` stands for one more label.
fn name_matches(pattern: &str, name: &str) -> bool {
    if pattern.eq_ignore_ascii_case(name) {
        return true;
    }
    let parent = name.split_once('.').map(|(_, parent)| parent);
    pattern.strip_prefix("*.").zip(parent).is_some_and(|(wanted, parent)| wanted.eq_ignore_ascii_case(parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        assert!(name_matches("db.Example.org", "DB.example.org"));
        assert!(name_matches("*.example.org", "db.example.org"));
        for (pattern, name) in [("*.example.org", "a.db.example.org"), ("*.org", "org"), ("*", "a.b"), ("db", "db2")] {
            assert!(!name_matches(pattern, name), "{pattern} {name}");
        }
    }
}
