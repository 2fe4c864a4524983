import { z } from 'zod';
import { readErrors } from './admin-lists.ts';
import type { Call } from './call.ts';

/** The parts of the portal whose health the team sees, by their names on the screen. */
export const SYSTEM_PARTS = {
  index: 'Index',
  endpoints: 'Solana endpoints',
  market: 'Market feed',
  mail: 'Mail delivery',
  telegram: 'Telegram delivery',
} as const;
export type SystemPart = keyof typeof SYSTEM_PARTS;

const PARTS = Object.keys(SYSTEM_PARTS) as [SystemPart, ...SystemPart[]];
const count = z.int().nonnegative();

export const adminStats = {
  method: 'GET',
  path: '/api/admin/dashboard/stats',
  summary: 'How much came in, how deliveries go, and whether every part of the portal is healthy',
  access: 'viewer',
  response: z.object({
    totalApplications: count,
    recentApplications: count.describe('Of the last 7 days.'),
    totalContacts: count,
    recentContacts: count.describe('Of the last 7 days.'),
    deliverySuccessRate: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe('Percent of totalDeliveries, to one decimal, rounded down; null while there are none.'),
    successfulDeliveries: count,
    totalDeliveries: count.describe('Deliveries that came to an end: sent, or given up.'),
    waitingDeliveries: count.describe(
      'Deliveries that are still to be sent, those to be tried again among them.',
    ),
    deadDeliveries: count.describe('Deliveries that were given up.'),
    openApplications: count.describe('Card applications that are received or in review.'),
    totalRequests: count.describe('Requests for manual verification.'),
    openRequests: count.describe('Requests that nobody has decided.'),
    totalLoans: count.describe('Applications for the loan note.'),
    openLoans: count.describe('Loan applications that are received or in review.'),
    isOperational: z
      .boolean()
      .describe('Whether every part is healthy: only then the screen says OPERATIONAL.'),
    parts: z.array(
      z.object({
        part: z.enum(PARTS),
        name: z.string().describe('For the screen.'),
        isHealthy: z.boolean(),
        problems: z
          .array(z.string())
          .describe('What is the matter, each in a sentence; none where it is healthy.'),
      }),
    ),
  }),
  errors: readErrors,
  live: false,
} as const satisfies Call;
