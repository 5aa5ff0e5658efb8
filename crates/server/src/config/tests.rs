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
        "gravitino.entity.store.relational.maxConnections=3",
        "`gravitino.entity.store.relational.maxConnections` is 3, and must be at least 4",
    );
    check_refused(
        "gravitino.authorization.enabled=true",
        "did you mean `gravitino.authorization.enable`",
    );
    check_refused("gravitino.authenticatorz=simple", "gravitino.authenticators");
    check_refused("lakeward.x=1", "not known");
    check_refused("gravitino.authorization.enable=yes", "`true` or `false`");
    check_refused("gravitino.authorization.enable=true", "serviceAdmins");
    check_refused("gravitino.authenticators=simple,basic", "any password");
    #[cfg(not(feature = "kerberos"))]
    check_refused("gravitino.authenticators=kerberos", "--features kerberos");
    #[cfg(feature = "kerberos")]
    check_refused("gravitino.authenticators=kerberos", "kerberos.principal");
    check_refused(
        "gravitino.authenticators=saml",
        "`simple`, `basic`, `oauth` or `kerberos`",
    );
    check_refused("lakeward.read-restrictions.enabled=true", "authorization.enable");
    check_refused(restricted, "loopback");
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

#[test]
fn listeners_are_encrypted_by_the_keys_of_the_original() {
    let of = |listener: &str, rest: &str| {
        let lines = rest.lines().map(|line| format!("{listener}.{line}\n"));
        format!("{listener}.enableHttps=true\n{}", lines.collect::<String>())
    };
    for listener in ["gravitino.server.webserver", "gravitino.iceberg-rest"] {
        check_refused(&format!("{listener}.enableClientAuth=true"), "enableHttps = true");
        for (rest, expected) in [
            ("", "keyStorePath"),
            ("keyStorePath=a\nkeyStoreType=BKS", "`PEM`"),
            (
                "keyStorePath=a\nkeyStorePassword=s3cret\nmanagerPassword=other",
                "one password",
            ),
            ("keyStorePath=a\ntlsProtocol=SSLv3", "TLSv1.2"),
            ("keyStorePath=a\nenableClientAuth=true", "trustStorePath"),
        ] {
            check_refused(&of(listener, rest), expected);
        }
    }
    let native = of(
        "gravitino.server.webserver",
        "keyStorePath=a.p12\nkeyStorePassword=s3cret\nmanagerPassword=s3cret\nhttpPort=1\nenableClientAuth=true\n\
         trustStorePath=b.pem\ntrustStoreType=pem\ntlsProtocol=TLSv1.3\nenableCipherAlgorithms=A, B",
    );
    let server = settings(&native).expect("encrypted").server;
    let shown = format!("{server:?}");
    assert!(
        shown.contains("a.p12") && shown.contains("b.pem") && !shown.contains("s3cret"),
        "{shown}"
    );
    assert!(
        shown.contains("Only13") && shown.contains(r#"["A", "B"]"#),
        "{shown}"
    );
    assert_eq!((server.port, server.iceberg_port), (8433, 9001));
    assert!(server.iceberg_tls.is_none());
    let iceberg = settings(&of("gravitino.iceberg-rest", "keyStorePath=a"))
        .expect("encrypted")
        .server;
    assert_eq!(
        (iceberg.port, iceberg.iceberg_port, iceberg.tls),
        (8090, 9433, None)
    );
}

#[test]
fn tokens_are_judged_by_the_keys_of_the_original() {
    let oauth = |rest: &str| {
        let lines: String = rest
            .lines()
            .map(|line| format!("gravitino.authenticator.oauth.{}\n", line.trim()))
            .collect();
        format!("gravitino.authenticators=basic,oauth\n{lines}")
    };
    let published = settings(&oauth("jwksUri=https://idp/keys")).expect("published keys");
    let published = published.oauth.expect("oauth");
    assert_eq!(published.audience, "GravitinoServer");
    assert_eq!(published.principal_fields, ["sub"]);
    assert_eq!(published.groups_fields, ["groups"]);
    assert_eq!((published.issuer, published.skew_secs), (None, 0));
    assert!(settings(&oauth("jwksUri=http://127.0.0.1:1/keys")).is_ok());
    let fixed = settings(&oauth("defaultSignKey=c2VjcmV0\nauthority=https://idp")).expect("a fixed key");
    let shown = format!("{:?}", fixed.oauth);
    assert!(shown.contains("RS256") && !shown.contains("c2VjcmV0"), "{shown}");
    assert!(settings("").expect("defaults").oauth.is_none());

    let discovered = settings(&oauth("authority=https://idp/realms/lake")).expect("discovered keys");
    let metadata = "https://idp/realms/lake/.well-known/openid-configuration";
    assert!(format!("{:?}", discovered.oauth).contains(metadata));
    let metadata = "https://idp/.well-known/openid-configuration";
    let discovered = settings(&oauth(
        "authority=https://idp/\ntokenValidatorClass=x.JwksTokenValidator",
    ));
    assert!(format!("{:?}", discovered.expect("discovered keys").oauth).contains(metadata));
    check_refused(&oauth("authority=http://idp"), "https://");
    check_refused(&oauth("authority=idp"), "https://");
    check_refused(&oauth("authority=https://idp/?tenant=a"), "https://");
    check_refused("gravitino.authenticators=oauth", "jwksUri");
    check_refused(&oauth("jwksUri=http://idp/keys"), "https://");
    check_refused(&oauth("jwksUri=keys"), "https://");
    check_refused(&oauth("tokenValidatorClass=a.b.JwksTokenValidator"), "jwksUri");
    check_refused(
        &oauth("jwksUri=https://idp/keys\ntokenValidatorClass=x.StaticSignKeyValidator"),
        "defaultSignKey",
    );
    check_refused(
        &oauth("jwksUri=https://idp/keys\ntokenValidatorClass=x.Y"),
        "JwksTokenValidator",
    );
    check_refused(&oauth("defaultSignKey=a\nallowSkewSecs=x"), "seconds");
    check_refused(&oauth("defaultSignKey=a\nprincipalMapper=x.Y"), "`regex`");
    check_refused(
        &oauth("defaultSignKey=a\ngroupMapper.regex.pattern=abc"),
        "a group in parentheses",
    );
}

#[test]
fn providers_of_secrets_are_understood() {
    use lakeward_operations::secret::SecretProviderKind;

    let text = "
        gravitino.secret.providers = memory, env,files
        gravitino.secret.provider.memory.className = org.apache.gravitino.secret.memory.InMemorySecretsProvider
        gravitino.secret.provider.env.className = EnvironmentSecretsProvider
        gravitino.secret.provider.env.prefix = LAKE_
        gravitino.secret.provider.files.className = FileSecretsProvider
        gravitino.secret.provider.files.folder = /run/secrets
        gravitino.secret.provider.files.uri = https://wiki.example/secrets
    ";
    let read = settings(text).expect(text).secret_providers;
    let kinds: Vec<_> = read.iter().map(|provider| provider.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            SecretProviderKind::Memory,
            SecretProviderKind::Environment {
                prefix: "LAKE_".to_owned()
            },
            SecretProviderKind::File {
                folder: "/run/secrets".into()
            },
        ]
    );
    let uris: Vec<_> = read.iter().map(|provider| provider.uri.as_deref()).collect();
    assert_eq!(uris, [None, None, Some("https://wiki.example/secrets")]);
    let of = |rest: &str| format!("gravitino.secret.providers=a\ngravitino.secret.provider.a.{rest}");
    check_refused(
        "gravitino.secret.providers=a",
        "`gravitino.secret.provider.a.className`",
    );
    check_refused("gravitino.secret.providers=a/b", "different names");
    let twice =
        "gravitino.secret.providers=a,a\ngravitino.secret.provider.a.className=InMemorySecretsProvider";
    check_refused(twice, "different names");
    check_refused(&of("className=x.VaultSecretsProvider"), "x.VaultSecretsProvider");
    check_refused(
        &of("className=EnvironmentSecretsProvider"),
        "`gravitino.secret.provider.a.prefix`",
    );
    check_refused(
        &of("className=FileSecretsProvider"),
        "`gravitino.secret.provider.a.folder`",
    );
    check_refused(&of("classname=InMemorySecretsProvider"), "is not known");
}

#[test]
fn outputs_of_jobs_fit_into_their_total() {
    let text = "gravitino.jobExecutor.local.maxRunningJobs=2\nlakeward.jobs.maxOutputBytes=100\nlakeward.jobs.maxTotalBytes=";
    assert!(settings(&format!("{text}400")).is_ok());
    check_refused(&format!("{text}399"), "which are 400 bytes");
}

#[test]
fn secrets_of_the_configuration_do_not_print_themselves() {
    const SECRET: &str = "correct-horse";
    let text = format!(
        "gravitino.entity.store.relational.jdbcPassword={SECRET}\n\
         gravitino.lineage.sinks=http\n\
         gravitino.lineage.http.sinkClass=org.apache.gravitino.lineage.sink.LineageHttpSink\n\
         gravitino.lineage.http.url=http://127.0.0.1:5000\n\
         gravitino.lineage.http.authType=apiKey\n\
         gravitino.lineage.http.apiKey={SECRET}"
    );
    let mut settings = settings(&text).expect("settings");
    settings.initial_admin_password = Some(SECRET.to_owned());
    let shown = format!("{settings:?}\n{:?}\n{:?}", settings.properties, settings.lineage);
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(shown.contains("gravitino.lineage.http.url"), "{shown}");
}
