import { environmentManager } from '@tanstack/react-query';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { FakeEventSource } from './fake-event-source.ts';

export interface LivePage {
  readonly place: HTMLElement;
  /** The states of its tiles, in their order. */
  states(): readonly (string | undefined)[];
  /** Paths that the page asked for since this was cleared. */
  readonly asked: Set<string>;
  /** What a call answers; one that has no body answers as a proxy without a server does. */
  serve(bodies: Partial<FigureBodies>): void;
  /** Passes time; even none lets the page hear what `after` did. */
  pass(seconds: number, after?: () => void): Promise<void>;
  /** Sends a change over the stream. */
  change(bodies: Partial<FigureBodies>, missing?: readonly (keyof FigureBodies)[]): Promise<void>;
  /** Sends a heartbeat: each source was read so many seconds ago, or never. */
  heartbeat(ages: { readonly chain: number | null; readonly market: number | null }): Promise<void>;
  close(): Promise<void>;
}

/** Of a reading at this moment. */
const SLOT = 5_000;

const moment = (at: number) => new Date(at).toISOString();

/**
 * Shows an island as a page does, by the real query client and stream, with the test as the server and the clock. The
 * client and the stream are the page's, so a test file opens one page.
 */
export async function openLivePage(island: ReactNode): Promise<LivePage> {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('EventSource', FakeEventSource);
  const asked = new Set<string>();
  let served = new Map<string, unknown>();
  vi.stubGlobal('fetch', async (path: string) => {
    asked.add(path);
    return served.has(path) ? Response.json(served.get(path)) : new Response('', { status: 502 });
  });
  // This process looks like a server, where nothing is polled.
  environmentManager.setIsServer(() => false);
  const place = document.createElement('div');
  document.body.append(place);
  const root = createRoot(place);
  await act(async () => root.render(island));

  const pass: LivePage['pass'] = (seconds, after = () => {}) =>
    act(async () => {
      after();
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    });
  let version = 0;
  return {
    place,
    asked,
    states: () => [...place.querySelectorAll<HTMLElement>('[data-size]')].map((tile) => tile.dataset.state),
    serve: (bodies) => {
      served = new Map(Object.entries(bodies));
    },
    pass,
    change: (bodies, missing = []) => {
      version += 1;
      const message = { version, bodies, announced: [], missing: [...missing] };
      return pass(0, () => FakeEventSource.newest.send('change', message));
    },
    heartbeat: ({ chain, market }) => {
      const now = Date.now();
      return pass(0, () =>
        FakeEventSource.newest.send('fresh', {
          now: moment(now),
          chain: chain === null ? null : { asOf: moment(now - chain * 1_000), slot: SLOT - 2 * chain },
          market: market === null ? null : { asOf: moment(now - market * 1_000) },
        }),
      );
    },
    close: async () => {
      await act(async () => root.unmount());
      place.remove();
      vi.unstubAllGlobals();
      vi.useRealTimers();
    },
  };
}
