// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER, ledgerAddress, ledgerKeypair } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { LedgerFileError } from './ledger-store.ts';
import { openChain } from './open-chain.ts';
import { acceptedTransaction, signatureHistoryOf, TEST_START, tokenAmount } from './testing/test-ledger.ts';
import { depositTransactionBytes, stakeTransactionBytes, transferTransactionBytes } from './transactions.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerAddress('stranger');

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  file = join(folder, 'ledger.db');
});
afterEach(() => rm(folder, { recursive: true }));

function deposit(chain: LedgerChain, amount: bigint) {
  return chain.send(depositTransactionBytes(HOLDER, { amount }, chain.latestBlockhash().blockhash));
}

describe('a reopened ledger', () => {
  it('keeps its accounts, transactions, indexes and position in the slot', () => {
    const first = openChain({ file, now: () => TEST_START, withHistory: false });
    const { blockhash } = first.latestBlockhash();
    const stake = acceptedTransaction(
      first.send(stakeTransactionBytes(HOLDER, { nonce: 0, amount: 5n }, blockhash)),
    );
    const transferBytes = transferTransactionBytes(HOLDER, { to: STRANGER, amount: 7n }, blockhash);
    const transfer = acceptedTransaction(first.send(transferBytes));
    const lamports = first.account(ledgerAddress('holder-1'))?.lamports;
    const staked = [...first.programAccounts(LEDGER.stakeProgram)].map(([address]) => address).toSorted();
    first.close();

    const second = openChain({ file, now: () => TEST_START, withHistory: false });
    expect(second.genesisHash).toBe(first.genesisHash);
    expect(second.account(ledgerAddress('holder-1'))?.lamports).toBe(lamports);
    expect(second.transaction(stake.signature)).toEqual({
      ...stake,
      innerInstructions: stake.innerInstructions.map((group) => ({
        ...group,
        instructions: group.instructions.map((call) => ({ ...call, data: new Uint8Array(call.data) })),
      })),
    });
    expect([...second.programAccounts(LEDGER.stakeProgram)].map(([address]) => address).toSorted()).toEqual(
      staked,
    );
    const [[received] = []] = [...second.tokenAccounts({ owner: STRANGER })];
    expect(tokenAmount(second, received ?? '')).toBe(7n);
    expect(second.send(transferBytes)).toMatchObject({ err: 'AlreadyProcessed' });
    const next = acceptedTransaction(deposit(second, 1n));
    expect([next.slot, next.position]).toEqual([transfer.slot, transfer.position + 1]);
    second.close();
  });

  it('continues at the slot of the wall clock and accepts earlier blockhashes', () => {
    const first = openChain({ file, now: () => TEST_START, withHistory: false });
    const { slot } = first.clock();
    const wire = depositTransactionBytes(HOLDER, { amount: 1n }, first.latestBlockhash().blockhash);
    first.close();
    const second = openChain({ file, now: () => TEST_START + 20_000, withHistory: false });
    expect(second.clock().slot).toBe(slot + 50);
    expect(second.send(wire).kind).toBe('accepted');
    second.close();
  });

  it('does not go back when the wall clock does', () => {
    const first = openChain({ file, now: () => TEST_START, withHistory: false });
    const { slot } = acceptedTransaction(deposit(first, 1n));
    first.close();
    const second = openChain({ file, now: () => TEST_START - 3_600_000, withHistory: false });
    expect(second.clock().slot).toBe(slot);
    expect(acceptedTransaction(deposit(second, 2n))).toMatchObject({ slot, position: 1 });
    second.close();
  });
});

describe('a ledger file', () => {
  it('is rejected if it has another format', () => {
    openChain({ file, withHistory: false }).close();
    const db = new Database(file);
    db.exec("UPDATE meta SET value = '999' WHERE name = 'format'");
    db.close();
    expect(() => openChain({ file })).toThrow(LedgerFileError);
  });

  it('is rejected if it is not a database', async () => {
    await writeFile(file, 'something else entirely, and long enough to be read as a file header');
    expect(() => openChain({ file })).toThrow(LedgerFileError);
  });

  it('is rejected while another ledger uses it', () => {
    const first = openChain({ file, withHistory: false });
    expect(() => openChain({ file, withHistory: false })).toThrow(LedgerFileError);
    first.close();
    openChain({ file, withHistory: false }).close();
  });
});

/**
 * Starts a process that sends deposits and reports each accepted one. Each round has different amounts. Otherwise a deposit
 * in the slot of the last kill could be identical to an earlier one.
 */
async function startWriter(round: number): Promise<ChildProcess> {
  const script = join(folder, `writer-${round}.mjs`);
  const importPath = (name: string) => JSON.stringify(resolve('indexer/ledger', name));
  await writeFile(
    script,
    `import { openChain } from ${importPath('open-chain.ts')};
import { depositTransactionBytes } from ${importPath('transactions.ts')};
import { ledgerKeypair } from ${importPath('addresses.ts')};
const chain = openChain({ file: ${JSON.stringify(file)}, withHistory: false });
const wallet = ledgerKeypair('holder-1');
for (let amount = ${round * 1_000 + 1}n; ; amount += 1n) {
  const outcome = chain.send(depositTransactionBytes(wallet, { amount }, chain.latestBlockhash().blockhash));
  process.send(outcome.kind === 'accepted' ? outcome.transaction.signature : '');
  if (amount % 5n === 0n) await new Promise((resolve) => setImmediate(resolve));
}`,
  );
  return fork(script, { stdio: 'ignore' });
}

describe('a ledger whose process was killed', () => {
  it('keeps every accepted transaction, and a balance that matches', async () => {
    const reported: string[] = [];
    for (const [round, killAfter] of [3, 77].entries()) {
      const child = await startWriter(round);
      let count = 0;
      child.on('message', (signature) => {
        reported.push(String(signature));
        count += 1;
        if (count === killAfter) child.kill('SIGKILL');
      });
      await once(child, 'exit');
    }
    const chain = openChain({ file, withHistory: false });
    const rows = signatureHistoryOf(chain, LEDGER.vault);
    const stored = new Set(rows.map((row) => row.signature));
    expect(reported).not.toContain('');
    expect(reported.length).toBeGreaterThanOrEqual(80);
    expect(reported.filter((signature) => !stored.has(signature))).toEqual([]);

    const newest = chain.transaction(rows.at(-1)?.signature ?? '');
    const vault = newest?.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(vault?.amount);
    expect(acceptedTransaction(deposit(chain, 10n ** 9n)).err).toBeNull();
    chain.close();
  });

  it('is created from scratch if its creation was interrupted', async () => {
    const script = join(folder, 'opener.mjs');
    const from = JSON.stringify(resolve('indexer/ledger/open-chain.ts'));
    await writeFile(
      script,
      `import { openChain } from ${from};
process.send('opening');
openChain({ file: ${JSON.stringify(file)}, now: () => ${TEST_START} });`,
    );
    const child = fork(script, { stdio: 'ignore' });
    await once(child, 'message');
    // The process blocks its thread while it generates the history, so the kill interrupts it.
    child.kill('SIGKILL');
    await once(child, 'exit');
    const chain = openChain({ file, now: () => TEST_START });
    expect(tokenAmount(chain, LEDGER.vault)).toBe(99_998_436_010_000n);
    chain.close();
  });
});
