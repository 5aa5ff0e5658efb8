// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fresh stores, and objects to begin with.

use std::collections::BTreeSet;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use sqlx::{Connection as _, Row as _};

use crate::{Area, NewObject, NewUser, Store, StoreOptions, StoreUrl, Write};

/// A store of its own for one case.
pub(super) struct Scene {
    pub(super) store: Store,
    postgres: Option<(String, String, StoreUrl)>,
}

impl Scene {
    pub(super) async fn sqlite() -> Self {
        Self {
            store: Store::open(&StoreUrl::Memory, StoreOptions::default())
                .await
                .unwrap(),
            postgres: None,
        }
    }

    /// A schema of its own in the database of `DATABASE_URL`.
    pub(super) async fn postgres() -> Option<Self> {
        let url = std::env::var("DATABASE_URL").ok()?;
        sqlx::any::install_default_drivers();
        let schema = format!("case_{}", uuid::Uuid::new_v4().simple());
        let sign = if url.contains('?') { '&' } else { '?' };
        let own = StoreUrl::Postgres(format!(
            "{url}{sign}currentSchema={schema}&application_name={schema}"
        ));
        let store = Store::open(&own, small()).await.unwrap();
        Some(Self {
            store,
            postgres: Some((url, schema, own)),
        })
    }

    /// Address, schema and own address, on PostgreSQL.
    pub(super) fn place(&self) -> Option<&(String, String, StoreUrl)> {
        self.postgres.as_ref()
    }

    /// Ends all connections of this case on the side of the database.
    pub(super) async fn end_connections(&self) {
        let Some((url, schema, _)) = &self.postgres else {
            return;
        };
        let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
        let end = format!(
            "SELECT pg_terminate_backend(pid, 5000)::int FROM pg_stat_activity WHERE application_name = '{schema}'"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(end))
            .execute(&mut connection)
            .await
            .unwrap();
    }

    /// The connections of this case that wait for a lock, by the database; none where there is no such thing.
    pub(super) async fn waiting(&self) -> BTreeSet<i32> {
        let Some((url, schema, _)) = &self.postgres else {
            return BTreeSet::new();
        };
        let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
        let text = format!(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '{schema}' AND wait_event_type = 'Lock'"
        );
        let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(text)).fetch_all(&mut connection);
        let rows = rows.await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    pub(super) async fn end(self) {
        self.store.close().await;
        if let Some((url, schema, _)) = self.postgres {
            let mut connection = sqlx::AnyConnection::connect(&url).await.unwrap();
            let drop = format!("DROP SCHEMA {schema} CASCADE");
            sqlx::raw_sql(sqlx::AssertSqlSafe(drop))
                .execute(&mut connection)
                .await
                .unwrap();
        }
    }

    /// Another node on the same database; the same store where there can be only one.
    pub(super) async fn node(&self) -> Store {
        match &self.postgres {
            Some((_, _, url)) => Store::open(url, small()).await.unwrap(),
            None => self.store.clone(),
        }
    }

    /// A metalake with the user `ann`, who owns it.
    pub(super) async fn metalake(&self, name: &str) -> ObjectId {
        let mut write = self.store.write_server("ann").await.unwrap();
        let row = write
            .create_object(&NewObject::named(crate::ROOT, ObjectKind::Metalake, name))
            .await
            .unwrap();
        write.add_user(&NewUser::named("ann")).await.unwrap();
        write.set_owner(row.id, &user("ann")).await.unwrap();
        write.commit().await.unwrap();
        row.id
    }

    /// A write with all areas of a metalake.
    pub(super) async fn write(&self, metalake: ObjectId) -> Write {
        self.store
            .write(metalake, &Area::OF_METALAKE, "ann")
            .await
            .unwrap()
    }

    /// An object of any kind.
    pub(super) async fn object(
        &self,
        metalake: ObjectId,
        parent: ObjectId,
        kind: ObjectKind,
        name: &str,
    ) -> ObjectId {
        let mut write = self.write(metalake).await;
        let row = write
            .create_object(&NewObject::named(parent, kind, name))
            .await
            .unwrap();
        write.commit().await.unwrap();
        row.id
    }

    /// Metalake `m`, catalog `c`, schema `s`, table `t` with a pointer.
    pub(super) async fn table(&self) -> Tree {
        let metalake = self.metalake("m").await;
        let mut write = self.write(metalake).await;
        let mut parent = metalake;
        let mut ids = Vec::new();
        for (kind, name) in [
            (ObjectKind::Catalog, "c"),
            (ObjectKind::Schema, "s"),
            (ObjectKind::Table, "t"),
        ] {
            parent = write
                .create_object(&NewObject::named(parent, kind, name))
                .await
                .unwrap()
                .id;
            ids.push(parent);
        }
        write
            .set_table_pointer(ids[2], "loc/1", "uuid", "digest of loc/1")
            .await
            .unwrap();
        write.commit().await.unwrap();
        Tree {
            metalake,
            catalog: ids[0],
            schema: ids[1],
            table: ids[2],
        }
    }
}

fn small() -> StoreOptions {
    StoreOptions {
        max_connections: 6,
        ..StoreOptions::default()
    }
}

/// The ids of [`Scene::table`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    pub(super) metalake: ObjectId,
    pub(super) catalog: ObjectId,
    pub(super) schema: ObjectId,
    pub(super) table: ObjectId,
}

pub(super) fn user(name: &str) -> Principal {
    Principal {
        kind: PrincipalKind::User,
        name: name.to_owned(),
    }
}

pub(super) fn group(name: &str) -> Principal {
    Principal {
        kind: PrincipalKind::Group,
        name: name.to_owned(),
    }
}

pub(super) fn named(kind: ObjectKind, full_name: &str) -> MetadataObject {
    MetadataObject::parse(kind, full_name).unwrap()
}
