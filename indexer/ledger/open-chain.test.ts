import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { openChain } from './open-chain.ts';
import { accepted, TEST_START, tokenAmount } from './testing/test-ledger.ts';
import { depositWire, stakeWire, transferWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

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
  return chain.send(depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash), {
    skipPreflight: false,
  });
}

describe('a ledger opened again', () => {
  it('has all it had: accounts, transactions, indexes, its place in the slot', () => {
    const first = openChain({ file, now: () => TEST_START, history: false });
    const { blockhash } = first.latestBlockhash();
    const stake = accepted(
      first.send(stakeWire(HOLDER, { nonce: 0, amount: 5n }, blockhash), { skipPreflight: false }),
    );
    const send = transferWire(HOLDER, { to: STRANGER, amount: 7n }, blockhash);
    const transfer = accepted(first.send(send, { skipPreflight: false }));
    const lamports = first.account(ledgerAddress('holder-1'))?.lamports;
    const staked = [...first.programAccounts(LEDGER.stakeProgram)].map(([address]) => address).toSorted();
    first.close();

    const second = openChain({ file, now: () => TEST_START, history: false });
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
    expect(second.send(send, { skipPreflight: false })).toMatchObject({ err: 'AlreadyProcessed' });
    const next = accepted(deposit(second, 1n));
    expect([next.slot, next.position]).toEqual([transfer.slot, transfer.position + 1]);
    second.close();
  });

  it('goes on in the slot of the wall clock, and takes blockhashes given before', () => {
    const first = openChain({ file, now: () => TEST_START, history: false });
    const { slot } = first.clock();
    const wire = depositWire(HOLDER, { amount: 1n }, first.latestBlockhash().blockhash);
    first.close();
    const second = openChain({ file, now: () => TEST_START + 20_000, history: false });
    expect(second.clock().slot).toBe(slot + 50);
    expect(second.send(wire, { skipPreflight: false }).kind).toBe('accepted');
    second.close();
  });

  it('does not go back where the wall clock did', () => {
    const first = openChain({ file, now: () => TEST_START, history: false });
    const { slot } = accepted(deposit(first, 1n));
    first.close();
    const second = openChain({ file, now: () => TEST_START - 3_600_000, history: false });
    expect(second.clock().slot).toBe(slot);
    expect(accepted(deposit(second, 2n))).toMatchObject({ slot, position: 1 });
    second.close();
  });
});

describe('a ledger file', () => {
  it('of another format is refused with what to do', () => {
    openChain({ file, history: false }).close();
    const db = new Database(file);
    db.exec("UPDATE meta SET value = '999' WHERE name = 'format'");
    db.close();
    expect(() => openChain({ file })).toThrow(/has format 999, this version reads 1\. Delete the file/);
  });

  it('that is no database is refused', async () => {
    await writeFile(file, 'something else entirely, and long enough to be looked at as a header');
    expect(() => openChain({ file })).toThrow(/is not a database of the ledger\. Delete the file/);
  });

  it('is refused while another ledger has it', () => {
    const first = openChain({ file, history: false });
    expect(() => openChain({ file })).toThrow(/is in use by another process/);
    first.close();
    openChain({ file }).close();
  });
});

/**
 * A process that sends deposits as fast as it can, and tells each one after it was accepted. Each round has amounts of its own:
 * it may start in the slot in which the last one died, where the same deposit again would be the same transaction.
 */
async function startWriter(round: number): Promise<ChildProcess> {
  const script = join(folder, `writer-${round}.mjs`);
  const from = (name: string) => JSON.stringify(resolve('indexer/ledger', name));
  await writeFile(
    script,
    `import { openChain } from ${from('open-chain.ts')};
import { depositWire } from ${from('transactions.ts')};
import { ledgerKeypair } from ${from('wallets.ts')};
const chain = openChain({ file: ${JSON.stringify(file)}, history: false });
const wallet = ledgerKeypair('holder-1');
for (let amount = ${round * 1_000 + 1}n; ; amount += 1n) {
  const outcome = chain.send(depositWire(wallet, { amount }, chain.latestBlockhash().blockhash), { skipPreflight: false });
  process.send(outcome.kind === 'accepted' ? outcome.transaction.signature : '');
  if (amount % 5n === 0n) await new Promise((resolve) => setImmediate(resolve));
}`,
  );
  return fork(script, { stdio: 'ignore' });
}

describe('a ledger whose process is killed while it writes', () => {
  it('has every transaction that was accepted, and accounts that agree with its transactions', async () => {
    const told: string[] = [];
    for (const [round, killAfter] of [3, 40, 77].entries()) {
      const child = await startWriter(round);
      let count = 0;
      child.on('message', (signature) => {
        told.push(String(signature));
        count += 1;
        if (count === killAfter) child.kill('SIGKILL');
      });
      await once(child, 'exit');
    }
    const chain = openChain({ file, history: false });
    const rows = chain.signaturesAscending(LEDGER.vault, null, 10_000);
    const stored = new Set(rows.map((row) => row.signature));
    expect(told).not.toContain('');
    expect(told.length).toBeGreaterThanOrEqual(120);
    expect(told.filter((signature) => !stored.has(signature))).toEqual([]);

    const newest = chain.transaction(rows.at(-1)?.signature ?? '');
    const vault = newest?.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(vault?.amount);
    expect(accepted(deposit(chain, 10n ** 9n)).err).toBeNull();
    chain.close();
  });

  it('makes its genesis anew where that was cut short', async () => {
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
    // The writer blocks its thread while it makes the past: the kill falls into the middle of it.
    child.kill('SIGKILL');
    await once(child, 'exit');
    const chain = openChain({ file, now: () => TEST_START });
    expect(tokenAmount(chain, LEDGER.vault)).toBe(99_998_436_010_000n);
    chain.close();
  });
});
