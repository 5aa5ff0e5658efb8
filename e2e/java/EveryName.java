// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

package org.apache.iceberg.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The classes of the compatibility kit with every switch on that it has for kinds of namespaces and names. */
@ExtendWith(RESTServerExtension.class)
class EveryNameTables extends RESTCompatibilityKitCatalogTests {
  @BeforeEach
  void cleanAll() {
    Leftovers.drop(catalog());
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
    Leftovers.drop(catalog());
  }

  @Override
  protected boolean supportsEmptyNamespace() {
    return true;
  }
}
