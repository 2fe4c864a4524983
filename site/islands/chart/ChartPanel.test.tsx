import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { HistoryBody } from '../../data/history-query.ts';
import type { Reading } from '../../data/reading.ts';
import { ChartPanel } from './ChartPanel.tsx';

const body: HistoryBody = {
  series: 'vault',
  range: '30d',
  resolution: 'hour',
  points: [{ at: new Date(Date.now() - 7_200_000).toISOString(), value: '99998436.01' }],
  asOf: new Date().toISOString(),
  slot: 1,
  source: ['embedded-ledger'],
  state: 'live',
};

const shown = (reading: Reading<HistoryBody>, range: HistoryBody['range'] = '30d') =>
  renderToStaticMarkup(
    <ChartPanel series="vault" range={range} onRange={() => {}} reading={reading} latest={null} />,
  );

describe('a chart', () => {
  it('says that it is loading', () => {
    const html = shown({ kind: 'loading' });
    expect(html).toContain('aria-busy="true"');
    expect(html).toContain('Loading');
    expect(html).not.toContain('<svg');
  });

  it('says that its history could not be read, and offers to read it again', () => {
    const html = shown({ kind: 'failed', retry: () => {}, retrying: false });
    expect(html).toContain('The history could not be read.');
    expect(html).toMatch(/<button[^>]*>Retry/);
  });

  it('says that nothing is known yet, and draws no line at zero', () => {
    const none: readonly Reading<HistoryBody>[] = [
      { kind: 'unknown' },
      { kind: 'known', body: { ...body, points: [] } },
    ];
    for (const reading of none) {
      expect(shown(reading)).toContain('No history is known yet.');
      expect(shown(reading)).not.toContain('<svg');
    }
  });

  it('tells its newest value, where it comes from, and by which steps', () => {
    const html = shown({ kind: 'known', body });
    expect(html).toContain('aria-valuetext="Now: 99,998,436.01 BD"');
    expect(html).toContain('By the hour, UTC · embedded demo ledger');
    expect(html).toContain('<button type="button">Show as table</button>');
  });

  it('ends before the present, muted, where its value is no longer known to hold', () => {
    const old = new Date(Date.now() - 3_600_000).toISOString();
    const html = shown({ kind: 'known', body: { ...body, asOf: old } });
    expect(html).toContain('data-state="stale"');
    expect(html).not.toContain('Now: ');
    expect(html).not.toContain('H10000M');
    expect(html).not.toMatch(/class="[^"]*line[^"]*" d="[^"]*H10000"/);
  });

  it('keeps the range before on the screen, marked, while another is read', () => {
    expect(shown({ kind: 'known', body }, '7d')).toMatch(/data-state="live" aria-busy="true"/);
  });
});
