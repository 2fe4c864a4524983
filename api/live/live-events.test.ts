import { describe, expect, it } from 'vitest';
import { liveChange, liveFresh } from '../../data/contract/live.ts';
import { NOTHING_INDEXED } from '../../data/store/ports.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { changeEvent, freshEvent, sourceReads } from './live-events.ts';

function parse(text: string): { event: string; id: string | undefined; data: unknown } {
  const match = /^event: (\w+)\n(?:id: (\d+)\n)?data: ([^\n]+)\n\n$/.exec(text);
  return { event: match?.[1] ?? '', id: match?.[2], data: JSON.parse(match?.[3] ?? 'null') };
}

describe('events of the stream', () => {
  it('carry changed bodies as they stand, under their version, as the contract says', () => {
    const bodies = new Map([
      ['/api/a', '{"balance":"1\\n2"}'],
      ['/api/b', '[]'],
    ]);
    const { event, id, data } = parse(
      changeEvent({ version: 12, bodies, announced: ['/api/d'], missing: ['/api/c'] }),
    );
    expect([event, id]).toEqual(['change', '12']);
    expect(liveChange.parse(data)).toEqual({
      version: 12,
      bodies: { '/api/a': { balance: '1\n2' }, '/api/b': [] },
      announced: ['/api/d'],
      missing: ['/api/c'],
    });
  });

  it('say what time it is and when each source was read, and null where one never was', () => {
    const asOf = '2026-01-01T00:00:00.000Z';
    const { event, data } = parse(freshEvent(sourceReads(SAMPLE_INDEX), TEST_START + 250));
    expect(event).toBe('fresh');
    expect(liveFresh.parse(data)).toEqual({
      now: '2026-01-01T00:00:00.250Z',
      chain: { asOf, slot: 4_242 },
      market: { asOf },
    });
    expect(sourceReads(NOTHING_INDEXED)).toEqual({ chain: null, market: null });
  });
});
