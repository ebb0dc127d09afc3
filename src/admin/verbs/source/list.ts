import { vendorOf } from "../../../terms/ids.ts";
import { Type } from "../../../terms/schema/type.ts";
import { liveTested, liveTestedOf, toWireCharge, wireCharge } from "../../source-wire.ts";
import { count, listed, listOf, oneOf, orNull, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the sources of the catalog and of your project",
  description:
    "A catalog source that leaves the machine is off until the setting `catalog` names it. Sources that answer on the machine are always on.",
  example: "--vendor gleif",
  input: {
    vendor: Type.Optional(
      Type.String({
        maxLength: 128,
        description: "Only sources of this vendor, which is the part of the id before the two underscores",
      }),
    ),
  },
  role: "viewer",
  changes: false,
  needs: ["sources"],

  result: listed("sources", {
    source: text,
    title: text,
    credential: oneOf("none", "optional", "required"),
    leaves_machine: yesOrNo,
    timeout_ms: count,
    from: oneOf("catalog", "package", "project"),
    package: { ...orNull(text), description: "The name of the package" },
    on: { ...yesOrNo, description: "Whether runs may call it" },
    charge: wireCharge,
    live_tested: liveTested,
    input_names: listOf(text),
    cases: count,
  }),
  columns: { sources: ["source", "title", "credential", "leaves_machine", "live_tested", "timeout_ms"] },

  async run({ vendor }, { sources }) {
    const listing = await sources();
    const rows = listing.ids().flatMap((id) => {
      const source = listing.find(id)!;
      const { from, package: name, isOn, proof } = listing.placeOf(id)!;
      if (vendor !== undefined && vendorOf(id) !== vendor) return [];
      return {
        source: id,
        title: source.declaration.title,
        credential: source.credentialUse,
        leaves_machine: source.leavesMachine,
        timeout_ms: source.timeoutMs,
        from,
        package: name,
        on: isOn,
        charge: toWireCharge(source),
        live_tested: liveTestedOf(source, proof),
        input_names: [...source.inputNames],
        cases: source.declaration.cases?.length ?? 0,
      };
    });
    return { sources: rows };
  },
});
