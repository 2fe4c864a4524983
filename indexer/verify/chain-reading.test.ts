import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { LEDGER } from '../ledger/addresses.ts';
import { postText, startHttpServer } from '../testing/fake-server.ts';
import { startTestChain } from '../testing/test-chain.ts';
import { openChainReader } from './chain-reading.ts';

const ROWS_PER_PAGE = 20;

it('reads the whole history from an endpoint that lists fewer transactions than requested', async () => {
  const ledger = await startTestChain({ history: true });
  onTestFinished(() => ledger.close());
  const limiting = await startHttpServer(async (request, response) => {
    const body = (await text(request)).replace('"limit":1000', `"limit":${ROWS_PER_PAGE}`);
    const answer = await postText(ledger.url, body);
    response.end(await answer.text());
  });
  onTestFinished(() => limiting.close());
  const { mint, vault, stakePool } = LEDGER;
  const read = (url: string) => openChainReader(url, { mint, vault, stakePool }).read([]);
  const whole = await read(ledger.url);
  expect(whole.poolEvents.length).toBeGreaterThan(ROWS_PER_PAGE);
  expect(await read(limiting.url)).toEqual(whole);
});
