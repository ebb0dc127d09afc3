import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { CredentialRequest } from "../run/ports.ts";
import { CONTEXTS } from "../terms/caller.ts";
import { chooseCredential, type Choice } from "./choose-credential.ts";
import type { SealedCredential } from "./ports.ts";

const REQUEST: CredentialRequest = {
  organizationId: "org_1",
  source: "acme__people",
  context: "prod",
  region: "eu",
  inline: undefined,
  credentialId: undefined,
  autoSelect: false,
};

function row(id: string, more: Partial<SealedCredential> = {}): SealedCredential {
  const owner = { organizationId: "org_1", source: "acme__people", version: 1, keyId: "key_1", sealed: "" };
  return { id, ...owner, contexts: [], regions: [], isDefault: false, disabled: false, createdWallAt: 0, ...more };
}

/** Newest first: only the rule `auto` takes the newest, only the rule `default` the default. */
const NEWEST = row("cred_newest");
const NAMED = row("cred_named");
const DEFAULT = row("cred_default", { isDefault: true });

function chosen(choice: Choice | null): string {
  return choice === null
    ? "none"
    : `${choice.rule} ${choice.judgement.verdict} ${choice.judgement.credential?.id ?? "-"}`;
}

for (let subset = 0; subset < 16; subset += 1) {
  const inline = (subset & 8) !== 0;
  const named = (subset & 4) !== 0;
  const auto = (subset & 2) !== 0;
  const byDefault = (subset & 1) !== 0;
  const given = [inline && "inline", named && "cred_id", auto && "auto-select", byDefault && "default"].filter(Boolean);
  // The order of section 2.3, written out independently.
  const expected = inline
    ? "inline takes -"
    : named
      ? "named takes cred_named"
      : auto
        ? "auto takes cred_newest"
        : byDefault
          ? "default takes cred_default"
          : "none";
  test(`of {${given.join(", ")}} the rule is: ${expected}`, () => {
    const request = {
      ...REQUEST,
      inline: inline ? { api_key: "x" } : undefined,
      credentialId: named ? "cred_named" : undefined,
      autoSelect: auto,
    };
    assert.equal(chosen(chooseCredential(request, [NEWEST, NAMED, ...(byDefault ? [DEFAULT] : [])])), expected);
  });
}

test("inline fields that the source does not declare still count as a credential, so no other contract is billed", () => {
  assert.equal(chosen(chooseCredential({ ...REQUEST, inline: {} }, [DEFAULT])), "inline takes -");
});

test("inline fields are the whole credential, even null ones and ones named like inherited properties", () => {
  for (const text of ['{"api_key":null}', '{"__proto__":1}', '{"constructor":""}']) {
    const inline = JSON.parse(text) as Record<string, never>;
    assert.equal(
      chosen(chooseCredential({ ...REQUEST, inline, credentialId: "cred_named" }, [NAMED])),
      "inline takes -",
    );
  }
});

const NAMED_WRONGLY: readonly [string, string, readonly SealedCredential[], string][] = [
  ["unknown", "cred_x", [NEWEST, DEFAULT], "named_unknown"],
  ["empty", "", [NEWEST, DEFAULT], "named_unknown"],
  ["malformed", "\0'; --", [NEWEST, DEFAULT], "named_unknown"],
  ["__proto__", "__proto__", [NEWEST, DEFAULT], "named_unknown"],
  ["disabled", "cred_named", [NEWEST, { ...NAMED, disabled: true }, DEFAULT], "named_disabled"],
  ["of another context", "cred_named", [NEWEST, { ...NAMED, contexts: ["dev"] }, DEFAULT], "named_context"],
];
for (const [what, credentialId, stored, reason] of NAMED_WRONGLY) {
  test(`a cred_id that is ${what} is refused and never falls through, though a default and auto-selection are there`, () => {
    const choice = chooseCredential({ ...REQUEST, credentialId, autoSelect: true }, stored);
    assert.equal(choice?.judgement.verdict, "refuses");
    assert.equal(choice.judgement.reason, reason);
  });
}

test("auto-selection skips disabled credentials and those for other contexts", () => {
  const stored = [
    row("cred_off", { disabled: true }),
    row("cred_dev", { contexts: ["dev", "test"] }),
    row("cred_prod", { contexts: ["prod"] }),
    row("cred_all"),
  ];
  const choose = (context: CredentialRequest["context"]) =>
    chosen(chooseCredential({ ...REQUEST, context, autoSelect: true }, stored));
  assert.equal(choose("prod"), "auto takes cred_prod");
  assert.equal(choose("dev"), "auto takes cred_dev");
});

test("each context has its own default, and a disabled one does not count", () => {
  const stored = [
    row("cred_p", { contexts: ["prod"], isDefault: true }),
    row("cred_t", { contexts: ["test"], isDefault: true, disabled: true }),
    row("cred_d", { contexts: ["dev"], isDefault: true }),
  ];
  const choose = (context: CredentialRequest["context"]) => chosen(chooseCredential({ ...REQUEST, context }, stored));
  assert.equal(choose("prod"), "default takes cred_p");
  assert.equal(choose("test"), "none");
  assert.equal(choose("dev"), "default takes cred_d");
});

test("the chosen credential is always active and allowed, and a named one is the one that was named", () => {
  const anyRow = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    disabled: fc.boolean(),
    isDefault: fc.boolean(),
    contexts: fc.uniqueArray(fc.constantFrom(...CONTEXTS)),
  });
  const anyRequest = fc.record({
    context: fc.constantFrom(...CONTEXTS),
    inline: fc.constantFrom(undefined, {}, { api_key: "x" }),
    credentialId: fc.constantFrom(undefined, "a", "b", "x"),
    autoSelect: fc.boolean(),
  });
  fc.assert(
    fc.property(anyRequest, fc.uniqueArray(anyRow, { selector: ({ id }) => id }), (asked, rows) => {
      const choice = chooseCredential(
        { ...REQUEST, ...asked },
        rows.map(({ id, ...more }) => row(id, more)),
      );
      if (choice === null) return;
      const { verdict, credential } = choice.judgement;
      if (verdict === "takes" && credential !== null) {
        assert.equal(credential.disabled, false);
        assert.ok(credential.contexts.length === 0 || credential.contexts.includes(asked.context));
      }
      if (asked.credentialId !== undefined && choice.rule !== "inline") {
        assert.equal(choice.rule, "named");
        if (verdict === "takes") assert.equal(credential?.id, asked.credentialId);
      }
      if (choice.rule === "auto") assert.ok(asked.autoSelect);
      if (choice.rule === "default") assert.ok(credential?.isDefault);
    }),
  );
});
