import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { JsonObject } from "../../terms/json/json.ts";
import { createLog } from "../../operate/log.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { createLogin, FAILED_MS, FAILED_WAITING_MAX, type FailedLogin } from "./login.ts";

function newLogin() {
  const clock = new FakeClock();
  const recorded: { readonly who: string; readonly detail: JsonObject }[] = [];
  const login = createLogin({
    clock,
    sessions: { useLoginCode: async () => null },
    log: createLog("error", "/dev/null"),
    store: {
      operatorOf: async () => null,
      noteOperatorUse: async () => {},
      recordAct: async ({ who }, { detail }) => void recorded.push({ who, detail }),
    },
  });
  let cutOff = 0;
  const request = { destroy: () => (cutOff += 1) } as unknown as IncomingMessage;
  return { clock, login, recorded, fail: (failure: FailedLogin) => login.fail(request, failure), cutOff: () => cutOff };
}

const KINDS: readonly FailedLogin[] = [
  { with: "token", reason: "unknown" },
  { with: "token", reason: "revoked", name: "ada", operatorId: "opr_1" },
  { with: "token", reason: "expired", name: "ada", operatorId: "opr_1" },
  { with: "code", reason: "unknown" },
  { with: "identity_provider", reason: "not_begun_here" },
  { with: "identity_provider", reason: "not_accepted" },
  { with: "identity_provider", reason: "no_role", name: "ada" },
  { with: "identity_provider", reason: "name_taken", name: "ada" },
];
const shown = ({ with: way, reason, name = "(unknown)" }: FailedLogin, count: number) => ({
  who: name,
  detail: { [way]: reason, count },
});

test("each kind of failed login is recorded at once, and counted apart from the others", async () => {
  const { clock, login, recorded, fail } = newLogin();
  for (const kind of KINDS) void fail(kind);
  assert.deepEqual(
    recorded,
    KINDS.map((kind) => shown(kind, 1)),
  );
  await clock.advance(FAILED_MS);
  for (const kind of [...KINDS, ...KINDS]) void fail(kind);
  recorded.length = 0;
  login.close();
  assert.deepEqual(
    recorded,
    KINDS.map((kind) => shown(kind, 2)),
  );
  assert.equal(login.failed(), 3 * KINDS.length);
});

test("so many failures of one way that they are cut off leave those of another way their answer", async () => {
  const { clock, fail, cutOff } = newLogin();
  for (let count = 0; count < FAILED_WAITING_MAX + 5; count += 1) void fail({ with: "token", reason: "unknown" });
  assert.equal(cutOff(), 5);
  let answered = false;
  const refused = fail({ with: "identity_provider", reason: "no_role", name: "ada" }).then(() => (answered = true));
  assert.equal(cutOff(), 5);
  await clock.advance(FAILED_MS - 1);
  assert.equal(answered, false);
  await clock.advance(1);
  await refused;
});

test("with more people than are counted separately, each kind of failure is still recorded, without a name", async () => {
  const { clock, login, recorded, fail } = newLogin();
  const people = Array.from({ length: 1_010 }, (_, at) => `person-${at}`);
  for (const name of people) void fail({ with: "identity_provider", reason: "no_role", name });
  void fail({ with: "identity_provider", reason: "revoked", name: "ada" });
  login.close();
  const rest = recorded.filter(({ who }) => who === "(unknown)").map(({ detail }) => detail);
  assert.deepEqual(rest, [
    { identity_provider: "no_role", count: 1 },
    { identity_provider: "revoked", count: 1 },
    { identity_provider: "no_role", count: 9 },
  ]);
  assert.equal(new Set(recorded.map(({ who }) => who)).size, 1_001);
  await clock.advance(120_000);
  // A kind that was counted long ago no longer occupies a slot.
  void fail({ with: "identity_provider", reason: "no_role", name: "grace" });
  assert.equal(recorded.at(-1)?.who, "grace");
});
