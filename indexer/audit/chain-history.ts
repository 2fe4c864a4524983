import { type ConfirmedSignatureInfo, type Connection, PublicKey } from '@solana/web3.js';
import { AuditUnreachableError } from './audit-error.ts';
import { type AuditedAlarm, alarmsOf } from './chain-alarms.ts';
import { type AuditedEvent, eventsOf, type Watched } from './chain-events.ts';

/** What an account's whole history holds, newest first. */
export interface AuditedHistory {
  readonly events: readonly AuditedEvent[];
  readonly alarms: readonly AuditedAlarm[];
}

/** The whole history of an account, from the chain alone. */
export interface ChainHistory {
  /** Reads what is newer than what was read. @returns all there is */
  update(): Promise<AuditedHistory>;
}

/** What a node lists at most in one answer. */
const PAGE = 1_000;
/** Transactions asked for in one request. */
const BATCH = 50;
const TRIES = 5;
const PAUSE_MS = 500;

export function openChainHistory(connection: Connection, watched: Watched): ChainHistory {
  const address = new PublicKey(watched.address);
  let events: readonly AuditedEvent[] = [];
  let alarms: readonly AuditedAlarm[] = [];
  let newest: string | undefined;

  const listNewer = async (): Promise<readonly ConfirmedSignatureInfo[]> => {
    const rows: ConfirmedSignatureInfo[] = [];
    for (;;) {
      const before = rows.at(-1)?.signature;
      const bounds = { limit: PAGE, ...(before && { before }), ...(newest && { until: newest }) };
      const page = await connection.getSignaturesForAddress(address, bounds, 'confirmed');
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  };

  return {
    async update() {
      const rows = await listNewer();
      const wanted = rows.filter(({ err }) => err === null).map(({ signature }) => signature);
      const found: AuditedEvent[] = [];
      const raised: AuditedAlarm[] = [];
      for (let at = 0; at < wanted.length; at += BATCH) {
        for (const response of await transactions(connection, wanted.slice(at, at + BATCH))) {
          found.push(...eventsOf(response, watched).toReversed());
          raised.push(...alarmsOf(response, watched));
        }
      }
      events = [...found, ...events];
      alarms = [...raised, ...alarms];
      newest = rows[0]?.signature ?? newest;
      return { events: [...events], alarms: [...alarms] };
    },
  };
}

async function transactions(connection: Connection, signatures: string[]) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const found = await connection.getTransactions(signatures, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    });
    const known = found.filter((response) => response !== null);
    if (known.length === signatures.length) return known;
    // A node lists a transaction a moment before it can tell it.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new AuditUnreachableError(
    'The endpoint lists transactions that it cannot tell. Name another with --rpc.',
  );
}
