import { describe, expect, it } from 'vitest';
import { parseEnvironment } from './environment.ts';

const daysOf = (env: Record<string, string>) => {
  const outcome = parseEnvironment(env);
  return outcome.ok ? outcome.config.documentRetentionDays : outcome.faults.map(({ variable }) => variable);
};

describe('how long documents are kept', () => {
  it('is as long as the privacy policy promises, where nothing shorter is set', () => {
    expect(daysOf({})).toBe(90);
    expect(daysOf({ DOCUMENT_RETENTION_DAYS: '30' })).toBe(30);
    expect(daysOf({ DOCUMENT_RETENTION_DAYS: '90' })).toBe(90);
  });

  it.each(['0', '91', '-1', '1.5', '1e1', 'never'])('is never %s', (days) => {
    expect(daysOf({ DOCUMENT_RETENTION_DAYS: days })).toEqual(['DOCUMENT_RETENTION_DAYS']);
  });
});
