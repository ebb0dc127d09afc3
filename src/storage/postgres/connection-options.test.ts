import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionOptions } from "./connection-options.ts";

test("a connection is opened with the password that the address has then", () => {
  let url = "postgres://app:first%2F@db.example:5433/name?sslmode=disable";
  const { connectionString, password } = connectionOptions(url, 1_000, () => url);
  assert.ok(!connectionString!.includes("first"));
  assert.equal((password as () => string)(), "first/");
  url = "postgres://app:second@db.example:5433/name";
  assert.equal((password as () => string)(), "second");
  url = "not an address";
  assert.equal((password as () => string)(), "first/");
});

test("an address without a password, or one that cannot change, is used as it is", () => {
  const url = "postgres://app@db.example/name";
  assert.equal(connectionOptions(url, 1_000, () => url).connectionString, url);
  assert.equal(connectionOptions("postgres://app:x@db.example/name", 1_000).password, undefined);
});
