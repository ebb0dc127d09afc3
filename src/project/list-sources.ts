import type { SourceListing, SourceProof } from "../admin/ports.ts";
import { declaresId } from "./declares-id.ts";
import type { Proofs } from "../sources/proofs.ts";
import { type LoadedSource, type LoadedSources, textsOf } from "./load-sources.ts";

/** Lists the sources for verbs. */
export function toSourceListing(
  { all, problems, proofs = [], remarks = [] }: LoadedSources,
  isOn: (loaded: LoadedSource) => boolean,
  note: (sentence: string) => void,
): SourceListing {
  for (const remark of remarks) note(remark);
  const ids = [...all.keys()].sort();
  return {
    ids: () => ids,
    find: (id) => all.get(id)?.source,
    placeOf: (id) => {
      const loaded = all.get(id);
      if (loaded === undefined) return undefined;
      const { file, from, package: name = null } = loaded;
      const proof = proofOf(loaded, proofs);
      return { file, from, package: name, isOn: isOn(loaded), proof, texts: textsOf(loaded) };
    },
    isBroken: (id) => problems.some(({ file }) => declaresId(file, id)),
  };
}

/** The proof of the loaded version, or else of another one. */
export function proofOf({ source: { id, version } }: LoadedSource, proofs: readonly Proofs[]): SourceProof | null {
  const found = proofs.flatMap((each) => (Object.hasOwn(each, id) ? [each[id]!] : []));
  const proof = found.find(({ digest }) => digest === version) ?? found[0];
  return proof === undefined ? null : { ...proof, outdated: proof.digest !== version };
}
