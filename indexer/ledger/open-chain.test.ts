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
import {
  acceptedTransaction,
  newLedgerFile,
  signatureHistoryOf,
  TEST_START,
  tokenAmount,
} from './testing/test-ledger.ts';
import { depositTransactionBytes, stakeTransactionBytes, transferTransactionBytes } from './transactions.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerAddress('stranger');

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  file = newLedgerFile(false);
});
afterEach(() => rm(folder, { recursive: true }));

function deposit(chain: LedgerChain, amount: bigint) {
  return chain.send(depositTransactionBytes(HOLDER, { amount }, chain.latestBlockhash().blockhash));
}

describe('a reopened ledger', () => {
  it('keeps its accounts, transactions, indexes and position in the slot', () => {
    const first = openChain({ file, now: () => TEST_START });
    const { blockhash } = first.latestBlockhash();
    const stake = acceptedTransaction(
      first.send(stakeTransactionBytes(HOLDER, { nonce: 0, amount: 5n }, blockhash)),
    );
    const transferBytes = transferTransactionBytes(HOLDER, { to: STRANGER, amount: 7n }, blockhash);
    const transfer = acceptedTransaction(first.send(transferBytes));
    const lamports = first.account(ledgerAddress('holder-1'))?.lamports;
    const staked = [...first.programAccounts(LEDGER.stakeProgram)].map(([address]) => address).toSorted();
    first.close();

    const second = openChain({ file, now: () => TEST_START });
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
    const first = openChain({ file, now: () => TEST_START });
    const { slot } = first.clock();
    const wire = depositTransactionBytes(HOLDER, { amount: 1n }, first.latestBlockhash().blockhash);
    first.close();
    const second = openChain({ file, now: () => TEST_START + 20_000 });
    expect(second.clock().slot).toBe(slot + 50);
    expect(second.send(wire).kind).toBe('accepted');
    second.close();
  });

  it('does not go back when the wall clock does', () => {
    const first = openChain({ file, now: () => TEST_START });
    const { slot } = acceptedTransaction(deposit(first, 1n));
    first.close();
    const second = openChain({ file, now: () => TEST_START - 3_600_000 });
    expect(second.clock().slot).toBe(slot);
    expect(acceptedTransaction(deposit(second, 2n))).toMatchObject({ slot, position: 1 });
    second.close();
  });
});

describe('a ledger file', () => {
  it('is rejected if it has a different format', () => {
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
    const first = openChain({ file });
    expect(() => openChain({ file })).toThrow(LedgerFileError);
    first.close();
    openChain({ file }).close();
  });
});

async function startWriter(): Promise<ChildProcess> {
  const script = join(folder, 'writer.mjs');
  const importPath = (name: string) => JSON.stringify(resolve('indexer/ledger', name));
  await writeFile(
    script,
    `import { openChain } from ${importPath('open-chain.ts')};
import { depositTransactionBytes } from ${importPath('transactions.ts')};
import { ledgerKeypair } from ${importPath('addresses.ts')};
const chain = openChain({ file: ${JSON.stringify(file)} });
const wallet = ledgerKeypair('holder-1');
for (let amount = 1n; ; amount += 1n) {
  const outcome = chain.send(depositTransactionBytes(wallet, { amount }, chain.latestBlockhash().blockhash));
  process.send(outcome.kind === 'accepted' ? outcome.transaction.signature : '');
  if (amount % 5n === 0n) await new Promise((resolve) => setImmediate(resolve));
}`,
  );
  return fork(script, { stdio: 'ignore' });
}

describe('a ledger whose process was killed', () => {
  it('keeps every accepted transaction, and the balance after the last one', async () => {
    const reported: string[] = [];
    const child = await startWriter();
    child.on('message', (signature) => {
      reported.push(String(signature));
      if (reported.length === 40) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    const chain = openChain({ file });
    const rows = signatureHistoryOf(chain, LEDGER.vault);
    const stored = new Set(rows.map((row) => row.signature));
    expect(reported).not.toContain('');
    expect(reported.length).toBeGreaterThanOrEqual(40);
    expect(reported.filter((signature) => !stored.has(signature))).toEqual([]);

    const newest = chain.transaction(rows.at(-1)?.signature ?? '');
    const vault = newest?.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(vault?.amount);
    expect(acceptedTransaction(deposit(chain, 10n ** 9n)).err).toBeNull();
    chain.close();
  });

  it('is created from scratch if its creation was interrupted', async () => {
    const created = join(folder, 'created.db');
    const script = join(folder, 'opener.mjs');
    await writeFile(
      script,
      `import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { openChain } from ${JSON.stringify(resolve('indexer/ledger/open-chain.ts'))};
const { sign } = crypto;
let signatures = 0;
crypto.sign = (...args) => {
  signatures += 1;
  if (signatures === 100) process.kill(process.pid, 'SIGKILL');
  return sign(...args);
};
syncBuiltinESMExports();
openChain({ file: ${JSON.stringify(created)}, now: () => ${TEST_START} });`,
    );
    expect(await once(fork(script, { stdio: 'ignore' }), 'exit')).toEqual([null, 'SIGKILL']);
    const chain = openChain({ file: created, now: () => TEST_START, withHistory: false });
    expect(tokenAmount(chain, LEDGER.vault)).toBe(92_000_000_000_000n);
    chain.close();
  });
});
