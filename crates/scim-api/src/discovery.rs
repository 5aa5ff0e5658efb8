// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the server says of itself: `/ServiceProviderConfig`, `/ResourceTypes` and `/Schemas`.

use serde_json::{Value, json};

use crate::list::MAX_COUNT;
use crate::schema::{ResourceType, described};

/// What is supported.
pub fn service_provider_config(base: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": {"supported": true},
        "bulk": {"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": true, "maxResults": MAX_COUNT},
        "changePassword": {"supported": false},
        "sort": {"supported": false},
        "etag": {"supported": true},
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Bearer token",
                "description": "The token of the file that `lakeward.scim.tokenFile` names, or one of the identity provider, where `oauth` is among the authenticators.",
                "specUri": "https://www.rfc-editor.org/info/rfc6750",
                "primary": true,
            },
            {
                "type": "httpbasic",
                "name": "Name and password",
                "description": "A local account, where `basic` is among the authenticators.",
                "specUri": "https://www.rfc-editor.org/info/rfc7617",
            },
        ],
        "meta": {
            "resourceType": "ServiceProviderConfig",
            "location": format!("{base}/ServiceProviderConfig"),
        },
    })
}

/// One type of resources.
pub fn resource_type(of: ResourceType, base: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        "id": of.name(),
        "name": of.name(),
        "endpoint": of.endpoint(),
        "schema": of.urn(),
        "schemaExtensions": [],
        "meta": {"resourceType": "ResourceType", "location": format!("{base}/ResourceTypes/{}", of.name())},
    })
}

/// One schema.
pub fn schema(of: ResourceType, base: &str) -> Value {
    // What every resource has is not part of a schema (RFC 7643, section 3.1).
    let of_every_resource = ["schemas", "id", "externalId", "meta"];
    let attributes = of.attributes().iter();
    let attributes = attributes.filter(|attribute| !of_every_resource.contains(&attribute.name));
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
        "id": of.urn(),
        "name": of.name(),
        "description": match of {
            ResourceType::User => "A user of the directory",
            ResourceType::Group => "A group of the directory",
        },
        "attributes": attributes.map(described).collect::<Vec<_>>(),
        "meta": {"resourceType": "Schema", "location": format!("{base}/Schemas/{}", of.urn())},
    })
}
