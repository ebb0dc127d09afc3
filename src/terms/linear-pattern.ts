import { parsePattern, PatternProblem, type Pattern, type Place } from "./parse-pattern.ts";

/** Is called with the cost of a check, in steps of about thirty nanoseconds; it may throw to end the check. */
export type Spend = (steps: number) => void;

/** A regular expression that is matched in time linear in the length of the text, for every pattern and text. */
export interface LinearPattern {
  test(text: string, spend?: Spend): boolean;
}

/** A pattern with more steps than this, with its repetitions expanded, is refused. */
const STEPS_MAX = 25_000;
/** Each lookahead and lookbehind takes a separate pass over the text. */
const LOOKS_MAX = 8;
/** How many states and characters are cached; when a cache is full, it is emptied. */
const STATES_MAX = 1_000;
const CHARACTERS_MAX = 10_000;
const STEPS_PER_TEST = 16;
/** Computing a transition costs more than a cached one, for each step that it involves. */
const STEPS_PER_WAY = 4;

type CharacterSet = (character: string) => boolean;

type Step =
  | { readonly do: "take"; readonly set: number }
  | { readonly do: "fork"; readonly to: number }
  | { readonly do: "go"; readonly to: number }
  | { readonly do: "place"; readonly place: Place }
  | { readonly do: "look"; readonly look: number; readonly negated: boolean }
  | { readonly do: "match" };

interface Look {
  readonly part: Pattern;
  readonly machine: Machine;
  readonly ahead: boolean;
}

/**
 * Compiles a pattern to an automaton that follows all alternatives at once (Thompson) and caches its states, so that
 * there is no backtracking. @throws SyntaxError, PatternProblem for a pattern that no such automaton can match
 */
export function compilePattern(source: string): LinearPattern {
  const pattern = parsePattern(source);
  const alphabet = new Alphabet();
  const looks: Look[] = [];
  const machine = new Machine(pattern, false, alphabet, looks);
  if (looks.length > LOOKS_MAX)
    throw new PatternProblem(`a pattern may have at most ${LOOKS_MAX} lookaheads and lookbehinds`);
  return {
    test(text, spend = spendNothing) {
      spend(STEPS_PER_TEST);
      const symbols = alphabet.read(text, spend);
      const seen: Uint8Array[] = [];
      // Lookarounds inside another one precede it in the list.
      for (const { machine: body, ahead } of looks) seen.push(body.everywhere(symbols, !ahead, seen, spend));
      return machine.isAnywhere(symbols, seen, spend);
    },
  };
}

function spendNothing(): void {}

/**
 * Maps characters to symbols: characters that a pattern does not distinguish, because they are in the same of its sets,
 * share one. Symbol 0 stands for the position before the start or after the end of a text.
 */
class Alphabet {
  readonly #sets: CharacterSet[] = [];
  readonly #numbers = new Map<CharacterSet, number>();
  readonly #symbols = new Map<string, number>();
  /** For each symbol, the sets that contain it. */
  readonly #members: { readonly sets: readonly boolean[]; readonly isWord: boolean }[] = [{ sets: [], isWord: false }];
  #known = new Map<number, number>();

  /** A part that is repeated is added several times. */
  add(set: CharacterSet): number {
    let number = this.#numbers.get(set);
    if (number === undefined) {
      number = this.#sets.push(set) - 1;
      this.#numbers.set(set, number);
    }
    return number;
  }

  has(symbol: number, set: number): boolean {
    return this.#members[symbol]!.sets[set] === true;
  }

  isWord(symbol: number): boolean {
    return this.#members[symbol]!.isWord;
  }

  read(text: string, spend: Spend): Uint16Array {
    const symbols = new Uint16Array(text.length);
    let length = 0;
    for (let at = 0; at < text.length; at += 1) {
      const point = text.codePointAt(at)!;
      if (point > 0xffff) at += 1;
      symbols[length] = this.#known.get(point) ?? this.#find(point, spend);
      length += 1;
    }
    spend(length);
    return symbols.subarray(0, length);
  }

  #find(point: number, spend: Spend): number {
    spend(STEPS_PER_WAY * this.#sets.length);
    const character = String.fromCodePoint(point);
    const sets = this.#sets.map((has) => has(character));
    const isWord = /^\w$/.test(character);
    const key = `${isWord} ${sets.map(Number).join("")}`;
    let symbol = this.#symbols.get(key);
    if (symbol === undefined) {
      symbol = this.#members.push({ sets, isWord }) - 1;
      this.#symbols.set(key, symbol);
    }
    if (this.#known.size >= CHARACTERS_MAX) this.#known = new Map();
    this.#known.set(point, symbol);
    return symbol;
  }
}

/** The steps that the automaton has reached, with cached transitions. */
interface State {
  readonly steps: readonly number[];
  /** The previous symbol in reading direction; 0 at the end of the text where reading began. */
  readonly passed: number;
  readonly next: Map<number, Turn>;
}

interface Turn {
  readonly isMatch: boolean;
  readonly state: State;
}

class Machine {
  readonly #steps: Step[] = [];
  readonly #isReversed: boolean;
  readonly #alphabet: Alphabet;
  readonly #isAnchored: boolean;
  #states = new Map<string, State>();

  constructor(pattern: Pattern, isReversed: boolean, alphabet: Alphabet, looks: Look[]) {
    this.#isReversed = isReversed;
    this.#alphabet = alphabet;
    this.#isAnchored = !isReversed && beginsAtStart(pattern);
    this.#write(pattern, looks);
    this.#add({ do: "match" });
  }

  /** Whether the pattern matches anywhere. */
  isAnywhere(symbols: Uint16Array, seen: readonly Uint8Array[], spend: Spend): boolean {
    let state = this.#stateOf([0], 0);
    for (let at = 0; ; at += 1) {
      const { isMatch, state: next } = this.#turn(state, at, symbols, seen, spend, !this.#isAnchored);
      if (isMatch) return true;
      if (at === symbols.length || next.steps.length === 0) return false;
      state = next;
    }
  }

  /** For every position of the text, whether a match ends there, or, when reading backwards, begins there. */
  everywhere(symbols: Uint16Array, forwards: boolean, seen: readonly Uint8Array[], spend: Spend): Uint8Array {
    spend(symbols.length);
    const found = new Uint8Array(symbols.length + 1);
    let state = this.#stateOf([0], 0);
    for (let count = 0; count <= symbols.length; count += 1) {
      const at = forwards ? count : symbols.length - count;
      const { isMatch, state: next } = this.#turn(state, at, symbols, seen, spend, true);
      if (isMatch) found[at] = 1;
      state = next;
    }
    return found;
  }

  /** The transition at one position, which lies between two characters, with the next character. */
  #turn(
    state: State,
    at: number,
    symbols: Uint16Array,
    seen: readonly Uint8Array[],
    spend: Spend,
    beginsAgain: boolean,
  ): Turn {
    const coming = (this.#isReversed ? symbols[at - 1] : symbols[at]) ?? 0;
    let key = coming;
    for (const one of seen) key = key * 2 + one[at]!;
    const known = state.next.get(key);
    if (known !== undefined) return known;

    const [left, right] = this.#isReversed ? [coming, state.passed] : [state.passed, coming];
    const reached = this.#reach(state.steps, left, right, (look) => seen[look]![at] === 1);
    spend(STEPS_PER_WAY * (reached.length + state.steps.length + 1));
    const steps = beginsAgain ? [0] : [];
    let isMatch = false;
    for (const number of reached) {
      const step = this.#steps[number]!;
      if (step.do === "match") isMatch = true;
      else if (step.do === "take" && coming !== 0 && this.#alphabet.has(coming, step.set)) steps.push(number + 1);
    }
    const turn = { isMatch, state: this.#stateOf(steps, coming) };
    state.next.set(key, turn);
    return turn;
  }

  /** All steps that can be reached without consuming another character. */
  #reach(from: readonly number[], left: number, right: number, sees: (look: number) => boolean): readonly number[] {
    const reached = new Set<number>();
    const open = [...from];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (reached.has(number)) continue;
      reached.add(number);
      const step = this.#steps[number]!;
      if (step.do === "go" || step.do === "fork") open.push(step.to);
      const goesOn =
        step.do === "fork" ||
        (step.do === "place" && this.#isAt(step.place, left, right)) ||
        (step.do === "look" && sees(step.look) !== step.negated);
      if (goesOn) open.push(number + 1);
    }
    return [...reached];
  }

  #isAt(place: Place, left: number, right: number): boolean {
    if (place === "start") return left === 0;
    if (place === "end") return right === 0;
    const isBoundary = this.#alphabet.isWord(left) !== this.#alphabet.isWord(right);
    return isBoundary === (place === "word_boundary");
  }

  #stateOf(steps: readonly number[], passed: number): State {
    const sorted = [...new Set(steps)].sort((a, b) => a - b);
    const key = `${passed} ${sorted.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      if (this.#states.size >= STATES_MAX) this.#states = new Map();
      state = { steps: sorted, passed, next: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #add(step: Step): number {
    if (this.#steps.length >= STEPS_MAX) throw new PatternProblem("the pattern is too large: it repeats too much");
    return this.#steps.push(step) - 1;
  }

  #write(pattern: Pattern, looks: Look[]): void {
    switch (pattern.kind) {
      case "set":
        this.#add({ do: "take", set: this.#alphabet.add(pattern.has) });
        return;
      case "sequence":
        for (const part of this.#isReversed ? pattern.parts.toReversed() : pattern.parts) this.#write(part, looks);
        return;
      case "choice":
        return this.#writeChoice(pattern.parts, looks);
      case "repeat":
        return this.#writeRepeat(pattern.part, pattern.least, pattern.most, looks);
      case "place":
        this.#add({ do: "place", place: pattern.place });
        return;
      case "look": {
        this.#add({ do: "look", look: this.#lookFor(pattern, looks), negated: pattern.negated });
      }
    }
  }

  #lookFor({ part, ahead }: Pattern & { kind: "look" }, looks: Look[]): number {
    const known = looks.findIndex((look) => look.part === part && look.ahead === ahead);
    if (known !== -1) return known;
    const machine = new Machine(part, ahead, this.#alphabet, looks);
    return looks.push({ part, machine, ahead }) - 1;
  }

  #writeChoice(parts: readonly Pattern[], looks: Look[]): void {
    const ends: number[] = [];
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const fork = isLast ? -1 : this.#add({ do: "fork", to: 0 });
      this.#write(part, looks);
      if (isLast) break;
      ends.push(this.#add({ do: "go", to: 0 }));
      this.#steps[fork] = { do: "fork", to: this.#steps.length };
    }
    for (const end of ends) this.#steps[end] = { do: "go", to: this.#steps.length };
  }

  #writeRepeat(part: Pattern, least: number, most: number, looks: Look[]): void {
    const from = this.#steps.length;
    for (let count = 0; count < least; count += 1) {
      this.#write(part, looks);
      // A part that consumes no character matches any number of times.
      if (this.#steps.length === from) return;
    }
    if (most === Infinity) {
      const fork = this.#add({ do: "fork", to: 0 });
      this.#write(part, looks);
      this.#add({ do: "go", to: fork });
      this.#steps[fork] = { do: "fork", to: this.#steps.length };
      return;
    }
    const forks: number[] = [];
    for (let count = least; count < most; count += 1) {
      forks.push(this.#add({ do: "fork", to: 0 }));
      this.#write(part, looks);
    }
    for (const fork of forks) this.#steps[fork] = { do: "fork", to: this.#steps.length };
  }
}

function beginsAtStart(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case "place":
      return pattern.place === "start";
    case "sequence":
      return pattern.parts.length > 0 && beginsAtStart(pattern.parts[0]!);
    case "choice":
      return pattern.parts.every(beginsAtStart);
    default:
      return false;
  }
}
