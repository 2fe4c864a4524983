import { describe, expect, it } from 'vitest';
import { parseEnvironment } from './environment.ts';

const backupsOf = (env: Record<string, string>) => {
  const outcome = parseEnvironment(env);
  return outcome.ok ? outcome.config.backup : outcome.faults.map(({ variable }) => variable);
};

describe('the variables about backups', () => {
  it('ask for one a day, kept for two weeks, beside the store, where none is set', () => {
    expect(backupsOf({})).toEqual({ pattern: '17 3 * * *', folder: null, keep: 14 });
  });

  it('take a schedule, a folder and a number, or off', () => {
    expect(backupsOf({ BACKUP_CRON: '0 * * * *', BACKUP_DIR: '/backups', BACKUP_KEEP: '48' })).toEqual({
      pattern: '0 * * * *',
      folder: '/backups',
      keep: 48,
    });
    expect(backupsOf({ BACKUP_CRON: 'off' })).toMatchObject({ pattern: null });
  });

  it.each([
    ['daily', 'BACKUP_CRON'],
    ['* * * * * *', 'BACKUP_CRON'],
    ['61 3 * * *', 'BACKUP_CRON'],
    ['0', 'BACKUP_KEEP'],
    ['1001', 'BACKUP_KEEP'],
    ['-1', 'BACKUP_KEEP'],
    ['1e2', 'BACKUP_KEEP'],
  ])('refuse %s in %s', (value, variable) => {
    expect(backupsOf({ [variable]: value })).toEqual([variable]);
  });
});
