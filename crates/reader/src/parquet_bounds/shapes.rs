// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The structures of Parquet's metadata with the fields that the Parquet library reads, by the format's own definition
//! (`parquet.thrift`). Fields that are not here are skipped by the library.

use super::thrift::{Kind, Shape};

const ENCRYPTED: Kind = Kind::Refused("it is encrypted, which this reader cannot read");

/// Of a union whose member says all.
static EMPTY: Shape = Shape {
    name: "Empty",
    bytes: 1,
    fields: &[],
};

/// The footer.
pub(super) static FILE_METADATA: Shape = Shape {
    name: "FileMetaData",
    bytes: 0,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::List(&Kind::Struct(&SCHEMA_ELEMENT))),
        (3, Kind::Int(64)),
        (4, Kind::List(&Kind::Struct(&ROW_GROUP))),
        (5, Kind::List(&Kind::Struct(&KEY_VALUE))),
        (6, Kind::Binary),
        (7, Kind::List(&Kind::Struct(&COLUMN_ORDER))),
        (8, ENCRYPTED),
        (9, ENCRYPTED),
    ],
};

/// A column or a group of columns. Its memory counts its description and its part in arrays of all columns.
pub(super) static SCHEMA_ELEMENT: Shape = Shape {
    name: "SchemaElement",
    bytes: 1024,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::Int(32)),
        (3, Kind::Int(32)),
        (4, Kind::Binary),
        (5, Kind::Int(32)),
        (6, Kind::Int(32)),
        (7, Kind::Int(32)),
        (8, Kind::Int(32)),
        (9, Kind::Int(32)),
        (10, Kind::Struct(&LOGICAL_TYPE)),
    ],
};

static LOGICAL_TYPE: Shape = Shape {
    name: "LogicalType",
    bytes: 0,
    fields: &[
        (1, Kind::Struct(&EMPTY)),
        (2, Kind::Struct(&EMPTY)),
        (3, Kind::Struct(&EMPTY)),
        (4, Kind::Struct(&EMPTY)),
        (5, Kind::Struct(&DECIMAL_TYPE)),
        (6, Kind::Struct(&EMPTY)),
        (7, Kind::Struct(&TIME_TYPE)),
        (8, Kind::Struct(&TIME_TYPE)),
        (10, Kind::Struct(&INT_TYPE)),
        (11, Kind::Struct(&EMPTY)),
        (12, Kind::Struct(&EMPTY)),
        (13, Kind::Struct(&EMPTY)),
        (14, Kind::Struct(&EMPTY)),
        (15, Kind::Struct(&EMPTY)),
        (16, Kind::Struct(&VARIANT_TYPE)),
        (17, Kind::Struct(&GEO_TYPE)),
        (18, Kind::Struct(&GEO_TYPE)),
    ],
};

static DECIMAL_TYPE: Shape = Shape {
    name: "DecimalType",
    bytes: 0,
    fields: &[(1, Kind::Int(32)), (2, Kind::Int(32))],
};

/// Times and timestamps.
static TIME_TYPE: Shape = Shape {
    name: "TimeType",
    bytes: 0,
    fields: &[(1, Kind::Bool), (2, Kind::Struct(&TIME_UNIT))],
};

static TIME_UNIT: Shape = Shape {
    name: "TimeUnit",
    bytes: 0,
    fields: &[
        (1, Kind::Struct(&EMPTY)),
        (2, Kind::Struct(&EMPTY)),
        (3, Kind::Struct(&EMPTY)),
    ],
};

static INT_TYPE: Shape = Shape {
    name: "IntType",
    bytes: 0,
    fields: &[(1, Kind::Byte), (2, Kind::Bool)],
};

static VARIANT_TYPE: Shape = Shape {
    name: "VariantType",
    bytes: 0,
    fields: &[(1, Kind::Byte)],
};

static GEO_TYPE: Shape = Shape {
    name: "GeographyType",
    bytes: 0,
    fields: &[(1, Kind::Binary), (2, Kind::Int(32))],
};

static ROW_GROUP: Shape = Shape {
    name: "RowGroup",
    bytes: 256,
    fields: &[
        (1, Kind::List(&Kind::Struct(&COLUMN_CHUNK))),
        (2, Kind::Int(64)),
        (3, Kind::Int(64)),
        (4, Kind::List(&Kind::Struct(&SORTING_COLUMN))),
        (5, Kind::Int(64)),
        (7, Kind::Int(16)),
    ],
};

static SORTING_COLUMN: Shape = Shape {
    name: "SortingColumn",
    bytes: 16,
    fields: &[(1, Kind::Int(32)), (2, Kind::Bool), (3, Kind::Bool)],
};

static COLUMN_CHUNK: Shape = Shape {
    name: "ColumnChunk",
    bytes: 1024,
    fields: &[
        (1, Kind::Binary),
        (2, Kind::Int(64)),
        (3, Kind::Struct(&COLUMN_METADATA)),
        (4, Kind::Int(64)),
        (5, Kind::Int(32)),
        (6, Kind::Int(64)),
        (7, Kind::Int(32)),
        (8, ENCRYPTED),
        (9, ENCRYPTED),
    ],
};

static COLUMN_METADATA: Shape = Shape {
    name: "ColumnMetaData",
    bytes: 0,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::List(&Kind::Int(32))),
        (4, Kind::Int(32)),
        (5, Kind::Int(64)),
        (6, Kind::Int(64)),
        (7, Kind::Int(64)),
        (9, Kind::Int(64)),
        (10, Kind::Int(64)),
        (11, Kind::Int(64)),
        (12, Kind::Struct(&STATISTICS)),
        (13, Kind::List(&Kind::Struct(&PAGE_ENCODING_STATS))),
        (14, Kind::Int(64)),
        (15, Kind::Int(32)),
        (16, Kind::Struct(&SIZE_STATISTICS)),
        (17, Kind::Struct(&GEOSPATIAL_STATISTICS)),
    ],
};

static STATISTICS: Shape = Shape {
    name: "Statistics",
    bytes: 0,
    fields: &[
        (1, Kind::Binary),
        (2, Kind::Binary),
        (3, Kind::Int(64)),
        (4, Kind::Int(64)),
        (5, Kind::Binary),
        (6, Kind::Binary),
        (7, Kind::Bool),
        (8, Kind::Bool),
    ],
};

static PAGE_ENCODING_STATS: Shape = Shape {
    name: "PageEncodingStats",
    bytes: 16,
    fields: &[(1, Kind::Int(32)), (2, Kind::Int(32)), (3, Kind::Int(32))],
};

static SIZE_STATISTICS: Shape = Shape {
    name: "SizeStatistics",
    bytes: 0,
    fields: &[
        (1, Kind::Int(64)),
        (2, Kind::List(&Kind::Int(64))),
        (3, Kind::List(&Kind::Int(64))),
    ],
};

static GEOSPATIAL_STATISTICS: Shape = Shape {
    name: "GeospatialStatistics",
    bytes: 0,
    fields: &[(1, Kind::Struct(&BOUNDING_BOX)), (2, Kind::List(&Kind::Int(32)))],
};

static BOUNDING_BOX: Shape = Shape {
    name: "BoundingBox",
    bytes: 0,
    fields: &[
        (1, Kind::Double),
        (2, Kind::Double),
        (3, Kind::Double),
        (4, Kind::Double),
        (5, Kind::Double),
        (6, Kind::Double),
        (7, Kind::Double),
        (8, Kind::Double),
    ],
};

static KEY_VALUE: Shape = Shape {
    name: "KeyValue",
    bytes: 64,
    fields: &[(1, Kind::Binary), (2, Kind::Binary)],
};

static COLUMN_ORDER: Shape = Shape {
    name: "ColumnOrder",
    bytes: 8,
    fields: &[(1, Kind::Struct(&EMPTY)), (2, Kind::Struct(&EMPTY))],
};

/// Bounds of the pages of a column. The library holds its texts a second time.
pub(super) static COLUMN_INDEX: Shape = Shape {
    name: "ColumnIndex",
    bytes: 0,
    fields: &[
        (1, Kind::List(&Kind::Bool)),
        (2, Kind::List(&Kind::Binary)),
        (3, Kind::List(&Kind::Binary)),
        (4, Kind::Int(32)),
        (5, Kind::List(&Kind::Int(64))),
        (6, Kind::List(&Kind::Int(64))),
        (7, Kind::List(&Kind::Int(64))),
    ],
};

/// Places of the pages of a column.
pub(super) static OFFSET_INDEX: Shape = Shape {
    name: "OffsetIndex",
    bytes: 0,
    fields: &[
        (1, Kind::List(&Kind::Struct(&PAGE_LOCATION))),
        (2, Kind::List(&Kind::Int(64))),
    ],
};

/// Place of a page.
pub(super) static PAGE_LOCATION: Shape = Shape {
    name: "PageLocation",
    bytes: 32,
    fields: &[(1, Kind::Int(64)), (2, Kind::Int(32)), (3, Kind::Int(64))],
};

/// What stands before a page.
pub(super) static PAGE_HEADER: Shape = Shape {
    name: "PageHeader",
    bytes: 0,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::Int(32)),
        (3, Kind::Int(32)),
        (4, Kind::Int(32)),
        (5, Kind::Struct(&DATA_PAGE_HEADER)),
        (6, Kind::Struct(&EMPTY)),
        (7, Kind::Struct(&DICTIONARY_PAGE_HEADER)),
        (8, Kind::Struct(&DATA_PAGE_HEADER_V2)),
    ],
};

/// Of a page of the first version.
pub(super) static DATA_PAGE_HEADER: Shape = Shape {
    name: "DataPageHeader",
    bytes: 0,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::Int(32)),
        (3, Kind::Int(32)),
        (4, Kind::Int(32)),
        (5, Kind::Struct(&STATISTICS)),
    ],
};

/// Of a dictionary.
pub(super) static DICTIONARY_PAGE_HEADER: Shape = Shape {
    name: "DictionaryPageHeader",
    bytes: 0,
    fields: &[(1, Kind::Int(32)), (2, Kind::Int(32)), (3, Kind::Bool)],
};

/// Of a page of the second version.
pub(super) static DATA_PAGE_HEADER_V2: Shape = Shape {
    name: "DataPageHeaderV2",
    bytes: 0,
    fields: &[
        (1, Kind::Int(32)),
        (2, Kind::Int(32)),
        (3, Kind::Int(32)),
        (4, Kind::Int(32)),
        (5, Kind::Int(32)),
        (6, Kind::Int(32)),
        (7, Kind::Bool),
        (8, Kind::Struct(&STATISTICS)),
    ],
};
