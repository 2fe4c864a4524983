import { describe, expect, it } from 'vitest';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { createReadLimit, isAffected, parseEvents } from './live-changes.ts';

describe('the stream of an admin', () => {
  it('is parsed event by event, and the text of an incomplete event is kept', () => {
    const text = ': \n\nevent: change\ndata: {"lists":["contacts"]}\n\nevent: change\ndata: {"li';
    expect(parseEvents(text)).toEqual({
      data: ['{"lists":["contacts"]}'],
      incompleteText: 'event: change\ndata: {"li',
    });
  });

  it.each([
    [['admin', '/api/admin/contacts', {}, ''], ['contacts'], true],
    [['admin', '/api/admin/contacts', {}, ''], ['applications'], false],
    [['admin', '/api/admin/contacts', {}, 'a search'], ['contacts'], true],
    [['admin', '/api/admin/contacts', {}, 'a search'], ['applications'], false],
    [['admin', '/api/admin/contacts', {}, ''], ['delivery-logs'], true],
    [['admin', '/api/admin/dashboard/stats'], ['contacts'], true],
    [['admin', '/api/admin/work?assignee=me'], ['contacts'], true],
    [['admin', '/api/admin/record?reference=BD-20260102-123456'], LIST_IDS, false],
    [['admin', '/api/admin/team'], ['contacts'], false],
  ] as const)('makes the query %j stale after changes to %j: %s', (key, lists, expected) => {
    expect(isAffected(key, { lists })).toBe(expected);
  });

  it('allows 16 reads 0.7 seconds apart, then one every 6 seconds, and 15 quick reads again after a pause', () => {
    const limit = createReadLimit();
    let now = 0;
    /** Reads as soon as the limit allows. @returns the wait in milliseconds */
    const read = () => {
      const wait = limit.waitAt(now);
      now += wait;
      limit.recordRead(now);
      return wait;
    };
    const waits = Array.from({ length: 20 }, read);
    expect(waits[0]).toBe(0);
    // The limit allows a burst of 15 reads and adds one every six seconds. One is added during the burst, so 16 reads are
    // quick. The first read does not wait, so 15 waits are 700 ms.
    expect(waits.filter((wait) => wait === 700)).toHaveLength(15);
    expect(waits.slice(-2).map(Math.round)).toEqual([6_000, 6_000]);
    now += 100_000;
    expect(Math.max(...Array.from({ length: 15 }, read))).toBe(700);
  });
});
