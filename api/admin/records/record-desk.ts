import type { Logger } from '../../../data/runtime/log.ts';
import type { DeliveryChannel } from '../../../data/store/delivery-port.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import type { Readiness } from '../../operations/readiness.ts';
import type { AdmitAdmin, SignedInAdmin } from '../signed-in-admin.ts';

/** What the team's calls over records share. */
export interface RecordDesk {
  readonly store: Pick<AppStore, 'records' | 'recordAudit'>;
  readonly admit: AdmitAdmin;
  /** Now, in Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: () => number | null;
  /** What of the index is not as it should be. */
  readonly readiness: () => Readiness;
  /** Channels of delivery that rest, and why. */
  readonly pauses: () => ReadonlyMap<DeliveryChannel, string>;
  /** Says that a wallet is whitelisted now. */
  readonly whitelisted: (walletAddress: string) => void;
  /** Changes, searches and exports, each, of one address a minute; the usual ones where absent. */
  readonly perMinute?: number | undefined;
}

/** Who acts, for the store. */
export const acting = ({ id, address }: SignedInAdmin, at: number) => ({ adminId: id, address, at });
