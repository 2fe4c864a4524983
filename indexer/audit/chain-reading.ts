import { Connection } from '@solana/web3.js';
import { AuditUnreachableError } from './audit-error.ts';
import { type AuditedAccounts, type AuditedAddresses, readAccounts } from './chain-accounts.ts';
import type { AuditedEvent } from './chain-events.ts';
import { type ChainHistory, openChainHistory } from './chain-history.ts';
import { type AuditedHolders, readHolders } from './chain-holders.ts';

/** The chain at one moment: accounts at one slot, and the whole history of both watched accounts, newest first. */
export interface ChainReading {
  readonly accounts: AuditedAccounts;
  /** Null where the endpoint does not list token accounts. */
  readonly holders: AuditedHolders | null;
  readonly vaultEvents: readonly AuditedEvent[];
  readonly poolEvents: readonly AuditedEvent[];
  /** The newest slot, read after all else. */
  readonly slot: number;
}

export interface AuditedChain {
  /** @throws {AuditUnreachableError} where the chain cannot be read */
  read(): Promise<ChainReading>;
}

const TIMEOUT_MS = 30_000;

export function openAuditedChain(rpc: string, addresses: AuditedAddresses): AuditedChain {
  const connection = new Connection(rpc, {
    commitment: 'confirmed',
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  });
  let histories: { readonly vault: ChainHistory; readonly pool: ChainHistory } | null = null;

  const read = async (): Promise<ChainReading> => {
    const accounts = await readAccounts(connection, addresses);
    const holders = await readHolders(connection, addresses, accounts);
    const { mint, vault } = addresses;
    histories ??= {
      vault: openChainHistory(connection, { address: vault, account: 'vault', mint }),
      pool: openChainHistory(connection, { address: accounts.poolVault, account: 'stake-pool', mint }),
    };
    const vaultEvents = await histories.vault.update();
    const poolEvents = await histories.pool.update();
    return { accounts, holders, vaultEvents, poolEvents, slot: await connection.getSlot('confirmed') };
  };

  return {
    async read() {
      try {
        return await read();
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
