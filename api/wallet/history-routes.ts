import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { TRANSACTIONS_PER_PAGE } from '../../data/contract/position.ts';
import {
  MAX_EVENTS_CHARTED,
  MAX_EVENTS_READ,
  MAX_STAKE_POINTS,
  type StakeHistory,
  stakeHistory,
  WALLET_EVENT_COLUMNS,
  type WalletEvent,
  type WalletHistory,
  walletHistory,
  walletHistoryExport,
} from '../../data/contract/wallet-history.ts';
import { productText, toDecimalText } from '../../data/model/amounts.ts';
import type { EventKind } from '../../data/model/chain-events.ts';
import type { EventCursor, WalletEvent as StoredEvent, WalletEvents } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { csvChunks, jsonChunks, sendExport } from '../admin/records/export-file.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { isHistoryCurrent } from '../metrics/event-history.ts';
import {
  chainProvenance,
  chainSnapshot,
  eventsProvenance,
  type FigureInputs,
  type IdentifiedChainSnapshot,
  transactionRow,
} from '../metrics/figure.ts';
import type { PortalContext } from '../portal-context.ts';
import { readQuery } from '../request-input.ts';
import { checkAddress } from '../wallet-address.ts';
import { type PastPrice, pastPriceReader, priceAt } from './past-prices.ts';
import { cursorText, parseCursor } from './position-route.ts';
import { pointsInRange, StakeHistoryBuilder, type StakePoint } from './stake-history.ts';

const DAY_MS = 86_400_000;
/** How many events are read into memory at a time. Other requests are served between these reads. */
const EVENTS_PER_READ = 1_000;
/**
 * Reading stops at an event that is this much older than the start of the range, not at the first older one: events are sorted
 * by slot, and their block times can be out of order by seconds.
 */
const TIME_TOLERANCE_MS = 3_600_000;

interface EventFilter {
  readonly wallet: string;
  /** Unix ms. The range includes `from` but not `until`. If both are infinite, events without a known time match too. */
  readonly from: number;
  readonly until: number;
  readonly type: EventKind | undefined;
}

interface RangeQuery {
  readonly walletAddress: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly type?: EventKind | undefined;
}

function eventFilter({ walletAddress, from, to, type }: RangeQuery): EventFilter {
  checkAddress(walletAddress);
  return {
    wallet: walletAddress,
    from: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
    until: to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + DAY_MS,
    type,
  };
}

function matches({ from, until, type }: EventFilter, { kind, historyTime }: StoredEvent): boolean {
  if (type !== undefined && kind !== type) return false;
  if (historyTime === null) return from === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY;
  return historyTime >= from && historyTime < until;
}

const isBeforeRange = ({ from }: EventFilter, { blockTime }: StoredEvent) =>
  blockTime !== null && blockTime < from - TIME_TOLERANCE_MS;

const cursorOf = ({ slot, position, order }: StoredEvent): EventCursor => ({ slot, position, order });

const iso = (at: number) => new Date(at).toISOString();

interface RowContext extends IdentifiedChainSnapshot {
  readonly inputs: FigureInputs;
  /** False during the first sync. The newest transactions are then missing, because the sync starts with the oldest ones. */
  readonly isHistoryCaughtUp: boolean;
  readonly prices: readonly PastPrice[];
}

function lockedUntil(
  { kind, stakeEntry, signature }: StoredEvent,
  { inputs: { stakes } }: RowContext,
): string | null {
  const entry =
    kind === 'stake' && stakeEntry !== null ? stakes?.content.entryByAddress.get(stakeEntry) : undefined;
  // A later stake can reuse the entry's address. `entryByAddress` has only the lock of the latest stake.
  return entry?.openedBy === signature ? iso(entry.unlocksAt) : null;
}

function rowOf(event: StoredEvent, rowContext: RowContext): WalletEvent {
  const { identity, prices } = rowContext;
  const { type, account, amount, signature, part, status, slot } = transactionRow(event, identity);
  const { price, isKnown } =
    event.blockTime === null ? { price: null, isKnown: false } : priceAt(prices, event.blockTime);
  // If no price was valid at the event's time, `price` is the nearest one: only its time and interval are reported.
  const validPrice = isKnown ? price : null;
  const absoluteAmount = event.delta < 0n ? -event.delta : event.delta;
  return {
    timeUtc: event.blockTime === null ? null : iso(event.blockTime),
    type,
    signature,
    account,
    entry: event.stakeEntry,
    amountBd: amount,
    lockedUntil: lockedUntil(event, rowContext),
    usdPerBd: validPrice?.usd ?? null,
    usdValue: validPrice && productText(absoluteAmount, identity.decimals, validPrice.usd),
    priceSource: validPrice?.source ?? null,
    priceAt: price && iso(price.at),
    priceInterval: price?.interval ?? null,
    slot,
    status,
    part,
  };
}

/** Reads the first page in advance, so that an error leads to an error response instead of a truncated file. */
async function withFirstPage<Page>(pages: AsyncGenerator<Page>): Promise<AsyncGenerator<Page>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

type HistoryContext = Pick<PortalContext, 'reader' | 'figureInputs' | 'now' | 'monotonicNow' | 'log'>;

/** The calls for a wallet's events. They read only the index. The data is public, so no signature is needed. */
export function walletHistoryRoutes(context: HistoryContext): readonly ApiRoute[] {
  const { reader, figureInputs, now, log } = context;
  const readPrices = pastPriceReader(reader, context.monotonicNow);

  async function readRowContext(): Promise<RowContext> {
    const inputs = figureInputs();
    const chain = chainSnapshot(inputs);
    const { isHistoryCaughtUp, quote } = inputs.index;
    if (!chain) throw new ApiError('not-indexed-yet');
    return {
      ...chain,
      inputs,
      isHistoryCaughtUp,
      prices: await readPrices(quote?.source ?? null),
    };
  }

  async function* readEvents(
    wallet: string,
    before: EventCursor | null,
  ): AsyncGenerator<WalletEvents['events']> {
    let cursor = before;
    do {
      const { events, next } = await reader.walletEvents(wallet, EVENTS_PER_READ, cursor);
      yield events;
      cursor = next;
      await setImmediate();
    } while (cursor !== null);
  }

  async function pageOf(
    filter: EventFilter,
    before: EventCursor | null,
    limit: number,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly next: EventCursor | null }> {
    const events: StoredEvent[] = [];
    let count = 0;
    for await (const batch of readEvents(filter.wallet, before)) {
      for (const event of batch) {
        if (isBeforeRange(filter, event)) return { events, next: null };
        if (!matches(filter, event)) continue;
        const last = events.at(-1);
        if (last !== undefined && events.length === limit) return { events, next: cursorOf(last) };
        events.push(event);
      }
      count += batch.length;
      const last = batch.at(-1);
      if (last !== undefined && count >= MAX_EVENTS_READ) return { events, next: cursorOf(last) };
    }
    return { events, next: null };
  }

  async function* exportPages(filter: EventFilter, rowContext: RowContext) {
    for await (const batch of readEvents(filter.wallet, null)) {
      const rows = batch.filter((event) => matches(filter, event)).map((event) => rowOf(event, rowContext));
      yield rows.map((row) => WALLET_EVENT_COLUMNS.map((column) => row[column]));
      if (batch.some((event) => isBeforeRange(filter, event))) return;
    }
  }

  async function changesOf(
    wallet: string,
    staked: bigint,
    slot: number,
  ): Promise<readonly StakePoint[] | NonNullable<StakeHistory['unknownFor']>> {
    const walk = new StakeHistoryBuilder(staked, slot);
    let count = 0;
    for await (const batch of readEvents(wallet, null)) {
      count += batch.length;
      if (count > MAX_EVENTS_CHARTED) return 'too-many-events';
      for (const event of batch) walk.add(event);
    }
    return walk.points() ?? 'no-match';
  }

  async function withIndexErrors<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw new ApiError('index-unreadable', { cause: error });
      throw error;
    }
  }

  const limit = 'wallet-histories';
  return [
    callRoute(walletHistory, { limit }, async (request, response) => {
      const query = readQuery(walletHistory.query, request.query);
      const filter = eventFilter(query);
      const rowLimit = query.limit === undefined ? TRANSACTIONS_PER_PAGE : Number(query.limit);
      const before = query.before === undefined ? null : parseCursor(query.before);
      response.json(
        await withIndexErrors(async (): Promise<WalletHistory> => {
          const rowContext = await readRowContext();
          const { index } = rowContext.inputs;
          const page = rowContext.isHistoryCaughtUp ? await pageOf(filter, before, rowLimit) : null;
          return {
            walletAddress: filter.wallet,
            rows: page?.events.map((event) => rowOf(event, rowContext)) ?? null,
            next: page?.next ? cursorText(page.next) : null,
            isComplete: isHistoryCurrent(index, now()),
            ...eventsProvenance(rowContext, index, now()),
          };
        }),
      );
    }),
    callRoute(walletHistoryExport, { limit: 'wallet-exports' }, async (request, response) => {
      const { format = 'json', ...query } = readQuery(walletHistoryExport.query, request.query);
      const filter = eventFilter(query);
      await withIndexErrors(async () => {
        const rowContext = await readRowContext();
        if (!rowContext.isHistoryCaughtUp) throw new ApiError('history-not-read-yet');
        const pages = await withFirstPage(exportPages(filter, rowContext));
        const chunks = format === 'csv' ? csvChunks : jsonChunks;
        const days = [query.from, query.to ?? iso(now()).slice(0, 10)].filter((day) => day !== undefined);
        const name = ['blackduck', filter.wallet.slice(0, 8), query.type, ...days].filter(Boolean).join('-');
        const file = Readable.from(chunks(WALLET_EVENT_COLUMNS, pages));
        const error = await sendExport(response, { name, format }, file);
        if (error !== null) log.warn({ err: error }, 'an export of a wallet’s events was aborted');
      });
    }),
    callRoute(stakeHistory, { limit }, async (request, response) => {
      const { wallet, from, until } = eventFilter(readQuery(stakeHistory.query, request.query));
      response.json(
        await withIndexErrors(async (): Promise<StakeHistory> => {
          const { inputs, identity, source, isHistoryCaughtUp } = await readRowContext();
          const { stakes } = inputs;
          if (!stakes) throw new ApiError('not-indexed-yet');
          const text = (amount: bigint) => toDecimalText(amount, identity.decimals);
          const staked = stakes.content.stakerByWallet.get(wallet)?.staked ?? 0n;
          const changes = isHistoryCaughtUp ? await changesOf(wallet, staked, stakes.slot) : 'not-read-yet';
          const unknownFor = typeof changes === 'string' ? changes : null;
          const points =
            typeof changes === 'string' ? null : pointsInRange(changes, from, until, MAX_STAKE_POINTS);
          return {
            walletAddress: wallet,
            staked: text(staked),
            points: points?.map((point) => ({ at: iso(point.at), staked: text(point.staked) })) ?? null,
            unknownFor,
            ...chainProvenance(source, stakes, now()),
          };
        }),
      );
    }),
  ];
}
