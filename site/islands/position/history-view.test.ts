import { describe, expect, it } from 'vitest';
import { rangePresets, readHistoryView, stakeLine, writeHistoryView } from './history-view.ts';

const DAY_MS = 86_400_000;

describe('the view of a history', () => {
  it('is stored in the URL alongside other parameters, and ignores invalid values', () => {
    const view = { from: '2026-01-01', to: '2026-02-28', type: 'stake' } as const;
    const query = writeHistoryView('?tab=1', view);
    expect(query).toBe('?tab=1&history-from=2026-01-01&history-to=2026-02-28&history-type=stake');
    expect(readHistoryView(query)).toEqual(view);
    const emptyView = { from: null, to: null, type: null };
    expect(writeHistoryView(query, emptyView)).toBe('?tab=1');
    expect(readHistoryView('?history-from=2026-13-01&history-to=x&history-type=gift')).toEqual(emptyView);
    expect(readHistoryView('?history-from=2026-02-29&history-to=2026-02-30')).toEqual(emptyView);
  });

  it('has presets of whole days and years in UTC', () => {
    expect(rangePresets(Date.UTC(2026, 0, 30, 23)).slice(1)).toEqual([
      ['Last 30 days', { from: '2026-01-01', to: null }],
      ['Last 365 days', { from: '2025-01-31', to: null }],
      ['2026', { from: '2026-01-01', to: '2026-12-31' }],
      ['2025', { from: '2025-01-01', to: '2025-12-31' }],
    ]);
  });
});

describe('the chart line of a stake', () => {
  const start = Date.UTC(2026, 0, 10);
  const points = [{ at: '2026-01-10T00:00:00.000Z', staked: '2.5' }];

  it('extends the current stake to the time of the last read', () => {
    const line = stakeLine(points, { from: null, to: null }, start + 5 * DAY_MS);
    expect(line).toMatchObject({ from: start, to: start + 5 * DAY_MS, knownUntil: start + 5 * DAY_MS });
    expect(line?.isPast).toBe(false);
    expect(line?.points).toEqual([{ at: start, text: '2.5', value: 2.5 }]);
  });

  it('is zero before the first event, spans the chosen range or at least an hour, and is null without events', () => {
    const line = stakeLine(points, { from: '2026-01-08', to: '2026-01-11' }, start + 5 * DAY_MS);
    expect(line).toMatchObject({
      from: start - 2 * DAY_MS,
      to: start + 2 * DAY_MS,
      knownUntil: start + 2 * DAY_MS,
    });
    expect(line?.points.map(({ text }) => text)).toEqual(['0', '2.5']);
    expect(line?.isPast).toBe(true);
    const newStakeLine = stakeLine(points, { from: null, to: null }, start + 60_000);
    expect(newStakeLine).toMatchObject({ from: start + 60_000 - 3_600_000, to: start + 60_000 });
    expect(newStakeLine?.points.map(({ text }) => text)).toEqual(['0', '2.5']);
    expect(stakeLine([], { from: null, to: null }, start)).toBeNull();
  });
});
