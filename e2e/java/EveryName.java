// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

package org.apache.iceberg.rest;

import org.apache.iceberg.catalog.Namespace;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The classes of the compatibility kit with every switch on that it has for kinds of namespaces and names. */
final class EveryName {
  private EveryName() {}

  /** Drops what a test left in namespaces that the kit does not clean itself. */
  static void clean(RESTCatalog catalog) {
    catalog.listNamespaces().forEach(namespace -> drop(catalog, namespace));
  }

  private static void drop(RESTCatalog catalog, Namespace namespace) {
    catalog.listNamespaces(namespace).forEach(child -> drop(catalog, child));
    catalog.listTables(namespace).forEach(catalog::dropTable);
    catalog.listViews(namespace).forEach(catalog::dropView);
    catalog.dropNamespace(namespace);
  }
}

@ExtendWith(RESTServerExtension.class)
class EveryNameTables extends RESTCompatibilityKitCatalogTests {
  @BeforeEach
  void cleanAll() {
    EveryName.clean(catalog());
  }

  @Override
  protected boolean supportsNestedNamespaces() {
    return true;
  }

  @Override
  protected boolean supportsNamesWithDot() {
    return true;
  }

  @Override
  protected boolean supportsNamesWithSlashes() {
    return true;
  }

  @Override
  protected boolean supportsEmptyNamespace() {
    return true;
  }
}

@ExtendWith(RESTServerExtension.class)
class EveryNameViews extends RESTCompatibilityKitViewCatalogTests {
  @BeforeEach
  void cleanAll() {
    EveryName.clean(catalog());
  }

  @Override
  protected boolean supportsEmptyNamespace() {
    return true;
  }
}
