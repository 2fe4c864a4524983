import { expect, test } from 'playwright/test';
import { startPortal } from './portal.ts';

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

test('the portal says what runs where, and SIGTERM leaves no process', async () => {
  const portal = await startPortal();
  expect(portal.output()).toContain('embedded ledger');
  expect(portal.output()).toContain('not a market price');
  const processes = (['ledger', 'indexer', 'api'] as const).map(portal.processId);
  expect(processes.map(isAlive)).toEqual([true, true, true]);
  expect(await portal.stop()).toBe(0);
  expect(processes.map(isAlive)).toEqual([false, false, false]);
});
