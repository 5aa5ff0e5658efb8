// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward gateway`.

mod conf;
mod limits;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use lakeward_gateway::budget::Budget;
use lakeward_gateway::settings::{CertificateFiles, Settings, Transport};
use lakeward_gateway::start::start;
use lakeward_reader::session;
use url::{Host, Url};

use self::limits::{Limits, Watching};
use crate::serve::Ended;
use crate::sweep;

/// Serve the trusted reader to ordinary tools, over Arrow Flight SQL
///
/// People connect with their own user and password, or their own token, from ADBC, JDBC, Python or
/// `lakeward query --gateway`. The gateway asks the server what each of them may see, every time, and sends filtered and
/// masked rows only. It holds the reader's certificate, so it runs where the operator runs services: never hand its
/// folder to a person.
///
///   lakeward reader enroll gateway --user admin
///   lakeward gateway --server https://127.0.0.1:8091 --identity gateway \
///       --listen 0.0.0.0:8815 --tls-certificate cert.pem --tls-key key.pem
///
/// To try it on one machine, beside `lakeward demo --data-dir lakeward-demo`:
///
///   lakeward gateway --identity lakeward-demo/reader --insecure-plaintext
///
/// When it accepts calls it prints one line:
///
///   lakeward gateway ready flight=URL metrics=URL
///
/// SIGTERM and SIGINT end it: it accepts no more, lets queries end for the time of --grace, and cancels the rest.
/// Certificates are read again when their files change. Several gateways behind a balancer need the same --session-key.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Properties file with any of the options below, each as `NAME = VALUE`; the command line counts more
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// The server: its listener for trusted readers, or any Iceberg REST root
    #[arg(
        long,
        value_name = "URL",
        env = "LAKEWARD_SERVER",
        default_value = "https://127.0.0.1:8091"
    )]
    server: Url,
    /// Folder with the reader's certificate, as `lakeward reader enroll` writes it; without it the server lets nobody
    /// read restricted tables here
    #[arg(long, value_name = "DIR", env = "LAKEWARD_READER_IDENTITY")]
    identity: Option<PathBuf>,
    /// Where clients connect
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8815")]
    listen: SocketAddr,
    /// Another port than that of --listen; 0 takes any free port
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// File with the certificate for clients and those between it and its authority, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// File with the private key of that certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Encrypt nothing; on loopback only
    #[arg(long, conflicts_with_all = ["tls_certificate", "tls_key"])]
    insecure_plaintext: bool,
    /// File with the key that seals sessions, at least 32 random bytes, the same for all gateways behind one balancer;
    /// without it sessions end with this process
    #[arg(long, value_name = "FILE", env = "LAKEWARD_SESSION_KEY")]
    session_key: Option<PathBuf>,
    /// How long a session lasts after its login, in minutes
    #[arg(long, value_name = "MIN", default_value_t = 480)]
    session_minutes: u64,
    /// A catalog that clients are told of; can be given several times. Without it the server is asked
    #[arg(long = "catalog", value_name = "NAME")]
    catalogs: Vec<String>,
    /// How long running queries may go on after the order to end, in seconds
    #[arg(long, value_name = "S", default_value_t = 30)]
    grace: u64,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    watching: Watching,
}

/// Serves until told to end.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let arguments = match &arguments.conf {
        // The command line again, behind what the file says; the first two words are `lakeward gateway`.
        Some(file) => conf::merged(file, std::env::args_os().skip(2))?,
        None => arguments,
    };
    let settings = arguments.settings()?;
    // Before the ready line, so that a signal that follows it at once ends the gateway in order.
    let ended = Ended::listen()?;
    if settings.identity.is_none() {
        tracing::warn!(
            "there is no reader identity (--identity), so restricted tables are refused to everybody"
        );
    }
    if sends_in_the_open(&settings.server) {
        tracing::warn!(
            "people's credentials go to the server unencrypted (--server {}); give an `https` address unless that network is \
             your own",
            settings.server.origin().ascii_serialization()
        );
    }
    let running = start(settings).await?;
    println!("{}", running.ready_line());
    ended.wait().await;
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn settings(self) -> anyhow::Result<Settings> {
        let transport = match (self.tls_certificate, self.tls_key) {
            (Some(certificate), Some(key)) => Transport::Tls(CertificateFiles { certificate, key }),
            _ if self.insecure_plaintext => Transport::Plaintext,
            _ => bail!(
                "passwords must not cross a network in the open: give --tls-certificate FILE and --tls-key FILE, or \
                 --insecure-plaintext on loopback"
            ),
        };
        let mut listen = self.listen;
        if let Some(port) = self.port {
            listen.set_port(port);
        }
        let (program, words) = sweep::command()?;
        let watchdog = std::iter::once(program).chain(words).collect();
        Ok(Settings {
            identity: self.identity,
            listen,
            transport,
            session_key: self.session_key,
            session_lifetime: Duration::from_secs(self.session_minutes.saturating_mul(60)),
            catalogs: self.catalogs,
            limits: session::Limits {
                time: self.limits.statement_timeout(),
                ..session::Limits::default()
            },
            budget: Budget {
                watchdog: Some(watchdog),
                ..self.limits.budget()
            },
            connections: self.limits.connections(),
            connection_idle: self.limits.connection_idle(),
            node: self.watching.node(),
            audit: self.watching.audit(),
            metrics: self.watching.metrics(),
            grace: Duration::from_secs(self.grace),
            ..Settings::new(self.server)
        })
    }
}

/// Whether others could read on the way what is sent to the server.
fn sends_in_the_open(server: &Url) -> bool {
    let is_here = match server.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    server.scheme() == "http" && !is_here
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use lakeward_gateway::settings::Transport;

    use super::Arguments;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        CommandLine::try_parse_from([&["gateway"], arguments].concat()).map(|line| line.arguments)
    }

    #[test]
    fn a_server_without_encryption_is_told() {
        for (server, expected) in [
            ("http://catalog:8181", true),
            ("http://10.0.0.1/iceberg", true),
            ("http://localhost:8181", false),
            ("http://127.0.0.1:8181", false),
            ("http://[::1]:8181", false),
            ("https://catalog:8181", false),
        ] {
            let server = url::Url::parse(server).unwrap();
            assert_eq!(super::sends_in_the_open(&server), expected, "{server}");
        }
    }

    #[test]
    fn nothing_is_sent_in_the_open_unless_it_is_said() {
        let refusal = parse(&[]).unwrap().settings().unwrap_err().to_string();
        assert!(refusal.contains("--tls-certificate") && refusal.contains("--insecure-plaintext"));
        let open = parse(&["--insecure-plaintext", "--port", "0"])
            .unwrap()
            .settings()
            .unwrap();
        assert_eq!(open.transport, Transport::Plaintext);
        assert_eq!(open.listen.port(), 0);
        assert!(open.listen.ip().is_loopback());
        let files = ["--tls-certificate", "c", "--tls-key", "k"];
        let closed = parse(&files).unwrap().settings().unwrap();
        assert!(matches!(closed.transport, Transport::Tls(_)));
        for wrong in [
            &files[..2],
            &files[2..],
            &[&files[..], &["--insecure-plaintext"]].concat(),
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
