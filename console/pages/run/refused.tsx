import { Button } from "../../parts/button.tsx";
import { runLabel } from "./price-words.ts";
import type { Objections } from "./use-run-form.ts";

type Plan = NonNullable<Objections["plan"]>;

interface RefusedProps {
  readonly objections: Objections;
  /** Makes the run all the same: who refuses the inputs fails without being asked. */
  readonly onRun: ((without: Plan) => void) | undefined;
  readonly isBusy: boolean;
}

/** Why nothing was sent, beyond what is at the fields. */
export function Refused({ objections: { plan, elsewhere, isDearer }, onRun, isBusy }: RefusedProps) {
  if (isDearer === true)
    return (
      <div class="run-refused" role="alert">
        <p>
          <strong>Nothing was sent.</strong> The price has changed since this page was loaded. The button says the new
          one.
        </p>
      </div>
    );
  if (plan === undefined) return null;
  const refusing = plan.sources.filter(({ input_problem }) => input_problem !== null).length;
  return (
    <div class="run-refused" role="alert">
      <p>
        <strong>Nothing was sent.</strong> {refusing === 1 ? "One source does" : `${refusing} sources do`} not take
        these inputs.
      </p>
      {elsewhere.length > 0 && (
        <ul>
          {elsewhere.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {onRun !== undefined && refusing < plan.sources.length && (
        <Button
          isBusy={isBusy}
          onClick={() => onRun(plan)}
        >{`${runLabel(plan, "sources")}, without ${refusing === 1 ? "it" : "them"}`}</Button>
      )}
    </div>
  );
}
