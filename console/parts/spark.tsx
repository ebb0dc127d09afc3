import "./spark.css";

const WIDTH = 96;
const HEIGHT = 18;
const GAP = 2;

/** One count for each time span; `null` if unknown. */
type Counts = readonly (number | null)[];

/**
 * A small bar chart, one bar for each time span with its failed part; the newest is at the right. The numbers stand
 * beside it.
 */
export function Spark({ all, part }: { readonly all: Counts; readonly part: Counts }) {
  const most = Math.max(1, ...all.map((count) => count ?? 0));
  const known = all.findIndex((count) => count !== null);
  const step = WIDTH / all.length;
  const high = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 1)));
  const bar = (count: number | null, at: number, of: string) => {
    const height = high(count ?? 0);
    return height === 0 ? null : (
      <rect key={`${of}${at}`} class={of} x={at * step} y={HEIGHT - 1 - height} width={step - GAP} height={height} />
    );
  };
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      {known !== -1 && <path d={`M${known * step} ${HEIGHT - 0.5}H${WIDTH}`} class="spark-base" />}
      {all.map((count, at) => bar(count, at, "spark-all"))}
      {part.map((count, at) => bar(count, at, "spark-part"))}
    </svg>
  );
}
