import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drizzle } from './drizzle.ts';
import { openForWriting } from './open-database.ts';
import { whitelistedWallets } from './session-schema.ts';
import { createSessionStore } from './session-store.ts';
import { APP_FILE } from './store-files.ts';

it('A wallet that the team whitelisted counts as proven, with its tier; a tier that there is none of gives none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-sessions-'));
  const client = openForWriting(join(folder, 'app.db'), APP_FILE);
  const row = { whitelistedAt: 1, referenceNumber: 'BD-20260101-000001' };
  drizzle({ client })
    .insert(whitelistedWallets)
    .values([
      { walletAddress: 'admitted', tier: 'Banker', ...row },
      { walletAddress: 'odd', tier: 'Emperor', ...row },
    ])
    .run();
  const sessions = createSessionStore(client);
  expect(await sessions.provenWallets()).toEqual(new Set(['admitted', 'odd']));
  expect(await sessions.whitelistedTier('admitted')).toBe('Banker');
  expect(await sessions.whitelistedTier('odd')).toBeNull();
  client.close();
  rmSync(folder, { recursive: true });
});
