import { z } from 'zod';
import type { Difference } from '../ports.ts';
import { customType } from './drizzle.ts';

const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);
const stored = z.array(z.object({ what: z.string(), onChain: amount, indexed: amount }));

/** A column of differences: JSON in the file, whose amounts are decimal text. */
export const differenceList = customType<{ data: readonly Difference[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (differences) =>
    JSON.stringify(
      differences.map(({ what, onChain, indexed }) => ({
        what,
        onChain: onChain.toString(),
        indexed: indexed.toString(),
      })),
    ),
  fromDriver: (text) => stored.parse(JSON.parse(text)),
});
