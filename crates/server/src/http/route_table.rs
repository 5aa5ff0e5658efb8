// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Finds what serves a path.
//!
//! Matching is on the encoded path, so an encoded slash never splits a segment. A literal segment goes before a
//! parameter only where it also serves the method: `GET …/catalogs/testConnection` is a catalog of that name although
//! `POST …/catalogs/testConnection` is an operation.

use std::collections::BTreeMap;

use http::Method;

/// A tree of path segments with a value per method at its nodes.
#[derive(Debug)]
pub struct RouteTable<T> {
    root: Node<T>,
}

#[derive(Debug)]
struct Node<T> {
    literals: BTreeMap<String, Node<T>>,
    parameter: Option<Box<Node<T>>>,
    served: Vec<(Method, Served<T>)>,
}

#[derive(Debug)]
struct Served<T> {
    parameters: Vec<&'static str>,
    value: T,
}

/// What the table says of a path and a method.
#[derive(Debug, PartialEq, Eq)]
pub enum Lookup<'t, 'p, T> {
    /// It is served; the parameters are still encoded.
    Found {
        /// What serves it.
        value: &'t T,
        /// Parameter names with their encoded values.
        parameters: Vec<(&'static str, &'p str)>,
    },
    /// The path is served for other methods only.
    WrongMethod(Vec<Method>),
    /// Nothing is here.
    Nothing,
}

/// Two endpoints claim the same path and method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} {path} is mounted twice")]
pub struct MountedTwice {
    /// The method.
    pub method: Method,
    /// The path pattern.
    pub path: String,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            literals: BTreeMap::new(),
            parameter: None,
            served: Vec::new(),
        }
    }
}

impl<T> Default for RouteTable<T> {
    fn default() -> Self {
        Self {
            root: Node::default(),
        }
    }
}

impl<T> RouteTable<T> {
    /// Adds a pattern like `/metalakes/{metalake}`; `base` goes before it.
    ///
    /// # Errors
    /// [`MountedTwice`].
    pub fn insert(
        &mut self,
        method: &Method,
        base: &str,
        pattern: &'static str,
        value: T,
    ) -> Result<(), MountedTwice> {
        let mut node = &mut self.root;
        for segment in base.split('/').filter(|segment| !segment.is_empty()) {
            node = node.literals.entry(segment.to_owned()).or_default();
        }
        let mut parameters = Vec::new();
        for segment in pattern.split('/').filter(|segment| !segment.is_empty()) {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            node = match name {
                Some(name) => {
                    parameters.push(name);
                    node.parameter.get_or_insert_with(Default::default)
                }
                None => node.literals.entry(segment.to_owned()).or_default(),
            };
        }
        if node.served.iter().any(|(known, _)| known == method) {
            return Err(MountedTwice {
                method: method.clone(),
                path: format!("{base}{pattern}"),
            });
        }
        node.served.push((method.clone(), Served { parameters, value }));
        Ok(())
    }

    /// Looks a path up. One trailing slash is ignored; HEAD is served by GET where nothing else serves it.
    pub fn lookup<'p>(&self, method: &Method, path: &'p str) -> Lookup<'_, 'p, T> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<&'p str> = if path.is_empty() {
            Vec::new()
        } else {
            path.split('/').collect()
        };
        let mut others = Vec::new();
        let mut values = Vec::new();
        let mut found = self.root.find(method, &segments, &mut values, &mut others);
        if found.is_none() && method == Method::HEAD {
            values.clear();
            found = self.root.find(&Method::GET, &segments, &mut values, &mut others);
        }
        match found {
            Some(served) => Lookup::Found {
                value: &served.value,
                parameters: served.parameters.iter().copied().zip(values).collect(),
            },
            None if others.is_empty() => Lookup::Nothing,
            None => {
                if others.contains(&Method::GET) {
                    others.push(Method::HEAD);
                }
                others.sort_by(|a, b| a.as_str().cmp(b.as_str()));
                others.dedup();
                Lookup::WrongMethod(others)
            }
        }
    }
}

impl<T> Node<T> {
    fn find<'p>(
        &self,
        method: &Method,
        segments: &[&'p str],
        values: &mut Vec<&'p str>,
        others: &mut Vec<Method>,
    ) -> Option<&Served<T>> {
        let Some((first, rest)) = segments.split_first() else {
            let found = self.served.iter().find(|(known, _)| known == method);
            if found.is_none() {
                others.extend(self.served.iter().map(|(known, _)| known.clone()));
            }
            return found.map(|(_, served)| served);
        };
        if let Some(served) = self
            .literals
            .get(*first)
            .and_then(|node| node.find(method, rest, values, others))
        {
            return Some(served);
        }
        let node = self.parameter.as_ref()?;
        values.push(first);
        let found = node.find(method, rest, values, others);
        if found.is_none() {
            values.pop();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> RouteTable<&'static str> {
        let mut table = RouteTable::default();
        for (method, base, path, value) in [
            (Method::GET, "/api", "/metalakes/{m}/catalogs", "list"),
            (Method::GET, "/api", "/metalakes/{m}/catalogs/{c}", "load"),
            (Method::PUT, "/api", "/metalakes/{m}/catalogs/{c}", "alter"),
            (
                Method::POST,
                "/api",
                "/metalakes/{m}/catalogs/testConnection",
                "test",
            ),
            (Method::GET, "/iceberg", "/v1/{prefix}/namespaces", "prefixed"),
            (Method::GET, "/iceberg", "/v1/namespaces", "plain"),
            (Method::GET, "/iceberg", "/v1/namespaces/{ns}", "namespace"),
            (Method::GET, "", "/", "console"),
        ] {
            table.insert(&method, base, path, value).unwrap();
        }
        table
    }

    fn check(method: Method, path: &str, expected: Result<(&'static str, &[&str]), &str>) {
        let table = table();
        match (table.lookup(&method, path), expected) {
            (Lookup::Found { value, parameters }, Ok((name, values))) => {
                assert_eq!(*value, name);
                let found: Vec<&str> = parameters.iter().map(|(_, value)| *value).collect();
                assert_eq!(found, values);
            }
            (Lookup::WrongMethod(methods), Err(allowed)) => {
                let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
                assert_eq!(names.join(","), allowed, "{path}");
            }
            (Lookup::Nothing, Err("")) => {}
            (found, expected) => panic!("{path}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn literals_shadow_parameters_only_where_they_serve_the_method() {
        check(
            Method::POST,
            "/api/metalakes/m/catalogs/testConnection",
            Ok(("test", &["m"])),
        );
        check(
            Method::GET,
            "/api/metalakes/m/catalogs/testConnection",
            Ok(("load", &["m", "testConnection"])),
        );
        check(
            Method::GET,
            "/iceberg/v1/namespaces/namespaces",
            Ok(("namespace", &["namespaces"])),
        );
        check(Method::GET, "/iceberg/v1/p/namespaces", Ok(("prefixed", &["p"])));
    }

    #[test]
    fn slashes_heads_and_misses() {
        check(
            Method::HEAD,
            "/api/metalakes/a%2Fb/catalogs/",
            Ok(("list", &["a%2Fb"])),
        );
        check(Method::GET, "/", Ok(("console", &[])));
        check(Method::GET, "/api//x", Err(""));
        check(Method::GET, "/api/nope", Err(""));
        check(Method::DELETE, "/api/metalakes/m/catalogs/c", Err("GET,HEAD,PUT"));
    }

    #[test]
    fn a_second_claim_is_an_error() {
        assert!(
            table()
                .insert(&Method::GET, "/api", "/metalakes/{other}/catalogs", "x")
                .is_err()
        );
    }
}
