import type { Registry } from '@prometheus-io/client';
import type { PublicOrigins } from '../data/config/api-origin.ts';
import type { MetricsConfig } from '../data/config/network-variables.ts';
import type { RateLimits } from '../data/config/rate-limits.ts';
import type { SecurityContact } from '../data/config/security-contact.ts';
import type { ChainName } from '../data/contract/provenance.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { DeliveryChannel } from '../data/store/delivery-port.ts';
import type { ErasureSubject } from '../data/store/erasure-port.ts';
import type { LeaseStore } from '../data/store/lease-port.ts';
import type { AppStore, IndexReader } from '../data/store/ports.ts';
import type { AuthorizeAdmin } from './admin/authorize-admin.ts';
import type { Leftover } from './backup/leftovers.ts';
import type { RemoteCopyState } from './backup/remote/remote-copies.ts';
import type { WalletMutex } from './cards/card-context.ts';
import type { CardIssuer } from './cards/issuer.ts';
import type { ChainReads } from './chain/chain-reads.ts';
import type { AskModel } from './chat/model-answer.ts';
import type { BookOpener, ExtendedBook } from './chat/team-additions.ts';
import type { ForwardedMailOptions } from './conversation/inbound-metrics.ts';
import type { ReplyComposer } from './conversation/reply-mail.ts';
import type { AlertTeam } from './delivery/team-alerts.ts';
import type { MasterKey } from './documents/master-key.ts';
import type { AdminStreams } from './live/admin-streams.ts';
import type { StreamHub } from './live/stream-hub.ts';
import type { CachedAnswer } from './metrics/cached-answer.ts';
import type { FigureInputs } from './metrics/figure.ts';
import type { Readiness } from './operations/readiness.ts';
import type { ReplicaStatus } from './operations/replica-status.ts';
import type { SpaceOptions } from './operations/space-watch.ts';
import type { SiteFiles } from './pages/serve-pages.ts';
import type { SecurityHeaders } from './security/headers.ts';
import type { Limits } from './security/rate-limit.ts';
import type { ComputeUnitPriceEstimator } from './stake-order/priority-fee.ts';
import type { TelegramContext } from './telegram/telegram-routes.ts';
import type { CheckStake, WalletReaders } from './verification/check-stake.ts';
import type { ProvenWallets, ReadProvenWallet } from './wallet/proven-wallets.ts';

export interface BackupState {
  /** When the newest backup was taken (Unix ms); null if there is none, undefined if the folder cannot be read. */
  readonly newestAt: number | null | undefined;
  /** How many backups are kept. */
  readonly keep: number;
  readonly isScheduled: boolean;
  /** The encrypted copies of backups on remote storage; null if none is configured. */
  readonly remote: RemoteCopyState | null;
  /** Copies of `app.db` that are not backups. */
  readonly leftovers: readonly Leftover[];
}

export interface PortalDependencies extends PublicOrigins {
  readonly reader: IndexReader;
  readonly store: AppStore;
  /** Null if only this process uses the store. */
  readonly leases: LeaseStore | null;
  readonly site: SiteFiles;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds, for intervals. */
  readonly monotonicNow: () => number;
  readonly chain: ChainName;
  /** Addresses and networks of the proxies that may report a client's address. */
  readonly trustedProxies: readonly string[];
  readonly metrics: MetricsConfig;
  readonly version: string;
  readonly rateLimits: RateLimits;
  /** Null if not configured. */
  readonly securityContact: SecurityContact | null;
  readonly walletReaders: WalletReaders;
  readonly stakeReads: ChainReads;
  /** Estimates the price per compute unit that stakes pay as a priority fee; null if they pay none. */
  readonly estimateComputeUnitPrice: ComputeUnitPriceEstimator | null;
  /** How old (ms) an admin's account must be before the admin may vote on a loan application or close a card. */
  readonly minAccountAgeToVoteMs: number;
  readonly issuer: CardIssuer;
  /** The address to which users send USDT for their cards; null if funding is not open. */
  readonly fundingAddress: string | null;
  /** The id of the transfer feed that the portal follows; null if the team records all top-ups by hand. */
  readonly topUpFeed: string | null;
  /** Encrypts documents and stored secrets. The tokens in emailed links are derived from it. */
  readonly masterKey: MasterKey;
  /** An existing folder for uploads in progress. */
  readonly uploadFolder: string;
  readonly disk: SpaceOptions['disk'];
  readonly registry: Registry;
  /** The token of the one-time link that creates the first admin; null if none was printed. */
  readonly setupToken: string | null;
  /** Personal data that is stored outside `app.db`. */
  readonly copies: {
    /** The folder where emails are saved as files instead of being sent; null if there is none. */
    readonly outboxFolder: string | null;
    /** Null if the portal uses PostgreSQL. In that case the operator makes the backups, and the portal cannot see them. */
    readonly backups: () => BackupState | null;
    /** Why the last attempt to copy a backup elsewhere failed. Null if it did not fail, or if no copies are configured. */
    readonly remoteProblem: () => string | null;
    /**
     * Adds an erasure to the list of erasures to repeat after an older `app.db` is restored. Does nothing with PostgreSQL,
     * which has no such list.
     */
    readonly recordErasure: (
      subject: ErasureSubject,
      entry: { readonly auditRecord: string; readonly at: number },
    ) => Promise<void>;
  };
  readonly telegram: TelegramContext;
  readonly replies: ReplyComposer;
  readonly inboundMail: ForwardedMailOptions;
  /** Opens the assistant's book from the build, extended with the given additions; null if the site is not built. */
  readonly openChatBook: BookOpener | null;
  /** Null if no chat model is configured. */
  readonly askModel: AskModel | null;
  /** Whether questions and answers are stored, without personal data. */
  readonly keepsTranscripts: boolean;
  readonly deliveryPauses: () => ReadonlyMap<DeliveryChannel, string>;
  readonly alertTeam: AlertTeam;
  /** Whether a mail server is configured. Without one, emails are written to files. */
  readonly sendsMail: boolean;
  /** The URL of the team's pages without a trailing slash. */
  readonly teamOrigin: () => string;
  /** The path for a copy of an `app.db` that was lost while the portal was using it. */
  readonly lostStoreCopyPath: () => string;
  /** Whether this process runs the jobs that only one replica may run. */
  readonly runsJobs: () => boolean;
  /** Whether PostgreSQL notifies this process of changes. */
  readonly isNotified: () => boolean;
}

export interface PortalContext extends PortalDependencies {
  readonly figureInputs: () => FigureInputs;
  readonly readiness: () => Readiness;
  /** Null if only this process uses the store. */
  readonly replicaStatus: (() => Promise<ReplicaStatus>) | null;
  readonly isStoreWritable: () => boolean;
  /** Whether the disk is short of space or its free space is unknown. In either case, no documents are accepted. */
  readonly isDiskSpaceLow: () => boolean;
  /** Null while the free space cannot be read. */
  readonly freeDiskBytes: () => number | null;
  readonly answers: Map<string, CachedAnswer>;
  readonly hub: StreamHub;
  readonly adminStreams: AdminStreams;
  readonly security: SecurityHeaders;
  readonly limits: Limits;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: () => number | null;
  readonly provenWallets: ProvenWallets;
  readonly readProvenWallet: ReadProvenWallet;
  readonly checkStake: CheckStake;
  readonly walletMutex: WalletMutex;
  /** Unix milliseconds that never decrease, for the team's sessions, codes and sign-in delays. */
  readonly nonDecreasingNow: () => number;
  readonly authorize: AuthorizeAdmin;
  /** Opens the assistant's book with the team's additions; null if the site is not built. */
  readonly openExtendedBook: (() => Promise<ExtendedBook>) | null;
}
