// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

package org.apache.iceberg.rest;

import org.apache.iceberg.catalog.Namespace;

/** What a test left behind, in namespaces too that Iceberg's own tests do not clean. */
final class Leftovers {
  private Leftovers() {}

  static void drop(RESTCatalog catalog) {
    catalog.listNamespaces().forEach(namespace -> drop(catalog, namespace));
  }

  private static void drop(RESTCatalog catalog, Namespace namespace) {
    catalog.listNamespaces(namespace).forEach(child -> drop(catalog, child));
    catalog.listTables(namespace).forEach(catalog::dropTable);
    catalog.listViews(namespace).forEach(catalog::dropView);
    catalog.dropNamespace(namespace);
  }
}
