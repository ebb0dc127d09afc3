import { Type } from "../../../terms/schema/type.ts";
import { writeStateFile } from "../../state/write-state-file.ts";
import { defineStreamedVerb } from "../../verb.ts";

const MEDIA_TYPE = "application/yaml";

export default defineStreamedVerb({
  summary: "Write the state file of this store",
  description:
    "It describes the objects that have a key, so that applying it changes nothing. With --adopt it describes all objects, and proposes a key for each that has none; applying it gives them these keys. The values of credentials and tokens are not in it: `stored` stands for a value that only the store has.",
  example: "state.yaml --adopt",
  input: {
    adopt: Type.Optional(Type.Boolean({ description: "Also objects without a key, with one that they can have" })),
  },
  role: "viewer",
  changes: false,
  needs: ["store"],

  stream: {
    mediaTypes: [MEDIA_TYPE],
    async open({ adopt = false }, { store, act }) {
      const text = await writeStateFile(await store(), act.wallAt, adopt);
      return { mediaType: MEDIA_TYPE, fileName: "state.yaml", pieces: pieceOf(text) };
    },
  },
});

async function* pieceOf(text: string) {
  yield text;
  return {};
}
