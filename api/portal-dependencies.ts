import type { Registry } from 'prom-client';
import type { ChainName } from '../data/contract/provenance.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { DeliveryChannel } from '../data/store/delivery-port.ts';
import type { AppStore, IndexReader } from '../data/store/ports.ts';
import type { SessionStore } from '../data/store/session-port.ts';
import type { CardIssuer } from './cards/issuer.ts';
import type { ChainReads } from './chain/chain-reads.ts';
import type { OpenedBook } from './chat/chat-book.ts';
import type { AskModel } from './chat/model-answer.ts';
import type { MasterKey } from './documents/master-key.ts';
import type { ApiRoute } from './known-calls.ts';
import type { StreamLimits } from './live/stream-hub.ts';
import type { SiteFiles } from './pages/site-files.ts';
import type { ErasureOptions } from './retention/erasure-route.ts';
import type { TelegramDesk } from './telegram/telegram-desk.ts';
import type { CheckStake } from './verification/check-stake.ts';
import type { WalletReaders } from './verification/verify-route.ts';
import type { ReadProvenWallet } from './wallet/proven-wallet.ts';

/** What the portal's server works with. */
export interface PortalDependencies {
  readonly reader: IndexReader;
  /** What only the portal knows: sessions, cards, what people sent. */
  readonly store: AppStore;
  readonly site: SiteFiles;
  readonly log: Logger;
  /** Now, in Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that never go back; the process's own where absent. */
  readonly steadyClock?: () => number;
  /** Which chain the index is of. */
  readonly chain: ChainName;
  /** Where the portal is reached from outside; null where it is not configured. */
  readonly publicOrigin: string | null;
  /** The portal's version, for the OpenAPI document. */
  readonly version: string;
  /** What wallets stake and hold, read from the chain itself. */
  readonly walletReaders: WalletReaders;
  /** Which wallet the caller has proved; by the session's cookie where absent. */
  readonly readProvenWallet?: ReadProvenWallet;
  /** Who makes virtual cards. */
  readonly issuer: CardIssuer;
  /** Where cards are loaded; null where funding is not open. */
  readonly fundingAddress: string | null;
  /** What a wallet stakes; read from the chain where absent. */
  readonly checkStake?: CheckStake;
  /** The card tier that the team admitted a wallet to; as the store holds it where absent. */
  readonly whitelistedTier?: SessionStore['whitelistedTier'];
  /** What documents that people send, and secrets of the team, are encrypted under. */
  readonly masterKey: MasterKey;
  /** By which stakes are built, sent and followed. */
  readonly stakeReads: ChainReads;
  /** Where metrics are registered, beside those of the process; one of its own where absent. */
  readonly registry?: Registry;
  /** The token of the one-time link that creates the first admin; null or absent where none was printed. */
  readonly setupToken?: string | null;
  readonly adminCallsPerMinute?: number;
  /** Where people's data lies beside the store; nowhere where absent. */
  readonly erasing?: Pick<ErasureOptions, 'outboxFolder' | 'backups'>;
  /** What the diagnostics of the bot work with; where absent, those of no bot. */
  readonly telegram?: TelegramDesk;
  /** What the assistant answers from; absent where the site was not built. */
  readonly openChatBook?: () => Promise<OpenedBook>;
  readonly askModel?: AskModel | undefined;
  /** Whether questions and answers are kept, without personal data. */
  readonly keepsTranscripts?: boolean;
  readonly questionsPerMinute?: number;
  /** Channels of delivery that rest, and why; none where absent. */
  readonly deliveryPauses?: () => ReadonlyMap<DeliveryChannel, string>;
  /** Calls beyond those of the contract. */
  readonly routes?: readonly ApiRoute[];
  /** Calls of one address a minute that are not answered from the snapshot. */
  readonly callsPerMinute?: number;
  readonly verificationsPerMinute?: number;
  /** Milliseconds after which the event stream of a verification ends. */
  readonly verificationWithinMs?: number;
  /** Challenges and proofs, each, of one address a minute. */
  readonly proofsPerMinute?: number;
  readonly submissionsPerMinute?: number;
  readonly statusLooksPerMinute?: number;
  readonly cardCallsPerMinute?: number;
  readonly streamLimits?: Partial<StreamLimits>;
}
