import { describe, expect, it } from 'vitest';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { isChanged, parseEvents, waitAfter } from './live-changes.ts';

describe('the stream of an admin', () => {
  it('is read event by event, whatever parts it arrives in', () => {
    const text = ': \n\nevent: change\ndata: {"lists":["contacts"]}\n\nevent: change\ndata: {"li';
    expect(parseEvents(text)).toEqual({
      data: ['{"lists":["contacts"]}'],
      rest: 'event: change\ndata: {"li',
    });
  });

  it.each([
    [['admin', '/api/admin/contacts', {}, ''], ['contacts'], true],
    [['admin', '/api/admin/contacts', {}, ''], ['applications'], false],
    [['admin', '/api/admin/contacts', {}, 'a search'], ['contacts'], false],
    [['admin', '/api/admin/contacts', {}, ''], ['delivery-logs'], true],
    [['admin', '/api/admin/dashboard/stats'], ['contacts'], true],
    [['admin', '/api/admin/work?assignee=me'], ['contacts'], true],
    [['admin', '/api/admin/record?reference=BD-20260102-123456'], LIST_IDS, false],
    [['admin', '/api/admin/team'], ['contacts'], false],
  ] as const)('makes the query %j for changes of %j stale: %s', (key, lists, expected) => {
    expect(isChanged(key, { lists })).toBe(expected);
  });

  it('follows a few changes within a second each, and reads at most 20 times in the first minute of a steady flow', () => {
    expect([0, 1, 2, 3].map(waitAfter)).toEqual([1_000, 1_000, 1_000, 1_000]);
    let [at, reads] = [0, 0];
    for (; at < 60_000; reads += 1) at += waitAfter(reads);
    expect(reads).toBeLessThanOrEqual(20);
    expect(waitAfter(1_000)).toBe(10_000);
  });
});
