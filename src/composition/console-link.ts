import { hash, randomBytes } from "node:crypto";
import { tokenState } from "../admin/operator-wire.ts";
import type { Operator } from "../admin/ports.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/time/clock.ts";
import { newId } from "../terms/ids.ts";
import { reachableAddress } from "./service-address.ts";

const LINK_MS = 10 * 60_000;
const NAME = "demo";

/**
 * Makes the console's address, with a code that logs its first user in as the demo's owner. The code is in the
 * fragment, which a browser does not send.
 */
export async function createConsoleLink(
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
 * The owner that an earlier start created, or a new one. An operator that a person created is never used, whatever its
 * name.
 */
async function demoOwner(admin: Store["admin"], wallAt: number): Promise<Operator> {
  const active = (await admin.operators()).filter(
    (one) => one.name.startsWith(NAME) && tokenState(one, wallAt) === "active",
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

/**
 * The digest of a text that is not a token, so this operator can log in by links only. A later start recognizes the
 * operator by it.
 */
function digestFor(id: string): string {
  return hash("sha256", `start --demo ${id}`, "hex");
}

function actAt(wallAt: number) {
  return { who: "demo", via: "service", what: "start --demo", wallAt } as const;
}
