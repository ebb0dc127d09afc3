import { Button } from "../../parts/button.tsx";
import { runLabel } from "./price-words.ts";
import type { Objections } from "./use-run-form.ts";

type Plan = NonNullable<Objections["plan"]>;

interface RefusedProps {
  readonly objections: Objections;
  /** Starts the run anyway. Sources that refuse the inputs fail without being called. */
  readonly onRun: ((without: Plan) => void) | undefined;
  readonly isBusy: boolean;
}

/** The reasons why nothing was sent, except those shown at the fields. */
export function Refused({ objections: { plan, elsewhere, isDearer }, onRun, isBusy }: RefusedProps) {
  if (isDearer === true)
    return (
      <div class="run-refused" role="alert">
        <p>
          <strong>Nothing was sent.</strong> The price has changed since this page was loaded. The button shows the new
          price.
        </p>
      </div>
    );
  if (plan === undefined) return null;
  const refusing = plan.sources.filter(({ input_problem }) => input_problem !== null).length;
  return (
    <div class="run-refused" role="alert">
      <p>
        <strong>Nothing was sent.</strong> {refusing === 1 ? "One source does" : `${refusing} sources do`} not accept
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
