import { type ConfirmedSignatureInfo, Connection, PublicKey } from '@solana/web3.js';
import {
  type ChainAccounts,
  type ChainAddresses,
  type ChainHolders,
  readAccounts,
  readHolders,
  readHoldings,
  UnreadableError,
} from './chain-accounts.ts';
import {
  type ChainAlarm,
  type ChainEvent,
  decodeAlarms,
  decodeEvents,
  type WatchedTokenAccount,
} from './chain-events.ts';

/** Newest first. */
interface AccountHistory {
  readonly events: readonly ChainEvent[];
  readonly alarms: readonly ChainAlarm[];
}

type ChainHistory = ReturnType<typeof openChainHistory>;

/** The maximum number of signatures that a node lists in one response. */
const PAGE_SIZE = 1_000;
const BATCH_SIZE = 50;
const ATTEMPTS = 5;
const PAUSE_MS = 500;

function openChainHistory(connection: Connection, watched: WatchedTokenAccount) {
  const address = new PublicKey(watched.address);
  let events: readonly ChainEvent[] = [];
  let alarms: readonly ChainAlarm[] = [];
  let newest: string | undefined;

  const listNewer = async (): Promise<readonly ConfirmedSignatureInfo[]> => {
    const rows: ConfirmedSignatureInfo[] = [];
    for (;;) {
      const before = rows.at(-1)?.signature;
      const bounds = { limit: PAGE_SIZE, ...(before && { before }), ...(newest && { until: newest }) };
      const page = await connection.getSignaturesForAddress(address, bounds, 'confirmed');
      // A page can be shorter than requested even if older transactions follow.
      if (page.length === 0) return rows;
      rows.push(...page);
    }
  };

  return {
    /** Reads the transactions since the last update. @returns the whole history */
    async update(): Promise<AccountHistory> {
      const rows = await listNewer();
      const wanted = rows.filter(({ err }) => err === null).map(({ signature }) => signature);
      const newEvents: ChainEvent[] = [];
      const newAlarms: ChainAlarm[] = [];
      for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
        for (const response of await readTransactions(connection, wanted.slice(at, at + BATCH_SIZE))) {
          newEvents.push(...decodeEvents(response, watched).toReversed());
          newAlarms.push(...decodeAlarms(response, watched));
        }
      }
      events = [...newEvents, ...events];
      alarms = [...newAlarms, ...alarms];
      newest = rows[0]?.signature ?? newest;
      return { events, alarms };
    },
  };
}

async function readTransactions(connection: Connection, signatures: string[]) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const responses = await connection.getTransactions(signatures, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 1,
    });
    const received = responses.filter((response) => response !== null);
    if (received.length === signatures.length) return received;
    // A node may list a transaction a moment before it can return that transaction.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new UnreadableError(
    'The endpoint lists transactions that it does not return. Specify another endpoint with --rpc.',
  );
}

/** The accounts at one slot, and the whole history of both watched accounts, newest first. */
export interface ChainReading {
  readonly addresses: ChainAddresses;
  readonly accounts: ChainAccounts;
  /** Null if the endpoint does not list token accounts. */
  readonly holders: ChainHolders | null;
  /** The number of base units that each requested wallet holds. */
  readonly holdings: ReadonlyMap<string, bigint>;
  readonly vaultEvents: readonly ChainEvent[];
  readonly poolEvents: readonly ChainEvent[];
  /** Newest first for each account. */
  readonly alarms: readonly ChainAlarm[];
  /** The chain's current slot, read after everything else. */
  readonly slot: number;
}

export interface ChainReader {
  /** @param wallets the wallets for which to read `holdings` @throws {UnreadableError} */
  read(wallets: readonly string[]): Promise<ChainReading>;
}

const TIMEOUT_MS = 30_000;

export function openChainReader(rpc: string, addresses: ChainAddresses): ChainReader {
  const connection = new Connection(rpc, {
    commitment: 'confirmed',
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  });
  let histories: { readonly vault: ChainHistory; readonly pool: ChainHistory } | null = null;

  const read = async (wallets: readonly string[]): Promise<ChainReading> => {
    const { mint, vault } = addresses;
    const accounts = await readAccounts(connection, addresses);
    const holdings = await readHoldings(connection, mint, wallets);
    const holders = await readHolders(connection, addresses, accounts);
    histories ??= {
      vault: openChainHistory(connection, { address: vault, account: 'vault', mint }),
      pool: openChainHistory(connection, { address: accounts.poolVault, account: 'stake-pool', mint }),
    };
    const vaultHistory = await histories.vault.update();
    const poolHistory = await histories.pool.update();
    return {
      addresses,
      accounts,
      holders,
      holdings,
      vaultEvents: vaultHistory.events,
      poolEvents: poolHistory.events,
      alarms: [...vaultHistory.alarms, ...poolHistory.alarms],
      slot: await connection.getSlot('confirmed'),
    };
  };

  return {
    async read(wallets) {
      try {
        return await read(wallets);
      } catch (error) {
        if (error instanceof UnreadableError) throw error;
        const { host } = new URL(rpc);
        throw new UnreadableError(
          `The chain cannot be read at ${host}. Check that this host is a Solana endpoint, or specify another one with --rpc.`,
          { cause: error },
        );
      }
    },
  };
}
