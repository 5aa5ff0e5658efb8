// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a list says of the partitions in a manifest. Readers skip a manifest by it, so it must cover every file that the
//! table had before.

use iceberg::spec::{Datum, FieldSummary, Literal, PrimitiveLiteral, PrimitiveType, Struct, StructType};

/// Whether summaries cover a partition of a type.
pub(super) fn covers(summaries: &[FieldSummary], partition: &Struct, partition_type: &StructType) -> bool {
    let fields = partition_type.fields();
    summaries.len() == fields.len()
        && partition.fields().len() == fields.len()
        && summaries
            .iter()
            .zip(partition.iter())
            .zip(fields)
            .all(|((summary, value), field)| match value {
                None => summary.contains_null,
                Some(Literal::Primitive(value)) => field
                    .field_type
                    .as_primitive_type()
                    .is_some_and(|of| covers_value(summary, value, of)),
                Some(_) => false,
            })
}

fn covers_value(summary: &FieldSummary, value: &PrimitiveLiteral, of: &PrimitiveType) -> bool {
    let is_nan = matches!(value, PrimitiveLiteral::Float(value) if value.is_nan())
        || matches!(value, PrimitiveLiteral::Double(value) if value.is_nan());
    if is_nan {
        return summary.contains_nan != Some(false);
    }
    let bound = |bytes: &[u8]| Datum::try_from_bytes(bytes, of.clone()).ok();
    // Readers take a missing bound for a manifest that holds no value at all.
    let (Some(lower), Some(upper)) = (&summary.lower_bound, &summary.upper_bound) else {
        return false;
    };
    let (Some(lower), Some(upper)) = (bound(lower), bound(upper)) else {
        return false;
    };
    lower.literal() <= value && value <= upper.literal()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use iceberg::spec::{NestedField, Type};

    use super::*;

    fn check(summary: FieldSummary, value: Option<Literal>, of: PrimitiveType, expected: bool) {
        let of = StructType::new(vec![Arc::new(NestedField::optional(
            1000,
            "p",
            Type::Primitive(of),
        ))]);
        let partition = Struct::from_iter([value]);
        assert_eq!(
            covers(std::slice::from_ref(&summary), &partition, &of),
            expected,
            "{summary:?} {partition:?}"
        );
        assert!(!covers(&[], &partition, &of), "a summary for each field");
    }

    fn summary(contains_null: bool, bounds: Option<(Datum, Datum)>) -> FieldSummary {
        let bytes = |datum: Datum| datum.to_bytes().unwrap();
        let (lower_bound, upper_bound) = bounds.map(|(lower, upper)| (bytes(lower), bytes(upper))).unzip();
        FieldSummary {
            contains_null,
            contains_nan: Some(false),
            lower_bound,
            upper_bound,
        }
    }

    #[test]
    fn a_summary_covers_values_between_its_bounds_and_nulls_that_it_names() {
        let ints = |lower: i32, upper: i32| summary(false, Some((Datum::int(lower), Datum::int(upper))));
        for (value, expected) in [(-2, false), (-1, true), (0, true), (300, true), (301, false)] {
            check(
                ints(-1, 300),
                Some(Literal::int(value)),
                PrimitiveType::Int,
                expected,
            );
        }
        check(ints(1, 2), None, PrimitiveType::Int, false);
        check(summary(true, None), None, PrimitiveType::Int, true);
        check(
            summary(true, None),
            Some(Literal::int(1)),
            PrimitiveType::Int,
            false,
        );
        let texts = summary(false, Some((Datum::string("EU"), Datum::string("US"))));
        check(
            texts.clone(),
            Some(Literal::string("FR")),
            PrimitiveType::String,
            true,
        );
        check(texts, Some(Literal::string("AT")), PrimitiveType::String, false);
        let nan = Some(Literal::double(f64::NAN));
        let doubles = || summary(false, Some((Datum::double(0.0), Datum::double(1.0))));
        check(doubles(), nan.clone(), PrimitiveType::Double, false);
        let mut with_nan = doubles();
        with_nan.contains_nan = Some(true);
        check(with_nan, nan, PrimitiveType::Double, true);
        let mut damaged = ints(1, 2);
        damaged.lower_bound = damaged.lower_bound.map(|_| vec![1].into());
        check(damaged, Some(Literal::int(1)), PrimitiveType::Int, false);
    }
}
