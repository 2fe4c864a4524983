import * as web3 from '@solana/web3.js';
import { expect } from 'vitest';
import { EMBEDDED_ADDRESSES } from '../../../data/config/environment.ts';
import {
  availableForStake,
  buildStake,
  buildUnstake,
  stakeProgress,
  submitStake,
} from '../../../data/contract/stake-order.ts';
import { ChainReads } from '../../chain/chain-reads.ts';
import { FakeIndex, SAMPLE_INDEX } from '../../testing/fake-index.ts';
import { ask } from '../../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import { post } from '../../testing/test-wallet.ts';
import { createHeldTokensReader } from '../../verification/held-tokens.ts';
import { createStakedTokensReader } from '../../verification/staked-tokens.ts';
import type { ComputeUnitPriceEstimator } from '../priority-fee.ts';
import { StakeInstructions, TOKEN_PROGRAMS } from '../stake-instructions.ts';

export const UNITS_PER_BD = 1_000_000n;
export const LAMPORTS_PER_SOL = 1_000_000_000n;
export const { stakePool, mint } = EMBEDDED_ADDRESSES;
export const stakeInstructions = new StakeInstructions(web3, {
  stakePool,
  mint,
  tokenProgram: TOKEN_PROGRAMS.token,
});

let addressCount = 0;
/** Creates the headers of a client with a new IP address, to avoid rate limits. */
export const freshAddressHeaders = () => ({
  'X-Forwarded-For': `10.1.${addressCount >> 8}.${addressCount++ & 255}`,
});

export const parseTransaction = (text: string) =>
  web3.VersionedTransaction.deserialize(Buffer.from(text, 'base64'));

export function signTransaction(text: string, ...keypairs: readonly web3.Keypair[]): Uint8Array {
  const transaction = parseTransaction(text);
  transaction.sign([...keypairs]);
  return transaction.serialize();
}

export const toPlain = ({ programId, keys, data }: web3.TransactionInstruction) => ({
  program: programId.toBase58(),
  keys: keys.map((key) => [key.pubkey.toBase58(), key.isSigner, key.isWritable]),
  data: Buffer.from(data).toString('hex'),
});

/** @param slot the slot of the index */
export async function startStakeClient(
  urls: readonly [string, ...string[]],
  estimateComputeUnitPrice: ComputeUnitPriceEstimator | null = null,
  slot = 0,
): Promise<StakeClient> {
  const index = new FakeIndex();
  const { identity } = SAMPLE_INDEX;
  const { vault } = EMBEDDED_ADDRESSES;
  index.commit({ identity: identity && { ...identity, stakePool, mint, vault }, endpoints: [] });
  index.commitChain({ slot });
  const portal = await startTestPortal({
    index,
    chain: 'embedded-ledger',
    stakeReads: new ChainReads(urls, { readTimeoutMs: 20_000 }),
    estimateComputeUnitPrice,
    walletReaders: { staked: createStakedTokensReader(urls), held: createHeldTokensReader(urls) },
  });
  return new StakeClient(portal, urls[0]);
}

export class StakeClient {
  readonly portal: TestPortal;
  readonly #url: string;

  constructor(portal: TestPortal, url: string) {
    this.portal = portal;
    this.#url = url;
  }

  async #post(path: string, body: object) {
    const answer = await post(this.portal.port, path, body, freshAddressHeaders());
    return { status: answer.status, body: JSON.parse(answer.body) };
  }

  buildStake(keypair: web3.Keypair, amount: string) {
    return this.#post(buildStake.path, { walletAddress: keypair.publicKey.toBase58(), amount });
  }

  async expectBuiltStake(keypair: web3.Keypair, amount: string) {
    const { status, body } = await this.buildStake(keypair, amount);
    expect([status, body.error]).toEqual([200, undefined]);
    return buildStake.response.strict().parse(body);
  }

  buildUnstake(keypair: web3.Keypair, entry: string) {
    return this.#post(buildUnstake.path, { walletAddress: keypair.publicKey.toBase58(), entry });
  }

  submit(bytes: Uint8Array) {
    return this.#post(submitStake.path, { transaction: Buffer.from(bytes).toString('base64') });
  }

  async readProgress(signature: string, lastValidBlockHeight: number) {
    const query = `?signature=${signature}&lastValidBlockHeight=${lastValidBlockHeight}`;
    const answer = await ask(this.portal.port, stakeProgress.path + query, {
      headers: freshAddressHeaders(),
    });
    expect(answer.status, answer.body).toBe(200);
    return stakeProgress.response.strict().parse(JSON.parse(answer.body));
  }

  async readAvailable(keypair: web3.Keypair) {
    const query = `?walletAddress=${keypair.publicKey.toBase58()}`;
    const answer = await ask(this.portal.port, availableForStake.path + query, {
      headers: freshAddressHeaders(),
    });
    return { status: answer.status, body: JSON.parse(answer.body) };
  }

  async waitForOutcome(signature: string, lastValidBlockHeight: number) {
    for (;;) {
      const current = await this.readProgress(signature, lastValidBlockHeight);
      if (current.state !== 'pending') return current;
    }
  }

  async sign(
    instructions: readonly web3.TransactionInstruction[],
    signers: readonly [web3.Keypair, ...web3.Keypair[]],
    recentBlockhash?: string,
  ): Promise<Uint8Array> {
    const message = new web3.TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash:
        recentBlockhash ?? (await new web3.Connection(this.#url).getLatestBlockhash()).blockhash,
      instructions: [...instructions],
    });
    const transaction = new web3.VersionedTransaction(message.compileToLegacyMessage());
    transaction.sign([...signers]);
    return transaction.serialize();
  }
}
