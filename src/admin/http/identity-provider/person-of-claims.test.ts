import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isOperatorName } from "../../operator-wire.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { isWithoutClaims, joinClaims, personOfClaims } from "./person-of-claims.ts";

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
  assert.equal(
    personOfClaims({ ...IDENTITY, groups: ["toString"] }, { ...SETTINGS, groupsClaim: "constructor" }).role,
    null,
  );
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

test("an address that the provider says is not verified is not a name under another claim either", () => {
  const claims = { email: "Boss@acme.example", email_verified: false };
  const by = (nameClaim: string, more: JsonObject) => person({ ...claims, ...more }, { nameClaim }).name;
  assert.equal(by("preferred_username", { preferred_username: "boss@acme.example" }), IDENTITY.sub);
  assert.equal(by("preferred_username", { preferred_username: "boss" }), "boss");
  assert.match(by("email", { sub: "boss@acme.example" }), /^person-/);
  // A provider that omits the field vouches for its other claims all the same.
  const { email_verified: _, ...silent } = claims;
  const unsaid = personOfClaims(
    { ...IDENTITY, ...silent, upn: "boss@acme.example" },
    { ...SETTINGS, nameClaim: "upn" },
  );
  assert.equal(unsaid.name, "boss@acme.example");
});

test("a name with invisible characters, or ones that change the direction of text, is no name, and not another person's", () => {
  const by = (upn: string, sub = IDENTITY.sub) => person({ upn, sub }, { nameClaim: "upn" }).name;
  assert.equal(by("boss"), "boss");
  const unseen = [
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2066",
    "\u00ad",
    "\ufeff",
    "\u{e0061}",
    "\n",
    "\0",
    "\u3164",
    "\u2800",
  ];
  for (const one of unseen)
    for (const name of [`${one}boss`, `bo${one}ss`, `boss${one}`]) {
      assert.equal(by(name), IDENTITY.sub, JSON.stringify(name));
      assert.match(by(name, name), /^person-[0-9a-f]{16}$/);
    }
});

test("whether an address is verified is taken from where the address is from", () => {
  const verified = { email: "a@acme.example", email_verified: true };
  const merged = (token: JsonObject, more: JsonObject) => {
    const { email, email_verified } = joinClaims(token, more);
    return [email, email_verified];
  };
  assert.deepEqual(merged({ email: "boss@acme.example" }, verified), ["a@acme.example", true]);
  assert.deepEqual(merged(verified, { email: "b@acme.example", email_verified: false }), ["a@acme.example", true]);
  assert.deepEqual(merged({ email: "boss@acme.example", email_verified: false }, verified), [
    "boss@acme.example",
    false,
  ]);
  assert.deepEqual(merged({ email: "boss@acme.example" }, { email_verified: true }), ["boss@acme.example", undefined]);
  assert.deepEqual(merged({ groups: [] }, verified), ["a@acme.example", true]);
  const typed = { email: "boss@acme.example", email_verified: false };
  assert.deepEqual(merged({ email_verified: true }, typed), ["boss@acme.example", false]);
  assert.deepEqual(joinClaims({ sub: "1", groups: ["a"] }, { sub: "2", groups: ["b"], name: "n" }), {
    sub: "1",
    groups: ["a"],
    name: "n",
  });
});

test("every name can be in the audit trail, and one subject of one issuer is always the same person", () => {
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
  assert.equal(isWithoutClaims({ email: "a", email_verified: false, groups: [] }, SETTINGS), false);
  assert.equal(isWithoutClaims({ email: "a", groups: [] }, SETTINGS), true);
  assert.equal(isWithoutClaims({ upn: "a", groups: [] }, { ...SETTINGS, nameClaim: "upn" }), false);
  assert.equal(isWithoutClaims({ email: "a" }, SETTINGS), true);
  assert.equal(isWithoutClaims({ groups: ["v"] }, SETTINGS), true);
});
