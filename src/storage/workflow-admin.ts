import type { NumberedShare, VersionsChange, WorkflowAdmin, WorkflowChange } from "../admin/ports.ts";
import type { VersionShare, WorkflowVersions } from "../terms/caller.ts";
import { AFTER_DIGITS } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Engine } from "./engine.ts";
import { organizationExists } from "./organization-admin.ts";
import { nameKeysOf } from "./name-key.ts";
import { readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { fromWorkflow, toWorkflow } from "./rows.ts";

type StoredWorkflow = ReturnType<typeof toWorkflow>;
type WorkflowSettings = Omit<WorkflowChange, "versions">;

export function createWorkflowAdmin(engine: Engine): WorkflowAdmin {
  return {
    createWorkflow: (act, workflow) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, workflow.organizationId))) return null;
        await transaction.insertInto("workflows").values(fromWorkflow(workflow)).execute();
        const { id, organizationId, createdWallAt: _, versions: __, ...settings } = workflow;
        return { result: workflow, entry: { organizationId, subjectId: id, detail: snakeCase(settings) } };
      }),

    workflow: async (id) => {
      const row = await engine.reader.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    workflows: async (organizationId, { nameStart, idStart, ...page } = {}) => {
      let own = engine.reader.selectFrom("workflows").selectAll().where("organization_id", "=", organizationId);
      if (idStart !== undefined) own = own.where("id", ">=", idStart).where("id", "<", idStart + AFTER_DIGITS);
      if (nameStart !== undefined)
        own = own.where(({ eb, or }) =>
          or(
            [...nameKeysOf(nameStart)].map((key) =>
              eb.and([eb("name_key", ">=", key), eb("name_key", "<", key + AFTER_DIGITS)]),
            ),
          ),
        );
      return (await readPage(own, page)).map(toWorkflow);
    },

    changeWorkflow: (act, id, change) =>
      recordChange(engine, act, async (transaction) => {
        const row = await transaction.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return null;
        const { versions, ...settings } = change;
        const before = toWorkflow(row);
        const workflow = { ...before, ...settings, versions: withChange(before.versions, versions) };
        await transaction.updateTable("workflows").set(fromWorkflow(workflow)).where("id", "=", id).execute();
        return {
          result: workflow,
          entry: {
            organizationId: workflow.organizationId,
            subjectId: id,
            detail: {
              ...snakeCase(settings),
              ...(versions !== undefined && { versions: detailOf(versions) }),
              before: {
                ...snakeCase(sameSettings(before, settings)),
                ...(versions !== undefined && { versions: versionsBefore(before.versions, versions) }),
              },
            },
          },
        };
      }),
  };
}

/** The values that the changed settings had. */
function sameSettings(before: StoredWorkflow, changed: WorkflowSettings): WorkflowSettings {
  return Object.fromEntries(Object.keys(changed).map((name) => [name, before[name as keyof WorkflowSettings]]));
}

/** Settings with the names that all other interfaces use. */
function snakeCase(settings: WorkflowSettings): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
}

const VERSION_KINDS = ["functions", "sources", "shadow"] as const satisfies readonly (keyof WorkflowVersions)[];

/** `null` if no version is named any more, so that runs of the workflow look for none. */
function withChange(before: WorkflowVersions | null, change: VersionsChange | undefined): WorkflowVersions | null {
  if (change === undefined) return before;
  const [functions, sources, shadow] = VERSION_KINDS.map((kind) => changed(before?.[kind] ?? {}, change[kind] ?? {}));
  const versions = { functions: functions!, sources: sources!, shadow: shadow! };
  return VERSION_KINDS.every((kind) => Object.keys(versions[kind]).length === 0) ? null : versions;
}

function changed(
  before: Readonly<Record<string, VersionShare>>,
  change: Readonly<Record<string, NumberedShare | null>>,
): Readonly<Record<string, VersionShare>> {
  const given = Object.entries(change);
  const kept = Object.entries(before).filter(([id]) => !Object.hasOwn(change, id));
  const added = given.flatMap(([id, share]) =>
    share === null ? [] : [[id, { version: share.version, percent: share.percent }] as const],
  );
  return Object.fromEntries([...kept, ...added]);
}

/** The changed versions, for the audit trail. */
function detailOf(change: VersionsChange): JsonObject {
  return ofEach(change, (_kind, _id, share) => (share === null ? "latest" : { number: share.number, ...shown(share) }));
}

/** The versions of the same functions and sources before. */
function versionsBefore(before: WorkflowVersions | null, change: VersionsChange): JsonObject {
  return ofEach(change, (kind, id) => {
    const share = before?.[kind][id];
    return share === undefined ? "latest" : shown(share);
  });
}

function shown({ version, percent }: VersionShare): JsonObject {
  return { digest: version, ...(percent < 100 && { percent }) };
}

function ofEach(
  change: VersionsChange,
  toDetail: (kind: keyof WorkflowVersions, id: string, share: NumberedShare | null) => JsonObject | string,
): JsonObject {
  const ofKind = (kind: keyof WorkflowVersions): JsonObject =>
    Object.fromEntries(Object.entries(change[kind] ?? {}).map(([id, share]) => [id, toDetail(kind, id, share)]));
  return Object.fromEntries(
    VERSION_KINDS.filter((kind) => change[kind] !== undefined).map((kind) => [kind, ofKind(kind)]),
  );
}
