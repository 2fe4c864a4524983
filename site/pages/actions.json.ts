import type { APIRoute } from 'astro';
import { ORIGIN_PLACEHOLDER } from '../../data/contract/origin-placeholder.ts';
import * as PATHS from '../../data/contract/paths.ts';

/** Lets links to the staking page work as Solana Actions. A link's query, such as the amount, is passed to the API. */
export const GET: APIRoute = () => {
  const api = `${ORIGIN_PLACEHOLDER}${PATHS.stakeAction}`;
  return Response.json({
    rules: [
      { pathPattern: '/staking', apiPath: api },
      { pathPattern: PATHS.stakeAction, apiPath: api },
    ],
  });
};
