import { createDoor } from "../outbound/door.ts";
import { callAdapter } from "../run/around/adapter.ts";
import { compose } from "../run/around/compose.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { createBeforeSend } from "../run/attempts.ts";
import type { CredentialFinder } from "../run/ports.ts";
import type { CaseParts } from "../simulation/ports.ts";
import { createArgument } from "../sources/argument.ts";
import type { Clock } from "../terms/clock.ts";
import { Secret } from "../terms/secret.ts";

/** A case's credential is the inline one: each case has an owner of its own, so that none finds another's token. */
function inlineOnly(): CredentialFinder {
  let made = 0;
  return {
    find: ({ inline }) => {
      if (inline === undefined) return null;
      made += 1;
      return { credentialId: null, rule: "inline", fields: new Secret(inline), scope: `case ${made}/inline` };
    },
  };
}

/** The real door and the real steps around a call, for running cases: without breaker and limits, which outlast a case. */
export function openCaseEngine(clock: Clock): CaseParts & { close(): void } {
  const door = createDoor({ clock, beforeSend: createBeforeSend(clock) });
  const finder = inlineOnly();
  return {
    door,
    clock,
    engine: (aimed, log) =>
      compose(
        [withInputs, withCredential(finder, clock), withDeadline(clock)],
        callAdapter(
          clock,
          createArgument({
            door: aimed,
            simulatedDoor: aimed,
            clock,
            log: (_, level, message, fields) => log(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
          }),
        ),
      ),
    close: () => door.close(),
  };
}
