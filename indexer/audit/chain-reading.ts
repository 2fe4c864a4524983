import { Connection } from '@solana/web3.js';
import { AuditUnreachableError } from './audit-error.ts';
import { type AuditedAccounts, type AuditedAddresses, readAccounts } from './chain-accounts.ts';
import type { AuditedAlarm } from './chain-alarms.ts';
import type { AuditedEvent } from './chain-events.ts';
import { type ChainHistory, openChainHistory } from './chain-history.ts';
import { type AuditedHolders, readHeld, readHolders } from './chain-holders.ts';

/** The chain at one moment: accounts at one slot, and the whole history of both watched accounts, newest first. */
export interface ChainReading {
  readonly addresses: AuditedAddresses;
  readonly accounts: AuditedAccounts;
  /** Null where the endpoint does not list token accounts. */
  readonly holders: AuditedHolders | null;
  /** Base units that wallets hold, of those that were asked for. */
  readonly held: ReadonlyMap<string, bigint>;
  readonly vaultEvents: readonly AuditedEvent[];
  readonly poolEvents: readonly AuditedEvent[];
  /** Of both accounts, those of each newest first. */
  readonly alarms: readonly AuditedAlarm[];
  /** The newest slot, read after all else. */
  readonly slot: number;
}

export interface AuditedChain {
  /**
   * Reads the chain, and what some wallets hold.
   * @throws {AuditUnreachableError} where the chain cannot be read
   */
  read(wallets: readonly string[]): Promise<ChainReading>;
}

const TIMEOUT_MS = 30_000;

export function openAuditedChain(rpc: string, addresses: AuditedAddresses): AuditedChain {
  const connection = new Connection(rpc, {
    commitment: 'confirmed',
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  });
  let histories: { readonly vault: ChainHistory; readonly pool: ChainHistory } | null = null;

  const read = async (wallets: readonly string[]): Promise<ChainReading> => {
    const { mint, vault } = addresses;
    const accounts = await readAccounts(connection, addresses);
    const held = await readHeld(connection, mint, wallets);
    const holders = await readHolders(connection, addresses, accounts);
    histories ??= {
      vault: openChainHistory(connection, { address: vault, account: 'vault', mint }),
      pool: openChainHistory(connection, { address: accounts.poolVault, account: 'stake-pool', mint }),
    };
    const ofVault = await histories.vault.update();
    const ofPool = await histories.pool.update();
    return {
      addresses,
      accounts,
      holders,
      held,
      vaultEvents: ofVault.events,
      poolEvents: ofPool.events,
      alarms: [...ofVault.alarms, ...ofPool.alarms],
      slot: await connection.getSlot('confirmed'),
    };
  };

  return {
    async read(wallets) {
      try {
        return await read(wallets);
      } catch (error) {
        if (error instanceof AuditUnreachableError) throw error;
        const { host } = new URL(rpc);
        throw new AuditUnreachableError(
          `The chain cannot be read at ${host}. Check that it answers as a Solana endpoint, or name another with --rpc.`,
          { cause: error },
        );
      }
    },
  };
}
