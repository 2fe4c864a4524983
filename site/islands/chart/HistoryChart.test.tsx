import { describe, expect, it } from 'vitest';
import type { Reading } from '../../data/figure-query.ts';
import { $now } from '../../data/ticking-clock.ts';
import { htmlOf } from '../testing/render.ts';
import { sourceLabel } from '../ui/provenance.ts';
import { HISTORY_INTERVAL_MS, type HistoryBody } from './chart-data.ts';
import { ChartPanel } from './HistoryChart.tsx';
import { SparklineView } from './Sparkline.tsx';
import { StepPlot } from './StepPlot.tsx';

// The page's clock is frozen in this test. If this file loads slowly, `Date.now()` is far ahead of that clock.
const now = $now.get();
const point = { at: new Date(now - 7_200_000).toISOString(), value: '99998436.01' };
const body: HistoryBody = {
  series: 'vault',
  range: '30d',
  resolution: 'hour',
  points: [point],
  asOf: new Date(now).toISOString(),
  slot: 1,
  source: ['embedded-ledger'],
  state: 'live',
};

const panel = (
  reading: Reading<HistoryBody>,
  range: HistoryBody['range'] = '30d',
  series: 'vault' | 'network' = 'vault',
) => htmlOf(<ChartPanel series={series} range={range} onRange={() => {}} reading={reading} latest={null} />);
const failedReading = { kind: 'failed', retry: () => {}, isRetrying: false } as const;

describe('a chart', () => {
  it.each<Reading<HistoryBody>>([{ kind: 'loading' }, { kind: 'unknown' }, failedReading])(
    'has no plot if its reading is $kind',
    (reading) => {
      expect(panel(reading)).toContain(`data-plot="${reading.kind}"`);
      expect(panel(reading)).not.toContain('<svg');
    },
  );

  it('has no plot without points', () => {
    expect(panel({ kind: 'known', body: { ...body, points: [] } })).not.toContain('<svg');
  });

  it('is busy while it loads, and offers a retry only after a failure', () => {
    expect(panel({ kind: 'loading' })).toContain('aria-busy="true"');
    expect(panel({ kind: 'loading' })).not.toContain('<button');
    expect(panel(failedReading)).toContain('<button');
  });

  it('shows its newest value and its source', () => {
    const html = panel({ kind: 'known', body });
    expect(html).toContain('aria-valuetext="Now: 99,998,436.01 BD"');
    expect(html).toContain(sourceLabel('embedded-ledger'));
  });

  it('has no area below its line, because its axis does not begin at zero', () => {
    const shapes = [...panel({ kind: 'known', body }).matchAll(/<path[^>]* d="([^"]+)"/g)];
    expect(shapes.length).toBeGreaterThan(2);
    expect(shapes.filter(([, d = '']) => d.endsWith('Z'))).toEqual([]);
  });

  it('draws its line only up to the last read', () => {
    const oldTime = new Date(now - 3_600_000).toISOString();
    const html = panel({ kind: 'known', body: { ...body, asOf: oldTime } });
    expect(html).toContain('data-state="stale"');
    expect(html).not.toContain('Now: ');
    expect(html).not.toMatch(/class="[^"]*line[^"]*" d="[^"]*H10000"/);
  });

  it('shows the time of its last value instead of “Now” if it ends in the past', () => {
    const at = Date.UTC(2026, 0, 1);
    const to = at + 7_200_000;
    const line = { points: [{ at, text: '2.5', value: 2.5 }], from: at, to, knownUntil: to };
    expect(htmlOf(<StepPlot series="stake" line={line} />)).toContain('Now: 2.50 BD');
    const past = htmlOf(<StepPlot series="stake" line={{ ...line, isPast: true }} />);
    expect(past).toContain('aria-valuetext="1 Jan 2026, 02:00 UTC: 2.50 BD"');
  });

  it.each([
    [2, 'live'],
    [2.1, 'ageing'],
    [3.1, 'stale'],
  ])(
    'without a live value ages by the read interval of its history: after %d intervals it is %s',
    (intervals, state) => {
      const asOf = new Date(now - intervals * HISTORY_INTERVAL_MS).toISOString();
      expect(panel({ kind: 'known', body: { ...body, asOf } })).toContain(`data-state="${state}"`);
    },
  );

  it('keeps the previous range while another one loads', () => {
    expect(panel({ kind: 'known', body }, '7d')).toMatch(/data-state="live" aria-busy="true"/);
  });
});

describe('the chart of the price', () => {
  const priceBody: HistoryBody = {
    ...body,
    series: 'price',
    source: ['demo'],
    points: [{ ...point, value: '0.5' }],
  };
  const panelWithVolume = (value: string | null) =>
    htmlOf(
      <ChartPanel
        series="price"
        range="30d"
        onRange={() => {}}
        reading={{ kind: 'known', body: priceBody }}
        latest={null}
        volume={{ body: { ...priceBody, series: 'volume', points: [{ ...point, value }] }, latest: null }}
      />,
    );

  it('shows the volume as an area and at the cursor', () => {
    expect(panelWithVolume('1234.5')).toMatch(/aria-valuetext="[^"]*\$0\.500000 USD, [^"]*\$1,234\.50"/);
    expect(panelWithVolume('1234.5')).toMatch(/ d="M[^"]*Z"/);
  });

  it('shows neither an area nor a zero where the volume is unknown', () => {
    expect(panelWithVolume(null)).not.toMatch(/ d="[^"]*Z"|\$0\.00"/);
  });
});

describe('the chart of the network', () => {
  it('shows percentages from 0 to 100, with a gap where the indexer was silent', () => {
    const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
    const points = [
      { at: hoursAgo(84), value: '100' },
      { at: hoursAgo(42), value: null },
      { at: hoursAgo(21), value: '75' },
    ];
    const networkBody = { ...body, series: 'network', range: '7d', points, asOf: hoursAgo(0) } as const;
    expect(panel({ kind: 'known', body: networkBody }, '7d', 'network')).toMatch(
      / d="M50\d\d 0H75\d\dM87\d\d 250H10000"/,
    );
  });
});

describe('a sparkline', () => {
  const timeDaysAgo = (daysAgo: number) => new Date(now - daysAgo * 86_400_000).toISOString();
  const pathOf = (points: HistoryBody['points'], asOf = timeDaysAgo(0)) =>
    / d="([^"]*)"/.exec(htmlOf(<SparklineView body={{ ...body, points, asOf }} now={now} />))?.[1];

  it('has a gap, not a zero, before its history begins and after the last read', () => {
    const points = [{ at: timeDaysAgo(15), value: '5' }];
    expect(pathOf(points)).toBe('M5000 500H10000');
    expect(pathOf(points, timeDaysAgo(6))).toBe('M5000 500H8000');
    expect(pathOf([{ at: timeDaysAgo(15), value: '' }])).toBe('');
  });

  it('spans its height from its lowest to its highest value, and names both for screen readers', () => {
    const points = [10, 30, 20].map((value, index) => ({
      at: timeDaysAgo(30 - index * 10),
      value: String(value),
    }));
    const html = htmlOf(<SparklineView body={{ ...body, points }} now={now} />);
    expect(html).toMatch(/between 10\.00 BD and 30\.00 BD/);
    expect(pathOf(points)).toBe('M0 955H3333V45H6667V500H10000');
  });
});
