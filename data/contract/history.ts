import { z } from 'zod';
import type { Call } from './call.ts';
import { decimalText, provenance } from './provenance.ts';

/** Series that a chart can be asked for. */
export const CHART_SERIES = ['vault', 'staked', 'stakers', 'price'] as const;
export type ChartSeries = (typeof CHART_SERIES)[number];

/** How far back a chart reaches. */
export const CHART_RANGES = ['24h', '7d', '30d', 'all'] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

export const history = {
  method: 'GET',
  path: '/api/history',
  summary: 'How a figure went over time',
  query: z.object({
    series: z
      .enum(CHART_SERIES, { error: `Set series to one of ${CHART_SERIES.join(', ')}.` })
      .describe('What to tell: BD in the vault, BD staked, wallets staking, or the price in USD.'),
    range: z
      .enum(CHART_RANGES, { error: `Set range to one of ${CHART_RANGES.join(', ')}.` })
      .describe('How far back.'),
  }),
  response: z.object({
    series: z.enum(CHART_SERIES),
    range: z.enum(CHART_RANGES),
    resolution: z
      .enum(['minute', 'hour', 'day'])
      .describe('Length of the interval that a point stands for; of early ones it may be longer.'),
    points: z
      .array(
        z.object({
          at: z.iso.datetime().describe('Begin of the interval.'),
          value: decimalText.describe('The value at the end of the interval: BD, a count, or USD.'),
        }),
      )
      .describe(
        'Oldest first. A value holds until the next point: intervals in which nothing changed are left out, and the ' +
          'first point may lie before the range.',
      ),
    ...provenance,
    source: z
      .array(z.string())
      .min(1)
      .describe(
        'What the points were read from: `solana` or `embedded-ledger` for the chain, else the names of the market feeds (`demo` is not a market).',
      ),
  }),
  errors: {
    400: 'A parameter is missing or unknown; the text names the values.',
    503: 'Nothing of the series is known yet; ask again in a few seconds.',
  },
  live: false,
} as const satisfies Call;
