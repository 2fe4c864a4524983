// @vitest-environment happy-dom
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { FakeEventSource } from '../islands/testing/fake-event-source.ts';
import { sampleHealth } from '../shell/health/testing/sample-health.ts';

/** Imports the modules again, because each page has its own copy of them. */
async function openPage() {
  vi.resetModules();
  document.body.innerHTML =
    '<div data-corner><div class="actions"></div></div><button data-health-reopen data-health><span class="label"></span></button>';
  const [{ startPageStream }, { startHealthIndicator }, connection] = await Promise.all([
    import('./page-stream.ts'),
    import('../shell/health/health-indicator.ts'),
    import('./connection.ts'),
  ]);
  startHealthIndicator();
  startPageStream();
  return connection;
}

let isDown = false;
let areStreamsRefused = false;
let attemptTimesMs: number[] = [];

class Stream extends FakeEventSource {
  constructor() {
    super();
    attemptTimesMs.push(Date.now());
    if (areStreamsRefused) setTimeout(() => this.break());
  }
}

const sendFigures = () =>
  FakeEventSource.newest.send('change', { version: 'a-1', bodies: {}, announced: [], missing: [] });

beforeEach(() => {
  vi.useFakeTimers();
  isDown = areStreamsRefused = false;
  attemptTimesMs = [];
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal('STORED_FIGURES_TEXT', '{age}');
  vi.stubGlobal('fetch', async () => {
    if (isDown) throw new TypeError('Failed to fetch');
    return Response.json(sampleHealth({}));
  });
});
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('after an outage, the page notices within 30 s that the portal is back, and retries a refused stream 4 to 13 times a minute', async () => {
  const { $network } = await openPage();
  isDown = areStreamsRefused = true;
  FakeEventSource.newest.break();
  await vi.advanceTimersByTimeAsync(20_000);
  expect($network.get()?.isReachable).toBe(false);
  isDown = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect($network.get()?.isReachable).toBe(true);
  attemptTimesMs = [];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attemptTimesMs.length).toBeGreaterThan(3);
  expect(attemptTimesMs.length).toBeLessThanOrEqual(13);
});

it('a page that was opened in the background stops trying to open a stream after 60 s', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await openPage();
  expect(attemptTimesMs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  attemptTimesMs = [];
  await vi.advanceTimersByTimeAsync(300_000);
  expect(attemptTimesMs).toEqual([]);
});

it('the network’s state changes only when the stream’s state or the report does', async () => {
  const { $network } = await openPage();
  sendFigures();
  await vi.advanceTimersByTimeAsync(1_000);
  const network = $network.get();
  for (let message = 0; message < 5; message += 1) {
    sendFigures();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect($network.get()).toBe(network);
});

it('a break in the stream invalidates figures only once, despite failed reconnects, and leaves other queries unchanged', async () => {
  await openPage();
  const [{ queryClient }, { figureQuery }, { DASHBOARD_STAKING_TOTAL }] = await Promise.all([
    import('./query-client.ts'),
    import('./figure-query.ts'),
    import('./figure-strategies.ts'),
  ]);
  const figure = figureQuery(DASHBOARD_STAKING_TOTAL, 'live');
  const other = ['other'];
  queryClient.setQueryData(figure.queryKey, null);
  queryClient.setQueryData(other, 1);
  const stop = new QueryObserver(queryClient, figure).subscribe(() => {});
  onTestFinished(stop);
  const isStale = (queryKey: readonly unknown[]) => queryClient.getQueryState(queryKey)?.isInvalidated;
  sendFigures();
  areStreamsRefused = true;
  FakeEventSource.newest.break();
  expect([isStale(figure.queryKey), isStale(other)]).toEqual([true, false]);
  queryClient.setQueryData(figure.queryKey, null);
  const before = attemptTimesMs.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(attemptTimesMs.length).toBeGreaterThan(before);
  expect(isStale(figure.queryKey)).toBe(false);
  dispatchEvent(new Event('pagehide'));
  expect(isStale(figure.queryKey)).toBe(false);
});

it('when the stream opens, the stored figures that the page shows are read again, and the note about stored figures ignores the rest', async () => {
  await openPage();
  const [{ queryClient }, { figureKey }, { $storedReads }, paths] = await Promise.all([
    import('./query-client.ts'),
    import('./figure-query.ts'),
    import('./source-freshness.ts'),
    import('../../data/contract/paths.ts'),
  ]);
  document.body.append(document.createElement('main'));
  const note = () => document.querySelector('.stored-figures');
  const queryKey = figureKey(paths.enhancedStakers);
  queryClient.setQueryData(queryKey, []);
  const queryFn = async () => {
    await Promise.resolve();
    $storedReads.setKey(paths.enhancedStakers, undefined);
    return ['read'];
  };
  const stop = new QueryObserver(queryClient, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => {});
  onTestFinished(stop);
  const hiddenKey = figureKey(paths.programSummary);
  queryClient.setQueryData(hiddenKey, {});
  for (const path of [paths.enhancedStakers, paths.programSummary]) $storedReads.setKey(path, Date.now());
  expect(note()).not.toBeNull();
  sendFigures();
  expect(queryClient.getQueryState(hiddenKey)?.isInvalidated).toBe(true);
  expect(note()).not.toBeNull();
  await vi.advanceTimersByTimeAsync(0);
  expect(queryClient.getQueryData(queryKey)).toEqual(['read']);
  expect(note()).toBeNull();
});

it('the note about stored figures is not announced again when its age changes', async () => {
  await openPage();
  document.body.append(document.createElement('main'));
  const { $storedReads } = await import('./source-freshness.ts');
  $storedReads.setKey('/api/staking/total', Date.now() - 5_000);
  const note = document.querySelector('.stored-figures');
  const ageOf = () => note?.querySelector('[aria-live=off]')?.textContent;
  const before = ageOf();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ageOf()).not.toBe(before);
  expect(note?.textContent).toBe(ageOf());
});
