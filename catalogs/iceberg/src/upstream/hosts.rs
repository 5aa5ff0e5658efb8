// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which hosts a federated catalog may reach. Whoever may create a catalog chooses its address; the server must not be
//! their way to what only the server's machine reaches.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lakeward_catalog::error::CatalogError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The hosts that federated catalogs may reach. Without a list: every host but this machine and what is link-local, as clouds
/// have their metadata services. With one: those in it and no other, whatever their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamHosts {
    allowed: Option<BTreeSet<String>>,
}

impl UpstreamHosts {
    /// Only these: `host`, for all of its ports, or `host:port`.
    pub fn only(hosts: impl IntoIterator<Item = String>) -> Self {
        Self {
            allowed: Some(hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect()),
        }
    }

    /// Checks an address before anything is sent there.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`].
    pub(super) fn check(&self, property: &str, url: &Url) -> Result<(), CatalogError> {
        let refused = || {
            CatalogError::Invalid(format!(
                "property `{property}`: this server does not connect to that host; its operator says to which it does, with \
                 `lakeward.federation.allowed-hosts`"
            ))
        };
        let host = url.host().ok_or_else(refused)?;
        let is_reachable = match &self.allowed {
            Some(allowed) => {
                let host = host.to_string().to_ascii_lowercase();
                let port = url.port_or_known_default().unwrap_or_default();
                allowed.contains(&host) || allowed.contains(&format!("{host}:{port}"))
            }
            None => match host {
                Host::Ipv4(address) => is_public(address.into()),
                Host::Ipv6(address) => is_public(address.into()),
                Host::Domain(name) => {
                    let name = name.trim_end_matches('.').to_ascii_lowercase();
                    name != "localhost" && !name.ends_with(".localhost")
                }
            },
        };
        if is_reachable { Ok(()) } else { Err(refused()) }
    }

    /// Resolves names for a client. Addresses are checked when they are used: a name that meant another host a moment ago
    /// leads nowhere it may not.
    pub(super) fn resolver(&self) -> Arc<dyn Resolve> {
        Arc::new(Resolver {
            any_address: self.allowed.is_some(),
        })
    }
}

#[derive(Debug)]
struct Resolver {
    /// The names themselves were allowed.
    any_address: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let any_address = self.any_address;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let usable: Vec<SocketAddr> = found
                .filter(|address| any_address || is_public(address.ip()))
                .collect();
            if usable.is_empty() {
                return Err(io::Error::other("the name means no host that may be reached").into());
            }
            let usable: Addrs = Box::new(usable.into_iter());
            Ok(usable)
        })
    }
}

/// Whether an address is neither of this machine nor of its own link.
fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    if address.is_loopback() || address.is_unspecified() || address.is_multicast() {
        return false;
    }
    match address {
        IpAddr::V4(address) => {
            !(address.is_link_local() || address.is_broadcast() || address.octets()[0] == 0)
        }
        IpAddr::V6(address) => !address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hosts: &UpstreamHosts, cases: &[(&str, bool)]) {
        for (url, expected) in cases {
            let url = Url::parse(url).unwrap();
            assert_eq!(hosts.check("uri", &url).is_ok(), *expected, "{url}");
        }
    }

    #[test]
    fn without_a_list_this_machine_is_out_of_reach() {
        let cases = [
            ("https://catalog.example.com/iceberg", true),
            ("http://10.1.2.3:8181", true),
            ("http://127.0.0.1:8181", false),
            ("http://127.1", false),
            ("http://2130706433/", false),
            ("http://[::1]/", false),
            ("http://[::ffff:127.0.0.1]/", false),
            ("http://[::ffff:a9fe:a9fe]/", false),
            ("http://169.254.169.254/latest", false),
            ("http://[fe80::1]/", false),
            ("http://0.0.0.0/", false),
            ("http://0.1.2.3/", false),
            ("http://localhost:8181", false),
            ("http://a.localhost./", false),
            ("http://LOCALHOST", false),
        ];
        check(&UpstreamHosts::default(), &cases);
    }

    #[test]
    fn with_a_list_only_what_is_in_it_is_reached() {
        let hosts = ["127.0.0.1:8181", "Catalog.example.com"].map(str::to_owned);
        let cases = [
            ("http://127.0.0.1:8181/iceberg", true),
            ("http://127.0.0.1:8182/iceberg", false),
            ("https://catalog.example.com/", true),
            ("https://catalog.example.com:9/", true),
            ("https://other.example.com/", false),
            ("http://10.1.2.3/", false),
        ];
        check(&UpstreamHosts::only(hosts), &cases);
    }

    #[tokio::test]
    async fn names_of_this_machine_resolve_to_nothing() {
        let asked = |hosts: UpstreamHosts| async move {
            let name: Name = "localhost".parse().unwrap();
            hosts.resolver().resolve(name).await.map(|found| found.count())
        };
        assert!(asked(UpstreamHosts::default()).await.is_err());
        let allowed = UpstreamHosts::only(["localhost".to_owned()]);
        assert!(asked(allowed).await.unwrap() > 0);
    }
}
