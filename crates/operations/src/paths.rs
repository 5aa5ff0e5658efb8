// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The usual targets: one struct per depth of the tree, named as in the protocol.

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::named::{Named, Names};

/// A metalake by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MetalakePath {
    /// The name.
    pub metalake: String,
}

/// A catalog by names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CatalogPath {
    /// The metalake.
    pub metalake: String,
    /// The catalog.
    pub catalog: String,
}

/// A schema by names; a nested one has the separator in its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchemaPath {
    /// The metalake.
    pub metalake: String,
    /// The catalog.
    pub catalog: String,
    /// The schema.
    pub schema: String,
}

/// A leaf of a schema by names. `K` is an [`ObjectKind`] leaf marker, so that a table is never taken for a view.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeafPath<K> {
    /// The metalake.
    pub metalake: String,
    /// The catalog.
    pub catalog: String,
    /// The schema.
    pub schema: String,
    /// The name of the leaf.
    pub name: String,
    /// The kind, in the type.
    pub kind: K,
}

/// The kind of a leaf, as a type.
pub trait LeafKind: Default + Clone + Send + Sync + 'static {
    /// The kind.
    const KIND: ObjectKind;
    /// The path parameter of the native protocol.
    const PARAMETER: &'static str;
}

macro_rules! leaf_kinds {
    ($($(#[$doc:meta])* $marker:ident, $path:ident, $kind:ident, $parameter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $marker;

        impl LeafKind for $marker {
            const KIND: ObjectKind = ObjectKind::$kind;
            const PARAMETER: &'static str = $parameter;
        }

        $(#[$doc])*
        pub type $path = LeafPath<$marker>;
    )*};
}

leaf_kinds! {
    /// A table.
    TableKind, TablePath, Table, "table";
    /// A view.
    ViewKind, ViewPath, View, "view";
    /// A topic.
    TopicKind, TopicPath, Topic, "topic";
    /// A fileset.
    FilesetKind, FilesetPath, Fileset, "fileset";
    /// A model.
    ModelKind, ModelPath, Model, "model";
    /// A function.
    FunctionKind, FunctionPath, Function, "function";
}

/// Any object of a metalake, as `objects/{type}/{fullName}` names it; also roles, tags and policies by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObjectPath {
    /// The metalake.
    pub metalake: String,
    /// The object.
    pub object: MetadataObject,
}

/// A user or group of a metalake.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrincipalPath {
    /// The metalake.
    pub metalake: String,
    /// The user or group.
    pub principal: Principal,
}

impl ObjectPath {
    /// An object that sits directly in the metalake: a role, tag, policy, job template or job.
    pub fn top(metalake: &str, kind: ObjectKind, name: &str) -> Self {
        Self {
            metalake: metalake.to_owned(),
            object: MetadataObject {
                kind,
                path: vec![name.to_owned()],
            },
        }
    }
}

impl PrincipalPath {
    /// A user of the metalake.
    pub fn user(metalake: &str, name: &str) -> Self {
        Self::of(metalake, PrincipalKind::User, name)
    }

    /// A group of the metalake.
    pub fn group(metalake: &str, name: &str) -> Self {
        Self::of(metalake, PrincipalKind::Group, name)
    }

    fn of(metalake: &str, kind: PrincipalKind, name: &str) -> Self {
        Self {
            metalake: metalake.to_owned(),
            principal: Principal {
                kind,
                name: name.to_owned(),
            },
        }
    }
}

impl CatalogPath {
    /// As a metadata object.
    pub fn object(&self) -> MetadataObject {
        MetadataObject {
            kind: ObjectKind::Catalog,
            path: vec![self.catalog.clone()],
        }
    }

    /// The metalake of the catalog.
    pub fn metalake(&self) -> MetalakePath {
        MetalakePath {
            metalake: self.metalake.clone(),
        }
    }
}

impl SchemaPath {
    /// As a metadata object.
    pub fn object(&self) -> MetadataObject {
        MetadataObject {
            kind: ObjectKind::Schema,
            path: vec![self.catalog.clone(), self.schema.clone()],
        }
    }

    /// The catalog of the schema.
    pub fn catalog(&self) -> CatalogPath {
        CatalogPath {
            metalake: self.metalake.clone(),
            catalog: self.catalog.clone(),
        }
    }

    /// A leaf in the schema.
    pub fn leaf<K: LeafKind>(&self, name: &str) -> LeafPath<K> {
        LeafPath {
            metalake: self.metalake.clone(),
            catalog: self.catalog.clone(),
            schema: self.schema.clone(),
            name: name.to_owned(),
            kind: K::default(),
        }
    }
}

impl<K: LeafKind> LeafPath<K> {
    /// As a metadata object.
    pub fn object(&self) -> MetadataObject {
        MetadataObject {
            kind: K::KIND,
            path: vec![self.catalog.clone(), self.schema.clone(), self.name.clone()],
        }
    }

    /// The schema of the leaf.
    pub fn schema(&self) -> SchemaPath {
        SchemaPath {
            metalake: self.metalake.clone(),
            catalog: self.catalog.clone(),
            schema: self.schema.clone(),
        }
    }
}

impl Names for MetalakePath {
    fn named(&self) -> Named {
        Named::metalake(&self.metalake)
    }
}

impl Names for CatalogPath {
    fn named(&self) -> Named {
        Named::object(&self.metalake, self.object())
    }
}

impl Names for SchemaPath {
    fn named(&self) -> Named {
        Named::object(&self.metalake, self.object())
    }
}

impl<K: LeafKind> Names for LeafPath<K> {
    fn named(&self) -> Named {
        Named::object(&self.metalake, self.object())
    }
}

impl Names for ObjectPath {
    fn named(&self) -> Named {
        Named::object(&self.metalake, self.object.clone())
    }
}

impl Names for PrincipalPath {
    fn named(&self) -> Named {
        Named::principal(&self.metalake, self.principal.clone())
    }
}
