/** The time of a request in the forms that vendors ask for. Each is computed when a template reads it. */
export class RequestClock {
  readonly #wallMs: number;

  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  get unix(): number {
    return Math.floor(this.#wallMs / 1000);
  }

  get unix_ms(): number {
    return Math.floor(this.#wallMs);
  }

  get iso(): string {
    return new Date(this.#wallMs).toISOString();
  }

  get iso_seconds(): string {
    return `${this.iso.slice(0, 19)}Z`;
  }

  get compact(): string {
    return this.iso_seconds.replaceAll(/[-:]/g, "");
  }

  get day(): string {
    return this.compact.slice(0, 8);
  }

  get http(): string {
    return new Date(this.#wallMs).toUTCString();
  }
}

export const CLOCK_NAMES = [
  "unix",
  "unix_ms",
  "iso",
  "iso_seconds",
  "compact",
  "day",
  "http",
] as const satisfies readonly (keyof RequestClock)[];
