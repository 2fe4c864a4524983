import { buildStake, stakeProgress, submitStake } from '../../data/contract/stake-order.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readQuery } from '../query.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import { addressBytes } from '../wallet-address.ts';
import type { StakeOrders } from './stake-orders.ts';

/** Stakes built and sent, each, of one address a minute: each asks the chain several times. */
const ORDERS_PER_MINUTE = 20;
/** Looks at how far a stake has come: one every second and a little more. */
const LOOKS_PER_MINUTE = 90;

/** The calls by which a wallet stakes from the portal. Only its signature moves anything, so no session is asked for. */
export function orderRoutes(orders: StakeOrders): readonly ApiRoute[] {
  return [
    {
      method: buildStake.method,
      path: buildStake.path,
      handle: limited(limitCalls(ORDERS_PER_MINUTE, 'stakes built'), async (request, response) => {
        const { walletAddress, amount } = readBody(buildStake.body, request.body);
        addressBytes(walletAddress);
        response.json(await orders.build(walletAddress, amount));
      }),
    },
    {
      method: submitStake.method,
      path: submitStake.path,
      handle: limited(limitCalls(ORDERS_PER_MINUTE, 'stakes sent'), async (request, response) => {
        const { transaction } = readBody(submitStake.body, request.body);
        response.json(await orders.submit(Buffer.from(transaction, 'base64')));
      }),
    },
    {
      method: stakeProgress.method,
      path: stakeProgress.path,
      handle: limited(limitCalls(LOOKS_PER_MINUTE, 'looks at stakes'), async (request, response) => {
        const { signature, lastValidBlockHeight } = readQuery(stakeProgress.query, request.query);
        response.json(await orders.progress(signature, Number(lastValidBlockHeight)));
      }),
    },
  ];
}
