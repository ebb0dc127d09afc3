import { OwnedMap } from "../../../terms/collections/owned-map.ts";
import { organizationOf } from "./token-cache.ts";

/** A challenge of a vendor, with the state of the responses to it. */
export interface Challenge {
  readonly parameters: Readonly<Record<string, string>>;
  readonly hash: string;
  /** Quality of protection; `null` in a challenge of RFC 2069. */
  readonly qop: "auth" | "auth-int" | null;
  /** How many requests have responded to it. A vendor refuses a count that it has seen before. */
  uses: number;
  /** The client's nonce of a session. */
  cnonce?: string;
}

/** The challenges of one origin to one owner. */
export interface ReceivedChallenges {
  readonly latest: Challenge | undefined;
  /** Keeps a challenge, and returns the one to respond to: the same one if its nonce is known, so that no count is repeated. */
  receive(challenge: Challenge): Challenge;
}

/**
 * Keeps challenges by owner and origin, so that a request can respond before it is challenged. `owner` undefined: the
 * challenges of a call whose credential is unknown, in a cache of its own.
 */
export interface ChallengeCache {
  of(owner: string | undefined, origin: string): ReceivedChallenges;
}

const KEPT_MAX = 1_000;
/** Replies to requests that were sent at once may bring several challenges, in any order. */
const NONCES_MAX = 4;
const CHARACTERS_MAX = 2_048;

export function createChallengeCache(): ChallengeCache {
  const kept = new OwnedMap<ReceivedChallenges>(KEPT_MAX);
  return { of: (owner = "", origin) => kept.getOrCreate(organizationOf(owner), owner, createReceived, origin) };
}

function createReceived(): ReceivedChallenges {
  let recent: readonly Challenge[] = [];
  return {
    get latest() {
      return recent.at(-1);
    },
    receive(challenge) {
      const same = recent.find(({ parameters }) => parameters["nonce"] === challenge.parameters["nonce"]) ?? challenge;
      if (JSON.stringify(same.parameters).length <= CHARACTERS_MAX)
        recent = [...recent.filter((each) => each !== same), same].slice(-NONCES_MAX);
      return same;
    },
  };
}
