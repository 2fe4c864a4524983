import type { Logger } from '../../data/runtime/log.ts';
import type { PublicHeaders } from '../security/headers.ts';
import { type CachedAnswer, cachedFigureAnswer, errorAnswer } from './cached-answer.ts';
import type { Figure, FigureInputs, Reading } from './figure.ts';
import { nextChangeByTime } from './figures.ts';

export interface FigureChange {
  readonly version: number;
  /** JSON text by path. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Paths of changed bodies that are too long for the stream. */
  readonly announced: readonly string[];
  /** Paths without a body. */
  readonly missing: readonly string[];
}

/** Each field is null while the figure has no body. */
interface CurrentBody {
  readonly body: string | null;
  /** For a long body, a short identifier; for any other body, the body itself. */
  readonly contentId: string | null;
  /** The provenance of a list, as JSON; null for other bodies, which contain their provenance. */
  readonly provenance: string | null;
  readonly fingerprint: string | null;
}

const NO_BODY: CurrentBody = { body: null, contentId: null, provenance: null, fingerprint: null };

/**
 * Every live answer, serialized before it is requested. The version goes up whenever a figure changes.
 */
export class LiveSnapshot {
  /** Answers by path, updated in place. */
  readonly answers = new Map<string, CachedAnswer>();
  readonly #figures: readonly Figure[];
  readonly #currentBodies = new Map<string, CurrentBody>();
  readonly #security: PublicHeaders;
  readonly #announced: ReadonlySet<string>;
  readonly #log: Logger;
  readonly #failedPaths = new Set<string>();
  #version = 0;
  #revision = 0;
  #nextChangeAt: number | null = 0;
  #builtAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly figures: readonly Figure[];
    readonly security: PublicHeaders;
    readonly log: Logger;
  }) {
    this.#figures = options.figures;
    this.#security = options.security;
    this.#log = options.log;
    this.#announced = new Set(
      options.figures.filter(({ call }) => call.live === 'announced').map(({ call }) => call.path),
    );
    for (const { call, absentError } of this.#figures) {
      this.#currentBodies.set(call.path, NO_BODY);
      this.answers.set(call.path, errorAnswer(absentError, options.security));
    }
  }

  get version(): number {
    return this.#version;
  }

  /** Counts the rebuilds. A rebuild can change bodies, such as the times in them, without a new version. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether `rebuild` is due at `now` (Unix ms) without new inputs: a body changes with time, or the clock was set back. */
  isDue(now: number): boolean {
    if (now < this.#builtAt) return true;
    return this.#nextChangeAt !== null && now >= this.#nextChangeAt;
  }

  /** @param now Unix ms @returns what changed; null if nothing did */
  rebuild(inputs: FigureInputs, now: number): FigureChange | null {
    const changed: string[] = [];
    for (const figure of this.#figures) {
      const { path } = figure.call;
      const previous = this.#currentBodies.get(path) ?? NO_BODY;
      const reading = this.#read(figure, inputs, now);
      const body = reading?.json ?? null;
      const contentId = reading?.precomputed?.contentId ?? body;
      const fingerprint = reading?.fingerprint ?? null;
      const provenance = reading?.provenance ? JSON.stringify(reading.provenance) : null;
      if (contentId !== previous.contentId || provenance !== previous.provenance) {
        const answer = reading
          ? cachedFigureAnswer(reading, this.#security)
          : errorAnswer(figure.absentError, this.#security);
        this.answers.set(path, answer);
      }
      this.#currentBodies.set(path, { body, contentId, provenance, fingerprint });
      if (fingerprint !== previous.fingerprint) changed.push(path);
    }
    this.#builtAt = now;
    this.#nextChangeAt = nextChangeByTime(inputs, now);
    this.#revision += 1;
    if (changed.length === 0) return null;
    this.#version += 1;
    return this.bodiesOf(changed);
  }

  bodiesOf(paths: Iterable<string> = this.#currentBodies.keys()): FigureChange {
    const bodies = new Map<string, string>();
    const announced: string[] = [];
    const missing: string[] = [];
    for (const path of paths) {
      const body = this.#currentBodies.get(path)?.body ?? null;
      if (body === null) missing.push(path);
      else if (this.#announced.has(path)) announced.push(path);
      else bodies.set(path, body);
    }
    return { version: this.#version, bodies, announced, missing };
  }

  /** Null if the figure cannot be computed: an error must not affect the other figures. */
  #read({ call, read }: Figure, inputs: FigureInputs, now: number): Reading | null {
    try {
      const reading = read(inputs, now);
      this.#failedPaths.delete(call.path);
      return reading;
    } catch (error) {
      if (!this.#failedPaths.has(call.path)) {
        this.#log.error({ err: error, call: call.path }, 'a figure cannot be computed and is not served');
      }
      this.#failedPaths.add(call.path);
      return null;
    }
  }
}
