import bs58 from 'bs58';
import { AccountIndex, copyAccount } from './account-index.ts';
import { decodeKey } from './base58-cache.ts';
import {
  AirdropRefusedError,
  BLOCKHASH_VALID_SLOTS,
  type LedgerAccount,
  type LedgerChain,
  type LedgerClock,
  type LedgerEvents,
  type LedgerTransaction,
  type SendOutcome,
  type SimulateOutcome,
  SLOT_MILLISECONDS,
  type TransactionErrorJson,
} from './chain.ts';
import { type Execution, execute } from './execute.ts';
import type { LedgerStore } from './ledger-store.ts';
import { durableNonceAddress, extractMemo, hasValidSignatures, messageFee } from './message-checks.ts';
import { BUILT_IN_OWNERS, LOOKUP_TABLE_PROGRAM } from './programs.ts';
import { type ResolvedTransaction, resolveTransaction } from './resolved-transaction.ts';
import type { SlotClock } from './slot-clock.ts';
import type { Svm } from './svm.ts';
import { airdropTransactionBytes } from './transactions.ts';
import { parseMessage, parseTransaction, type WireMessage } from './wire.ts';

const SLOT_HASH_COUNT = 512;

export interface Engine extends LedgerChain {
  /** Writes an account without a transaction. Only the genesis may do that. */
  writeAccount(address: string, account: LedgerAccount): void;
}

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';

export function createEngine(dependencies: {
  readonly svm: Svm;
  readonly store: LedgerStore;
  readonly clock: SlotClock;
  readonly genesisHash: string;
}): Engine {
  const { svm, store, clock } = dependencies;
  const index = loadAccounts(svm, store);
  const events = createLedgerEvents(clock);
  let newestTransaction = store.newest();
  let airdropCount = 0;

  const read = (address: string): LedgerAccount | null => {
    // The runtime's clock is set only when a transaction runs, so it may be out of date.
    if (address === CLOCK_SYSVAR) {
      svm.setClock(clock.current());
      return svm.read(address);
    }
    return decodeKey(address) === null ? null : (index.get(address) ?? svm.read(address));
  };

  function* readAll(addresses: Iterable<string>): Iterable<readonly [string, LedgerAccount]> {
    for (const address of addresses) {
      const account = read(address);
      if (account !== null) yield [address, account];
    }
  }

  const run = (transaction: ResolvedTransaction, now: LedgerClock): Execution => {
    const { message } = transaction.wire;
    if (transaction.keys.includes(LOOKUP_TABLE_PROGRAM) || message.lookups.length > 0) {
      // Newest first, as in the sysvar. Only transactions with lookup tables need the hashes.
      const count = Math.min(SLOT_HASH_COUNT, now.slot + 1);
      svm.setSlotHashes(
        Array.from({ length: count }, (_, back) => ({
          slot: BigInt(now.slot - back),
          hash: clock.blockhash(now.slot - back),
        })),
      );
    }
    const nonce = clock.isBlockhashValid(message.blockhash) ? null : durableNonceAddress(message, read);
    return execute(svm, transaction, clock.toProgramClock(now), nonce);
  };

  const accept = (
    signature: string,
    transaction: ResolvedTransaction,
    execution: Execution,
    now: LedgerClock,
  ): LedgerTransaction => {
    const { changes, undo, isIncluded: _, ...outcome } = execution;
    const storedTransaction: LedgerTransaction = {
      ...outcome,
      signature,
      slot: now.slot,
      position: newestTransaction?.slot === now.slot ? newestTransaction.position + 1 : 0,
      blockTime: now.unixTime,
      wire: transaction.wire.bytes,
      loadedAddresses: transaction.loadedAddresses,
    };
    try {
      store.commit(storedTransaction, extractMemo(transaction.wire.message), transaction.keys, changes);
    } catch (error) {
      // A change that is not stored in the file must not stay in the runtime.
      undo();
      throw error;
    }
    newestTransaction = { slot: storedTransaction.slot, position: storedTransaction.position };
    for (const { address, before, after } of changes) index.apply(address, before, after);
    events.emit('transaction', storedTransaction);
    for (const { address, after } of changes) events.emit('accountChange', address, after, now.slot);
    return storedTransaction;
  };

  const isBlockhashUsable = (message: WireMessage): boolean =>
    clock.isBlockhashValid(message.blockhash) || durableNonceAddress(message, read) !== null;

  /** Parses, checks and runs a transaction, without storing it. `refused` means that it failed a check and did not run. */
  const checkAndRun = (
    bytes: Uint8Array,
    checks: { readonly verifySignatures: boolean; readonly checkBlockhash: boolean },
  ) => {
    const parsed = parseTransaction(bytes);
    if (parsed.kind === 'malformed') return parsed;
    const wire = parsed.value;
    const refuse = (err: TransactionErrorJson) => ({ kind: 'refused', err }) as const;
    if (checks.verifySignatures && !hasValidSignatures(wire)) return refuse('SignatureFailure');
    const signature = bs58.encode(wire.signatures[0] ?? new Uint8Array(64));
    if (checks.checkBlockhash && store.has(signature)) return refuse('AlreadyProcessed');
    if (checks.checkBlockhash && !isBlockhashUsable(wire.message)) return refuse('BlockhashNotFound');
    const now = clock.current();
    const resolution = resolveTransaction(wire, now.slot, svm.read);
    if (resolution.kind === 'refused') return resolution;
    const transaction = resolution.value;
    return { kind: 'ran', signature, transaction, now, execution: run(transaction, now) } as const;
  };

  const send = (bytes: Uint8Array, options?: { readonly skipPreflight: boolean }): SendOutcome => {
    const outcome = checkAndRun(bytes, { verifySignatures: true, checkBlockhash: true });
    if (outcome.kind === 'malformed') return outcome;
    if (outcome.kind === 'refused') return { kind: 'rejected', err: outcome.err, logs: [], computeUnits: 0n };
    const { signature, transaction, execution, now } = outcome;
    const { err, logs, computeUnits } = execution;
    if (err !== null && (!options?.skipPreflight || !execution.isIncluded)) {
      execution.undo();
      return { kind: 'rejected', err, logs, computeUnits };
    }
    return { kind: 'accepted', transaction: accept(signature, transaction, execution, now) };
  };

  const simulate: LedgerChain['simulate'] = (bytes, options): SimulateOutcome => {
    const checks = { verifySignatures: options.verifySignatures, checkBlockhash: !options.replaceBlockhash };
    const outcome = checkAndRun(bytes, checks);
    if (outcome.kind === 'malformed') return outcome;
    if (outcome.kind === 'refused') {
      const accounts = options.accounts.map(read);
      const result = { err: outcome.err, logs: [], computeUnits: 0n, accounts };
      return { kind: 'simulated', result };
    }
    // The accounts are read from the runtime, because the index still has their state from before the run. They are copied
    // before `undo` changes them.
    const accounts = options.accounts.map((address) => {
      const account = decodeKey(address) === null ? null : svm.read(address);
      return account === null ? null : copyAccount(account);
    });
    outcome.execution.undo();
    const { err, logs, computeUnits } = outcome.execution;
    return { kind: 'simulated', result: { err, logs, computeUnits, accounts } };
  };

  return {
    genesisHash: dependencies.genesisHash,
    clock: () => clock.current(),
    advance(milliseconds) {
      store.writeClockAdvance(clock.advanceProgramClock(milliseconds));
      return clock.toProgramClock(clock.current());
    },
    transactionCount: () => store.transactionCount(),
    blockTime: (slot) => clock.blockTime(slot),
    latestBlockhash() {
      const { slot, blockHeight } = clock.current();
      return {
        blockhash: clock.blockhash(slot),
        lastValidBlockHeight: blockHeight + BLOCKHASH_VALID_SLOTS,
      };
    },
    account: read,
    programAccounts: (program) => readAll([...index.ownedBy(program)]),
    tokenAccounts: (filter) => readAll([...index.tokenAccounts(filter)]),
    transaction: (signature) => store.transaction(signature),
    signaturesFor(address, query) {
      const beforeId = query.before === undefined ? Number.MAX_SAFE_INTEGER : store.idOf(query.before);
      if (beforeId === null) return { kind: 'unknown-cursor', signature: query.before ?? '' };
      const untilId = query.until === undefined ? 0 : store.idOf(query.until);
      if (untilId === null) return { kind: 'unknown-cursor', signature: query.until ?? '' };
      return { kind: 'found', rows: store.signaturesNewestFirst(address, beforeId, untilId, query.limit) };
    },
    send,
    simulate,
    feeForMessage(bytes) {
      const parsed = parseMessage(bytes);
      if (parsed.kind === 'malformed' || !isBlockhashUsable(parsed.value)) return null;
      return messageFee(parsed.value);
    },
    rentExemption: (dataLength) => svm.rentExemption(dataLength),
    airdrop(address, lamports) {
      if (decodeKey(address) === null) throw new RangeError(`"${address}" is not an address`);
      airdropCount += 1;
      const blockhash = clock.blockhash(clock.current().slot);
      const outcome = send(airdropTransactionBytes(address, lamports, blockhash, airdropCount));
      if (outcome.kind === 'accepted') return outcome.transaction.signature;
      const err = outcome.kind === 'malformed' ? outcome.reason : outcome.err;
      throw airdropError({ address, lamports }, err, svm.rentExemption(0));
    },
    on: events.on,
    writeAccount(address, account) {
      index.apply(address, svm.read(address), account);
      svm.write(address, account);
      store.writeAccounts([{ address, after: account }]);
    },
    close() {
      events.stop();
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

/**
 * Creates the functions that register and call the ledger's listeners. If a listener throws, the error is logged, and the
 * ledger and the other listeners continue.
 */
function createLedgerEvents(clock: SlotClock) {
  const listeners: { readonly [E in keyof LedgerEvents]: Set<LedgerEvents[E]> } = {
    transaction: new Set(),
    accountChange: new Set(),
    slot: new Set(),
  };
  let slotTimer: NodeJS.Timeout | undefined;

  const emit = <E extends keyof LedgerEvents>(event: E, ...args: Parameters<LedgerEvents[E]>): void => {
    for (const listener of [...listeners[event]]) {
      try {
        Reflect.apply(listener, undefined, args);
      } catch (error) {
        console.error(`A listener for the ledger's ${event} events failed:`, error);
      }
    }
  };
  const stop = (): void => {
    clearInterval(slotTimer);
    slotTimer = undefined;
  };
  /**
   * Runs the timer while there are listeners for slots. It fires twice per slot, so that listeners learn of a new slot promptly
   * even if the timer drifts.
   */
  const startOrStopTimer = (): void => {
    if (listeners.slot.size === 0) stop();
    else startTimer();
  };
  const startTimer = (): void => {
    if (slotTimer !== undefined) return;
    let announced = clock.current().slot;
    slotTimer = setInterval(() => {
      const now = clock.current();
      if (now.slot > announced) emit('slot', now);
      announced = now.slot;
    }, SLOT_MILLISECONDS / 2);
    slotTimer.unref();
  };
  const on: LedgerChain['on'] = (event, listener) => {
    const group = listeners[event];
    group.add(listener);
    startOrStopTimer();
    return () => {
      group.delete(listener);
      startOrStopTimer();
    };
  };
  return { on, emit, stop };
}

/** @param rentExemption the minimum balance, in lamports, of an account without data */
function airdropError(
  { address, lamports }: { readonly address: string; readonly lamports: bigint },
  err: TransactionErrorJson,
  rentExemption: bigint,
): Error {
  switch (JSON.stringify(err)) {
    case '{"InstructionError":[1,"ReadonlyLamportChange"]}':
      return new AirdropRefusedError(`${address} is a reserved address and cannot receive lamports`);
    case '{"InsufficientFundsForRent":{"account_index":1}}':
      return new AirdropRefusedError(
        `${lamports} lamports are too few: a new account needs at least ${rentExemption}`,
      );
    case '{"InsufficientFundsForRent":{"account_index":0}}':
    case '{"InstructionError":[1,{"Custom":1}]}':
      return new AirdropRefusedError(`The faucet has fewer than ${lamports} lamports left`);
    default:
      return new Error(
        `The faucet could not send ${lamports} lamports to ${address}: ${JSON.stringify(err)}`,
      );
  }
}
