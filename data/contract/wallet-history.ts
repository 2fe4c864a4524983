import { z } from 'zod';
import { EVENT_KINDS } from '../model/chain-events.ts';
import type { Call, ResponseOf } from './call.ts';
import { transactionRow } from './metrics.ts';
import * as PATHS from './paths.ts';
import { pageQuery, walletPosition } from './position.ts';
import { address, decimalText, moment, provenance, signature, slot } from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

/**
 * The maximum number of events that are read for one page. If few of them match the filters, the page is shorter than requested.
 */
export const MAX_EVENTS_READ = 10_000;
/** If a wallet has more events than this, its stake is not charted. */
export const MAX_EVENTS_CHARTED = 100_000;
/** The maximum number of points in a chart. Most screens are fewer pixels wide. */
export const MAX_STAKE_POINTS = 1_500;
/** A price is used for events up to this many hours after it. */
export const MAX_PRICE_AGE_HOURS = 48;

const dayText = (name: string) => {
  const message = `The parameter "${name}" must be a day (UTC) such as 2026-01-31. It is optional.`;
  return z.iso.date({ error: message }).optional();
};
const TYPE_ERROR = `Set type to one of ${EVENT_KINDS.join(', ')}, or leave it out.`;

const rangeQuery = {
  walletAddress: verifyBdTokens.query.shape.walletAddress,
  from: dayText('from').describe(
    'The first day (UTC). An event without a time gets the time of the event before it.',
  ),
  to: dayText('to').describe('The last day (UTC).'),
};
const type = z
  .enum(EVENT_KINDS, { error: TYPE_ERROR })
  .optional()
  .describe('Only events of this type. All types by default.');

/** An event of a wallet. Its fields are also the columns of an export. */
const walletEvent = z.object({
  timeUtc: moment.nullable().describe('Null if the cluster reports no time.'),
  type: transactionRow.shape.type,
  signature,
  account: transactionRow.shape.account,
  entry: address
    .nullable()
    .describe('The stake entry that was opened or ended; null if there is not exactly one.'),
  amountBd: decimalText.describe('The BD that moved, unsigned and exact. The type says in which direction.'),
  lockedUntil: moment
    .nullable()
    .describe(
      'When the opened stake unlocks; null for other types, and if its entry no longer exists or cannot be read.',
    ),
  usdPerBd: decimalText
    .nullable()
    .meta({ examples: ['0.0001137'] })
    .describe(
      `The price at the time of the event. Price changes are stored per minute for the last two days, per hour for the last hundred days, and per day before that. This is the last price in the event’s interval, so it can be newer than the event. If that interval has no price, this is the last price in the latest earlier interval that began at most ${MAX_PRICE_AGE_HOURS} hours before the event. Null if there is no such price.`,
    ),
  usdValue: decimalText
    .nullable()
    .meta({ examples: ['170.55'] })
    .describe('amountBd × usdPerBd, not rounded. Null if the price was not known.'),
  priceSource: z
    .string()
    .nullable()
    .meta({ examples: ['jupiter'] })
    .describe('The market feed of the price; null if it was not known. Prices from `demo` are made up.'),
  priceAt: moment
    .nullable()
    .describe(
      'The start of the price’s interval. If the price was not known, the start of the interval of the nearest known price. Null if no price is known.',
    ),
  priceInterval: z
    .enum(['minute', 'hour', 'day'])
    .nullable()
    .describe('The length of the interval that begins at priceAt.'),
  slot,
  status: transactionRow.shape.status,
  part: transactionRow.shape.part,
});
export type WalletEvent = z.infer<typeof walletEvent>;
export const WALLET_EVENT_COLUMNS = Object.keys(walletEvent.shape) as readonly (keyof WalletEvent)[];

const ERRORS = ['not-indexed-yet', 'index-unreadable'] as const;
const { isComplete } = walletPosition.response.shape.transactions.unwrap().shape;

export const walletHistory = {
  method: 'GET',
  path: PATHS.walletHistory,
  summary: 'The events of a wallet with the price at their time, newest first',
  query: z.object({ ...rangeQuery, type, ...pageQuery }),
  response: z.object({
    walletAddress: address,
    rows: z
      .array(walletEvent)
      .nullable()
      .describe(
        `At most \`limit\` events. After reading ${MAX_EVENTS_READ} events, the call returns the matches so far, even if older events match too. Null while the history is being read from the chain.`,
      ),
    next: z.string().nullable().describe('Pass it as `before` to get the next page; null on the last one.'),
    isComplete,
    ...provenance,
  }),
  errors: ERRORS,
} as const satisfies Call;
export type WalletHistory = ResponseOf<typeof walletHistory>;

const EXPORT_FORMATS = ['json', 'csv'] as const;
const FORMAT_ERROR = `Set format to ${EXPORT_FORMATS.join(' or ')}, or leave it out.`;

export const walletHistoryExport = {
  method: 'GET',
  path: PATHS.walletHistoryExport,
  summary: 'The events of a wallet as a file: every event of the range, newest first',
  query: z.object({
    ...rangeQuery,
    type,
    format: z
      .enum(EXPORT_FORMATS, { error: FORMAT_ERROR })
      .optional()
      .describe('json by default; csv (RFC 4180) has the same fields as columns.'),
  }),
  response: z
    .array(walletEvent)
    .describe(
      'Rows are streamed as they are read, with Content-Disposition: attachment. A file that was cut off does not parse. Older prices are kept at longer intervals, so a later file can have a different price for the same event: see usdPerBd.',
    ),
  errors: [...ERRORS, 'history-not-read-yet'],
} as const satisfies Call;

export const stakeHistory = {
  method: 'GET',
  path: PATHS.stakeHistory,
  summary: 'The stake of a wallet over time, from its events',
  query: z.object(rangeQuery),
  response: z.object({
    walletAddress: address,
    staked: decimalText.describe('BD in the open stake entries of the wallet, at `slot`.'),
    points: z
      .array(
        z.object({
          at: moment.describe('When the stake changed.'),
          staked: decimalText.describe('BD staked from then on.'),
        }),
      )
      .nullable()
      .describe(
        'Oldest first. A value is valid until the next point. The first point is the latest change at or before the start of ' +
          'the range. If there is no such change, it is the first change in the range, and the stake was 0 before it. ' +
          `At most ${MAX_STAKE_POINTS} points: if there are more, the time from the second to the newest point is divided into equal intervals, and only the first point and the newest point of each interval are kept. Null if unknownFor gives a reason.`,
      ),
    unknownFor: z
      .enum(['not-read-yet', 'too-many-events', 'no-match'])
      .nullable()
      .describe(
        'Why points is null: the history is being read from the chain, the wallet has more than ' +
          `${MAX_EVENTS_CHARTED} events, or the events do not add up to the stake. Null if there are points.`,
      ),
    ...provenance,
  }),
  errors: ERRORS,
} as const satisfies Call;
export type StakeHistory = ResponseOf<typeof stakeHistory>;
