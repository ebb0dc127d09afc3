import { hash, randomBytes } from "node:crypto";
import { makeOperatorToken, tokenDigest } from "../access/access-token.ts";
import { operatorState } from "../admin/operator-wire.ts";
import type { Operator } from "../admin/ports.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/clock.ts";
import { newId } from "../terms/ids.ts";
import { reachableAddress } from "./service-address.ts";

const LINK_MS = 10 * 60_000;
const NAME = "demo";

/**
 * The console's address, with a code by which whoever opens it first is logged in as the demo's owner. It is in the
 * fragment, which a browser sends to nobody.
 */
export async function makeConsoleLink(
  { admin, sessions }: Pick<Store, "admin" | "sessions">,
  adminUrl: string,
  clock: Clock,
): Promise<string> {
  const wallAt = clock.wall();
  const { id } = await demoOwner(admin, wallAt);
  const code = randomBytes(32).toString("base64url");
  await sessions.addLoginCode(
    { digest: hash("sha256", code, "hex"), operatorId: id, endsWallAt: wallAt + LINK_MS },
    wallAt,
  );
  await admin.recordAct(actAt(wallAt), { organizationId: null, subjectId: id, detail: { login_link: NAME } });
  return `${reachableAddress(adminUrl)}/console/#code=${code}`;
}

/** Logs in by links alone: nobody has the token. */
async function demoOwner(admin: Store["admin"], wallAt: number): Promise<Operator> {
  const made = await admin.createOperator(actAt(wallAt), {
    id: newId("operator", wallAt),
    name: NAME,
    role: "owner",
    digest: tokenDigest(makeOperatorToken()),
    createdWallAt: wallAt,
    expiresWallAt: null,
  });
  if (made !== null) return made;
  const operators = await admin.operators();
  return operators.find((one) => one.name === NAME && operatorState(one, wallAt) === "active")!;
}

function actAt(wallAt: number) {
  return { who: "demo", via: "service", what: "start --demo", wallAt } as const;
}
