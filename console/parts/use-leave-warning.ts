import { useEffect } from "preact/hooks";

/** While something would be lost, the browser asks before the page is left. */
export function useLeaveWarning(wouldLose: boolean): void {
  useEffect(() => (wouldLose ? warnBeforeLeaving() : undefined), [wouldLose]);
}

/** For what goes on while other pages of the console are shown. Call the returned function when it has ended. */
export function warnBeforeLeaving(): () => void {
  const warn = (event: Event) => event.preventDefault();
  window.addEventListener("beforeunload", warn);
  return () => window.removeEventListener("beforeunload", warn);
}
