import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { address } from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

export const walletName = {
  method: 'GET',
  path: PATHS.walletName,
  summary: 'The primary .sol name of a wallet',
  query: verifyBdTokens.query,
  response: z.object({
    walletAddress: address,
    name: z
      .string()
      .nullable()
      .describe(
        'The name, read in the last ten minutes from the Solana Name Service; null if the wallet has none, or no longer owns it. Characters other than a to z, 0 to 9, - and _ are escaped: \\u{430}. A name is no proof of identity; show it beside the address, never instead of the address.',
      ),
  }),
  errors: ['chain-unreadable'],
} as const satisfies Call;
