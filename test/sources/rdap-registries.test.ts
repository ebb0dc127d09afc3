import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";

/** IANA's bootstrap file https://data.iana.org/rdap/dns.json (RFC 9224), publication 2026-07-23T02:00:03Z. */
const REGISTRIES: Readonly<Record<string, string>> = {
  com: "https://rdap.verisign.com",
  net: "https://rdap.verisign.com",
  org: "https://rdap.publicinterestregistry.org",
  info: "https://rdap.identitydigital.services",
  ai: "https://rdap.identitydigital.services",
  xyz: "https://rdap.centralnic.com",
  online: "https://rdap.radix.host",
  site: "https://rdap.radix.host",
  store: "https://rdap.radix.host",
  app: "https://pubapi.registry.google",
  dev: "https://pubapi.registry.google",
  page: "https://pubapi.registry.google",
  uk: "https://rdap.nominet.uk",
  in: "https://rdap.nixiregistry.in",
  br: "https://rdap.registro.br",
  ca: "https://rdap.ca.fury.ca",
};

/** Not in that file: rdap.org, which reads nothing else, answers 404 to every name under them. */
const WITHOUT_REGISTRY = ["io", "me", "de", "us", "eu", "ch"];

const file = new URL("../../catalog/sources/rdap/domain.yaml", import.meta.url);
const source = compileDeclarative(readFileSync(file, "utf8"), "domain.yaml");

test("rdap__domain may call the registry of every top-level domain it takes, and no other", () => {
  assert.deepEqual(new Set(source.origins), new Set(["https://rdap.org", ...Object.values(REGISTRIES)]));
});

test("rdap__domain takes no top-level domain for which a 404 says nothing", () => {
  const problemIn = createSchemas().validator(source.inputs);
  for (const tld of Object.keys(REGISTRIES)) assert.equal(problemIn({ domain: `example.${tld}` }), null, tld);
  for (const tld of WITHOUT_REGISTRY) assert.notEqual(problemIn({ domain: `example.${tld}` }), null, tld);
  const { pattern } = (source.inputs as { properties: { domain: { pattern: string } } }).properties.domain;
  const taken = /\(\?i:([a-z|]+)\)\$$/.exec(pattern)?.[1]?.split("|");
  assert.deepEqual(new Set(taken), new Set(Object.keys(REGISTRIES)));
});
