import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { parseStateFile } from "./read-state-file.ts";

/** The schema as an editor reads it: from its file, and without what the service knows besides. */
const schema = JSON.parse(readFileSync(new URL("state.schema.json", import.meta.url), "utf8")) as object;
const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const isRead = (text: string): boolean => {
  try {
    return parseStateFile(text).file !== undefined;
  } catch {
    return false;
  }
};

const guide = readFileSync(new URL("../../../docs/guides/configuration-in-git.md", import.meta.url), "utf8");
const [, EXAMPLE = ""] = /```yaml\n(version: 1\n.*?)```/s.exec(guide) ?? [];
const FULL = `version: 1
organizations:
  - key: acme
    id: org_1
    name: Acme
    disabled: true
    workflows:
      - key: onboarding
        functions: { dfunc_contact_check: 1 }
        sources: { google__phone_number: 12@10% }
        shadow: { dfunc_contact_check: latest }
    credentials:
      - key: register
        source: companies_house__company_profile
        fields: { api_key: stored, other: "\${file:key.txt}" }
        references: { third: "vault://kv/acme#key" }
        contexts: [prod, test]
        regions: [eu]
        revision: 2
        prices:
          - { from: 2026-01-01, amount: "0.02", currency: GBP, per: match, time_zone: Europe/London }
          - { from: 2026-01-01, amount: 0.01, currency: GBP, per: match, time_zone: Europe/London, above: 1000 }
    budgets:
      - { key: daily, per: day, calls: 1000, warn: 50 }
`;

test("editors and the service accept the same files", () => {
  for (const text of [EXAMPLE, FULL, "version: 1"]) {
    assert.ok(isValid(parse(text)), JSON.stringify(isValid.errors));
    assert.ok(isRead(text), text);
  }
});

test("editors and the service refuse the same mistakes", () => {
  for (const [from, to] of [
    ["version: 1", "version: 2"],
    ["version: 1\n", ""],
    ["key: acme", "key: Acme"],
    ["key: acme\n    name", "name"],
    ["    name: Acme Lending\n", ""],
    ["name: Acme Lending", "name: ''"],
    ["name: Acme Lending", 'name: "Ac\\u202Eme"'],
    ["auto_credentials", "auto_credential"],
    ["auto_credentials: true", 'auto_credentials: "true"'],
    ["${env:CH_API_KEY}", "an-example-key"],
    ["expires_in: 90d", "expires_in: soon"],
    ["from: 2026-01-01", "from: yesterday"],
    ["currency: GBP, per: call", "currency: pounds, per: call"],
    ["per: call", "per: request"],
    ["per: month", "per: year"],
    ["role: viewer", "role: admin"],
    ["name: grace@acme.example", "name: Grace Hopper"],
    ["    tokens:\n", "    secrets:\n"],
  ] as const) {
    const text = EXAMPLE.replace(from, () => to);
    assert.notEqual(text, EXAMPLE, from);
    assert.ok(!isValid(parse(text)), `an editor accepts ${to}`);
    assert.ok(!isRead(text), `the service accepts ${to}`);
  }
});
