/**
 * What can be subscribed to: signature, account, program, logs and slot. A subscription listens to the ledger and announces
 * through `notify` until its return value is called.
 */
import type { LedgerAccount, LedgerChain, LedgerTransaction } from '../chain.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import { parseTransaction } from '../wire.ts';
import { readAccountFilters } from './account-filters.ts';
import { isReached, slotAt, withContext } from './commitment.ts';
import {
  type AccountFormat,
  encodeAccount,
  MOST_BASE58_BYTES,
  mintDecimals,
  readAccountFormat,
} from './encode/account.ts';
import {
  checkCount,
  readAddress,
  readArray,
  readCommitment,
  readConfig,
  readFlag,
  readObject,
  readSignature,
} from './params.ts';
import { invalidParams } from './rpc-error.ts';

export interface Subscription {
  /** Begins to listen; called once the subscriber knows its id. Returns how to stop. */
  readonly start: (announce: Announce) => () => void;
}

export interface Announce {
  /** Takes how to make the result, not the result: a fault in making it must not reach the ledger, which is committing. */
  readonly notify: (makeResult: () => unknown) => void;
  /** As `notify`, and the subscription is over. */
  readonly finish: (makeResult: () => unknown) => void;
}

/** Reads the parameters, and throws -32602 where they are wrong; nothing is listened to yet. */
export type SubscriptionMethod = (chain: LedgerChain, params: readonly unknown[]) => Subscription;

/** What an address holds when its account is gone. */
const NO_ACCOUNT: LedgerAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: new Uint8Array(0),
};

/** A state that is too long for base58 is announced in base64, which it says; there is no one to refuse it to. */
function encodeState(chain: LedgerChain, account: LedgerAccount, format: AccountFormat): object {
  const isTooLong = account.data.length > MOST_BASE58_BYTES && ['binary', 'base58'].includes(format.encoding);
  return encodeAccount(account, isTooLong ? { ...format, encoding: 'base64' } : format, mintDecimals(chain));
}

/** One announcement, once the transaction has reached the commitment; at once where it already has. */
const signatureSubscribe: SubscriptionMethod = (chain, params) => {
  checkCount(params, 2);
  const signature = readSignature(params[0], 'params[0]');
  const config = readConfig(params, 1);
  const commitment = readCommitment(config, 'params[1]');
  const announcesReceipt = readFlag(
    config.enableReceivedNotification,
    'params[1].enableReceivedNotification',
    false,
  );
  return {
    start({ notify, finish }) {
      let found: LedgerTransaction | null = null;
      const look = (): void => {
        if (found === null || !isReached(found.slot, chain.clock(), commitment)) return;
        const { err } = found;
        finish(() => withContext(chain, { err }));
      };
      const receive = (transaction: LedgerTransaction): void => {
        if (announcesReceipt) notify(() => withContext(chain, 'receivedSignature'));
        found = transaction;
        look();
      };
      const stopTransactions = chain.on('transaction', (transaction) => {
        if (transaction.signature === signature) receive(transaction);
      });
      const stopSlots = chain.on('slot', look);
      const known = chain.transaction(signature);
      if (known !== null) receive(known);
      return () => {
        stopTransactions();
        stopSlots();
      };
    },
  };
};

/** Every new state of an account, at once whatever the commitment. */
const accountSubscribe: SubscriptionMethod = (chain, params) => {
  checkCount(params, 2);
  const subscribed = readAddress(params[0], 'params[0]');
  const config = readConfig(params, 1);
  readCommitment(config, 'params[1]');
  const format = readAccountFormat(config, 'params[1]');
  return {
    start: ({ notify }) =>
      chain.on('accountChange', (address, account) => {
        if (address !== subscribed) return;
        notify(() => withContext(chain, encodeState(chain, account ?? NO_ACCOUNT, format)));
      }),
  };
};

/** Every new state of the accounts that a program owns; an account that is closed is not announced. */
const programSubscribe: SubscriptionMethod = (chain, params) => {
  checkCount(params, 2);
  const program = readAddress(params[0], 'params[0]');
  const config = readConfig(params, 1);
  readCommitment(config, 'params[1]');
  const format = readAccountFormat(config, 'params[1]');
  const accepts = readAccountFilters(config.filters, 'params[1].filters');
  return {
    start: ({ notify }) =>
      chain.on('accountChange', (pubkey, account) => {
        if (account === null || account.owner !== program || !accepts(account.data)) return;
        notify(() => withContext(chain, { account: encodeState(chain, account, format), pubkey }));
      }),
  };
};

/** Who is meant by the filter of logsSubscribe: one address, or null for every transaction. */
function readMentioned(value: unknown): string | null {
  if (value === 'all' || value === 'allWithVotes') return null;
  const filter = readObject(value, 'params[0]');
  const [mentioned] = readArray(filter.mentions, 'params[0].mentions', 1);
  if (mentioned === undefined) throw invalidParams('params[0].mentions must name one address');
  return readAddress(mentioned, 'params[0].mentions[0]');
}

function mentions({ wire, loadedAddresses }: LedgerTransaction, address: string): boolean {
  const parsed = parseTransaction(wire);
  return (
    (parsed.kind === 'parsed' && parsed.value.message.staticKeys.includes(address)) ||
    loadedAddresses.writable.includes(address) ||
    loadedAddresses.readonly.includes(address)
  );
}

/** The logs of every transaction, or of those that name an address. */
const logsSubscribe: SubscriptionMethod = (chain, params) => {
  checkCount(params, 2);
  const mentioned = readMentioned(params[0]);
  readCommitment(readConfig(params, 1), 'params[1]');
  return {
    start: ({ notify }) =>
      chain.on('transaction', (transaction) => {
        if (mentioned !== null && !mentions(transaction, mentioned)) return;
        const { signature, err, logs } = transaction;
        notify(() => withContext(chain, { err, logs, signature }));
      }),
  };
};

const slotSubscribe: SubscriptionMethod = (chain, params) => {
  checkCount(params, 0);
  return {
    start: ({ notify }) =>
      chain.on('slot', (clock) =>
        notify(() => ({
          parent: Math.max(0, clock.slot - 1),
          root: slotAt(clock, 'finalized'),
          slot: clock.slot,
        })),
      ),
  };
};

/** By topic: `<topic>Subscribe`, `<topic>Unsubscribe` and `<topic>Notification` are made of it. */
export const SUBSCRIPTION_METHODS: ReadonlyMap<string, SubscriptionMethod> = new Map([
  ['account', accountSubscribe],
  ['logs', logsSubscribe],
  ['program', programSubscribe],
  ['signature', signatureSubscribe],
  ['slot', slotSubscribe],
]);
