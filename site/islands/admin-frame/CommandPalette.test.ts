import { describe, expect, it } from 'vitest';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { commandsFor } from './CommandPalette.tsx';

describe('the commands', () => {
  it('contain every typed word, and end with a search for the text in each list', () => {
    const commands = commandsFor('loan go', true);
    expect(commands.map(({ id }) => id)).toEqual([
      'go loan-applications',
      ...LIST_IDS.map((list) => `search ${list}`),
    ]);
    expect(commands.at(-1)).toMatchObject({ href: '/admin/dashboard#loan-applications?q=loan+go' });
  });

  it('begin with the record for a typed reference number', () => {
    expect(commandsFor(' bd-20260102-123456 ', true)[0]).toMatchObject({
      kind: 'open',
      href: '/admin/dashboard#overview?record=BD-20260102-123456',
    });
  });

  it('include found records before the searches, and the total in the label of a search', () => {
    const results = [
      {
        list: 'contacts' as const,
        referenceNumber: 'BD-20260102-123456',
        name: 'Ada',
        status: null,
        createdAt: '2026-01-02T00:00:00.000Z',
        field: 'message',
        excerpt: [],
      },
    ];
    const commands = commandsFor('contacts', false, [
      { list: 'contacts', total: 9, isTotalExact: true, results },
    ]);
    expect(commands.map(({ id }) => id)).toEqual([
      ...commandsFor('contacts', false)
        .map(({ id }) => id)
        .filter((id) => !id.startsWith('search')),
      'record BD-20260102-123456',
      ...LIST_IDS.map((list) => `search ${list}`),
    ]);
    expect(commands.find(({ id }) => id.startsWith('record'))).toMatchObject({
      href: '/admin/dashboard#contacts?record=BD-20260102-123456',
    });
    expect(commands.find(({ id }) => id === 'search contacts')?.label).toContain('9');
  });

  it('include exports only if the admin may export', () => {
    const exports = (mayExport: boolean) =>
      commandsFor('', mayExport).filter(({ kind }) => kind === 'export');
    expect(exports(true)).toHaveLength(2 * LIST_IDS.length);
    expect(exports(false)).toEqual([]);
  });

  it('include the export of the shown list if the admin may export', () => {
    const kinds = (mayExport: boolean, hasList: boolean) =>
      commandsFor('export this', mayExport, [], hasList)
        .filter(({ id }) => !id.startsWith('search'))
        .map(({ kind }) => kind);
    expect(kinds(true, true)).toEqual(['export-view']);
    expect([kinds(false, true), kinds(true, false)]).toEqual([[], []]);
  });
});
