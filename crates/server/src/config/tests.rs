// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The original's files are understood, and what would be dangerous does not start.

use super::*;

fn settings(text: &str) -> Result<Settings, ConfigurationError> {
    Settings::from_properties(Properties::parse(text)?)
}

fn check_refused(text: &str, part: &str) {
    let message = settings(text).map(|_| ()).expect_err(text).to_string();
    assert!(message.contains(part), "{text}: {message}");
}

#[test]
fn nothing_at_all_is_a_configuration() {
    let settings = settings("").expect("defaults");
    assert_eq!((settings.server.port, settings.server.iceberg_port), (8090, 9001));
    assert_eq!(settings.server.reader_port, None);
    assert_eq!(settings.store_url, "sqlite:./lakeward-data/lakeward.db");
    assert_eq!(settings.server.max_body_bytes, 16 * 1024 * 1024);
}

#[test]
fn a_file_of_the_original_is_understood() {
    let text = "
        # the shipped template
        gravitino.server.webserver.minThreads = 24
        gravitino.entity.store.relational.jdbcUrl = jdbc:postgresql://db:5432/lake?a=b
        gravitino.entity.store.relational.jdbcUser = ann
        gravitino.entity.store.relational.jdbcPassword = p@ss
        gravitino.authorization.enable = TRUE
        gravitino.authorization.serviceAdmins = admin , müller
        gravitino.cache.maxEntries = 10
        something.else = 1
    ";
    let settings = settings(text).expect(text);
    assert_eq!(settings.store_url, "postgresql://ann:p%40ss@db:5432/lake?a=b");
    assert_eq!(
        settings.authorization.mode,
        lakeward_authorization::grants::Mode::Enforced
    );
    assert!(settings.authorization.operators.contains("müller"));
    assert_eq!(
        settings.properties.warnings.len(),
        2,
        "{:?}",
        settings.properties.warnings
    );
}

#[test]
fn what_is_misspelt_or_dangerous_does_not_start() {
    let restricted = "gravitino.authorization.enable=true\ngravitino.authorization.serviceAdmins=a\n\
                      lakeward.read-restrictions.enabled=true\n";
    check_refused(
        "gravitino.authorization.enabled=true",
        "did you mean `gravitino.authorization.enable`",
    );
    check_refused("gravitino.authenticatorz=simple", "gravitino.authenticators");
    check_refused("lakeward.x=1", "not known");
    check_refused("gravitino.authorization.enable=yes", "`true` or `false`");
    check_refused("gravitino.authorization.enable=true", "serviceAdmins");
    check_refused("gravitino.authenticators=simple,basic", "any password");
    check_refused("gravitino.authenticators=oauth", "not supported yet");
    check_refused("gravitino.authenticators=saml", "`simple` or `basic`");
    check_refused("lakeward.read-restrictions.enabled=true", "authorization.enable");
    check_refused(restricted, "loopback");
    check_refused("gravitino.server.webserver.enableHttps=true", "not supported yet");
    check_refused("gravitino.server.webserver.httpPort=99999", "a port");
    check_refused(
        "gravitino.entity.store.relational.jdbcUrl=jdbc:mysql://u:secret@h/d",
        "postgresql",
    );
    let local =
        format!("{restricted}gravitino.server.webserver.host=127.0.0.1\ngravitino.iceberg-rest.host=::1\n");
    assert_eq!(
        settings(&local).expect("on loopback").server.reader_port,
        Some(8091)
    );
    let basic = format!("{restricted}gravitino.authenticators=basic\n");
    assert!(settings(&basic).is_ok());
}
