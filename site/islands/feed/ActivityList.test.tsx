import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { ActivityList } from './ActivityList.tsx';

const list = (reading: Reading<FigureBodies['/api/transactions']>) =>
  renderToString(<ActivityList explorer="https://e.example" reading={reading} />);

describe('the feed', () => {
  it('says that there is no movement, that none was read yet, and that the read failed, in different words', () => {
    expect(list({ kind: 'known', body: [] })).toContain('No movement of the vault or the stake pool yet.');
    expect(list({ kind: 'unknown' })).toContain('have not been read from the chain yet');
    expect(list({ kind: 'failed', retry: () => {}, retrying: false })).toContain('Retry');
  });

  it('links the shortened signature to the transaction on the explorer', () => {
    const signature = `4vJ9${'m'.repeat(80)}Xb2T`;
    const html = list({
      kind: 'known',
      body: [
        { type: 'stake', amount: '1', signature, status: 'finalized', blockTime: 1, wallet: null, slot: 1 },
      ],
    });
    expect(html).toContain(`href="https://e.example/tx/${signature}"`);
    expect(html).toContain('4vJ9…Xb2T');
    expect(html).toContain('finalized');
  });
});
