import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { decimalText, moment, provenance } from './provenance.ts';

const CHART_SERIES = ['vault', 'staked', 'stakers', 'price', 'volume', 'network'] as const;
export type ChartSeries = (typeof CHART_SERIES)[number];

const CHART_RANGES = ['24h', '7d', '30d', 'all'] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

export const history = {
  method: 'GET',
  path: PATHS.history,
  summary: 'The history of a figure',
  query: z.object({
    series: z
      .enum(CHART_SERIES, { error: `Set series to one of ${CHART_SERIES.join(', ')}.` })
      .describe(
        'vault: BD in the vault. staked: staked BD. stakers: the number of stakers. price: the price in USD. volume: the volume of one day in USD. network: the percentage of Solana endpoints that answer.',
      ),
    range: z
      .enum(CHART_RANGES, { error: `Set range to one of ${CHART_RANGES.join(', ')}.` })
      .describe('The period up to now.'),
  }),
  response: z.object({
    series: z.enum(CHART_SERIES),
    range: z.enum(CHART_RANGES),
    resolution: z
      .enum(['minute', 'hour', 'day'])
      .describe(
        'The length of the interval that each point covers. Early points may cover longer intervals.',
      ),
    points: z
      .array(
        z.object({
          at: moment.describe('Start of the interval.'),
          value: decimalText
            .nullable()
            .describe(
              'BD, a count, or USD: the last value that was read by the end of the interval. Null if the feed gave no volume. For network: the lowest percentage in the interval; null if the indexer was silent for over a minute in the interval.',
            ),
        }),
      )
      .describe(
        'Oldest first. A value is valid until the next point: an interval without a change has no point. The first point ' +
          'may be earlier than the range.',
      ),
    ...provenance,
    source: z
      .array(z.string())
      .min(1)
      .describe(
        'The sources of the points: `solana` or `embedded-ledger` for the chain, or the names of the market feeds. Prices from `demo` are made up.',
      ),
  }),
  errors: ['not-indexed-yet', 'index-unreadable'],
} as const satisfies Call;
