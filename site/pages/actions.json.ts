import type { APIRoute } from 'astro';
import { BUILT_ORIGIN } from '../../data/contract/built-origin.ts';
import * as PATHS from '../../data/contract/paths.ts';

/** Lets links to the staking page work as Solana Actions. The query of a link, such as the amount, is passed on. */
export const GET: APIRoute = () => {
  const api = `${BUILT_ORIGIN}${PATHS.stakeAction}`;
  return Response.json({
    rules: [
      { pathPattern: '/staking', apiPath: api },
      { pathPattern: PATHS.stakeAction, apiPath: api },
    ],
  });
};
