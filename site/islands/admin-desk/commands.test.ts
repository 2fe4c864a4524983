import { describe, expect, it } from 'vitest';
import { commandsFor } from './commands.ts';

const labels = (text: string, mayExport = true) => commandsFor(text, mayExport).map(({ label }) => label);

describe('the commands', () => {
  it('are found by all of their words, and a text can be searched for in each list', () => {
    expect(labels('loan go')).toEqual([
      'Go to Loan Applications',
      'Search Applications for “loan go”',
      'Search Contacts for “loan go”',
      'Search Delivery Logs for “loan go”',
      'Search Verification Requests for “loan go”',
      'Search Loan Applications for “loan go”',
    ]);
  });

  it('open a record by its reference number before anything else', () => {
    expect(commandsFor(' bd-20260102-123456 ', true)[0]).toMatchObject({
      kind: 'record',
      reference: 'BD-20260102-123456',
    });
  });

  it('export for who may', () => {
    expect(labels('export', true).filter((label) => label.startsWith('Export'))).toHaveLength(10);
    expect(labels('export', false).filter((label) => label.startsWith('Export'))).toEqual([]);
  });
});
