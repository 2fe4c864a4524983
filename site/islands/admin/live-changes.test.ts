import { describe, expect, it } from 'vitest';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { isChanged, parseEvents } from './live-changes.ts';

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
});
