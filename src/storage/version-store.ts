import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sql, type Transaction } from "kysely";
import type {
  Deployed,
  LoadedVersion,
  NamedVersion,
  Version,
  VersionKind,
  VersionStore,
  VersionUse,
} from "../admin/ports.ts";
import type { VersionShare, WorkflowVersions } from "../terms/caller.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { digestOf, SHORT_DIGEST } from "../terms/version.ts";
import type { Engine } from "./engine.ts";
import { inBatches } from "./read-page.ts";
import { changeStore, insertAuditEntry } from "./record-change.ts";
import type { Row, Tables } from "./tables.ts";

/** Few enough for one statement on either engine. */
const ROWS_AT_ONCE = 100;

const SHOWN = ["kind", "subject_id", "number", "digest", "origin", "first_wall_at", "build", "deployed_by"] as const;

export function createVersionStore(engine: Engine): VersionStore {
  async function missingOf(versions: readonly LoadedVersion[]): Promise<readonly LoadedVersion[]> {
    const digests = [...new Set(versions.map(({ digest }) => digest))];
    const rows = await inBatches(digests, (part) =>
      engine.reader.selectFrom("versions").select("id").where("digest", "in", part).execute(),
    );
    const known = new Set(rows.map(({ id }) => id));
    return versions.filter((version) => !known.has(idOf(version)));
  }

  return {
    registerVersions: async (versions, deployed) => {
      const missing = await missingOf(versions);
      if (missing.length === 0) return [];
      // Compressed before the transaction, in which other changes to the store wait.
      const packed = await Promise.all(missing.map(pack));
      const added = await changeStore(engine, async (transaction) => {
        const earlier = await earlierOf(transaction, packed);
        const rows = packed.flatMap((version) => rowOf(version, earlier, deployed) ?? []);
        if (rows.length === 0) return null;
        for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
          const part = rows.slice(at, at + ROWS_AT_ONCE);
          await transaction.insertInto("versions").values(part).execute();
        }
        for (const row of rows) if (row.number > 1) await recordNew(transaction, row, earlier, deployed);
        return rows.map(toVersion);
      });
      return added ?? [];
    },

    findVersion: async (kind, id, which) => {
      const own = engine.reader
        .selectFrom("versions")
        .select(SHOWN)
        .where("kind", "=", kind)
        .where("subject_id", "=", id);
      if (/^\d{1,15}$/.test(which)) {
        const numbered = await own.where("number", "=", Number(which)).executeTakeFirst();
        if (numbered !== undefined) return toVersion(numbered);
      }
      if (which.length < SHORT_DIGEST) return null;
      const matches = await own
        .where(sql`substr(digest, 1, ${sql.lit(which.length)})`, "=", which)
        .limit(2)
        .execute();
      return matches.length === 1 ? toVersion(matches[0]!) : null;
    },

    versions: async (kind, id) => {
      const rows = await engine.reader
        .selectFrom("versions")
        .select(SHOWN)
        .where("kind", "=", kind)
        .where("subject_id", "=", id)
        .orderBy("number", "desc")
        .execute();
      return rows.map(toVersion);
    },

    newestVersions: async () => {
      const newest = engine.reader
        .selectFrom("versions")
        .select((of) => ["kind as of_kind", "subject_id as of_subject", of.fn.max("number").as("newest")])
        .groupBy(["kind", "subject_id"])
        .as("n");
      const rows = await engine.reader
        .selectFrom("versions")
        .innerJoin(newest, (join) =>
          join
            .onRef("n.of_kind", "=", "kind")
            .onRef("n.of_subject", "=", "subject_id")
            .onRef("n.newest", "=", "number"),
        )
        .select(SHOWN)
        .execute();
      return rows.map(toVersion);
    },

    versionUses: async (kind, id) => {
      const rows = await engine.reader
        .selectFrom("workflows")
        .select(["id", "name", "organization_id", "versions"])
        .where("versions", "is not", null)
        .orderBy("id")
        .execute();
      return rows.flatMap((row) => usesIn(row, kind, id));
    },

    namedVersions: async () => {
      const rows = await engine.reader
        .selectFrom("workflows")
        .select("versions")
        .distinct()
        .where("versions", "is not", null)
        .where("disabled", "=", 0)
        .execute();
      const named = rows.flatMap(({ versions }) => namedIn(JSON.parse(versions!) as WorkflowVersions));
      return [...new Map(named.map((version) => [idOf(version), version])).values()];
    },

    versionsOf: async (digests) => {
      const rows = await inBatches([...new Set(digests)], (part) =>
        engine.reader.selectFrom("versions").select(SHOWN).where("digest", "in", part).execute(),
      );
      return rows.map(toVersion);
    },

    versionTexts: async (version) => {
      const row = await engine.reader
        .selectFrom("versions")
        .select(["content", "source"])
        .where("id", "=", idOf(version))
        .executeTakeFirst();
      if (row === undefined) return null;
      const damaged = (cause?: unknown) =>
        new OperatorError("refused", `The stored content of version ${version.digest} of ${version.id} is damaged.`, {
          cause,
        });
      try {
        const content = await unpack(row.content);
        if (digestOf(content) !== version.digest) throw damaged();
        return { content, source: JSON.parse(await unpack(row.source)) as Record<string, string> };
      } catch (error) {
        throw error instanceof OperatorError ? error : damaged(error);
      }
    },
  };
}

interface PackedVersion extends Pick<Version, "kind" | "id" | "digest" | "origin"> {
  readonly content: string;
  readonly source: string;
}

/** The versions of functions and sources, newest first, by kind and id. */
type Earlier = Map<string, Pick<Row<"versions">, "number" | "digest">[]>;

async function earlierOf(transaction: Transaction<Tables>, versions: readonly PackedVersion[]): Promise<Earlier> {
  const ids = [...new Set(versions.map(({ id }) => id))];
  const rows = await inBatches(ids, (part) =>
    transaction
      .selectFrom("versions")
      .select(["kind", "subject_id", "number", "digest"])
      .where("subject_id", "in", part)
      .orderBy("number", "desc")
      .execute(),
  );
  return Map.groupBy(rows, (row) => `${row.kind}/${row.subject_id}`);
}

/** `null` if another process has added it meanwhile. Changes to a store exclude each other. */
function rowOf(
  version: PackedVersion,
  earlier: Earlier,
  { wallAt, build, deployedBy }: Deployed,
): Row<"versions"> | null {
  const { kind, id, digest, origin, content, source } = version;
  const before = earlier.get(`${kind}/${id}`) ?? [];
  if (before.some((row) => row.digest === digest)) return null;
  const number = (before[0]?.number ?? 0) + 1;
  earlier.set(`${kind}/${id}`, [{ number, digest }, ...before]);
  const first = { first_wall_at: wallAt, build, deployed_by: deployedBy };
  return { id: idOf(version), kind, subject_id: id, number, digest, origin, ...first, content, source };
}

async function recordNew(
  transaction: Transaction<Tables>,
  { kind, subject_id: subjectId, number, digest }: Row<"versions">,
  earlier: Earlier,
  { wallAt, deployedBy }: Deployed,
): Promise<void> {
  const previous = earlier.get(`${kind}/${subjectId}`)!.find((row) => row.number === number - 1)!.digest;
  const act = { who: "service", via: "service", what: `${kind}.change`, wallAt } as const;
  const detail = { number, digest, previous, deployed_by: deployedBy };
  await insertAuditEntry(transaction, act, { organizationId: null, subjectId, detail });
}

function idOf({ kind, id, digest }: Pick<Version, "kind" | "id" | "digest">): string {
  return `${kind}/${id}/${digest}`;
}

function toVersion(row: Pick<Row<"versions">, (typeof SHOWN)[number]>): Version {
  return {
    kind: row.kind,
    id: row.subject_id,
    number: row.number,
    digest: row.digest,
    origin: row.origin,
    firstWallAt: row.first_wall_at,
    build: row.build,
    deployedBy: row.deployed_by,
  };
}

function usesIn(
  row: Pick<Row<"workflows">, "id" | "name" | "organization_id" | "versions">,
  kind: VersionKind,
  id: string,
): readonly VersionUse[] {
  const named = JSON.parse(row.versions!) as WorkflowVersions;
  const shares = [
    ["run", shareIn(kind === "function" ? named.functions : named.sources, id)],
    ["shadow", kind === "function" ? shareIn(named.shadow, id) : undefined],
  ] as const;
  return shares.flatMap(([use, share]): VersionUse[] => {
    if (share === undefined) return [];
    const { version: digest, percent } = share;
    return [{ workflowId: row.id, workflowName: row.name, organizationId: row.organization_id, use, digest, percent }];
  });
}

function namedIn({ functions, sources }: WorkflowVersions): readonly NamedVersion[] {
  const kinds = [
    ["function", functions],
    ["source", sources],
  ] as const;
  return kinds.flatMap(([kind, shares]) =>
    Object.entries(shares).map(([id, { version: digest }]) => ({ kind, id, digest })),
  );
}

function shareIn(shares: Readonly<Record<string, VersionShare>>, id: string): VersionShare | undefined {
  return Object.hasOwn(shares, id) ? shares[id] : undefined;
}

const zip = promisify(gzip);
const unzip = promisify(gunzip);

async function pack({ kind, id, digest, origin, texts }: LoadedVersion): Promise<PackedVersion> {
  const { content, source } = await texts();
  return { kind, id, digest, origin, content: await packText(content), source: await packText(JSON.stringify(source)) };
}

async function packText(text: string): Promise<string> {
  return (await zip(text)).toString("base64");
}

async function unpack(packed: string): Promise<string> {
  return (await unzip(Buffer.from(packed, "base64"))).toString();
}
