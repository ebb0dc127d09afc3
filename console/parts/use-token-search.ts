import { useRef, useState } from "preact/hooks";
import { callVerb } from "../api/call-verb.ts";
import type { RowOf } from "../api/verb-types.ts";
import { toCallError } from "../api/use-verb.ts";

/** An access token or an operator's token, or enough of one that it must not be shown. */
export const TOKEN = /^d(?:rt|op)_\S{8,}$/;

interface TokenMatches {
  readonly matches: readonly RowOf<"object find", "matches">[];
  /** The remarks of the service; `undefined` while it searches. */
  readonly says: string | undefined;
}

interface TokenSearch {
  /** `undefined` if no token was searched. */
  readonly found: TokenMatches | undefined;
  search(token: string): Promise<void>;
  forget(): void;
}

/** Searches a token by its text, which is sent to the service and kept nowhere: not in a state, cache or address. */
export function useTokenSearch(): TokenSearch {
  const [found, setFound] = useState<TokenMatches>();
  const searches = useRef(0);
  return {
    found,
    async search(token) {
      const own = (searches.current += 1);
      setFound({ matches: [], says: undefined });
      const answer = await askFor(token);
      if (searches.current === own) setFound(answer);
    },
    forget() {
      searches.current += 1;
      setFound(undefined);
    },
  };
}

async function askFor(token: string): Promise<TokenMatches> {
  const notes: string[] = [];
  try {
    const { matches } = await callVerb("object find", { text: token }, { note: (sentence) => notes.push(sentence) });
    return { matches, says: notes.join(" ") };
  } catch (thrown) {
    return { matches: [], says: toCallError(thrown).message };
  }
}
