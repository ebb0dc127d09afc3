import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReference, ReferenceError } from "./reference.ts";

test("each form of a reference is read", () => {
  assert.deepEqual(parseReference("file:/run/secrets/key"), { kind: "file", path: "/run/secrets/key", key: null });
  assert.deepEqual(parseReference("file:///run/secrets/key#a"), { kind: "file", path: "/run/secrets/key", key: "a" });
  assert.deepEqual(parseReference("vault://kv/team/acme#api_key"), {
    kind: "vault",
    version: 2,
    mount: "kv",
    path: "team/acme",
    key: "api_key",
  });
  assert.deepEqual(parseReference("vault-kv1://secret/acme#k"), {
    kind: "vault",
    version: 1,
    mount: "secret",
    path: "acme",
    key: "k",
  });
  assert.deepEqual(parseReference("aws-sm://eu-central-1/prod/acme#key"), {
    kind: "aws-sm",
    region: "eu-central-1",
    secret: "prod/acme",
    key: "key",
  });
  assert.deepEqual(parseReference("gcp-sm://project-1/acme"), {
    kind: "gcp-sm",
    project: "project-1",
    secret: "acme",
    version: "latest",
    key: null,
  });
  assert.deepEqual(parseReference("azure-kv://vault-1/acme/0123#key"), {
    kind: "azure-kv",
    vault: "vault-1",
    secret: "acme",
    version: "0123",
    key: "key",
  });
});

test("anything else is refused, and the message repeats nothing of it", () => {
  const wrong = [
    "",
    "sk_live_planted",
    "https://vault.planted.example/kv",
    "file:planted",
    "file:/",
    "file:/run/planted/",
    "vault://kv/planted",
    "vault://kv/planted#",
    "vault://kv",
    "vault://kv/../planted#k",
    "vault://kv/planted?x#k",
    "aws-sm://planted/key",
    "aws-sm://eu-central-1",
    "gcp-sm://p/planted/1/2",
    "azure-kv://planted.evil.example/key",
    "azure-kv://ab/planted",
    `file:/planted/${"x".repeat(600)}`,
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseReference(text),
      (error: Error) => error instanceof ReferenceError && !error.message.includes("planted"),
      text,
    );
  }
});
