// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Servers in this process, with objects in them.

use lakeward_authorization::condition::Condition;
use lakeward_authorization::privilege::Privilege;
use lakeward_authorization::securable_object::{ConditionedPrivilege, SecurableObject};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_server::config::properties::Properties;
use lakeward_server::{Running, Settings, start};
use lakeward_store::{Area, NewObject, NewUser, ROOT, Write};
use tempfile::TempDir;

/// A server with a store of its own.
pub(crate) struct Scene {
    pub(crate) server: Running,
    pub(crate) client: reqwest::Client,
    _folder: TempDir,
}

impl Scene {
    /// Starts a server, with or without authorization and read restrictions. `root` administers it.
    pub(crate) async fn start(has_authorization: bool) -> Self {
        if has_authorization {
            return Self::with(&[
                ("gravitino.authorization.enable", "true"),
                ("gravitino.authorization.serviceAdmins", "root"),
                ("lakeward.read-restrictions.enabled", "true"),
                ("lakeward.reader.port", "0"),
            ])
            .await;
        }
        Self::with(&[]).await
    }

    /// Starts a server with more settings than that it takes everybody at their word.
    pub(crate) async fn with(more: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let data = folder.path().display().to_string();
        let mut pairs = vec![
            ("lakeward.data-dir", data.as_str()),
            ("gravitino.server.webserver.host", "127.0.0.1"),
            ("gravitino.server.webserver.httpPort", "0"),
            ("gravitino.iceberg-rest.host", "127.0.0.1"),
            ("gravitino.iceberg-rest.httpPort", "0"),
            ("gravitino.authenticators", "simple"),
        ];
        pairs.extend(more);
        let properties = Properties::from_pairs(pairs).unwrap();
        let server = start(Settings::from_properties(properties).unwrap())
            .await
            .unwrap();
        Self {
            server,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            _folder: folder,
        }
    }

    /// Metalake `m` owned by `root`, catalog `c`, schema `s` in it, and the user `ann`.
    pub(crate) async fn tree(&self) -> (ObjectId, ObjectId, ObjectId) {
        let store = self.server.app.operations.store();
        let mut write = store.write_server("root").await.unwrap();
        let metalake = create(&mut write, ROOT, ObjectKind::Metalake, "m").await;
        for name in ["root", "ann"] {
            write.add_user(&NewUser::named(name)).await.unwrap();
        }
        write.set_owner(metalake, &user("root")).await.unwrap();
        let catalog = write
            .create_object(&NewObject {
                detail: serde_json::json!({"type": "relational", "provider": "lakehouse-iceberg"}),
                ..NewObject::named(metalake, ObjectKind::Catalog, "c")
            })
            .await
            .unwrap()
            .id;
        let schema = create(&mut write, catalog, ObjectKind::Schema, "s").await;
        write.commit().await.unwrap();
        (metalake, catalog, schema)
    }

    /// A change by `root`, which must be made. Gives the answer.
    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        media_type: Option<&str>,
        body: serde_json::Value,
    ) -> serde_json::Value {
        let media_type = media_type.unwrap_or("application/json");
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let answer = self
            .client
            .request(method, format!("http://{}{path}", self.server.native_addr))
            .basic_auth("root", Some("-"))
            .header("Content-Type", media_type)
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Drops a table by its path in the Iceberg protocol.
    pub(crate) async fn drop_table(&self, path: &str) {
        let answer = self
            .client
            .delete(format!("http://{}{path}", self.server.native_addr))
            .basic_auth("root", Some("-"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 204, "{path}: {}", answer.text().await.unwrap());
    }

    /// A GET by a user, whose body must be as long as it was the first time.
    pub(crate) async fn get(&self, url: &str, user: &str) -> usize {
        let answer = self
            .client
            .get(url)
            .basic_auth(user, Some("-"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{url}: {}", answer.text().await.unwrap());
        answer.bytes().await.unwrap().len()
    }
}

/// Creates an object with nothing but a name.
pub(crate) async fn create(write: &mut Write, parent: ObjectId, kind: ObjectKind, name: &str) -> ObjectId {
    write
        .create_object(&NewObject::named(parent, kind, name))
        .await
        .unwrap()
        .id
}

/// Lets a role do something with an object.
pub(crate) async fn allow(
    write: &mut Write,
    role: ObjectId,
    id: ObjectId,
    object: MetadataObject,
    privilege: Privilege,
) {
    say(write, role, id, object, privilege, Condition::Allow).await;
}

/// Says something of an object in a role.
pub(crate) async fn say(
    write: &mut Write,
    role: ObjectId,
    id: ObjectId,
    object: MetadataObject,
    privilege: Privilege,
    condition: Condition,
) {
    let privileges = vec![ConditionedPrivilege { privilege, condition }];
    let securable = SecurableObject::new(object, privileges).unwrap();
    write.put_role_object(role, Some(id), &securable).await.unwrap();
}

/// The areas of everything that a scene writes.
pub(crate) const ALL: &[Area] = &Area::OF_METALAKE;

/// A user as a principal.
pub(crate) fn user(name: &str) -> Principal {
    Principal {
        kind: PrincipalKind::User,
        name: name.to_owned(),
    }
}

/// An object by its dotted name.
pub(crate) fn named(kind: ObjectKind, full_name: &str) -> MetadataObject {
    MetadataObject::parse(kind, full_name).unwrap()
}
