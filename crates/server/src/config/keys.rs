// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every configuration key that is known, with its default, and what becomes of it here.

/// What a key does in this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is obeyed.
    Obeyed,
    /// It means something to the original only (its threads, its JVM, its caches): accepted, and named once at start.
    Meaningless,
    /// It asks for something that is not served yet, so any value but the default ends the start with a clear text.
    NotYet,
}

/// One known key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its default; `None` when it has none.
    pub default: Option<&'static str>,
    /// What becomes of it.
    pub effect: Effect,
}

const fn obeyed(name: &'static str, default: Option<&'static str>) -> Key {
    Key {
        name,
        default,
        effect: Effect::Obeyed,
    }
}

const fn meaningless(name: &'static str) -> Key {
    Key {
        name,
        default: None,
        effect: Effect::Meaningless,
    }
}

const fn not_yet(name: &'static str, default: Option<&'static str>) -> Key {
    Key {
        name,
        default,
        effect: Effect::NotYet,
    }
}

/// The known keys, sorted by area.
pub const KEYS: &[Key] = &[
    // listeners
    obeyed("gravitino.server.webserver.host", Some("0.0.0.0")),
    obeyed("gravitino.server.webserver.httpPort", Some("8090")),
    obeyed("gravitino.server.webserver.idleTimeout", Some("30000")),
    obeyed("gravitino.server.webserver.requestHeaderSize", Some("131072")),
    obeyed("gravitino.iceberg-rest.host", Some("0.0.0.0")),
    obeyed("gravitino.iceberg-rest.httpPort", Some("9001")),
    obeyed("gravitino.server.shutdown.timeout", Some("3000")),
    obeyed("gravitino.server.visibleConfigs", None),
    obeyed("gravitino.server.bulk.maxItems", Some("100")),
    obeyed("gravitino.server.health.entityStore.probeTimeoutMs", Some("2000")),
    obeyed("gravitino.server.rest.extensionPackages", None),
    obeyed("gravitino.schema.separator", Some(":")),
    obeyed("gravitino.auxService.names", None),
    not_yet("gravitino.server.webserver.customFilters", None),
    // encryption
    obeyed("gravitino.server.webserver.enableHttps", Some("false")),
    obeyed("gravitino.server.webserver.httpsPort", Some("8433")),
    obeyed("gravitino.server.webserver.keyStorePath", None),
    obeyed("gravitino.server.webserver.keyStorePassword", None),
    obeyed("gravitino.server.webserver.managerPassword", None),
    obeyed("gravitino.server.webserver.keyStoreType", Some("JKS")),
    obeyed("gravitino.server.webserver.tlsProtocol", None),
    obeyed("gravitino.server.webserver.enableCipherAlgorithms", None),
    obeyed("gravitino.server.webserver.enableClientAuth", Some("false")),
    obeyed("gravitino.server.webserver.trustStorePath", None),
    obeyed("gravitino.server.webserver.trustStorePassword", None),
    obeyed("gravitino.server.webserver.trustStoreType", Some("JKS")),
    obeyed("gravitino.iceberg-rest.enableHttps", Some("false")),
    obeyed("gravitino.iceberg-rest.httpsPort", Some("9433")),
    obeyed("gravitino.iceberg-rest.keyStorePath", None),
    obeyed("gravitino.iceberg-rest.keyStorePassword", None),
    obeyed("gravitino.iceberg-rest.managerPassword", None),
    obeyed("gravitino.iceberg-rest.keyStoreType", Some("JKS")),
    obeyed("gravitino.iceberg-rest.tlsProtocol", None),
    obeyed("gravitino.iceberg-rest.enableCipherAlgorithms", None),
    obeyed("gravitino.iceberg-rest.enableClientAuth", Some("false")),
    obeyed("gravitino.iceberg-rest.trustStorePath", None),
    obeyed("gravitino.iceberg-rest.trustStorePassword", None),
    obeyed("gravitino.iceberg-rest.trustStoreType", Some("JKS")),
    // pages of other origins
    obeyed("gravitino.server.webserver.enableCorsFilter", Some("false")),
    obeyed("gravitino.server.webserver.allowedOrigins", Some("*")),
    obeyed("gravitino.server.webserver.allowedTimingOrigins", None),
    obeyed(
        "gravitino.server.webserver.allowedMethods",
        Some("GET,POST,HEAD,DELETE,PUT"),
    ),
    obeyed(
        "gravitino.server.webserver.allowedHeaders",
        Some("X-Requested-With,Content-Type,Accept,Origin"),
    ),
    obeyed("gravitino.server.webserver.exposedHeaders", None),
    obeyed("gravitino.server.webserver.preflightMaxAgeInSecs", Some("1800")),
    obeyed("gravitino.server.webserver.allowCredentials", Some("true")),
    obeyed("gravitino.iceberg-rest.enableCorsFilter", Some("false")),
    obeyed("gravitino.iceberg-rest.allowedOrigins", Some("*")),
    obeyed("gravitino.iceberg-rest.allowedTimingOrigins", None),
    obeyed(
        "gravitino.iceberg-rest.allowedMethods",
        Some("GET,POST,HEAD,DELETE,PUT"),
    ),
    obeyed(
        "gravitino.iceberg-rest.allowedHeaders",
        Some("X-Requested-With,Content-Type,Accept,Origin"),
    ),
    obeyed("gravitino.iceberg-rest.exposedHeaders", None),
    obeyed("gravitino.iceberg-rest.preflightMaxAgeInSecs", Some("1800")),
    obeyed("gravitino.iceberg-rest.allowCredentials", Some("true")),
    // store
    obeyed("gravitino.entity.store", Some("relational")),
    obeyed("gravitino.entity.store.relational", Some("JDBCBackend")),
    obeyed("gravitino.entity.store.relational.jdbcUrl", None),
    obeyed("gravitino.entity.store.relational.jdbcUser", None),
    obeyed("gravitino.entity.store.relational.jdbcPassword", None),
    obeyed("gravitino.entity.store.relational.storagePath", None),
    obeyed("gravitino.entity.store.relational.maxConnections", Some("100")),
    meaningless("gravitino.entity.store.relational.jdbcDriver"),
    meaningless("gravitino.entity.store.relational.maxWaitMillis"),
    meaningless("gravitino.entity.store.maxTransactionSkewTimeMs"),
    meaningless("gravitino.entity.store.deleteAfterTimeMs"),
    meaningless("gravitino.entity.store.versionRetentionCount"),
    // authentication
    obeyed("gravitino.authenticators", Some("simple")),
    obeyed("gravitino.authenticator", None),
    obeyed(
        "gravitino.authenticator.oauth.serviceAudience",
        Some("GravitinoServer"),
    ),
    obeyed("gravitino.authenticator.oauth.allowSkewSecs", Some("0")),
    obeyed("gravitino.authenticator.oauth.defaultSignKey", None),
    obeyed("gravitino.authenticator.oauth.signAlgorithmType", Some("RS256")),
    obeyed("gravitino.authenticator.oauth.serverUri", None),
    obeyed("gravitino.authenticator.oauth.tokenPath", None),
    obeyed("gravitino.authenticator.oauth.provider", Some("default")),
    obeyed("gravitino.authenticator.oauth.clientId", None),
    obeyed("gravitino.authenticator.oauth.authority", None),
    obeyed("gravitino.authenticator.oauth.scope", None),
    obeyed("gravitino.authenticator.oauth.jwksUri", None),
    obeyed("gravitino.authenticator.oauth.tokenValidatorClass", None),
    obeyed("gravitino.authenticator.oauth.principalFields", Some("sub")),
    obeyed("gravitino.authenticator.oauth.groupsFields", Some("groups")),
    obeyed("gravitino.authenticator.oauth.principalMapper", Some("regex")),
    obeyed("gravitino.authenticator.oauth.groupMapper", Some("regex")),
    obeyed(
        "gravitino.authenticator.oauth.principalMapper.regex.pattern",
        Some("^(.*)$"),
    ),
    obeyed(
        "gravitino.authenticator.oauth.groupMapper.regex.pattern",
        Some("^(.*)$"),
    ),
    obeyed("gravitino.authenticator.kerberos.principal", None),
    obeyed("gravitino.authenticator.kerberos.keytab", None),
    obeyed("gravitino.authenticator.kerberos.principalMapper", Some("regex")),
    obeyed(
        "gravitino.authenticator.kerberos.principalMapper.regex.pattern",
        None,
    ),
    // authorization
    obeyed("gravitino.authorization.enable", Some("false")),
    obeyed("gravitino.authorization.serviceAdmins", None),
    obeyed("gravitino.authorization.impl", None),
    meaningless("gravitino.authorization.threadPoolSize"),
    meaningless("gravitino.authorization.jcasbin.cacheExpirationSecs"),
    meaningless("gravitino.authorization.jcasbin.roleCacheSize"),
    meaningless("gravitino.authorization.jcasbin.ownerCacheSize"),
    meaningless("gravitino.authorization.jcasbin.metadataIdCacheSize"),
    meaningless("gravitino.authorization.jcasbin.changePollIntervalSecs"),
    // Iceberg REST
    obeyed("gravitino.iceberg-rest.gravitino-metalake", None),
    obeyed("gravitino.iceberg-rest.default-catalog-name", None),
    obeyed("gravitino.iceberg-rest.catalog-config-provider", None),
    meaningless("gravitino.iceberg-rest.gravitino-uri"),
    meaningless("gravitino.iceberg-rest.classpath"),
    // jobs
    obeyed("gravitino.job.executor", Some("local")),
    obeyed("gravitino.job.stagingDir", Some("/tmp/gravitino/jobs/staging")),
    obeyed("gravitino.job.stagingDirKeepTimeInMs", Some("604800000")),
    obeyed("gravitino.job.statusPullIntervalInMs", Some("300000")),
    obeyed("gravitino.jobExecutor.local.waitingQueueSize", Some("100")),
    // Half of the cores, at most 10, unless given.
    obeyed("gravitino.jobExecutor.local.maxRunningJobs", None),
    obeyed("gravitino.jobExecutor.local.sparkHome", None),
    // lineage; each sink has keys of its own name (`config::lineage`)
    obeyed("gravitino.lineage.source", Some("http")),
    obeyed("gravitino.lineage.processorClass", None),
    obeyed("gravitino.lineage.sinks", Some("log")),
    obeyed("gravitino.lineage.queueCapacity", Some("10000")),
    // secrets; each provider has keys of its own name (`config::secrets`)
    obeyed("gravitino.secret.providers", None),
    // ours
    obeyed("lakeward.data-dir", Some("./lakeward-data")),
    obeyed("lakeward.login.accountFailures", Some("5")),
    obeyed("lakeward.login.addressFailures", Some("100")),
    obeyed("lakeward.login.maxDelaySecs", Some("60")),
    obeyed("lakeward.operators", None),
    obeyed("lakeward.reader.host", None),
    obeyed("lakeward.reader.port", None),
    obeyed("lakeward.reader.names", None),
    obeyed("lakeward.scim.enabled", Some("false")),
    obeyed("lakeward.scim.provisioners", None),
    obeyed("lakeward.scim.tokenFile", None),
    obeyed("lakeward.scim.tokenUser", None),
    obeyed("lakeward.scim.baseUrl", None),
    obeyed("lakeward.read-restrictions.enabled", Some("false")),
    obeyed("lakeward.read-restrictions.widening", Some("ask")),
    obeyed(
        "lakeward.read-restrictions.iceberg-capabilities-header",
        Some("false"),
    ),
    obeyed("lakeward.federation.allowed-hosts", None),
    obeyed("lakeward.iceberg.idempotencyKeyLifetimeSecs", Some("1800")),
    obeyed("lakeward.iceberg.metricsReportsPerTable", Some("100")),
    obeyed("lakeward.audit.enabled", Some("true")),
    obeyed("lakeward.audit.file", None),
    obeyed("lakeward.audit.maxFileBytes", Some("268435456")),
    obeyed("lakeward.audit.required", Some("false")),
    obeyed("lakeward.jobs.user", None),
    obeyed("lakeward.jobs.maxOutputBytes", Some("67108864")),
    obeyed("lakeward.jobs.maxTotalBytes", Some("10737418240")),
    obeyed("lakeward.jobs.maxRunTimeMs", Some("86400000")),
    obeyed("lakeward.tokens.maxLifetimeDays", Some("365")),
    obeyed("lakeward.server.maxBodyBytes", Some("16777216")),
    obeyed("lakeward.server.requestsPerSecondAndUser", Some("0")),
    obeyed("lakeward.server.requestsPerSecondAndAddress", Some("0")),
    obeyed("lakeward.server.requestTimeoutMs", Some("60000")),
];

/// Families of keys whose last parts are free or many; all without effect here, except where [`KEYS`] says otherwise.
pub const MEANINGLESS_FAMILIES: &[&str] = &[
    "gravitino.server.webserver.",
    "gravitino.iceberg-rest.",
    "gravitino.lance-rest.",
    "gravitino.cache.",
    "gravitino.entityChangeLog.",
    "gravitino.lock.",
    "gravitino.catalog.",
    "gravitino.stats.",
    "gravitino.kms.",
    "gravitino.job.",
    "gravitino.jobExecutor.",
    "gravitino.lineage.",
    "gravitino.audit.",
    "gravitino.eventListener.",
    "gravitino.metrics.",
    "gravitino.fetchFile.",
];

/// Where an unknown key ends the start: a misspelt key there would silently weaken what it protects.
pub const STRICT_FAMILIES: &[&str] = &[
    "gravitino.authorization.",
    "gravitino.authenticator",
    "gravitino.secret.",
    "lakeward.",
];

/// The known key of this name.
pub fn known(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The known name that is nearest to a misspelt one, by single-letter edits.
pub fn nearest(name: &str) -> &'static str {
    KEYS.iter()
        .map(|key| key.name)
        .min_by_key(|known| edits(name, known))
        .unwrap_or_default()
}

/// How many letters must be added, removed or changed to make one text the other.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for ((b, above), diagonal) in right.iter().zip(row.iter().skip(1)).zip(&row) {
            let changed = diagonal + usize::from(a != *b);
            let before = next.last().copied().unwrap_or_default();
            next.push(changed.min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(
            nearest("gravitino.authorization.enabled"),
            "gravitino.authorization.enable"
        );
        assert_eq!(nearest("lakeward.operator"), "lakeward.operators");
    }

    #[test]
    fn no_key_is_listed_twice() {
        let mut names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
