import { z } from 'zod';
import { PAGE_SIZES } from '../model/page-sizes.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, decimalText, moment, walletAddress } from './provenance.ts';

export const MAX_TRANSFERS_SHOWN = Math.max(...PAGE_SIZES);

const usdt = decimalText.describe('USDT.');
const TRANSFER_ERROR = 'Set transferId to the id of the transfer.';
const transferId = z
  .string({ error: TRANSFER_ERROR })
  .regex(/^\d{1,9}-0x[0-9a-f]{64}-\d{1,9}$/, TRANSFER_ERROR);

export const adminTopUps = {
  method: 'GET',
  path: PATHS.adminTopUps,
  summary:
    'The USDT transfers that were not credited to a card, the latest credited transfers, and how far the portal has read transfers',
  access: 'viewer',
  response: z.object({
    readProgress: z
      .object({
        block: count.describe('The newest final block that was read.'),
        readAt: moment.describe('When a new final block was last read.'),
        comparedAt: moment.describe('When the balance was last compared with the transfers.'),
        difference: usdt.describe('The balance minus the sum of the transfers. 0 if they agree.'),
      })
      .nullable()
      .describe('Null if the portal does not read transfers, or has not started yet.'),
    waiting: count.describe('How many transfers wait for the team.'),
    unmatched: z
      .array(
        z.object({
          transferId,
          at: moment,
          sender: z.string(),
          amount: usdt,
          closedCard: z
            .string()
            .nullable()
            .describe(
              'The id of the card that the decimals identify, if that card is closed; otherwise null.',
            ),
        }),
      )
      .describe(`The oldest ${MAX_TRANSFERS_SHOWN}, oldest first.`),
    credited: z
      .array(
        z.object({
          transferId,
          at: moment,
          amount: usdt,
          credited: usdt.describe('USDT, less the fee.'),
          creditedAt: moment,
          cardId: z.string().nullable().describe('Null if the card was erased.'),
        }),
      )
      .describe(`The latest ${MAX_TRANSFERS_SHOWN} credited transfers, newest first.`),
  }),
} as const satisfies Call;

const successBody = z.object({ success: z.literal(true) });

export const bookTopUp = {
  method: 'POST',
  path: PATHS.bookTopUp,
  summary: "Credits an unmatched transfer, minus the fee, to a wallet's card",
  access: 'reviewer',
  body: z.strictObject({ transferId, walletAddress }),
  response: successBody.extend({ credited: usdt }),
  errors: ['unknown-card', 'top-up-closed'],
} as const satisfies Call;

export const settleTopUp = {
  method: 'POST',
  path: PATHS.settleTopUp,
  summary: 'Closes a transfer that was returned, or that was not for a card',
  access: 'reviewer',
  body: z.strictObject({ transferId }),
  response: successBody,
  errors: ['top-up-closed'],
} as const satisfies Call;
