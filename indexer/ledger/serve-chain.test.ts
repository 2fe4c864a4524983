import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerChain } from './chain.ts';
import { serveChain } from './serve-chain.ts';
import { openTestLedger } from './testing/test-ledger.ts';

let chain: LedgerChain;
beforeEach(() => {
  ({ chain } = openTestLedger());
});
afterEach(() => chain.close());

describe('serving a ledger', () => {
  it('on the last port there is ends with 78 and says what to set', async () => {
    await expect(serveChain(chain, 65_535)).rejects.toMatchObject({
      name: 'StartError',
      exitCode: 78,
      message: expect.stringContaining('Set it to 65534 or less'),
    });
  });

  it('on a port that is taken ends with 75 and names it', async () => {
    const first = await serveChain(chain, 0);
    await expect(serveChain(chain, first.port)).rejects.toMatchObject({
      name: 'StartError',
      exitCode: 75,
      message: expect.stringContaining(`LEDGER_PORT ${first.port}`),
    });
    await first.close();
  });
});
