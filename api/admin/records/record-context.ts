import type { Logger } from '../../../data/runtime/log.ts';
import type { DeliveryChannel } from '../../../data/store/delivery-port.ts';
import type { AppStore } from '../../../data/store/ports.ts';
import type { MasterKey } from '../../documents/master-key.ts';
import type { Readiness } from '../../operations/readiness.ts';
import type { ProvenWallets } from '../../wallet/proven-wallets.ts';
import type { AdmitAdmin, SignedInAdmin } from '../admit-admin.ts';

/** The dependencies of the calls about records. */
export interface RecordContext {
  readonly store: Pick<AppStore, 'records' | 'submissions' | 'recordAudit'>;
  readonly admit: AdmitAdmin;
  /** Now, in Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: () => number | null;
  /** What is wrong with the index. */
  readonly readiness: () => Readiness;
  /** Paused delivery channels, and why. */
  readonly deliveryPauses: () => ReadonlyMap<DeliveryChannel, string>;
  /** Receives every whitelisted wallet. */
  readonly proven: Pick<ProvenWallets, 'add'>;
  /** Decrypts documents. */
  readonly masterKey: MasterKey;
}

/** The actor of a change, for the store. */
export const actorOf = ({ id, address }: SignedInAdmin, at: number) => ({ adminId: id, address, at });
