import { describe, expect, it } from 'vitest';
import { LIST_IDS } from '../../../data/model/admin-lists.ts';
import { commandsFor } from './CommandPalette.tsx';

describe('the commands', () => {
  it('contain every typed word, and end with a search for the text in each list', () => {
    const found = commandsFor('loan go', true);
    expect(found.map(({ id }) => id)).toEqual([
      'go loan-applications',
      ...LIST_IDS.map((list) => `search ${list}`),
    ]);
    expect(found.at(-1)).toMatchObject({ href: '/admin/dashboard#loan-applications?q=loan+go' });
  });

  it('begin with the record for a typed reference number', () => {
    expect(commandsFor(' bd-20260102-123456 ', true)[0]).toMatchObject({
      kind: 'open',
      href: '/admin/dashboard#overview?record=BD-20260102-123456',
    });
  });

  it('include exports for reviewers only', () => {
    const exports = (mayExport: boolean) =>
      commandsFor('', mayExport).filter(({ kind }) => kind === 'export');
    expect(exports(true)).toHaveLength(2 * LIST_IDS.length);
    expect(exports(false)).toEqual([]);
  });
});
