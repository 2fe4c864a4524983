// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../api/testing/portal-client.ts';
import { startOtlpReceiver } from '../data/runtime/testing/otlp-receiver.ts';
import { LEDGER_ADDRESS_ENV, spawnApi, spawnIndexer } from '../indexer/testing/processes.ts';
import { startTestChain } from '../indexer/testing/test-chain.ts';

it('the bundles of the API and the indexer send traces when they stop, but no endpoint keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'traced-'));
  const [chain, receiver] = await Promise.all([startTestChain(), startOtlpReceiver()]);
  onTestFinished(async () => {
    await Promise.all([chain.close(), receiver.close()]);
    await rm(folder, { recursive: true });
  });
  const env = {
    DATA_DIR: folder,
    SOLANA_RPC_URLS: `${chain.url}/?api-key=a-secret-key`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    ...LEDGER_ADDRESS_ENV,
  };
  const indexer = spawnIndexer(env);
  await indexer.ready;
  const api = await spawnApi(env);
  const { details } = await api.ready;
  await ask(Number(details.port), '/readyz');
  for (const { child, ended } of [api, indexer]) {
    child.kill('SIGTERM');
    await ended;
  }
  // On a busy machine, the receiver may read the last spans only after the programs have ended.
  await expect
    .poll(() => receiver.spans.map(({ service, name }) => `${service} ${name}`))
    .toEqual(
      expect.arrayContaining([
        'blackduck-api GET operations',
        'blackduck-indexer poll accounts',
        'blackduck-indexer index.commitSnapshot',
        'blackduck-indexer rpc getMultipleAccounts',
        'blackduck-indexer market quote',
        'blackduck-indexer index.commitQuote',
      ]),
    );
  const polls = receiver.spans.filter(({ name }) => name === 'poll accounts').map(({ spanId }) => spanId);
  const call = receiver.spans.find(
    ({ name, parentId }) => name === 'rpc getMultipleAccounts' && polls.includes(parentId),
  );
  expect(call?.attributes).toMatchObject({
    'rpc.method': 'getMultipleAccounts',
    'server.address': '127.0.0.1',
  });
  expect(Buffer.concat(receiver.bodies).toString('latin1')).not.toContain('secret');
}, 180_000);
