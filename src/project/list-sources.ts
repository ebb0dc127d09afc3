import type { SourceListing } from "../admin/ports.ts";
import { declaresId } from "./declares-id.ts";
import { type LoadedSource, type LoadedSources, textsOf } from "./load-sources.ts";

/** Lists the sources for verbs. Files that cannot be used are reported as remarks. */
export function toSourceListing(
  { all, problems }: LoadedSources,
  isOn: (loaded: LoadedSource) => boolean,
  note: (sentence: string) => void,
): SourceListing {
  for (const { message } of problems) note(`A file cannot be used: ${message}`);
  const ids = [...all.keys()].sort();
  return {
    ids: () => ids,
    find: (id) => all.get(id)?.source,
    placeOf: (id) => {
      const loaded = all.get(id);
      return (
        loaded && {
          file: loaded.file,
          from: loaded.from,
          package: loaded.package ?? null,
          isOn: isOn(loaded),
          texts: textsOf(loaded),
        }
      );
    },
    isBroken: (id) => problems.some(({ file }) => declaresId(file, id)),
  };
}
