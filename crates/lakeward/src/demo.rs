// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward demo`.

mod answers;
mod files;
mod governance;
mod ordinary_client;
mod scenario;
mod server;
mod source;
mod state;
mod tables;
mod terminal;
mod tpch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use lakeward_reader::connection::ReaderIdentity;
use lakeward_server::Running;

use crate::client::NativeClient;
use crate::credentials::Credentials;
use crate::reader;
use answers::Reader;
use scenario::{CATALOG, METALAKE, PEOPLE, Scenario};
use server::ADMIN;
use state::Home;
use terminal::{Terminal, thousands};

/// The name under which the demonstration's reader is enrolled.
const READER: &str = "demo-reader";

/// Show the whole of Lakeward in one minute, on this machine alone.
///
/// Starts a server with authorization and read restrictions on, writes TPC-H tables (or your own files), tags them,
/// binds a row filter and a mask to the tags, and runs one query as three users through the trusted reader. Then
/// it keeps serving and prints lines to paste.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A CSV or Parquet file to govern instead of TPC-H; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Vec<PathBuf>,
    /// Where the demo keeps its state; a second start finds it again
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// End after the demonstration instead of serving on
    #[arg(long)]
    pub(crate) exit: bool,
}

/// Where the running server is reached.
struct Addresses {
    native: String,
    iceberg: String,
    reader: String,
}

/// Runs the demonstration.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::detect();
    let begin = Instant::now();
    let mut scenario = Scenario::new(&arguments.data)?;
    let mut home = Home::open(arguments.data_dir.as_deref())?;
    terminal.title(
        "Lakeward",
        "who may see which rows and values of a lakehouse, and why",
    );
    let running = server::launch(&home).await?;
    // Listened for from now on, so that a demonstration that is broken off cleans up too.
    let mut order = std::pin::pin!(ended());
    let shown = tokio::select! {
        shown = show(&running, &mut home, &mut scenario, terminal) => shown,
        ordered = &mut order => ordered.and_then(|()| bail!("the demonstration was broken off")),
    };
    let addresses = match shown {
        Ok(addresses) => addresses,
        Err(error) => {
            running.stop().await;
            return Err(error);
        }
    };
    terminal.note(&format!("shown in {:.1} s", begin.elapsed().as_secs_f64()));
    terminal.gap();
    if !arguments.exit {
        invite(&addresses, &home, &scenario, terminal)?;
        order.await?;
        terminal.gap();
    }
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// Waits for Ctrl-C or SIGTERM.
async fn ended() -> anyhow::Result<()> {
    const PROBLEM: &str = "the order to end cannot be waited for";
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).context(PROBLEM)?;
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            interrupted = tokio::signal::ctrl_c() => interrupted.context(PROBLEM),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.context(PROBLEM)
}

async fn show(
    running: &Running,
    home: &mut Home,
    scenario: &mut Scenario,
    terminal: Terminal,
) -> anyhow::Result<Addresses> {
    let addresses = addresses(running)?;
    terminal.step(1, "A server, in this process");
    terminal.fact(&format!("native API   {}", addresses.native));
    terminal.fact(&format!("Iceberg REST {}", addresses.iceberg));
    terminal.fact(&format!(
        "for readers  {} (client certificate required)",
        addresses.reader
    ));
    let kept = if home.is_temporary() {
        "removed at the end"
    } else {
        "kept"
    };
    terminal.note(&format!(
        "SQLite and a warehouse folder in {} ({kept}); authorization and read restrictions are on",
        home.folder().display()
    ));
    terminal.gap();

    let credentials = Credentials::Basic {
        user: ADMIN.to_owned(),
        password: Some(home.password().to_owned()),
    };
    let admin = NativeClient::new(addresses.native.parse()?, credentials)?;
    terminal.step(2, "A metalake, three users, an Iceberg catalog, tables");
    governance::make_lake(&admin, home.password()).await?;
    let people: Vec<String> = PEOPLE
        .iter()
        .map(|person| format!("{} in group {}", person.name, person.group))
        .collect();
    terminal.fact(&format!(
        "metalake {METALAKE}, catalog {CATALOG}; {}",
        people.join(", ")
    ));
    write_tables(&addresses, &admin, home, scenario, terminal).await?;
    terminal.gap();

    terminal.step(3, "Tags with values, policies on tags, a preview");
    governance::assign_tags(&admin, scenario, terminal).await?;
    governance::make_policies(&admin, scenario, terminal).await?;
    for person in PEOPLE {
        let preview = governance::explain(&admin, scenario, person.name, true).await?;
        terminal.fact(&format!("preview for {}", person.name));
        for sentence in preview {
            terminal.note(&format!("  {sentence}"));
        }
    }
    // Without a reader nobody could load what is restricted, and enabling would ask for `force=true`.
    let reader = enroll(&admin, &addresses, home).await?;
    governance::enable_policies(&admin, scenario).await?;
    terminal.fact("a reader is enrolled, and both policies are enabled now");
    terminal.gap();

    terminal.step(4, "One query, three users, through the trusted reader");
    answers::show(&reader, &admin, scenario, terminal).await?;

    terminal.step(5, "The same table for an ordinary Iceberg client");
    ordinary_client::show(&addresses.iceberg, home.password(), scenario, terminal).await?;
    terminal.gap();
    Ok(addresses)
}

fn addresses(running: &Running) -> anyhow::Result<Addresses> {
    let reader = running.reader_addr.context("the listener for readers is off")?;
    Ok(Addresses {
        native: format!("http://{}", running.native_addr),
        iceberg: format!("http://{}/iceberg", running.iceberg_addr),
        reader: format!("https://{reader}"),
    })
}

async fn write_tables(
    addresses: &Addresses,
    admin: &NativeClient,
    home: &mut Home,
    scenario: &mut Scenario,
    terminal: Terminal,
) -> anyhow::Result<()> {
    let catalog = tables::connect(&addresses.iceberg, CATALOG, ADMIN, home.password()).await?;
    tables::ensure_namespace(&catalog, scenario.schema).await?;
    for source in std::mem::take(&mut scenario.sources) {
        let full_name = scenario.full_name(&source.table);
        if home.is_written(&full_name) {
            terminal.fact(&format!("{full_name} is there already"));
            continue;
        }
        // A start that was broken off may have left the table without its rows.
        let path = [
            "metalakes",
            METALAKE,
            "catalogs",
            CATALOG,
            "schemas",
            scenario.schema,
            "tables",
            &source.table,
        ];
        if admin.get(&path).await.is_ok() {
            admin.delete(&path).await?;
        }
        let begin = Instant::now();
        let rows = tables::write(&catalog, scenario.schema, source).await?;
        terminal.fact(&format!(
            "{full_name}: {} rows in {:.1} s",
            thousands(rows),
            begin.elapsed().as_secs_f64()
        ));
        home.remember_written(full_name)?;
    }
    Ok(())
}

/// Makes the demonstration's reader a trusted one.
async fn enroll(admin: &NativeClient, addresses: &Addresses, home: &Home) -> anyhow::Result<Reader> {
    let folder = home.reader();
    reader::enroll(admin, READER, false, &folder).await?;
    Ok(Reader {
        url: addresses.reader.clone(),
        identity: ReaderIdentity::from_directory(&folder)?,
        password: home.password().to_owned(),
    })
}

/// Lines to paste while the server runs.
fn invite(addresses: &Addresses, home: &Home, scenario: &Scenario, terminal: Terminal) -> anyhow::Result<()> {
    let command = std::env::current_exe()?;
    let (command, reader, password) = (command.display(), home.reader(), home.password());
    let (native, iceberg) = (&addresses.native, &addresses.iceberg);
    let policy = &scenario.row_policy;
    let table = scenario.full_name(&scenario.table);
    terminal.step(
        6,
        "It keeps serving; paste these into another terminal (Ctrl-C here ends it)",
    );
    terminal.gap();
    terminal.note("query as bob, or anybody, through the trusted reader");
    terminal.paste(&format!(
        "LAKEWARD_PASSWORD={password} {command} query --server {} --identity {} --user bob \\\n  \"SELECT * FROM {table} LIMIT 5\"",
        addresses.reader,
        reader.display()
    ));
    terminal.gap();
    terminal.note("a gateway beside it, as the service that people's own tools connect to; it serves on in that terminal");
    terminal.paste(&format!(
        "{command} gateway --server {} --identity {} --insecure-plaintext",
        addresses.reader,
        reader.display()
    ));
    terminal.gap();
    terminal.note(
        "bob at that gateway, from one more terminal: no certificate is needed there; then the same from Python \
         (python3 -m pip install adbc-driver-flightsql adbc-driver-manager pyarrow)",
    );
    terminal.paste(&format!(
        "LAKEWARD_PASSWORD={password} {command} query --gateway grpc://127.0.0.1:8815 --user bob \\\n  \"SELECT * FROM {table} LIMIT 5\""
    ));
    terminal.paste(&format!(
        "python3 - <<'PY'\nfrom adbc_driver_flightsql import dbapi\n\
         connection = dbapi.connect(\"grpc://127.0.0.1:8815\",\n    \
         db_kwargs={{\"username\": \"bob\", \"password\": \"{password}\"}}, autocommit=True)\n\
         with connection, connection.cursor() as cursor:\n    \
         cursor.execute(\"SELECT * FROM {table} LIMIT 5\")\n    \
         print(cursor.fetch_arrow_table())\nPY"
    ));
    terminal.gap();
    terminal.note("why bob sees what he sees; then without the row filter, and with it again");
    terminal.paste(&format!(
        "curl -s -u {ADMIN}:{password} -H 'Content-Type: application/json' -d '{{\"user\":\"bob\"}}' \\\n  \
         {native}/api/metalakes/{METALAKE}/objects/table/{table}/read-restrictions/explain"
    ));
    for (enable, query) in [("false", "?force=true"), ("true", "")] {
        terminal.paste(&format!(
            "curl -s -u {ADMIN}:{password} -H 'Content-Type: application/json' -X PATCH -d '{{\"enable\":{enable}}}' \\\n  \
             '{native}/api/metalakes/{METALAKE}/policies/{policy}{query}'"
        ));
    }
    terminal.gap();
    terminal.note("PyIceberg as ann: the restricted table is refused, others are read");
    let other = if scenario.schema == "tpch" {
        "nation"
    } else {
        &scenario.table
    };
    terminal.paste(&format!(
        "python3 - <<'PY'\nfrom pyiceberg.catalog.rest import RestCatalog\n\
         catalog = RestCatalog(\"{CATALOG}\", uri=\"{iceberg}\", warehouse=\"{CATALOG}\",\n    \
         auth={{\"type\": \"basic\", \"basic\": {{\"username\": \"ann\", \"password\": \"{password}\"}}}})\n\
         print(catalog.load_table(\"{}.{other}\").scan().to_arrow())\nPY",
        scenario.schema
    ));
    terminal.gap();
    Ok(())
}
