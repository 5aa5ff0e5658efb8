// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The options of a gateway in a properties file: each key is the name of a long option, without the dashes. What the
//! command line says counts more.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, bail};
use clap::{ArgAction, Args, Command, FromArgMatches};
use lakeward_server::config::Properties;

use super::Arguments;

/// The options of the file with those that were given over them.
pub(super) fn merged(file: &Path, given: impl IntoIterator<Item = OsString>) -> anyhow::Result<Arguments> {
    let command = Arguments::augment_args(Command::new("lakeward gateway")).args_override_self(true);
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the file `{}` cannot be read", file.display()))?;
    let of_file = options(&command, &text).with_context(|| format!("in the file `{}`", file.display()))?;
    let all = std::iter::once(OsString::from("lakeward gateway"))
        .chain(of_file.into_iter().map(OsString::from))
        .chain(given);
    Ok(Arguments::from_arg_matches(&command.try_get_matches_from(all)?)?)
}

/// The file as a command line.
fn options(command: &Command, text: &str) -> anyhow::Result<Vec<String>> {
    let mut options = Vec::new();
    for (key, value) in Properties::pairs(text)? {
        let known = command
            .get_arguments()
            .find(|argument| argument.get_long() == Some(key.as_str()));
        let action = match known {
            Some(argument) if key != "conf" => argument.get_action(),
            _ => bail!("there is no option `{key}`; `lakeward gateway --help` lists them"),
        };
        if matches!(action, ArgAction::SetTrue) {
            match value.as_str() {
                "true" => options.push(format!("--{key}")),
                "false" => {}
                other => bail!("`{key}` is `true` or `false`, not `{other}`"),
            }
        } else if matches!(action, ArgAction::Append) {
            options.extend(value.split(',').map(|value| format!("--{key}={}", value.trim())));
        } else {
            options.push(format!("--{key}={value}"));
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use lakeward_gateway::settings::Transport;

    use super::*;

    fn read(text: &str, given: &[&str]) -> anyhow::Result<Arguments> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), text)?;
        merged(file.path(), given.iter().map(OsString::from))
    }

    #[test]
    fn the_command_line_counts_more_than_the_file() {
        let text = "# of one machine\nserver = https://one:8091\ntls-certificate = c.pem\ntls-key = k.pem\ncatalog = a, b\ntimeout=5\n";
        let settings = read(text, &["--timeout", "7", "--catalog", "c"])
            .unwrap()
            .settings()
            .unwrap();
        assert_eq!(settings.server.as_str(), "https://one:8091/");
        assert_eq!(settings.catalogs, ["a", "b", "c"]);
        assert_eq!(settings.limits.time.as_secs(), 7);
        assert!(matches!(settings.transport, Transport::Tls(_)));
        let open = read("insecure-plaintext = true", &[])
            .unwrap()
            .settings()
            .unwrap();
        assert_eq!(open.transport, Transport::Plaintext);
    }

    #[test]
    fn what_is_no_option_is_said() {
        for (text, problem) in [
            ("sever = x", "no option `sever`"),
            ("conf = other", "no option `conf`"),
            ("insecure-plaintext = yes", "`true` or `false`"),
            ("timeout = soon", "soon"),
        ] {
            let error = format!("{:#}", read(text, &[]).unwrap_err());
            assert!(error.contains(problem), "{error}");
        }
        assert!(merged(Path::new("/nowhere/gateway.conf"), []).is_err());
    }
}
