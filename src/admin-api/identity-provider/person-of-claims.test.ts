import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isOperatorName } from "../../admin/operator-wire.ts";
import type { JsonObject } from "../../terms/json.ts";
import { isWithoutClaims, personOfClaims } from "./person-of-claims.ts";

const SETTINGS = {
  nameClaim: "email",
  groupsClaim: "groups",
  viewers: ["v", "both"],
  operators: ["o"],
  owners: ["both"],
};
const IDENTITY = { iss: "https://login.acme.example", sub: "248289761001" };
const person = (claims: JsonObject, settings: Partial<typeof SETTINGS> = {}) =>
  personOfClaims({ ...IDENTITY, ...claims }, { ...SETTINGS, ...settings });

test("the highest role of all groups counts, and a group is only what equals one of the settings", () => {
  const roleOf = (groups: unknown) => person({ groups } as JsonObject).role;
  for (const [groups, role] of [
    [["v"], "viewer"],
    [["o", "v"], "operator"],
    [["x", "both"], "owner"],
    ["o", "operator"],
    [[], null],
    [["V", "o ", "oo", "v,o"], null],
    ["v,o", null],
    [{ v: true }, null],
    [[["o"], { o: 1 }, 1, null, true], null],
    [null, null],
    [undefined, null],
  ] as const)
    assert.equal(roleOf(groups), role, JSON.stringify(groups));
  assert.equal(personOfClaims({ ...IDENTITY, groups: ["toString"] }, { ...SETTINGS, groupsClaim: "constructor" }).role, null); // prettier-ignore
});

test("an e-mail address that is not verified is neither a name nor a group", () => {
  const email = "Ada@Acme.example";
  const byEmail = { groupsClaim: "email", owners: ["Ada@Acme.example"] };
  assert.deepEqual(shown({ email, email_verified: true }, byEmail), ["ada@acme.example", "owner"]);
  for (const email_verified of [false, "true", 1, null, undefined])
    assert.deepEqual(shown({ email, email_verified } as JsonObject, byEmail), [IDENTITY.sub, null]);
  assert.deepEqual(shown({ preferred_username: "Ada" }, { nameClaim: "preferred_username" }), ["ada", null]);

  function shown(claims: JsonObject, settings: Partial<typeof SETTINGS>) {
    const { name, role } = person(claims, settings);
    return [name, role];
  }
});

test("every name can stand in the audit trail, and one subject of one issuer is always the same person", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.string(), (email, sub, iss) => {
      const claims = { email, email_verified: true, sub, iss } as JsonObject;
      const one = personOfClaims(claims, SETTINGS);
      assert.ok(isOperatorName(one.name), one.name);
      assert.equal(personOfClaims({ sub, iss, groups: ["v"] }, SETTINGS).digest, one.digest);
      assert.notEqual(personOfClaims({ ...claims, sub: `${sub}.` }, SETTINGS).digest, one.digest);
      assert.notEqual(personOfClaims({ ...claims, iss: `${iss}.` }, SETTINGS).digest, one.digest);
    }),
  );
  assert.match(person({ sub: "auth0|5f7c8ec7" }).name, /^person-[0-9a-f]{16}$/);
});

test("claims that an ID token lacks are noticed", () => {
  assert.equal(isWithoutClaims({ email: "a", groups: [] }, SETTINGS), false);
  assert.equal(isWithoutClaims({ email: "a" }, SETTINGS), true);
  assert.equal(isWithoutClaims({ groups: ["v"] }, SETTINGS), true);
});
