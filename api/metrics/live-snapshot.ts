import type { Logger } from '../../data/runtime/log.ts';
import type { HeaderList } from '../security/headers.ts';
import { type CachedAnswer, errorAnswer, figureAnswer } from './cached-answer.ts';
import type { Facts } from './facts.ts';
import type { Figure, Reading } from './figure.ts';
import { nextChangeByTime } from './figures.ts';

/** Figures that changed together. */
export interface FigureChange {
  readonly version: number;
  /** JSON text by path. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Paths whose body is too long for a stream. */
  readonly announced: readonly string[];
  /** Paths that have no answer any more. */
  readonly missing: readonly string[];
}

interface HeldFigure {
  readonly body: string | null;
  /** Tells the body from others. */
  readonly mark: string | null;
  /** What a list's headers tell, as text to compare. */
  readonly provenance: string | null;
  readonly news: string | null;
}

const UNREAD: HeldFigure = { body: null, mark: null, provenance: null, news: null };

/**
 * Every live answer, serialised before anyone asks. The version counts changes of figures; it starts at the clock, so
 * that a version of an earlier run is never taken for one of this.
 */
export class LiveSnapshot {
  /** The answer by path, kept up to date in place. */
  readonly answers = new Map<string, CachedAnswer>();
  readonly #figures: readonly Figure[];
  readonly #held = new Map<string, HeldFigure>();
  readonly #security: HeaderList;
  /** What a call answers while it has no reading, by path. */
  readonly #absent = new Map<string, CachedAnswer>();
  readonly #announced: ReadonlySet<string>;
  readonly #log: Logger;
  readonly #broken = new Set<string>();
  #version: number;
  #revision = 0;
  #nextByTime: number | null = 0;
  #builtAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly figures: readonly Figure[];
    readonly security: HeaderList;
    readonly log: Logger;
    readonly startedAt: number;
  }) {
    this.#figures = options.figures;
    this.#security = options.security;
    this.#log = options.log;
    this.#version = options.startedAt;
    this.#announced = new Set(
      options.figures.filter(({ call }) => call.live === 'announced').map(({ call }) => call.path),
    );
    for (const { call, absent } of this.#figures) {
      const answer = errorAnswer(absent, options.security);
      this.#held.set(call.path, UNREAD);
      this.#absent.set(call.path, answer);
      this.answers.set(call.path, answer);
    }
  }

  /** Moves where a figure changes. */
  get version(): number {
    return this.#version;
  }

  /** Moves with every rebuild, though only ages changed. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Whether a body changes by time alone at `now` (Unix ms), so that `rebuild` is due though the facts are the same: a
   * figure ages, or the clock was set back and its age is no longer known.
   */
  isDue(now: number): boolean {
    if (now < this.#builtAt) return true;
    return this.#nextByTime !== null && now >= this.#nextByTime;
  }

  /** Reads every body at `now` (Unix ms). Returns what changed, or null where no figure did. */
  rebuild(facts: Facts, now: number): FigureChange | null {
    const changed: string[] = [];
    for (const figure of this.#figures) {
      const { path } = figure.call;
      const before = this.#held.get(path) ?? UNREAD;
      const reading = this.#read(figure, facts, now);
      const body = reading?.json ?? null;
      const mark = reading?.long?.mark ?? body;
      const news = reading?.news ?? null;
      const provenance = reading?.provenance ? JSON.stringify(reading.provenance) : null;
      if (mark !== before.mark || provenance !== before.provenance) {
        const answer = reading ? figureAnswer(reading, this.#security) : this.#absent.get(path);
        if (answer !== undefined) this.answers.set(path, answer);
      }
      this.#held.set(path, { body, mark, provenance, news });
      if (news !== before.news) changed.push(path);
    }
    this.#builtAt = now;
    this.#nextByTime = nextChangeByTime(facts, now);
    this.#revision += 1;
    if (changed.length === 0) return null;
    this.#version += 1;
    return this.bodiesOf(changed);
  }

  /** The bodies of some calls as they stand, under the present version. Without paths: of every call. */
  bodiesOf(paths: Iterable<string> = this.#held.keys()): FigureChange {
    const bodies = new Map<string, string>();
    const announced: string[] = [];
    const missing: string[] = [];
    for (const path of paths) {
      const body = this.#held.get(path)?.body ?? null;
      if (body === null) missing.push(path);
      else if (this.#announced.has(path)) announced.push(path);
      else bodies.set(path, body);
    }
    return { version: this.#version, bodies, announced, missing };
  }

  /** One figure that cannot be computed is missing; it takes no other with it. */
  #read({ call, read }: Figure, facts: Facts, now: number): Reading | null {
    try {
      const reading = read(facts, now);
      this.#broken.delete(call.path);
      return reading;
    } catch (error) {
      if (!this.#broken.has(call.path)) {
        this.#log.error({ err: error, call: call.path }, 'a figure cannot be computed and is not answered');
      }
      this.#broken.add(call.path);
      return null;
    }
  }
}
