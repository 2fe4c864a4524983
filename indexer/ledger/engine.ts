import bs58 from 'bs58';
import { AccountIndex } from './account-index.ts';
import { decodeKey } from './base58-cache.ts';
import {
  BLOCKHASH_VALID_SLOTS,
  type LedgerAccount,
  type LedgerChain,
  type LedgerClock,
  type LedgerTransaction,
  type SendOutcome,
  type SimulateOutcome,
  type SimulationResult,
  SLOT_MILLISECONDS,
  type TransactionErrorJson,
} from './chain.ts';
import { type Execution, execute } from './execute.ts';
import { airdropFault, airdropWire } from './faucet.ts';
import { messageFee } from './fees.ts';
import { createLedgerEvents } from './ledger-events.ts';
import type { LedgerStore } from './ledger-store.ts';
import { extractMemo } from './memo.ts';
import { BUILT_IN_OWNERS, LOOKUP_TABLE_PROGRAM } from './programs.ts';
import { type ResolvedTransaction, resolveTransaction } from './resolved-transaction.ts';
import { signaturesVerify } from './signature-check.ts';
import type { SlotClock } from './slot-clock.ts';
import type { Svm } from './svm.ts';
import { parseMessage, parseTransaction, type WireTransaction } from './wire.ts';

/** Slots the slot-hashes sysvar reaches back. */
const SLOT_HASHES = 512;

export interface Engine extends LedgerChain {
  /** Sets an account outside of any transaction: for the genesis alone. */
  writeAccount(address: string, account: LedgerAccount): void;
}

/** The ledger over a runtime, a store and a clock. Takes the store's accounts into the runtime first. */
export function createEngine(parts: {
  readonly svm: Svm;
  readonly store: LedgerStore;
  readonly clock: SlotClock;
  readonly genesisHash: string;
}): Engine {
  const { svm, store, clock } = parts;
  const index = loadAccounts(svm, store);
  let last = store.newest();
  let airdrops = 0;

  let slotTimer: NodeJS.Timeout | undefined;
  const events = createLedgerEvents((slotListeners) => {
    if (slotListeners === 0) {
      clearInterval(slotTimer);
      slotTimer = undefined;
    } else if (slotTimer === undefined) {
      let announced = clock.current().slot;
      // Half a slot: the timer drifts, and a slot should be told soon after it began.
      slotTimer = setInterval(() => {
        const now = clock.current();
        if (now.slot > announced) events.emit('slot', now);
        announced = now.slot;
      }, SLOT_MILLISECONDS / 2);
      slotTimer.unref();
    }
  });

  const read = (address: string): LedgerAccount | null =>
    decodeKey(address) === null ? null : (index.get(address) ?? svm.read(address));

  function* readAll(addresses: Iterable<string>): Iterable<readonly [string, LedgerAccount]> {
    for (const address of addresses) {
      const account = read(address);
      if (account !== null) yield [address, account];
    }
  }

  const run = (transaction: ResolvedTransaction, now: LedgerClock): Execution => {
    if (transaction.keys.includes(LOOKUP_TABLE_PROGRAM) || transaction.wire.message.lookups.length > 0) {
      // Newest first, as the sysvar has them. Only lookup tables read them, so they are set for those alone.
      const count = Math.min(SLOT_HASHES, now.slot + 1);
      svm.setSlotHashes(
        Array.from({ length: count }, (_, back) => ({
          slot: BigInt(now.slot - back),
          hash: clock.blockhash(now.slot - back),
        })),
      );
    }
    return execute(svm, transaction, now);
  };

  const record = (
    signature: string,
    transaction: ResolvedTransaction,
    execution: Execution,
    now: LedgerClock,
  ): LedgerTransaction => {
    const position = last !== null && last.slot === now.slot ? last.position + 1 : 0;
    return {
      signature,
      slot: now.slot,
      position,
      blockTime: now.unixTime,
      wire: transaction.wire.bytes,
      err: execution.err,
      logs: execution.logs,
      fee: execution.fee,
      computeUnits: execution.computeUnits,
      preBalances: execution.preBalances,
      postBalances: execution.postBalances,
      preTokenBalances: execution.preTokenBalances,
      postTokenBalances: execution.postTokenBalances,
      innerInstructions: execution.innerInstructions,
      loadedAddresses: transaction.loaded,
    };
  };

  const accept = (
    signature: string,
    transaction: ResolvedTransaction,
    execution: Execution,
    now: LedgerClock,
  ): LedgerTransaction => {
    const recorded = record(signature, transaction, execution, now);
    try {
      store.commit(recorded, extractMemo(transaction.wire.message), transaction.keys, execution.changes);
    } catch (error) {
      // What is not on disk must not be in memory either.
      execution.undo();
      throw error;
    }
    last = { slot: recorded.slot, position: recorded.position };
    for (const { address, before, after } of execution.changes) index.apply(address, before, after);
    events.emit('transaction', recorded);
    if (events.has('accountChange')) {
      for (const { address, after } of execution.changes)
        events.emit('accountChange', address, after, now.slot);
    }
    return recorded;
  };

  /** Why a well-formed transaction cannot run now, whatever it would do. */
  const refusal = (wire: WireTransaction, signature: string): TransactionErrorJson | null => {
    if (store.has(signature)) return 'AlreadyProcessed';
    return clock.isBlockhashValid(wire.message.blockhash) ? null : 'BlockhashNotFound';
  };

  const send = (bytes: Uint8Array, options: { readonly skipPreflight: boolean }): SendOutcome => {
    const parsed = parseTransaction(bytes);
    if (parsed.kind === 'malformed') return parsed;
    const wire = parsed.value;
    if (!signaturesVerify(wire)) return rejected('SignatureFailure');
    const signature = signatureText(wire);
    const refused = refusal(wire, signature);
    if (refused !== null) return rejected(refused);
    const now = clock.current();
    const resolution = resolveTransaction(wire, now.slot, svm.read);
    if (resolution.kind === 'refused') return rejected(resolution.err);
    const execution = run(resolution.transaction, now);
    const { err, logs, computeUnits } = execution;
    if (err !== null && (!options.skipPreflight || !execution.isIncluded)) {
      execution.undo();
      return { kind: 'rejected', err, logs, computeUnits };
    }
    return { kind: 'accepted', transaction: accept(signature, resolution.transaction, execution, now) };
  };

  const simulate: LedgerChain['simulate'] = (bytes, options): SimulateOutcome => {
    const parsed = parseTransaction(bytes);
    if (parsed.kind === 'malformed') return parsed;
    const wire = parsed.value;
    const failed = (err: TransactionErrorJson): SimulateOutcome => ({
      kind: 'simulated',
      result: { err, logs: [], computeUnits: 0n, returnData: null, accounts: options.accounts.map(read) },
    });
    if (options.verifySignatures && !signaturesVerify(wire)) return failed('SignatureFailure');
    const refused = options.replaceBlockhash ? null : refusal(wire, signatureText(wire));
    if (refused !== null) return failed(refused);
    const now = clock.current();
    const resolution = resolveTransaction(wire, now.slot, svm.read);
    if (resolution.kind === 'refused') return failed(resolution.err);
    const execution = run(resolution.transaction, now);
    // Of the runtime itself, which alone has what the run did.
    const accounts = options.accounts.map((address) =>
      decodeKey(address) === null ? null : snapshot(svm.read(address)),
    );
    execution.undo();
    const { err, logs, computeUnits, returnData } = execution;
    const result: SimulationResult = { err, logs, computeUnits, returnData, accounts };
    return { kind: 'simulated', result };
  };

  return {
    genesisHash: parts.genesisHash,
    clock: () => clock.current(),
    blockTime: (slot) => clock.blockTime(slot),
    latestBlockhash() {
      const { slot, blockHeight } = clock.current();
      return {
        blockhash: clock.blockhash(slot),
        lastValidBlockHeight: blockHeight + BLOCKHASH_VALID_SLOTS,
      };
    },
    isBlockhashValid: (blockhash) => clock.isBlockhashValid(blockhash),
    account: read,
    programAccounts: (program) => readAll([...index.ownedBy(program)]),
    tokenAccounts: (by) => readAll([...index.tokenAccounts(by)]),
    transaction: (signature) => store.transaction(signature),
    signaturesFor(address, query) {
      const before = query.before === undefined ? Number.MAX_SAFE_INTEGER : store.idOf(query.before);
      if (before === null) return { kind: 'unknown-cursor', signature: query.before ?? '' };
      const until = query.until === undefined ? 0 : store.idOf(query.until);
      if (until === null) return { kind: 'unknown-cursor', signature: query.until ?? '' };
      return { kind: 'found', rows: store.newestFirst(address, before, until, query.limit) };
    },
    signaturesAscending: (address, after, limit) =>
      store.oldestFirst(address, after?.slot ?? -1, after?.position ?? 0, limit),
    send,
    simulate,
    feeForMessage(message) {
      const parsed = parseMessage(message);
      if (parsed.kind === 'malformed' || !clock.isBlockhashValid(parsed.value.blockhash)) return null;
      return messageFee(parsed.value);
    },
    rentExemption: (dataLength) => svm.rentExemption(dataLength),
    airdrop(address, lamports) {
      if (decodeKey(address) === null) throw new RangeError(`"${address}" is not an address`);
      airdrops += 1;
      const blockhash = clock.blockhash(clock.current().slot);
      const outcome = send(airdropWire(address, lamports, blockhash, airdrops), { skipPreflight: false });
      if (outcome.kind === 'accepted') return outcome.transaction.signature;
      const err = outcome.kind === 'malformed' ? outcome.reason : outcome.err;
      throw airdropFault({ address, lamports }, err, svm.rentExemption(0));
    },
    on: (event, listener) => events.on(event, listener),
    writeAccount(address, account) {
      index.apply(address, svm.read(address), account);
      svm.write(address, account);
      store.writeAccounts([{ address, after: account }]);
    },
    close() {
      clearInterval(slotTimer);
      store.close();
    },
  };
}

function loadAccounts(svm: Svm, store: LedgerStore): AccountIndex {
  const index = new AccountIndex();
  for (const owner of BUILT_IN_OWNERS) {
    for (const [address, account] of svm.readOwned(owner)) index.apply(address, null, account);
  }
  for (const [address, account] of store.readAccounts()) {
    svm.write(address, account);
    index.apply(address, null, account);
  }
  return index;
}

function signatureText(wire: WireTransaction): string {
  return bs58.encode(wire.signatures[0] ?? new Uint8Array(64));
}

function rejected(err: TransactionErrorJson): SendOutcome {
  return { kind: 'rejected', err, logs: [], computeUnits: 0n };
}

/** Reads an account's fields now: the runtime's copy is gone once the run is undone. */
function snapshot(account: LedgerAccount | null): LedgerAccount | null {
  if (account === null) return null;
  const { lamports, owner, executable, data } = account;
  return { lamports, owner, executable, data };
}
