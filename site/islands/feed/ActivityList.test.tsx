import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { explorerLink } from '../figure/explorer-link.ts';
import { ActivityList } from './ActivityList.tsx';

const mainnet = explorerLink('https://e.example', 'mainnet-beta');

const list = (reading: Reading<FigureBodies['/api/transactions']>, link = mainnet) =>
  renderToString(<ActivityList link={link} reading={reading} />);

describe('the feed', () => {
  it('says that there is no movement, that none was read yet, and that the read failed, in different words', () => {
    expect(list({ kind: 'known', body: [] })).toContain('No movement of the vault or the stake pool yet.');
    expect(list({ kind: 'unknown' })).toContain('The history is still being read from the chain');
    expect(list({ kind: 'failed', retry: () => {}, retrying: false })).toContain('Retry');
  });

  it('links the shortened signature to the transaction on the explorer', () => {
    const signature = `4vJ9${'m'.repeat(80)}Xb2T`;
    const row = {
      type: 'stake',
      account: 'vault',
      amount: '1',
      signature,
      part: 0,
      status: 'finalized',
    } as const;
    const reading = {
      kind: 'known',
      body: [{ ...row, blockTime: 1, wallet: null, slot: 1 }],
    } as const satisfies Reading<unknown>;
    const html = list({ ...reading, body: [...reading.body] });
    const embedded = list({ ...reading, body: [...reading.body] }, null);
    expect(embedded).not.toContain('href');
    expect(embedded).toContain('4vJ9…Xb2T');
    expect(html).toContain(`href="https://e.example/tx/${signature}"`);
    expect(html).toContain('4vJ9…Xb2T');
    expect(html).toContain('finalized');
  });
});
