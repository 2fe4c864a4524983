import * as PATHS from '../../data/contract/paths.ts';
import { formatAge } from '../../data/model/format.ts';
import { readStored, writeStored } from '../shell/browser-storage.ts';
import { createElement } from '../shell/elements.ts';
import type { FigurePath } from './figure-strategies.ts';
import { serverClock } from './server-clock.ts';
import {
  $callReads,
  $lastReads,
  $storedReads,
  lastConfirmedAt,
  recordCallRead,
  sourceOf,
} from './source-freshness.ts';
import { $now } from './ticking-clock.ts';

/**
 * Stores the public figures that this device read last, so that pages can show them with their age while there is no
 * connection. Nothing about the visitor is stored.
 */

/** The build replaces this name with the text from `content/search-and-offline.yaml`. */
declare const STORED_FIGURES_TEXT: string;
/** Set by the build: the version of the contract that stored bodies follow. */
declare const STORED_FIGURES_VERSION: string;

const STORAGE_KEY = 'lastFigures';
/** Characters of JSON. Above this total, the longest bodies are left out: a list of ten thousand stakers takes megabytes. */
export const MAX_STORED_CHARACTERS = 200_000;
/** Milliseconds from the first unsaved read to the save. */
const SAVE_INTERVAL_MS = 30_000;

interface StoredFigure {
  readonly body: unknown;
  /** When the body was last known to be current (Unix ms, by the server's clock). */
  readonly at: number;
}

interface FigureStore {
  /** Milliseconds by which the server's clock was ahead of this device's clock. */
  readonly clockOffset: number;
  readonly figures: Readonly<Record<string, StoredFigure>>;
}

const bodiesOfThisPage = new Map<string, StoredFigure>();
let saveTimer: ReturnType<typeof setTimeout> | undefined;

function readStore(): FigureStore {
  try {
    const { version, clockOffset, figures } = Object(
      JSON.parse(readStored('localStorage', STORAGE_KEY) ?? '{}'),
    );
    if (version === STORED_FIGURES_VERSION) {
      return { clockOffset: Number(clockOffset) || 0, figures: Object(figures) };
    }
  } catch {
    // Invalid data counts as an empty store.
  }
  return { clockOffset: 0, figures: {} };
}

function lastConfirmedTime(path: string, { body, at }: StoredFigure): number {
  const { asOf, source } = Object(body) as Readonly<Record<string, unknown>>;
  if (typeof asOf !== 'string' || typeof source !== 'string') return at;
  const figure = { asOf: Date.parse(asOf), source: sourceOf(source), calls: [path as FigurePath] };
  return lastConfirmedAt(figure, { sources: $lastReads.get(), calls: $callReads.get() });
}

/** Saves this page's figures. Figures that other pages saved stay if they are newer, or if this page lacks them. */
export function saveFigures(): void {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  if (bodiesOfThisPage.size === 0) return;
  const figures = new Map(Object.entries(readStore().figures));
  for (const [path, figure] of bodiesOfThisPage) {
    const at = lastConfirmedTime(path, figure);
    if ((figures.get(path)?.at ?? 0) > at) continue;
    figures.set(path, { ...figure, at });
  }
  let charactersLeft = MAX_STORED_CHARACTERS;
  const kept = [...figures]
    .map(([path, figure]) => `${JSON.stringify(path)}:${JSON.stringify(figure)}`)
    .sort((one, other) => one.length - other.length)
    .filter((text) => {
      charactersLeft -= text.length + 1;
      return charactersLeft >= 0;
    });
  const clockOffset = serverClock.now() - Date.now();
  const version = JSON.stringify(STORED_FIGURES_VERSION);
  writeStored(
    'localStorage',
    STORAGE_KEY,
    `{"version":${version},"clockOffset":${clockOffset},"figures":{${kept.join()}}}`,
  );
}

/** Remembers a response body for the next save, and records when its figures were read. */
export function keepFigure(path: string, body: unknown): void {
  recordCallRead(path, body);
  $storedReads.setKey(path, undefined);
  // Not stored: an old Solana network status is useless offline.
  if (body === null || path === PATHS.networkHealth) return;
  bodiesOfThisPage.set(path, { body, at: serverClock.now() });
  saveTimer ??= setTimeout(saveFigures, SAVE_INTERVAL_MS);
}

/** The stored body for a path; undefined if there is none, or if this page has read the path from the server. */
export function recallFigure(path: string): unknown {
  if (bodiesOfThisPage.has(path)) return undefined;
  const { clockOffset, figures } = readStore();
  const figure = figures[path];
  if (!figure) return undefined;
  serverClock.sync(Date.now() + clockOffset);
  $callReads.setKey(path, figure.at);
  $storedReads.setKey(path, figure.at);
  return figure.body;
}

/** Stores the figures when the visitor leaves, and shows a note while the page shows stored figures. */
export function startStoredFigures(): void {
  addEventListener('pagehide', saveFigures);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) saveFigures();
  });
  // Created here, so that the HTML of pages without figures does not contain the note.
  const note = createElement('p', 'wrap stored-figures');
  note.setAttribute('role', 'status');
  const age = createElement('span', '');
  // Otherwise screen readers would announce the age every second.
  age.setAttribute('aria-live', 'off');
  let stop: (() => void) | null = null;
  $storedReads.subscribe((reads) => {
    const storedTimes = Object.values(reads).filter((at) => at !== undefined);
    stop?.();
    stop = null;
    if (storedTimes.length === 0) return note.remove();
    const [textBefore = '', textAfter = ''] = STORED_FIGURES_TEXT.split('{age}');
    note.replaceChildren(textBefore, age, textAfter);
    document.querySelector('main')?.before(note);
    stop = $now.subscribe((now) => {
      age.textContent = formatAge(now - Math.min(...storedTimes));
    });
  });
}
