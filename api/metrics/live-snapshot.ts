import type { Logger } from '../../data/runtime/log.ts';
import type { HeaderList } from '../security/headers.ts';
import { type CachedAnswer, errorAnswer, figureAnswer } from './cached-answer.ts';
import { type Facts, type Figure, nextChangeByTime, type Reading } from './figures.ts';

/** Figures that changed together, as JSON text by path; `missing` are those that have no answer any more. */
export interface FigureChange {
  readonly version: number;
  readonly bodies: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
}

interface HeldFigure {
  readonly body: string | null;
  readonly news: string | null;
}

const UNREAD: HeldFigure = { body: null, news: null };

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

  /** Serialises every body at `now` (Unix ms). Returns what changed, or null where no figure did. */
  rebuild(facts: Facts, now: number): FigureChange | null {
    const changed: string[] = [];
    for (const figure of this.#figures) {
      const { path } = figure.call;
      const before = this.#held.get(path) ?? UNREAD;
      const reading = this.#read(figure, facts, now);
      const body = reading === null ? null : JSON.stringify(reading.body);
      const news = reading === null ? null : JSON.stringify(reading.news);
      if (body !== before.body) {
        const answer = body === null ? this.#absent.get(path) : figureAnswer(body, this.#security);
        if (answer !== undefined) this.answers.set(path, answer);
      }
      this.#held.set(path, { body, news });
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
    const missing: string[] = [];
    for (const path of paths) {
      const body = this.#held.get(path)?.body ?? null;
      if (body === null) missing.push(path);
      else bodies.set(path, body);
    }
    return { version: this.#version, bodies, missing };
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
