// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

package org.apache.iceberg.rest;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.view.ViewCatalogTests;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * The tests of Iceberg's newer versions, for which no compatibility kit is published: what the kit does, with every switch
 * on that there is for kinds of namespaces and names. System properties that begin with {@code catalog.} are the
 * client's.
 */
final class NewestTests {
  private static final String PREFIX = "catalog.";

  private NewestTests() {}

  static RESTCatalog open(String name, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    // What the tests expect a catalog to add to properties of tables and views.
    for (String kind : new String[] {"table-default.", "view-default."}) {
      properties.put(kind + (kind.startsWith("table") ? "default-key1" : "key1"), "catalog-default-key1");
      properties.put(kind + (kind.startsWith("table") ? "default-key2" : "key2"), "catalog-default-key2");
      properties.put(kind + (kind.startsWith("table") ? "override-key3" : "key3"), "catalog-default-key3");
    }
    for (String kind : new String[] {"table-override.override-", "view-override."}) {
      properties.put(kind + "key3", "catalog-override-key3");
      properties.put(kind + "key4", "catalog-override-key4");
    }
    for (String property : System.getProperties().stringPropertyNames()) {
      if (property.startsWith(PREFIX)) {
        properties.put(property.substring(PREFIX.length()), System.getProperty(property));
      }
    }
    properties.putAll(more);
    RESTCatalog catalog = new RESTCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize(name, properties);
    return catalog;
  }
}

class NewestTables extends CatalogTests<RESTCatalog> {
  private static RESTCatalog catalog;

  @BeforeAll
  static void open() {
    catalog = NewestTests.open("newest", Map.of());
  }

  @BeforeEach
  void clean() {
    Leftovers.drop(catalog);
  }

  @AfterAll
  static void close() throws Exception {
    catalog.close();
  }

  @Override
  protected RESTCatalog catalog() {
    return catalog;
  }

  @Override
  protected RESTCatalog initCatalog(String name, Map<String, String> properties) {
    return NewestTests.open(name, properties);
  }

  @Override
  protected boolean requiresNamespaceCreate() {
    return true;
  }

  @Override
  protected boolean supportsServerSideRetry() {
    return true;
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

class NewestViews extends ViewCatalogTests<RESTCatalog> {
  private static RESTCatalog catalog;

  @BeforeAll
  static void open() {
    catalog = NewestTests.open("newest", Map.of());
  }

  @BeforeEach
  void clean() {
    Leftovers.drop(catalog);
  }

  @AfterAll
  static void close() throws Exception {
    catalog.close();
  }

  @Override
  protected RESTCatalog catalog() {
    return catalog;
  }

  @Override
  protected Catalog tableCatalog() {
    return catalog;
  }

  @Override
  protected boolean requiresNamespaceCreate() {
    return true;
  }

  @Override
  protected boolean supportsServerSideRetry() {
    return true;
  }

  @Override
  protected boolean supportsEmptyNamespace() {
    return true;
  }
}
