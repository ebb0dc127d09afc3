import type { AdminAnswer, AdminPage } from "../operate/admin-server.ts";
import type { RecentRuns } from "../simulation/recent-runs.ts";
import { CannotSimulate, failuresFromJson, type Failures, type KnownSources } from "../simulation/usual-failures.ts";
import { FAULTS } from "../terms/fault.ts";

export interface MockPagesParts {
  readonly runs: RecentRuns;
  readonly sources: KnownSources;
  /** The failures that the mock was started with. */
  readonly first: Failures;
  readonly failures: () => Failures;
  readonly set: (failures: Failures) => void;
}

/** The mock's pages for tests on its admin port: the requests it received, and the failures of its vendors. */
export function mockPages({ runs, sources, first, failures, set }: MockPagesParts): readonly AdminPage[] {
  const now = () => ok({ simulate: Object.fromEntries(failures()) });
  return [
    {
      path: "/api/runs",
      answers: {
        GET: () => ok({ runs: runs.list() }),
        DELETE: () => ok({ forgotten: runs.forget() }),
      },
    },
    {
      path: "/api/simulate",
      answers: {
        GET: now,
        PUT(body) {
          try {
            set(failuresFromJson(body, sources));
            return now();
          } catch (thrown) {
            if (thrown instanceof CannotSimulate) return refusal(thrown.message);
            throw thrown;
          }
        },
        DELETE() {
          set(first);
          return now();
        },
      },
    },
  ];
}

function ok(value: object): AdminAnswer {
  return { status: 200, value };
}

function refusal(message: string): AdminAnswer {
  const { status, kind } = FAULTS["request.invalid"];
  return { status, value: { error: { code: kind, message } } };
}
