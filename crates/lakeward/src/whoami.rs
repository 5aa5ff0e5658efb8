// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward whoami`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::client::{NativeClient, Refused, understood};
use crate::credentials::Login;

/// Tell whom a server takes you for: the name, and in each metalake the groups, where they are known from, and the roles
///
///   lakeward whoami --server https://lakeward.example.com
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    #[command(flatten)]
    login: Login,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Whom the server takes the caller for.
#[derive(Debug, Serialize)]
struct Me {
    principal: String,
    metalakes: Vec<Membership>,
}

/// What the caller is to one metalake.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Membership {
    metalake: String,
    /// `None` for who is no user of it.
    #[serde(flatten)]
    member: Option<Member>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Member {
    /// `None` where nobody knows them.
    groups: Option<Vec<String>>,
    groups_from: String,
    /// Roles that are granted to the user.
    roles: Vec<String>,
    /// Roles by the group that they are granted to.
    group_roles: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Principal {
    principal: String,
}

#[derive(Deserialize)]
struct Metalakes {
    metalakes: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Access {
    subject: Subject,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Subject {
    groups: Option<Vec<Option<String>>>,
    groups_from: String,
}

/// Asks, and tells.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let credentials = arguments.login.credentials(&arguments.server).await?.context(
        "you are nobody yet: log in with `lakeward login`, or give --user NAME or --token-file FILE",
    )?;
    let client = NativeClient::new(arguments.server.clone(), credentials)?;
    let Principal { principal } = understood(client.get(&["authn", "me"]).await?)?;
    let Metalakes { metalakes } = understood(client.get(&["metalakes"]).await?)?;
    let mut me = Me {
        principal,
        metalakes: Vec::new(),
    };
    for Named { name } in metalakes {
        let member = member(&client, &name, &me.principal).await?;
        me.metalakes.push(Membership {
            metalake: name,
            member,
        });
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&me)?);
    } else {
        print!("{}", text(&me));
    }
    Ok(ExitCode::SUCCESS)
}

async fn member(client: &NativeClient, metalake: &str, user: &str) -> anyhow::Result<Option<Member>> {
    let Some(roles) = roles(client, metalake, ["users", user], "user").await? else {
        return Ok(None);
    };
    let path = ["metalakes", metalake, "users", user, "access"];
    let Access { subject } = understood(client.get_with(&path, &[("pageSize", "1")]).await?)?;
    let groups: Option<Vec<String>> = subject
        .groups
        .map(|groups| groups.into_iter().flatten().collect());
    let mut group_roles = BTreeMap::new();
    for group in groups.iter().flatten() {
        let held = self::roles(client, metalake, ["groups", group], "group").await?;
        group_roles.insert(group.clone(), held.unwrap_or_default());
    }
    Ok(Some(Member {
        groups,
        groups_from: subject.groups_from,
        roles,
        group_roles,
    }))
}

/// The roles of a user or group; `None` where there is none that the caller may see.
async fn roles(
    client: &NativeClient,
    metalake: &str,
    principal: [&str; 2],
    member: &str,
) -> anyhow::Result<Option<Vec<String>>> {
    let [collection, name] = principal;
    let answer = client.get(&["metalakes", metalake, collection, name]).await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let is_no_member = error
                .downcast_ref::<Refused>()
                .is_some_and(|refused| matches!(refused.status, 403 | 404));
            return if is_no_member { Ok(None) } else { Err(error) };
        }
    };
    let roles = answer.get(member).and_then(|member| member.get("roles")).cloned();
    roles
        .filter(|roles| !roles.is_null())
        .map_or(Ok(Some(Vec::new())), |roles: Value| understood(roles).map(Some))
}

fn text(me: &Me) -> String {
    let mut lines = vec![me.principal.clone()];
    if me.metalakes.is_empty() {
        lines.push("  in no metalake that you may see".to_owned());
    }
    for Membership { metalake, member } in &me.metalakes {
        let Some(member) = member else {
            lines.push(format!("{metalake}: you are no user of it"));
            continue;
        };
        lines.push(format!("{metalake}:"));
        lines.push(format!("  roles   {}", listed(&member.roles)));
        let from = match member.groups_from.as_str() {
            "token" => "by your token",
            "stored" => "by the accounts of the server",
            "directory" => "by the directory of the identity provider",
            "none-exist" => "the metalake has none",
            "last-seen" => "as last seen",
            _ => "nothing that you sent says",
        };
        match &member.groups {
            None => lines.push(format!(
                "  groups  not known ({from}): policies that ask for a group refuse you"
            )),
            Some(groups) => lines.push(format!("  groups  {} ({from})", listed(groups))),
        }
        for (group, roles) in &member.group_roles {
            lines.push(format!("  roles   {} through group {group}", listed(roles)));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told() {
        let text = text(&Me {
            principal: "ann".to_owned(),
            metalakes: vec![
                Membership {
                    metalake: "m".to_owned(),
                    member: Some(Member {
                        groups: Some(vec!["eu".to_owned()]),
                        groups_from: "token".to_owned(),
                        roles: Vec::new(),
                        group_roles: [("eu".to_owned(), vec!["reads".to_owned()])].into(),
                    }),
                },
                Membership {
                    metalake: "n".to_owned(),
                    member: Some(Member {
                        groups: None,
                        groups_from: "unknown".to_owned(),
                        roles: vec!["a".to_owned(), "b".to_owned()],
                        group_roles: BTreeMap::new(),
                    }),
                },
                Membership {
                    metalake: "o".to_owned(),
                    member: None,
                },
            ],
        });
        let expected = "ann\n\
            m:\n  roles   none\n  groups  eu (by your token)\n  roles   reads through group eu\n\
            n:\n  roles   a, b\n  groups  not known (nothing that you sent says): policies that ask for a group refuse you\n\
            o: you are no user of it\n";
        assert_eq!(text, expected);
    }
}
