// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The attributes that are kept: one table for bodies, filters, paths and `/Schemas` (RFC 7643, sections 3, 4 and 7).

use serde_json::{Value, json};

/// The type of the values of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A text; compared with case where `case_exact`.
    Text {
        /// Whether case counts.
        case_exact: bool,
    },
    /// `true` or `false`.
    Boolean,
    /// An instant.
    Time,
    /// A URI.
    Reference,
    /// Attributes of its own.
    Complex(&'static [Attribute]),
}

/// What requests may do to an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutability {
    /// Nothing.
    ReadOnly,
    /// Anything.
    ReadWrite,
    /// Say it once, within its value.
    Immutable,
}

/// An attribute, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    /// The canonical name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// The type of each value.
    pub kind: Type,
    /// Whether it has several values.
    pub many: bool,
    /// Whether a resource must have it.
    pub required: bool,
    /// What requests may do to it.
    pub mutability: Mutability,
    /// Whether it is part of every answer, whatever was asked for.
    pub always: bool,
    /// Whether no two resources have the same value.
    pub unique: bool,
}

const fn attribute(name: &'static str, about: &'static str, kind: Type) -> Attribute {
    Attribute {
        name,
        about,
        kind,
        many: false,
        required: false,
        mutability: Mutability::ReadWrite,
        always: false,
        unique: false,
    }
}

const TEXT: Type = Type::Text { case_exact: false };
const EXACT: Type = Type::Text { case_exact: true };

const fn text(name: &'static str, about: &'static str) -> Attribute {
    attribute(name, about, TEXT)
}

const fn read_only(attribute: Attribute) -> Attribute {
    Attribute {
        mutability: Mutability::ReadOnly,
        ..attribute
    }
}

const fn immutable(attribute: Attribute) -> Attribute {
    Attribute {
        mutability: Mutability::Immutable,
        ..attribute
    }
}

const fn many(attribute: Attribute) -> Attribute {
    Attribute {
        many: true,
        ..attribute
    }
}

const fn always(attribute: Attribute) -> Attribute {
    Attribute {
        always: true,
        ..attribute
    }
}

const fn named(attribute: Attribute) -> Attribute {
    Attribute {
        required: true,
        unique: true,
        ..attribute
    }
}

const SCHEMAS: Attribute = always(read_only(many(attribute(
    "schemas",
    "The URNs of its schemas.",
    Type::Reference,
))));
const ID: Attribute = always(read_only(attribute(
    "id",
    "The id that this server gave; never given again.",
    EXACT,
)));
const EXTERNAL_ID: Attribute = Attribute {
    unique: true,
    ..attribute("externalId", "The id that the identity provider gave.", EXACT)
};
const META: Attribute = read_only(attribute(
    "meta",
    "What the server says of the resource.",
    Type::Complex(&[
        read_only(attribute("resourceType", "User or Group.", EXACT)),
        read_only(attribute("created", "When it was made.", Type::Time)),
        read_only(attribute("lastModified", "When it was changed last.", Type::Time)),
        read_only(attribute("location", "Where it is.", Type::Reference)),
        read_only(attribute("version", "Which version it is, for If-Match.", EXACT)),
    ]),
));

/// The attributes of a user.
pub const USER: &[Attribute] = &[
    SCHEMAS,
    ID,
    EXTERNAL_ID,
    META,
    named(text("userName", "The name with which the user authenticates.")),
    attribute(
        "name",
        "The parts of the user's name.",
        Type::Complex(&[
            text("formatted", "The whole name."),
            text("familyName", "The family name."),
            text("givenName", "The given name."),
        ]),
    ),
    text("displayName", "The name to show to people."),
    attribute(
        "active",
        "Whether the user may call at all; a request of one who may not is refused.",
        Type::Boolean,
    ),
    many(attribute(
        "emails",
        "Mail addresses.",
        Type::Complex(&[
            text("value", "The address."),
            text("display", "The address as people read it."),
            text("type", "What it is for: work, home, other."),
            attribute("primary", "Whether it is the preferred one.", Type::Boolean),
        ]),
    )),
    read_only(many(attribute(
        "groups",
        "The groups that the user is a member of.",
        Type::Complex(&[
            read_only(attribute("value", "The id of the group.", EXACT)),
            read_only(attribute("$ref", "Where the group is.", Type::Reference)),
            read_only(text("display", "The name of the group.")),
        ]),
    ))),
];

/// The attributes of a group.
pub const GROUP: &[Attribute] = &[
    SCHEMAS,
    ID,
    EXTERNAL_ID,
    META,
    named(text("displayName", "The name by which metalakes know the group.")),
    many(attribute(
        "members",
        "The users that are in it.",
        Type::Complex(&[
            immutable(attribute("value", "The id of the user.", EXACT)),
            immutable(attribute("$ref", "Where the user is.", Type::Reference)),
            immutable(text("display", "The name of the user.")),
            immutable(text("type", "User; groups of groups are not kept.")),
        ]),
    )),
];

/// Attributes of the standard that are not kept: a change of one of them changes nothing.
const NOT_KEPT: [&str; 15] = [
    "nickName",
    "profileUrl",
    "title",
    "userType",
    "preferredLanguage",
    "locale",
    "timezone",
    "password",
    "phoneNumbers",
    "ims",
    "photos",
    "addresses",
    "entitlements",
    "roles",
    "x509Certificates",
];
/// Parts of the user's name that are not kept.
const NAME_PARTS_NOT_KEPT: [&str; 3] = ["middleName", "honorificPrefix", "honorificSuffix"];
/// What begins the URN of every extension, of which none is kept.
const EXTENSION: &str = "urn:ietf:params:scim:schemas:extension:";

/// The two types of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceType {
    /// A user.
    User,
    /// A group.
    Group,
}

impl ResourceType {
    /// Both, in the order in which lists over both have them.
    pub const ALL: [Self; 2] = [Self::User, Self::Group];

    /// The name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
        }
    }

    /// The path below the base.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::User => "/Users",
            Self::Group => "/Groups",
        }
    }

    /// The URN of its schema.
    pub const fn urn(self) -> &'static str {
        match self {
            Self::User => "urn:ietf:params:scim:schemas:core:2.0:User",
            Self::Group => "urn:ietf:params:scim:schemas:core:2.0:Group",
        }
    }

    /// What it has.
    pub const fn attributes(self) -> &'static [Attribute] {
        match self {
            Self::User => USER,
            Self::Group => GROUP,
        }
    }
}

/// What a name of an attribute means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A whole attribute.
    Attribute(&'static Attribute),
    /// A part of a complex one.
    Part(&'static Attribute, &'static Attribute),
    /// One of the standard that is not kept.
    NotKept,
    /// None.
    Unknown,
}

/// The attribute of this name, in any case.
pub fn find(attributes: &'static [Attribute], name: &str) -> Option<&'static Attribute> {
    attributes
        .iter()
        .find(|attribute| attribute.name.eq_ignore_ascii_case(name))
}

/// What a name means for a type of resource: `userName`, `name.familyName`, also with the URN of its schema before it.
pub fn resolve(of: ResourceType, name: &str) -> Named {
    let urn = of.urn();
    let name = match name.split_at_checked(urn.len()) {
        Some((begin, rest)) if begin.eq_ignore_ascii_case(urn) => rest.strip_prefix(':').unwrap_or(name),
        Some(_) | None => name,
    };
    if name.to_ascii_lowercase().starts_with(EXTENSION) {
        return Named::NotKept;
    }
    let (first, part) = match name.split_once('.') {
        Some((first, part)) => (first, Some(part)),
        None => (name, None),
    };
    let listed = |names: &[&str], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let Some(attribute) = find(of.attributes(), first) else {
        return if of == ResourceType::User && listed(&NOT_KEPT, first) {
            Named::NotKept
        } else {
            Named::Unknown
        };
    };
    match (part, attribute.kind) {
        (None, _) => Named::Attribute(attribute),
        (Some(part), Type::Complex(parts)) => match find(parts, part) {
            Some(part) => Named::Part(attribute, part),
            None if attribute.name == "name" && listed(&NAME_PARTS_NOT_KEPT, part) => Named::NotKept,
            None => Named::Unknown,
        },
        (Some(_), Type::Text { .. } | Type::Boolean | Type::Time | Type::Reference) => Named::Unknown,
    }
}

/// An attribute as `/Schemas` shows it.
pub(crate) fn described(attribute: &Attribute) -> Value {
    let (kind, case_exact) = match attribute.kind {
        Type::Text { case_exact } => ("string", case_exact),
        Type::Boolean => ("boolean", false),
        Type::Time => ("dateTime", false),
        Type::Reference => ("reference", true),
        Type::Complex(_) => ("complex", false),
    };
    let mut shown = json!({
        "name": attribute.name,
        "type": kind,
        "multiValued": attribute.many,
        "description": attribute.about,
        "required": attribute.required,
        "caseExact": case_exact,
        "mutability": match attribute.mutability {
            Mutability::ReadOnly => "readOnly",
            Mutability::ReadWrite => "readWrite",
            Mutability::Immutable => "immutable",
        },
        "returned": if attribute.always { "always" } else { "default" },
        "uniqueness": if attribute.unique { "server" } else { "none" },
    });
    if let (Type::Complex(parts), Some(members)) = (attribute.kind, shown.as_object_mut()) {
        members.insert(
            "subAttributes".to_owned(),
            parts.iter().map(described).collect::<Vec<_>>().into(),
        );
    }
    shown
}
