// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schemas read from their JSON form: types, ids, names. The JSON stays the truth; this is a reading of it.

use std::collections::BTreeMap;

use lakeward_read_restrictions::field::{Field, FieldType};
use serde_json::Value;

/// The deepest nesting that is accepted; deeper input is refused before it can exhaust a stack.
const MAX_DEPTH: usize = 64;

/// A schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schema {
    /// `schema-id`; 0 where absent.
    pub(crate) id: i32,
    /// The top-level fields.
    pub(crate) fields: Vec<SchemaField>,
    /// `identifier-field-ids`
    pub(crate) identifier_field_ids: Vec<i32>,
}

/// A field of a schema, or an element, key or value of a nested type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SchemaField {
    pub(crate) id: i32,
    /// The name; `element`, `key` or `value` for parts of lists and maps.
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) schema_type: SchemaType,
    pub(crate) doc: Option<String>,
    pub(crate) initial_default: Option<Value>,
    pub(crate) write_default: Option<Value>,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SchemaType {
    /// Anything without parts, with its text as written.
    Primitive {
        /// What it is.
        field_type: FieldType,
        /// Its text, in the canonical spelling.
        text: String,
    },
    Struct(Vec<SchemaField>),
    List(Box<SchemaField>),
    Map(Box<SchemaField>, Box<SchemaField>),
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong, and at which field.
    pub(crate) fn parse(json: &Value) -> Result<Self, String> {
        let id = match json.get("schema-id") {
            None => 0,
            Some(id) => int32(id).ok_or("`schema-id` is no whole number of 32 bits")?,
        };
        if json.get("type").and_then(Value::as_str) != Some("struct") {
            return Err("a schema is an object whose `type` is `struct`".to_owned());
        }
        let fields = parse_fields(json, "the schema", 0)?;
        let identifier_field_ids = match json.get("identifier-field-ids") {
            None | Some(Value::Null) => Vec::new(),
            Some(ids) => ids
                .as_array()
                .and_then(|ids| ids.iter().map(int32).collect())
                .ok_or("`identifier-field-ids` is no list of field ids")?,
        };
        let schema = Self {
            id,
            fields,
            identifier_field_ids,
        };
        schema.check()?;
        Ok(schema)
    }

    /// The fields in the vocabulary of read restrictions.
    pub(crate) fn restriction_fields(&self) -> Vec<Field> {
        self.fields.iter().map(SchemaField::to_field).collect()
    }

    /// Every field at every level by id, with its dotted path.
    pub(crate) fn by_id(&self) -> BTreeMap<i32, (String, &SchemaField)> {
        let mut found = BTreeMap::new();
        collect(&self.fields, "", &mut found);
        found
    }

    /// The id of the enclosing field of every nested field.
    pub(crate) fn parents(&self) -> BTreeMap<i32, i32> {
        fn collect(field: &SchemaField, found: &mut BTreeMap<i32, i32>) {
            let parts: Vec<&SchemaField> = match &field.schema_type {
                SchemaType::Primitive { .. } => Vec::new(),
                SchemaType::Struct(members) => members.iter().collect(),
                SchemaType::List(element) => vec![element],
                SchemaType::Map(key, value) => vec![key, value],
            };
            for part in parts {
                found.insert(part.id, field.id);
                collect(part, found);
            }
        }
        let mut found = BTreeMap::new();
        for field in &self.fields {
            collect(field, &mut found);
        }
        found
    }

    /// The names from the column down to a field.
    pub(crate) fn path_of(&self, id: i32) -> Option<Vec<String>> {
        let by_id = self.by_id();
        let parents = self.parents();
        let mut path = vec![by_id.get(&id)?.1.name.clone()];
        let mut at = id;
        while let Some(parent) = parents.get(&at) {
            at = *parent;
            path.push(by_id.get(&at)?.1.name.clone());
        }
        path.reverse();
        Some(path)
    }

    /// The highest field id; 0 for a schema without fields.
    pub(crate) fn highest_field_id(&self) -> i32 {
        self.by_id().last_key_value().map_or(0, |(id, _)| *id)
    }

    /// A field by its dotted path.
    pub(crate) fn id_of(&self, path: &str) -> Option<i32> {
        self.by_id()
            .into_iter()
            .find(|(_, (found, _))| found == path)
            .map(|(id, _)| id)
    }

    /// Checks what makes a schema usable at all: distinct ids and names, identifier fields that exist.
    fn check(&self) -> Result<(), String> {
        let mut count = 0;
        check_names(&self.fields, "", &mut count)?;
        let by_id = self.by_id();
        if by_id.len() != count {
            return Err("two fields of the schema have the same id".to_owned());
        }
        for id in &self.identifier_field_ids {
            let Some((path, field)) = by_id.get(id) else {
                return Err(format!("the identifier field {id} is not in the schema"));
            };
            if !field.required || !matches!(field.schema_type, SchemaType::Primitive { .. }) {
                return Err(format!(
                    "`{path}` cannot be an identifier field: it must be required and of a primitive type"
                ));
            }
        }
        Ok(())
    }
}

impl SchemaField {
    pub(crate) fn to_field(&self) -> Field {
        Field {
            id: self.id,
            name: self.name.clone(),
            field_type: self.schema_type.to_field_type(),
            required: self.required,
        }
    }
}

impl SchemaType {
    pub(crate) fn to_field_type(&self) -> FieldType {
        match self {
            Self::Primitive { field_type, .. } => field_type.clone(),
            Self::Struct(fields) => FieldType::Struct(fields.iter().map(SchemaField::to_field).collect()),
            Self::List(element) => FieldType::List(Box::new(element.to_field())),
            Self::Map(key, value) => FieldType::Map {
                key: Box::new(key.to_field()),
                value: Box::new(value.to_field()),
            },
        }
    }

    /// A word for messages: the text of a primitive, the kind of a nested type.
    pub(crate) fn describe(&self) -> &str {
        match self {
            Self::Primitive { text, .. } => text,
            Self::Struct(_) => "struct",
            Self::List(_) => "list",
            Self::Map(..) => "map",
        }
    }

    /// Whether the type needs format version 3.
    pub(crate) fn needs_version_3(&self) -> bool {
        match self {
            Self::Primitive { field_type, .. } => matches!(
                field_type,
                FieldType::TimestampNs
                    | FieldType::TimestamptzNs
                    | FieldType::Unknown
                    | FieldType::Variant
                    | FieldType::Geometry
                    | FieldType::Geography
            ),
            Self::Struct(_) | Self::List(_) | Self::Map(..) => false,
        }
    }
}

fn collect<'a>(
    fields: &'a [SchemaField],
    prefix: &str,
    found: &mut BTreeMap<i32, (String, &'a SchemaField)>,
) {
    for field in fields {
        let path = join(prefix, &field.name);
        match &field.schema_type {
            SchemaType::Primitive { .. } => {}
            SchemaType::Struct(members) => collect(members, &path, found),
            SchemaType::List(element) => collect(std::slice::from_ref(element), &path, found),
            SchemaType::Map(key, value) => {
                collect(std::slice::from_ref(key), &path, found);
                collect(std::slice::from_ref(value), &path, found);
            }
        }
        found.insert(field.id, (path, field));
    }
}

fn check_names(fields: &[SchemaField], prefix: &str, count: &mut usize) -> Result<(), String> {
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    if let Some([twice, _]) = names.array_windows().find(|[one, other]| one == other) {
        return Err(format!("there are two fields named `{}`", join(prefix, twice)));
    }
    for field in fields {
        *count += 1;
        let path = join(prefix, &field.name);
        match &field.schema_type {
            SchemaType::Primitive { .. } => {}
            SchemaType::Struct(members) => check_names(members, &path, count)?,
            SchemaType::List(element) => check_names(std::slice::from_ref(element), &path, count)?,
            SchemaType::Map(key, value) => {
                check_names(std::slice::from_ref(key), &path, count)?;
                check_names(std::slice::from_ref(value), &path, count)?;
            }
        }
    }
    Ok(())
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        name.to_owned()
    } else {
        format!("{prefix}.{name}")
    }
}

pub(crate) fn int32(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|number| i32::try_from(number).ok())
}

fn parse_fields(json: &Value, of: &str, depth: usize) -> Result<Vec<SchemaField>, String> {
    let Some(fields) = json.get("fields").and_then(Value::as_array) else {
        return Err(format!("`fields` of {of} is missing or no list"));
    };
    fields.iter().map(|field| parse_field(field, depth + 1)).collect()
}

fn parse_field(json: &Value, depth: usize) -> Result<SchemaField, String> {
    let Some(name) = json.get("name").and_then(Value::as_str) else {
        return Err("a field has no `name`".to_owned());
    };
    if name.is_empty() {
        return Err("a field has an empty name".to_owned());
    }
    let id = json
        .get("id")
        .and_then(int32)
        .ok_or_else(|| format!("the field `{name}` has no `id` of 32 bits"))?;
    let required = json
        .get("required")
        .and_then(Value::as_bool)
        .ok_or_else(|| format!("the field `{name}` does not say whether it is `required`"))?;
    let schema_type = parse_type(
        json.get("type")
            .ok_or_else(|| format!("the field `{name}` has no `type`"))?,
        name,
        depth,
    )?;
    let default = |member: &str| json.get(member).filter(|value| !value.is_null()).cloned();
    Ok(SchemaField {
        id,
        name: name.to_owned(),
        required,
        schema_type,
        doc: json.get("doc").and_then(Value::as_str).map(str::to_owned),
        initial_default: default("initial-default"),
        write_default: default("write-default"),
    })
}

fn parse_part(
    json: &Value,
    of: &str,
    part: &str,
    required: Option<&str>,
    depth: usize,
) -> Result<SchemaField, String> {
    let id = json
        .get(format!("{part}-id"))
        .and_then(int32)
        .ok_or_else(|| format!("`{part}-id` of `{of}` is missing"))?;
    let required = match required {
        None => true,
        Some(member) => json
            .get(member)
            .and_then(Value::as_bool)
            .ok_or_else(|| format!("`{member}` of `{of}` is missing"))?,
    };
    // A list's element type is called `element`, a map's parts `key` and `value`.
    let schema_type = parse_type(
        json.get(part)
            .ok_or_else(|| format!("`{part}` of `{of}` is missing"))?,
        of,
        depth,
    )?;
    Ok(SchemaField {
        id,
        name: part.to_owned(),
        required,
        schema_type,
        doc: None,
        initial_default: None,
        write_default: None,
    })
}

fn parse_type(json: &Value, of: &str, depth: usize) -> Result<SchemaType, String> {
    if depth > MAX_DEPTH {
        return Err(format!("the schema nests deeper than {MAX_DEPTH} levels"));
    }
    if let Some(text) = json.as_str() {
        return parse_primitive(text)
            .ok_or_else(|| format!("`{text}` of field `{of}` is not an Iceberg type"));
    }
    match json.get("type").and_then(Value::as_str) {
        Some("struct") => Ok(SchemaType::Struct(parse_fields(json, &format!("`{of}`"), depth)?)),
        Some("list") => Ok(SchemaType::List(Box::new(parse_part(
            json,
            of,
            "element",
            Some("element-required"),
            depth + 1,
        )?))),
        Some("map") => Ok(SchemaType::Map(
            Box::new(parse_part(json, of, "key", None, depth + 1)?),
            Box::new(parse_part(json, of, "value", Some("value-required"), depth + 1)?),
        )),
        _ => Err(format!(
            "the type of field `{of}` is neither a text nor a struct, list or map"
        )),
    }
}

/// Reads the text of a primitive type; blanks inside brackets do not count.
pub(crate) fn parse_primitive(text: &str) -> Option<SchemaType> {
    let primitive = |field_type: FieldType| {
        let text = field_type.to_string();
        Some(SchemaType::Primitive { field_type, text })
    };
    let written = |field_type: FieldType| {
        Some(SchemaType::Primitive {
            field_type,
            text: text.to_owned(),
        })
    };
    match text {
        "boolean" => return primitive(FieldType::Boolean),
        "int" => return primitive(FieldType::Int),
        "long" => return primitive(FieldType::Long),
        "float" => return primitive(FieldType::Float),
        "double" => return primitive(FieldType::Double),
        "date" => return primitive(FieldType::Date),
        "time" => return primitive(FieldType::Time),
        "timestamp" => return primitive(FieldType::Timestamp),
        "timestamptz" => return primitive(FieldType::Timestamptz),
        "timestamp_ns" => return primitive(FieldType::TimestampNs),
        "timestamptz_ns" => return primitive(FieldType::TimestamptzNs),
        "string" => return primitive(FieldType::String),
        "uuid" => return primitive(FieldType::Uuid),
        "binary" => return primitive(FieldType::Binary),
        "unknown" => return primitive(FieldType::Unknown),
        "variant" => return primitive(FieldType::Variant),
        "geometry" => return written(FieldType::Geometry),
        "geography" => return written(FieldType::Geography),
        _ => {}
    }
    if let Some(inner) = text
        .strip_prefix("decimal(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        let (precision, scale) = inner.split_once(',')?;
        let precision: u8 = precision.trim().parse().ok()?;
        let scale: u8 = scale.trim().parse().ok()?;
        return ((1..=38).contains(&precision) && scale <= precision)
            .then(|| primitive(FieldType::Decimal { precision, scale }))
            .flatten();
    }
    if let Some(inner) = text
        .strip_prefix("fixed[")
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let length: u64 = inner.trim().parse().ok()?;
        return primitive(FieldType::Fixed(length));
    }
    if text.starts_with("geometry(") && text.ends_with(')') {
        return written(FieldType::Geometry);
    }
    if text.starts_with("geography(") && text.ends_with(')') {
        return written(FieldType::Geography);
    }
    None
}
