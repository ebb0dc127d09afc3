import assert from "node:assert/strict";
import { test } from "node:test";
import { refusal } from "./signed-requests.kit.ts";

const HMAC = "kind: hmac, algorithm: sha256, encoding: hex";

for (const [what, parts, says] of [
  [
    "a signature that nothing contains",
    `auth: {${HMAC}, key: k, canonical: x}`,
    /a\.yaml:\d+:\d+: this request does not contain its signature \(write \{\{ signature \}\}/,
  ],
  ["no key", `auth: {${HMAC}, canonical: x, header: X}`, /a signature has one key \(give one of key and key_from\)/],
  ["two keys", `auth: {${HMAC}, canonical: x, header: X, key: k, key_from: a}`, /a signature has one key/],
  [
    "an unknown step",
    `auth: {${HMAC}, canonical: x, header: X, key_from: datekey, derive: [{name: date_key, text: x}]}`,
    /no step "datekey" before this \(did you mean "?date_key/,
  ],
  [
    "a step that comes later",
    `auth: {${HMAC}, canonical: x, header: X, key: k, derive: [{name: a, text: '{{ derived.b }}'}, {name: b, text: x}]}`,
    /derived has no "b"/,
  ],
  [
    "two steps of a name",
    `auth: {${HMAC}, canonical: x, header: X, key: k, derive: [{name: a, text: x}, {name: a, text: x}]}`,
    /there are two steps "a"/,
  ],
  [
    "fields without the signature",
    `auth: {${HMAC}, key: k, canonical: x, headers: {X-T: '{{ nonce }}'}}`,
    /header fields without the signature/,
  ],
  [
    "a value without a field",
    `auth: {${HMAC}, key: k, canonical: x, value: 'v1={{ signature }}'}`,
    /"value" belongs to a header field/,
  ],
  [
    "two signatures of one name",
    `auth: [{${HMAC}, key: k, canonical: x}, {${HMAC}, key: k, canonical: y}]\nrequest: {url: 'https://api.acme.example/', query: {s: '{{ signature }}'}}`,
    /could be that of two kinds of auth/,
  ],
  [
    "a body that contains its own signature",
    `auth: {${HMAC}, key: k, canonical: '{{ request.body }}'}\nrequest: {method: POST, url: 'https://api.acme.example/', body: {text: '{{ signature }}'}}`,
    /the body contains \{\{ signature \}\}, which is computed from the body/,
  ],
  [
    "a signature without a kind that makes it",
    "request: {url: 'https://api.acme.example/{{ signature }}'}",
    /"signature" is not available here \(auth of kind hmac or digest makes it/,
  ],
  [
    "an encoding of PEM",
    "auth: {kind: jwt, algorithm: RS256, key: k, key_encoding: hex, claims: {}}",
    /a key of RS256 is PEM/,
  ],
  ["an unknown algorithm", "auth: {kind: jwt, algorithm: RS255, key: k, claims: {}}", /did you mean "?RS256/],
  [
    "a UsernameToken without an envelope",
    "auth: {kind: ws_security, username: u, password: p}",
    /needs the XML body of a SOAP envelope/,
  ],
  [
    "two challenges",
    "auth: [{kind: http_digest, username: u, password: p}, {kind: http_digest, username: u, password: p}]",
    /one response to a challenge/,
  ],
  [
    "a challenge and a token in one field",
    "auth: [{kind: http_digest, username: u, password: p}, {kind: bearer, token: t}]",
    /the header "authorization" is also set by auth/,
  ],
  [
    "an unknown form of the time",
    "request: {url: 'https://api.acme.example/{{ clock.unixms }}'}",
    /did you mean "?unix_ms/,
  ],
] as const) {
  test(`a file with ${what} is refused with its line and advice`, () => assert.match(refusal(parts), says));
}
