import { hash, randomBytes } from "node:crypto";
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
  const { id, name } = await demoOwner(admin, wallAt);
  const code = randomBytes(32).toString("base64url");
  await sessions.addLoginCode(
    { digest: hash("sha256", code, "hex"), operatorId: id, endsWallAt: wallAt + LINK_MS },
    wallAt,
  );
  await admin.recordAct(actAt(wallAt), { organizationId: null, subjectId: id, detail: { login_link: name } });
  return `${reachableAddress(adminUrl)}/console/#code=${code}`;
}

/**
 * The one that an earlier start has made, or a new one. An operator whom a person has made is somebody else, whatever
 * they are called.
 */
async function demoOwner(admin: Store["admin"], wallAt: number): Promise<Operator> {
  const active = (await admin.operators()).filter(
    (one) => one.name.startsWith(NAME) && operatorState(one, wallAt) === "active",
  );
  for (const one of active) if ((await admin.operatorOf(digestFor(one.id))) !== null) return one;
  for (let number = 1; ; number += 1) {
    const id = newId("operator", wallAt);
    const made = await admin.createOperator(actAt(wallAt), {
      id,
      name: number === 1 ? NAME : `${NAME}-${number}`,
      role: "owner",
      digest: digestFor(id),
      createdWallAt: wallAt,
      expiresWallAt: null,
    });
    if (made !== null) return made;
  }
}

/** Logs in by links alone: this is the digest of a text that is not a token. By it the next start knows its own. */
function digestFor(id: string): string {
  return hash("sha256", `start --demo ${id}`, "hex");
}

function actAt(wallAt: number) {
  return { who: "demo", via: "service", what: "start --demo", wallAt } as const;
}
