// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which privileges make sense on a catalog of a type: nobody can be allowed to create a table in a catalog of
//! filesets.

use lakeward_authorization::Privilege;
use lakeward_authorization::securable_object::SecurableObject;
use lakeward_metadata::catalog::CatalogType;
use lakeward_store::ObjectRow;

use crate::providers::CATALOG_TYPE;

/// The type of catalog that a privilege speaks of; `None` when it speaks of all, or of kinds that several types hold.
fn catalog_type(privilege: Privilege) -> Option<CatalogType> {
    match privilege {
        Privilege::CreateTable | Privilege::SelectTable | Privilege::ModifyTable => {
            Some(CatalogType::Relational)
        }
        Privilege::CreateTopic | Privilege::ConsumeTopic | Privilege::ProduceTopic => {
            Some(CatalogType::Messaging)
        }
        Privilege::CreateFileset | Privilege::ReadFileset | Privilege::WriteFileset => {
            Some(CatalogType::Fileset)
        }
        Privilege::RegisterModel
        | Privilege::CreateModel
        | Privilege::LinkModelVersion
        | Privilege::CreateModelVersion
        | Privilege::UseModel => Some(CatalogType::Model),
        Privilege::CreateCatalog
        | Privilege::UseCatalog
        | Privilege::CreateSchema
        | Privilege::UseSchema
        | Privilege::CreateView
        | Privilege::SelectView
        | Privilege::RegisterFunction
        | Privilege::ExecuteFunction
        | Privilege::ModifyFunction
        | Privilege::ManageUsers
        | Privilege::ManageGroups
        | Privilege::CreateRole
        | Privilege::ManageGrants
        | Privilege::CreateTag
        | Privilege::ApplyTag
        | Privilege::CreatePolicy
        | Privilege::ApplyPolicy
        | Privilege::RegisterJobTemplate
        | Privilege::UseJobTemplate
        | Privilege::RunJob => None,
    }
}

/// Refuses privileges that mean nothing below this catalog. The error is the message.
pub(crate) fn check_catalog_type(catalog: &ObjectRow, securable: &SecurableObject) -> Result<(), String> {
    let stored = catalog
        .detail
        .get(CATALOG_TYPE)
        .and_then(serde_json::Value::as_str);
    let Some(actual) = stored.and_then(|text| text.parse::<CatalogType>().ok()) else {
        return Ok(());
    };
    for pair in securable.privileges() {
        if catalog_type(pair.privilege).is_some_and(|wanted| wanted != actual) {
            return Err(format!(
                "catalog `{}` is of type `{actual}`, so that `{}` cannot be granted on {}",
                catalog.name,
                pair.privilege,
                securable.object()
            ));
        }
    }
    Ok(())
}
