// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The privileges: one row each, everything else derives from the row.

use std::fmt;
use std::str::FromStr;

use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::kind::ObjectKind::{
    Catalog, Fileset, Function, JobTemplate, Metalake, Model, Policy, Schema, Table, Tag, Topic, View,
};

/// Declares the enum and its table. A row: variant, wire name, kinds it binds to, what it allows; for a deprecated alias
/// also the variant that it stands for.
macro_rules! privileges {
    (@canonical $variant:ident) => { Self::$variant };
    (@canonical $variant:ident $current:ident) => { Self::$current };
    ($($variant:ident, $name:literal, [$($kind:ident),+], $meaning:literal $(=> $current:ident)?;)+) => {
        /// A named permission for one kind of operation (seed 004, "Privileges and What They Allow").
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Privilege {
            $(#[doc = $meaning] $variant,)+
        }

        impl Privilege {
            /// Every privilege, deprecated aliases included, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The upper-case name used in requests and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The kinds of objects it may be bound to. These are also the levels at which it is looked for: a
            /// privilege counts on the object itself and on every ancestor of a kind in this list.
            pub const fn grantable_on(self) -> &'static [ObjectKind] {
                match self { $(Self::$variant => &[$($kind),+],)+ }
            }

            /// The privilege that decides: deprecated aliases resolve to the current name. Grants, equality and
            /// revocation compare this; the spelling that was given is kept for display.
            pub const fn canonical(self) -> Self {
                match self { $(Self::$variant => privileges!(@canonical $variant $($current)?),)+ }
            }

            /// What it allows, in words.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

privileges! {
    CreateCatalog, "CREATE_CATALOG", [Metalake], "Create catalogs";
    UseCatalog, "USE_CATALOG", [Metalake, Catalog], "Use any catalog in scope, and reach the objects inside it";
    CreateSchema, "CREATE_SCHEMA", [Metalake, Catalog, Schema], "Create schemas or nested schemas in scope";
    UseSchema, "USE_SCHEMA", [Metalake, Catalog, Schema], "Use any schema in scope, and reach the objects inside it";
    CreateTable, "CREATE_TABLE", [Metalake, Catalog, Schema], "Create tables in any schema in scope";
    SelectTable, "SELECT_TABLE", [Metalake, Catalog, Schema, Table], "Read any table in scope";
    ModifyTable, "MODIFY_TABLE", [Metalake, Catalog, Schema, Table], "Read and write to, and alter the schema of, any table in scope";
    CreateView, "CREATE_VIEW", [Metalake, Catalog, Schema], "Create views in any schema in scope";
    SelectView, "SELECT_VIEW", [Metalake, Catalog, Schema, View], "Read view metadata in scope";
    CreateTopic, "CREATE_TOPIC", [Metalake, Catalog, Schema], "Create topics in any schema in scope";
    ConsumeTopic, "CONSUME_TOPIC", [Metalake, Catalog, Schema, Topic], "Consume from any topic in scope";
    ProduceTopic, "PRODUCE_TOPIC", [Metalake, Catalog, Schema, Topic], "Consume from, produce to, and alter any topic in scope";
    CreateFileset, "CREATE_FILESET", [Metalake, Catalog, Schema], "Create filesets in any schema in scope";
    ReadFileset, "READ_FILESET", [Metalake, Catalog, Schema, Fileset], "Read any fileset in scope";
    WriteFileset, "WRITE_FILESET", [Metalake, Catalog, Schema, Fileset], "Read, write, and alter any fileset in scope";
    RegisterModel, "REGISTER_MODEL", [Metalake, Catalog, Schema], "Register models in any schema in scope";
    CreateModel, "CREATE_MODEL", [Metalake, Catalog, Schema], "Deprecated alias of REGISTER_MODEL" => RegisterModel;
    LinkModelVersion, "LINK_MODEL_VERSION", [Metalake, Catalog, Schema, Model], "Link versions to any model in scope";
    CreateModelVersion, "CREATE_MODEL_VERSION", [Metalake, Catalog, Schema, Model], "Deprecated alias of LINK_MODEL_VERSION" => LinkModelVersion;
    UseModel, "USE_MODEL", [Metalake, Catalog, Schema, Model], "Read the metadata of, and download versions of, any model in scope";
    RegisterFunction, "REGISTER_FUNCTION", [Metalake, Catalog, Schema], "Register functions in any schema in scope";
    ExecuteFunction, "EXECUTE_FUNCTION", [Metalake, Catalog, Schema, Function], "Read the metadata of, and execute, any function in scope";
    ModifyFunction, "MODIFY_FUNCTION", [Metalake, Catalog, Schema, Function], "Alter any function in scope";
    ManageUsers, "MANAGE_USERS", [Metalake], "Add and remove users";
    ManageGroups, "MANAGE_GROUPS", [Metalake], "Add and remove groups";
    CreateRole, "CREATE_ROLE", [Metalake], "Create roles";
    ManageGrants, "MANAGE_GRANTS", [Metalake, Catalog, Schema, Table, View, Topic, Fileset, Model, Function], "Grant and revoke privileges on any object in scope; on a metalake also roles";
    CreateTag, "CREATE_TAG", [Metalake], "Create tags";
    ApplyTag, "APPLY_TAG", [Metalake, Tag], "Attach tags to metadata objects";
    CreatePolicy, "CREATE_POLICY", [Metalake], "Create policies";
    ApplyPolicy, "APPLY_POLICY", [Metalake, Policy], "Attach policies to metadata objects";
    RegisterJobTemplate, "REGISTER_JOB_TEMPLATE", [Metalake], "Register job templates";
    UseJobTemplate, "USE_JOB_TEMPLATE", [Metalake, JobTemplate], "Run jobs from a job template";
    RunJob, "RUN_JOB", [Metalake], "Run jobs";
}

impl Privilege {
    /// Whether the name is deprecated.
    pub fn is_alias(self) -> bool {
        self.canonical() != self
    }

    /// The lower-case name used in answers.
    pub fn lower_case(self) -> String {
        self.as_str().to_ascii_lowercase()
    }

    /// Whether it may be bound to objects of `kind`.
    pub fn binds_to(self, kind: ObjectKind) -> bool {
        self.grantable_on().contains(&kind)
    }
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no privilege.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a privilege")]
pub struct UnknownPrivilege(pub String);

impl FromStr for Privilege {
    type Err = UnknownPrivilege;

    /// Case does not matter.
    fn from_str(text: &str) -> Result<Self, UnknownPrivilege> {
        Self::ALL
            .iter()
            .copied()
            .find(|privilege| privilege.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownPrivilege(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Privilege, UnknownPrivilege};
    use lakeward_metadata::kind::ObjectKind;

    #[test]
    fn every_name_is_read_back_in_any_case() {
        for privilege in Privilege::ALL {
            assert_eq!(privilege.as_str().parse(), Ok(*privilege));
            assert_eq!(privilege.lower_case().parse(), Ok(*privilege));
        }
        assert_eq!(
            "FLY".parse::<Privilege>(),
            Err(UnknownPrivilege("FLY".to_owned()))
        );
    }

    #[test]
    fn aliases_bind_to_what_their_current_names_bind_to() {
        let aliases: Vec<&Privilege> = Privilege::ALL
            .iter()
            .filter(|privilege| privilege.is_alias())
            .collect();
        assert_eq!(aliases, [&Privilege::CreateModel, &Privilege::CreateModelVersion]);
        for alias in aliases {
            assert_eq!(alias.grantable_on(), alias.canonical().grantable_on());
        }
    }

    #[test]
    fn every_privilege_binds_to_the_metalake_and_none_to_columns_roles_or_jobs() {
        for privilege in Privilege::ALL {
            assert!(privilege.binds_to(ObjectKind::Metalake), "{privilege}");
            for kind in [ObjectKind::Column, ObjectKind::Role, ObjectKind::Job] {
                assert!(!privilege.binds_to(kind), "{privilege} on {kind}");
            }
        }
    }
}
