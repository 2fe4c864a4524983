import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { askAs, signInAs } from '../../api/admin/testing/team.ts';
import { type Answer, ask } from '../../api/testing/portal-client.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { ListId } from '../../data/model/admin-lists.ts';
import { OWNER, type RunningPortal } from './programs.ts';

/** The data of the last release, which `npm run release:data` records. */
export const RELEASE_DATA = fileURLToPath(new URL('release-data.tar.gz', import.meta.url));

/** Each list of submissions, with the name of the response field that contains its rows. */
const LISTS: readonly (readonly [ListId, rows: string])[] = [
  ['applications', 'applications'],
  ['contacts', 'contacts'],
  ['loan-applications', 'loanApplications'],
];

/** @throws {Error} unless the status is 200 */
export function bodyOf({ status, body }: Answer) {
  if (status !== 200) throw new Error(`${status} ${body}`);
  return JSON.parse(body);
}

export async function signIn(portal: RunningPortal): Promise<string> {
  return bodyOf(await signInAs(portal, OWNER)).sessionId;
}

/**
 * What a portal shows, in a form that all versions share: amounts, records, documents and deliveries. The data stays the
 * same until the ledger has new transactions.
 */
export async function readVisibleData(portal: RunningPortal, token: string) {
  const read = async (path: string) => bodyOf(await ask(portal.port, path));
  const readAsOwner = async (path: string) => bodyOf(await askAs(portal, token, path));
  const staking = await read(PATHS.stakingTotal);
  const vault = await read(PATHS.vaultMetrics);
  const stakers: Readonly<Record<string, string>>[] = await read(PATHS.enhancedStakers);
  const movements: Readonly<Record<string, string>>[] = await read(PATHS.transactions);
  const records: string[][] = [];
  const documents: string[][] = [];
  for (const [list, rowsField] of LISTS) {
    for (const { referenceNumber, name, status = '' } of (await readAsOwner(PATHS.adminList(list)))[
      rowsField
    ]) {
      records.push([list, referenceNumber, name, status]);
      const { record } = await readAsOwner(`${PATHS.adminRecord}?reference=${referenceNumber}`);
      for (const { id, kind } of record.documents ?? []) {
        const { status: documentStatus, body } = await askAs(portal, token, `${PATHS.loanDocument}?id=${id}`);
        documents.push([
          referenceNumber,
          kind,
          `${documentStatus} ${createHash('sha256').update(body).digest('hex')}`,
        ]);
      }
    }
  }
  const { successfulDeliveries, waitingDeliveries } = await readAsOwner(PATHS.adminStats);
  return {
    figures: {
      staked: staking.balance,
      stakers: staking.stakerCount,
      vault: vault.vaultBalance,
      stakes: stakers.map(({ walletAddress, stakedAmount }) => [walletAddress, stakedAmount]),
      movements: movements.map(({ signature, type, amount }) => [signature, type, amount]),
    },
    records,
    documents,
    deliveries: { sent: successfulDeliveries, waiting: waitingDeliveries },
  };
}

/** The file `recorded.json` in the archive. */
export interface RecordedData {
  readonly version: string;
  readonly shown: Awaited<ReturnType<typeof readVisibleData>>;
  /** The hash of the newest record of the audit trail, read after the portal had stopped. */
  readonly trailHead: string;
}
