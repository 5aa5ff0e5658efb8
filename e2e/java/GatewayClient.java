// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Does with the Arrow Flight SQL JDBC driver what its standard input says, line by line, and prints what came: one line for
 * each row, its values separated by tabs, then `.`; or `!` and the message of a failure. What is said:
 *
 * <pre>
 * connect FILE         the properties of a connection, its URL among them as `url`
 * query SQL
 * prepare SQL          with the parameters that follow
 * set TYPE VALUE       the next parameter of the prepared statement
 * run                  runs the prepared statement
 * types SQL            name, SQL type and class of each column
 * as CLASS SQL         the first column as a class of java.time
 * update SQL
 * cancel SQL           reads a row and cancels; says `cancelled` if no more rows come
 * metadata CALL ARGUMENTS…   a list of java.sql.DatabaseMetaData; `null` is none
 * facts                what the driver says of the database
 * </pre>
 */
public final class GatewayClient {
  private Connection connection;
  private String prepared;
  private final List<String[]> parameters = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    GatewayClient client = new GatewayClient();
    for (String line : new String(System.in.readAllBytes(), "UTF-8").split("\n")) {
      if (line.isBlank()) {
        continue;
      }
      String[] words = line.split(" ", 2);
      try {
        client.perform(words[0], words.length > 1 ? words[1] : "");
        System.out.println(".");
      } catch (SQLException | RuntimeException failure) {
        System.out.println("! " + deepest(failure).replaceAll("\\s+", " "));
      }
    }
    // Not by returning: after a failure the driver's threads would keep the process.
    System.out.flush();
    System.exit(0);
  }

  private static String deepest(Throwable failure) {
    String text = String.valueOf(failure.getMessage());
    return failure.getCause() == null ? text : text + " / " + deepest(failure.getCause());
  }

  private void perform(String command, String rest) throws Exception {
    switch (command) {
      case "connect" -> connect(rest);
      case "query" -> {
        try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(rest)) {
          print(rows);
        }
      }
      case "prepare" -> {
        prepared = rest;
        parameters.clear();
      }
      case "set" -> parameters.add(rest.split(" ", 2));
      case "run" -> run();
      case "types" -> {
        try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(rest)) {
          printTypes(rows);
        }
      }
      case "as" -> {
        String[] words = rest.split(" ", 2);
        try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(words[1])) {
          while (rows.next()) {
            System.out.println(rows.getObject(1, Class.forName("java.time." + words[0])));
          }
        }
      }
      case "update" -> {
        try (Statement statement = connection.createStatement()) {
          System.out.println(statement.executeUpdate(rest));
        }
      }
      case "cancel" -> cancel(rest);
      case "metadata" -> metadata(rest.split(" "));
      case "facts" -> facts();
      default -> throw new IllegalArgumentException(command);
    }
  }

  private void connect(String file) throws Exception {
    if (connection != null) {
      connection.close();
      connection = null;
    }
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(Path.of(file))) {
      properties.load(reader);
    }
    String url = (String) properties.remove("url");
    connection = DriverManager.getConnection(url, properties);
    // The driver connects when it is asked first.
    System.out.println(connection.isValid(20));
  }

  private void run() throws Exception {
    try (var statement = connection.prepareStatement(prepared)) {
      for (int position = 1; position <= parameters.size(); position++) {
        String[] parameter = parameters.get(position - 1);
        String value = parameter.length > 1 ? parameter[1] : "";
        switch (parameter[0]) {
          case "boolean" -> statement.setBoolean(position, Boolean.parseBoolean(value));
          case "int" -> statement.setInt(position, Integer.parseInt(value));
          case "long" -> statement.setLong(position, Long.parseLong(value));
          case "float" -> statement.setFloat(position, Float.parseFloat(value));
          case "double" -> statement.setDouble(position, Double.parseDouble(value));
          case "decimal" -> statement.setBigDecimal(position, new BigDecimal(value));
          case "string" -> statement.setString(position, value);
          case "time" -> statement.setTime(position, Time.valueOf(value));
          case "date" -> statement.setDate(position, Date.valueOf(value));
          case "timestamp" -> statement.setTimestamp(position, Timestamp.valueOf(value));
          case "bytes" -> statement.setBytes(position, value.getBytes("UTF-8"));
          case "null" -> statement.setNull(position, java.sql.Types.VARCHAR);
          default -> throw new IllegalArgumentException(parameter[0]);
        }
      }
      try (ResultSet rows = statement.executeQuery()) {
        print(rows);
      }
    }
  }

  private void cancel(String sql) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      System.out.println(rows.next());
      statement.cancel();
      try {
        while (rows.next()) {}
        System.out.println("all rows came");
      } catch (SQLException stopped) {
        System.out.println("cancelled");
      }
    }
  }

  private void metadata(String[] words) throws Exception {
    DatabaseMetaData metadata = connection.getMetaData();
    String[] given = new String[7];
    for (int position = 1; position < words.length; position++) {
      given[position] = words[position].equals("null") ? null : words[position];
    }
    ResultSet rows =
        switch (words[0]) {
          case "getCatalogs" -> metadata.getCatalogs();
          case "getSchemas" -> metadata.getSchemas(given[1], given[2]);
          case "getTableTypes" -> metadata.getTableTypes();
          case "getTables" ->
              metadata.getTables(
                  given[1], given[2], given[3], given[4] == null ? null : given[4].split(","));
          case "getColumns" -> metadata.getColumns(given[1], given[2], given[3], given[4]);
          case "getPrimaryKeys" -> metadata.getPrimaryKeys(given[1], given[2], given[3]);
          case "getImportedKeys" -> metadata.getImportedKeys(given[1], given[2], given[3]);
          case "getExportedKeys" -> metadata.getExportedKeys(given[1], given[2], given[3]);
          case "getCrossReference" ->
              metadata.getCrossReference(
                  given[1], given[2], given[3], given[4], given[5], given[6]);
          default -> throw new IllegalArgumentException(words[0]);
        };
    try (rows) {
      if (!words[0].equals("getColumns")) {
        print(rows);
        return;
      }
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (String column :
            List.of(
                "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE",
                "DECIMAL_DIGITS", "IS_NULLABLE", "REMARKS")) {
          row.add(rows.getString(column));
        }
        System.out.println(String.join("\t", row.stream().map(String::valueOf).toList()));
      }
    }
  }

  private void facts() throws Exception {
    DatabaseMetaData metadata = connection.getMetaData();
    for (Object fact :
        List.of(
            "product " + metadata.getDatabaseProductName(),
            "read only " + metadata.isReadOnly(),
            "transactions " + metadata.supportsTransactions(),
            "isolation " + metadata.getDefaultTransactionIsolation(),
            "quote " + metadata.getIdentifierQuoteString(),
            "escape " + metadata.getSearchStringEscape(),
            "outer joins " + metadata.supportsFullOuterJoins(),
            "group by " + metadata.supportsGroupByUnrelated(),
            "union all " + metadata.supportsUnionAll(),
            "catalog term " + metadata.getCatalogTerm(),
            "connections " + metadata.getMaxConnections(),
            "forward only " + metadata.supportsResultSetType(ResultSet.TYPE_FORWARD_ONLY),
            "keywords " + metadata.getSQLKeywords().contains("SELECT"),
            "functions " + metadata.getStringFunctions().contains("upper"))) {
      System.out.println(fact);
    }
  }

  private static void printTypes(ResultSet rows) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    boolean one = rows.next();
    for (int position = 1; position <= columns.getColumnCount(); position++) {
      Object value = one ? rows.getObject(position) : null;
      System.out.println(
          columns.getColumnLabel(position)
              + "\t"
              + columns.getColumnTypeName(position)
              + "\t"
              + (value == null ? null : value.getClass().getSimpleName()));
    }
  }

  private static void print(ResultSet rows) throws SQLException {
    int count = rows.getMetaData().getColumnCount();
    while (rows.next()) {
      List<String> row = new ArrayList<>();
      for (int position = 1; position <= count; position++) {
        row.add(String.valueOf(rows.getString(position)));
      }
      System.out.println(String.join("\t", row));
    }
  }
}
